"""Any causal language model of transformers: load it, encode text for it, run it, and read its last attention layer."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from huggingface_hub.utils import logging as hub_logging
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, PreTrainedModel
from transformers.utils import logging as transformers_logging

from .attention import KeyValues, Pass, input_device
from .chat import end_of_turn
from .detokenizer import Detokenizer, special_ids
from .errors import ModelError
from .probe import choose_capture

OnProgress = Callable[[str, float | None], None]
PART = "\u25cc"


@dataclass(frozen=True, eq=False)
class Encoded:
    """Token ids of a text with the half-open character span of each."""

    token_ids: list[int]
    spans: list[tuple[int, int]]


class CausalLM:
    """A loaded causal language model whose last attention layer can be read while it decodes.

    Attributes:
        name: what the user called it; ``revision`` the exact weights, where that is known.
        capture: how its attention is read, which layer's, and how far that was from eager attention at load.
        forward_passes: how often the model has run since it was loaded, the probe apart.
    """

    def __init__(self, model: PreTrainedModel, tokenizer, name: str, revision: str | None = None):
        self.model, self.tokenizer, self.name, self.revision = model.eval(), tokenizer, name, revision
        self.forward_passes = 0
        self._lock = threading.Lock()  # the tap belongs to one pass at a time, the kept cache to one decoder
        self._kept: tuple[list[int], KeyValues] | None = None
        self.capture = choose_capture(model, name)

    # Loading

    @classmethod
    def load(cls, source: str | Path, name: str | None = None, revision: str | None = None) -> "CausalLM":
        """Load from a directory or a hub id, in float32 on a CPU and in the checkpoint's dtype on an accelerator.

        Raises:
            ModelError: there is no such model, it is no causal language model, or it has no attention to read.
        """
        name = name or str(source)
        source = Path(source).expanduser() if str(source).startswith("~") else source
        if str(source).startswith(("/", ".")) and not Path(source).is_dir():
            raise ModelError(f"There is no model folder {name}: check the path.")
        with _quiet():
            config = _read(lambda: AutoConfig.from_pretrained(source), name)
            _require_causal(config, name)
            accelerated = torch.cuda.is_available() or torch.backends.mps.is_available()
            model = _read(
                lambda: AutoModelForCausalLM.from_pretrained(
                    source,
                    dtype="auto" if accelerated else torch.float32,
                    device_map="auto" if accelerated else None,
                ),
                name,
            )
            tokenizer = _read(lambda: AutoTokenizer.from_pretrained(source), name)
            if not getattr(tokenizer, "is_fast", False):
                raise ModelError(
                    f"The tokenizer of {name} gives no character offsets: use a model with a fast tokenizer."
                )
            return cls(model, tokenizer, name, revision or getattr(config, "_commit_hash", None))

    # What the model is

    @property
    def device(self) -> torch.device:
        """Where token ids go; with several devices later layers may be elsewhere."""
        return input_device(self.model)

    @property
    def dtype(self) -> torch.dtype:
        return self.model.dtype

    @property
    def layers(self) -> int:
        return self.model.config.get_text_config().num_hidden_layers

    @property
    def heads(self) -> int:
        """Query heads of the captured layer."""
        return self.capture.heads

    @property
    def context_limit(self) -> int:
        """Most tokens that prompt and answer may have together."""
        config = self.model.config.get_text_config()
        limits = (getattr(config, key, None) for key in ("max_position_embeddings", "n_positions", "max_seq_len"))
        return int(next(filter(None, limits), 2**31))

    @cached_property
    def end_ids(self) -> frozenset[int]:
        """Tokens that end an answer: the checkpoint's, the tokenizer's and the chat template's."""
        ends = self.model.generation_config.eos_token_id
        ends = set(ends) if isinstance(ends, list) else {ends}
        return frozenset((ends | {self.tokenizer.eos_token_id, end_of_turn(self)}) - {None})

    @cached_property
    def special_ids(self) -> frozenset[int]:
        """Tokens that spell no text."""
        return special_ids(self.tokenizer)

    @cached_property
    def _markers(self) -> tuple[str, ...]:
        """How special tokens are written."""
        return tuple(filter(None, self.tokenizer.convert_ids_to_tokens(sorted(self.special_ids))))

    # Text

    def encode(self, text: str, user: tuple[int, int] | None = None, add_special: bool = False) -> Encoded:
        """Token ids of ``text`` with offsets.

        Args:
            user: span of text that people wrote: a role marker spelled out in it is encoded as plain characters.
            add_special: add what the tokenizer adds by default (BOS), without a trailing end token.
        """
        if user is None or not self._spells_special(text[user[0] : user[1]]):
            return self._encode(text, 0, add_special, False)
        start, end = user
        parts = [
            self._encode(text[:start], 0, add_special, False),
            self._encode_plain(text[start:end], start),
            self._encode(text[end:], end, False, False),
        ]
        return _joined(parts)

    def _encode_plain(self, text: str, shift: int) -> Encoded:
        """No special token, whatever is spelled; some vocabularies (Unigram's) hold markers as ordinary pieces, which
        are then taken apart."""
        encoded = self._encode(text, shift, False, True)
        markers = self.special_ids - {self.tokenizer.unk_token_id}
        for token_id, (start, end) in zip(encoded.token_ids, encoded.spans, strict=True):
            if token_id in markers and end - start > 1:
                cut = start + 1 - shift
                return _joined([self._encode_plain(text[:cut], shift), self._encode_plain(text[cut:], shift + cut)])
        return encoded

    def _spells_special(self, text: str) -> bool:
        return any(marker in text for marker in self._markers)

    def _encode(self, text: str, shift: int, add_special: bool, plain: bool) -> Encoded:
        if not text and not add_special:
            return Encoded([], [])
        out = self.tokenizer(
            text, add_special_tokens=add_special, return_offsets_mapping=True, split_special_tokens=plain
        )
        ids, spans = list(out["input_ids"]), [(a + shift, b + shift) for a, b in out["offset_mapping"]]
        while add_special and len(ids) > 1 and spans[-1] == (0, 0) and ids[-1] in self.special_ids:
            ids.pop(), spans.pop()  # an end token after a prompt would end it
        return Encoded(ids, spans)

    def encode_after(self, prompt_ids: Sequence[int], text: str) -> list[int]:
        """Token ids that spell ``text``, role markers in it as plain characters, where they stand behind a prompt.

        Many tokenizers put a space in front of a text's first word; behind a prompt it would show.
        """
        alone = self.encode(text, user=(0, len(text))).token_ids
        line = self.encode("\n" + text, user=(0, len(text) + 1))
        behind = [i for i, (_, end) in zip(line.token_ids, line.spans, strict=True) if end > 1]
        return next((ids for ids in (alone, behind) if self._spelled(prompt_ids, ids) == text), alone)

    def _spelled(self, prompt_ids: Sequence[int], ids: Sequence[int]) -> str:
        detokenizer = Detokenizer(self.tokenizer, prompt_ids)
        for token_id in ids:
            detokenizer.push(token_id)
        return detokenizer.text

    def token_text(self, token_id: int) -> str:
        """What a token spells behind other text, ◌ for a part of a character; the name of a special token."""
        if token_id in self.special_ids:
            return self.tokenizer.decode([token_id])
        before = self._decode(self._anchor)
        return self._decode([*self._anchor, token_id])[len(before) :].replace("\ufffd", PART)

    @cached_property
    def _anchor(self) -> list[int]:
        """A token to decode along, since many tokenizers take a space from the start of a text."""
        return self._encode("a", 0, False, True).token_ids

    def _decode(self, ids: list[int]) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)

    # Running

    def open_cache(self, ids: Sequence[int]) -> tuple[KeyValues, int]:
        """A cache that already holds the longest possible prefix of ``ids`` and the length of that prefix.

        The last token is never in it: feeding it gives the first distribution. Hand it back with :meth:`keep_cache`.
        """
        with self._lock:
            kept, self._kept = self._kept, None
        if kept is not None:
            old, cache = kept
            shared = _common_prefix(old, ids[:-1])
            surplus = len(old) - shared
            if shared and cache.is_croppable:  # a recurrent state can't go back, nor take several tokens at once
                try:
                    if surplus:
                        cache.crop(-surplus)
                    return cache, shared
                except RuntimeError:  # a sliding layer past its window has forgotten what a crop would need
                    pass
        return self.capture.new_cache(), 0

    def keep_cache(self, ids: Sequence[int], cache: KeyValues) -> None:
        """Keep a cache that holds exactly ``ids`` for the next prompt that shares a prefix with them."""
        self._kept = (list(ids), cache)

    def run(self, ids: Sequence[int], cache: KeyValues, kept: int = 1, rows_only: bool = False) -> Pass:
        """A forward pass over ``ids`` on top of ``cache``: logits and attention rows of the last ``kept`` positions, or
        with ``rows_only`` logits of the last one alone."""
        with self._lock:
            self.forward_passes += 1
            return self.capture.run(ids, cache, kept, rows_only)


def _joined(parts: Sequence[Encoded]) -> Encoded:
    return Encoded([i for p in parts for i in p.token_ids], [s for p in parts for s in p.spans])


def _common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    n = min(len(a), len(b))
    differs = np.nonzero(np.asarray(a[:n]) != np.asarray(b[:n]))[0]
    return int(differs[0]) if differs.size else n


def _read(load: Callable, name: str):
    try:
        return load()
    except (OSError, ValueError, KeyError, ImportError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(
            f"{name} cannot be loaded as a causal language model ({reason.rstrip('.')}): "
            "give a folder of a transformers model or an id that this machine can reach."
        ) from error


NO_ATTENTION = ("mamba", "mamba2", "falcon_mamba", "rwkv")


def _require_causal(config, name: str) -> None:
    kind = config.model_type
    if kind in NO_ATTENTION:
        raise ModelError(f"{name} is a {kind} model, which has no attention: DRAGIN needs a transformer's attention.")
    architectures = config.architectures or []
    if architectures and not any(
        a.endswith(("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")) for a in architectures
    ):
        raise ModelError(f"{name} is a {architectures[0]}, not a causal language model: give one that writes text.")
    if getattr(config, "is_encoder_decoder", False):
        raise ModelError(f"{name} is an encoder-decoder model: give a causal (decoder-only) language model.")


@contextmanager
def _quiet() -> Iterator[None]:
    """Loading reports through our own progress, not through bars on stderr."""
    level, hub_level = transformers_logging.get_verbosity(), hub_logging.get_verbosity()
    bars = transformers_logging.is_progress_bar_enabled()
    transformers_logging.set_verbosity_error()
    hub_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(level)
        hub_logging.set_verbosity(hub_level)
        if bars:
            transformers_logging.enable_progress_bar()
