"""Rows of the last attention layer, kept while the model runs as fast as it can.

transformers lets a model's attention be any function registered by name. Ours calls the implementation the model
would use anyway and, in one layer only, also keeps ``softmax(q·k·scaling)`` of the newest query rows.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from transformers import AttentionInterface, AttentionMaskInterface, DynamicCache, PreTrainedModel
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from .errors import ModelError

PROBE_TOLERANCE = {torch.float32: 1e-3}  # of logits relative to the largest, and of rows
HALF_TOLERANCE = 0.1
TAPPED_SDPA = "dragin_sdpa"
_TAP = "_dragin_tap"
_calls = threading.local()


@dataclass(eq=False)
class AttentionTap:
    """Sits on one attention module; before a forward pass ``wanted`` says how many of its last query rows to keep.

    After the pass ``rows`` holds them: float32 tensor [heads, wanted, keys], every row summing to 1.
    """

    wanted: int = 1
    rows: torch.Tensor | None = field(default=None, repr=False)

    def record(self, query, key, mask, scaling, softcap) -> None:
        """query [1, heads, new, d], key [1, kv heads, keys, d]; mask None, boolean or additive [1, 1, new, keys]."""
        heads, wanted = query.shape[1], min(self.wanted, query.shape[2])
        kv_heads, keys = key.shape[1], key.shape[2]
        newest = query[0, :, -wanted:].float().reshape(kv_heads, -1, query.shape[-1])  # groups share a key head
        scores = torch.matmul(newest, key[0].float().transpose(1, 2)).view(heads, wanted, keys)
        scores *= scaling if scaling is not None else query.shape[-1] ** -0.5
        if softcap is not None:
            scores = torch.tanh(scores / softcap) * softcap
        if mask is not None:
            recent = mask[0, :, -wanted:, :keys]
            if recent.dtype == torch.bool:
                scores = scores.masked_fill(~recent, float("-inf"))
            else:
                scores = scores + recent.float()
        elif wanted > 1:
            later = torch.ones(wanted, keys, dtype=torch.bool, device=scores.device).triu(keys - wanted + 1)
            scores = scores.masked_fill(later, float("-inf"))
        self.rows = torch.softmax(scores, dim=-1)


def _tapped_sdpa(module, query, key, value, attention_mask, scaling=None, **kwargs):
    seen = getattr(_calls, "modules", None)
    if seen is not None:
        seen.append(module)
    tap = module.__dict__.get(_TAP)
    if tap is not None:
        tap.record(query, key, attention_mask, scaling, kwargs.get("softcap"))
    return ALL_ATTENTION_FUNCTIONS["sdpa"](module, query, key, value, attention_mask, scaling=scaling, **kwargs)


AttentionInterface.register(TAPPED_SDPA, _tapped_sdpa)
AttentionMaskInterface.register(TAPPED_SDPA, ALL_MASK_ATTENTION_FUNCTIONS["sdpa"])


class _ModulesCalled:
    """Context in which the attention modules that go through the interface are listed, in call order."""

    def __enter__(self) -> list[torch.nn.Module]:
        _calls.modules = []
        return _calls.modules

    def __exit__(self, *_):
        _calls.modules = None


@dataclass(frozen=True, eq=False)
class Pass:
    """What one forward pass gave: logits float32 [kept, vocabulary], rows float32 [heads, kept, keys]."""

    logits: torch.Tensor
    rows: torch.Tensor


@dataclass(frozen=True, eq=False)
class TappedCapture:
    """The fast way: one layer's rows are kept while the model decodes as usual."""

    model: PreTrainedModel
    tap: AttentionTap
    layer: int
    kind: str = "interface"
    notice: str | None = None
    difference: dict[str, float] = field(default_factory=dict)

    def run(self, ids: Sequence[int], cache: DynamicCache, kept: int) -> Pass:
        """Logits and rows of the last ``kept`` positions of ``ids`` on top of ``cache``."""
        self.tap.wanted = kept
        with torch.inference_mode():
            out = self.model(_batch(self.model, ids), cache=cache, use_cache=True, logits_to_keep=kept)
        rows, self.tap.rows = self.tap.rows, None
        return Pass(out.logits[0, -kept:].float(), _absolute(rows, cache.get_seq_length()))


@dataclass(frozen=True, eq=False)
class EagerCapture:
    """The slow way: eager attention returns the weights of every layer, and the last layer's are taken."""

    model: PreTrainedModel
    name: str
    layer: int = -1
    kind: str = "eager"
    notice: str | None = None
    difference: dict[str, float] = field(default_factory=dict)

    def run(self, ids: Sequence[int], cache: DynamicCache, kept: int) -> Pass:
        """Like :meth:`TappedCapture.run`.

        Raises:
            ModelError: no layer has attention.
        """
        return self._run(ids, cache, kept)[0]

    def last_layer(self, ids: Sequence[int]) -> int:
        """Index of the last layer that has attention."""
        return self._run(ids, DynamicCache(config=self.model.config), 1)[1]

    def _run(self, ids: Sequence[int], cache: DynamicCache, kept: int) -> tuple[Pass, int]:
        with torch.inference_mode():
            out = self.model(_batch(self.model, ids), cache=cache, use_cache=True, output_attentions=True)
        layers = [k for k, layer in enumerate(out.attentions or ()) if layer is not None]
        if not layers:
            raise ModelError(
                f"{self.name} has no attention layer to read: DRAGIN needs the attention of a transformer model."
            )
        rows = out.attentions[layers[-1]][0, :, -kept:].float()
        return Pass(out.logits[0, -kept:].float(), _absolute(rows, cache.get_seq_length())), layers[-1]


Capture = TappedCapture | EagerCapture


def choose_capture(model: PreTrainedModel, name: str) -> Capture:
    """The fast way where its logits and rows agree with eager attention on a short text, else the slow way, with a
    notice that says why.

    Raises:
        ModelError: the model has no attention, or attends to later tokens.
    """
    ids = [(7 * k + 11) % model.get_input_embeddings().num_embeddings for k in range(12)]
    model.set_attn_implementation("eager")
    eager = EagerCapture(model, name)
    expected = eager.run(ids, DynamicCache(config=model.config), len(ids))
    if expected.rows.triu(1).abs().max() > 1e-6:
        raise ModelError(f"{name} attends to later tokens, so it is no causal language model: give a decoder-only one.")
    try:
        return _tapped(model, ids, expected)
    except (ValueError, TypeError, RuntimeError, KeyError) as error:  # what a model outside the interface raises
        model.set_attn_implementation("eager")
        notice = f"Slow way: {name} is read with eager attention in every layer, because {error}."
        return EagerCapture(model, name, eager.last_layer(ids), notice=notice)


def _tapped(model: PreTrainedModel, ids: list[int], expected: Pass) -> TappedCapture:
    model.set_attn_implementation(TAPPED_SDPA)
    with _ModulesCalled() as modules, torch.inference_mode():
        model(_batch(model, ids), use_cache=False)
    if not modules:
        raise ValueError("its attention does not go through the interface of transformers")
    layer = int(getattr(modules[-1], "layer_idx", len(modules) - 1))
    capture = TappedCapture(model, _put_tap(modules[-1]), layer)
    found = capture.run(ids, DynamicCache(config=model.config), len(ids))
    scale = expected.logits.abs().max().clamp(min=1)
    capture.difference["logits"] = float((found.logits - expected.logits).abs().max() / scale)
    capture.difference["rows"] = float((found.rows - expected.rows).abs().max())
    worst = max(capture.difference.values())
    if not worst <= PROBE_TOLERANCE.get(model.dtype, HALF_TOLERANCE):
        raise ValueError(f"what was captured differs from it by {worst:.2g}")
    return capture


def _put_tap(module: torch.nn.Module) -> AttentionTap:
    module.__dict__[_TAP] = AttentionTap()
    return module.__dict__[_TAP]


def _batch(model: PreTrainedModel, ids: Sequence[int]) -> torch.Tensor:
    return torch.tensor([list(ids)], device=model.device)


def _absolute(rows: torch.Tensor, length: int) -> torch.Tensor:
    """Rows over absolute positions: a sliding layer keeps only its newest keys, the ones before get 0."""
    missing = length - rows.shape[-1]
    return torch.nn.functional.pad(rows, (missing, 0)) if missing > 0 else rows
