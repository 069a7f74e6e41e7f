"""Rows of the last attention layer, kept while the model runs as fast as it can.

transformers lets a model's attention be any function registered by name. Ours call the implementation the model would
use anyway and, in one layer only, also keep what the newest queries pay to each key.
"""

import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from transformers import AttentionInterface, AttentionMaskInterface, DynamicCache, PreTrainedModel
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from .errors import ModelError

_TAP = "_dragin_tap"
_calls = threading.local()


@dataclass(eq=False)
class AttentionTap:
    """Sits on one attention module; before a forward pass ``wanted`` says how many of its last query rows to keep.

    After the pass ``rows`` holds them: float32 tensor [heads, wanted, keys]. Every row sums to 1, or to less where the
    model has attention sinks: what goes to a sink goes to no token.
    """

    wanted: int = 1
    rows: torch.Tensor | None = field(default=None, repr=False)

    def record(self, query, key, mask, scaling) -> None:
        """query [1, heads, new, d], key [1, kv heads, keys, d]; mask None, boolean or additive [1, 1, new, keys]."""
        heads, wanted = query.shape[1], min(self.wanted, query.shape[2])
        kv_heads, keys = key.shape[1], key.shape[2]
        newest = query[0, :, -wanted:].float().reshape(kv_heads, -1, query.shape[-1])  # groups share a key head
        scores = torch.matmul(newest, key[0].float().transpose(1, 2)).view(heads, wanted, keys)
        scores *= scaling if scaling is not None else query.shape[-1] ** -0.5
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


def _tap_of(module: torch.nn.Module) -> AttentionTap | None:
    seen = getattr(_calls, "modules", None)
    if seen is not None:
        seen.append(module)
    return module.__dict__.get(_TAP)


def _tapped_sdpa(module, query, key, value, attention_mask, scaling=None, **kwargs):
    tap = _tap_of(module)
    if tap is not None:
        tap.record(query, key, attention_mask, scaling)
    return ALL_ATTENTION_FUNCTIONS["sdpa"](module, query, key, value, attention_mask, scaling=scaling, **kwargs)


def _tapped_eager(module, query, key, value, attention_mask, **kwargs):
    """The eager attention of the model's own file knows its soft-cap and its sinks, and returns the weights."""
    own = sys.modules[type(module).__module__].eager_attention_forward
    out, weights = own(module, query, key, value, attention_mask, **kwargs)
    tap = _tap_of(module)
    if tap is not None:
        tap.rows = weights[0, :, -tap.wanted :].float()
    return out, None


TAPPED = {"sdpa": "dragin_sdpa", "eager": "dragin_eager"}
for _base, _function in (("sdpa", _tapped_sdpa), ("eager", _tapped_eager)):
    AttentionInterface.register(TAPPED[_base], _function)
    AttentionMaskInterface.register(TAPPED[_base], ALL_MASK_ATTENTION_FUNCTIONS[_base])


class _ModulesCalled:
    """Context in which the attention modules that go through the interface are listed, in call order."""

    def __enter__(self) -> list[torch.nn.Module]:
        _calls.modules = []
        return _calls.modules

    def __exit__(self, *_):
        _calls.modules = None


class TokenCache:
    """Stands in for the cache of a model that has none to be trusted: it holds token ids, and each pass reads all of
    them anew."""

    is_croppable = True

    def __init__(self):
        self.ids: list[int] = []

    def get_seq_length(self) -> int:
        return len(self.ids)

    def crop(self, count: int) -> None:
        """Forget the last ``-count`` tokens."""
        if count:
            del self.ids[count:]


KeyValues = DynamicCache | TokenCache


@dataclass(frozen=True, eq=False)
class Pass:
    """What one forward pass gave: logits float32 [kept, vocabulary], rows float32 [heads, kept, keys]."""

    logits: torch.Tensor
    rows: torch.Tensor


@dataclass(frozen=True, eq=False)
class Capture:
    """One way to read the last attention layer.

    Attributes:
        layer: its index among the model's layers; ``heads`` its query heads.
        sliding_window: how many tokens back a query of that layer sees, itself among them; None if all.
        kind: "interface" where one layer's rows are kept while the model decodes as usual, "eager" where every layer
            gives its rows and the last one's are taken.
        cached: whether the model's own cache is used; else every pass reads the whole text.
        notice: a sentence on what makes it slow, or None.
        difference: how far logits (relative to the largest) and rows were from eager attention at load.
    """

    model: PreTrainedModel
    name: str
    layer: int = -1
    heads: int = 0
    sliding_window: int | None = None
    cached: bool = True
    notice: str | None = None
    difference: dict[str, float] = field(default_factory=dict)
    kind = ""

    def new_cache(self) -> KeyValues:
        """An empty cache."""
        return DynamicCache(config=self.model.config) if self.cached else TokenCache()

    def run(self, ids: Sequence[int], cache: KeyValues, kept: int, rows_only: bool = False) -> Pass:
        """Logits and rows of the last ``kept`` positions of ``ids`` on top of ``cache``.

        Args:
            rows_only: of the logits only the last position's are computed.
        """
        raise NotImplementedError

    def _forward(self, ids: Sequence[int], cache: KeyValues, logits: int, **more):
        feed, use = list(ids), {"cache": cache, "use_cache": True}
        if isinstance(cache, TokenCache):
            cache.ids += feed
            feed, use = cache.ids, {"use_cache": False}
        batch = torch.tensor([feed], device=input_device(self.model))
        with torch.inference_mode():
            return self.model(batch, logits_to_keep=logits, **use, **more)


@dataclass(frozen=True, eq=False)
class TappedCapture(Capture):
    """The fast way."""

    tap: AttentionTap = field(default_factory=AttentionTap)
    kind = "interface"

    def run(self, ids: Sequence[int], cache: KeyValues, kept: int, rows_only: bool = False) -> Pass:
        self.tap.wanted = kept
        out = self._forward(ids, cache, 1 if rows_only else kept)
        rows, self.tap.rows = self.tap.rows, None
        return _pass(out.logits, rows, cache, 1 if rows_only else kept)


@dataclass(frozen=True, eq=False)
class EagerCapture(Capture):
    """The slow way. ``place`` is the layer's among the attentions that the model returns."""

    place: int = -1
    kind = "eager"

    def run(self, ids: Sequence[int], cache: KeyValues, kept: int, rows_only: bool = False) -> Pass:
        logits = 1 if rows_only else kept
        out = self._forward(ids, cache, logits, output_attentions=True)
        return _pass(out.logits, out.attentions[self.place][0, :, -kept:].float(), cache, logits)

    def attentions(self, ids: Sequence[int]) -> list[torch.Tensor | None]:
        """What the model returns as attentions: one entry a layer, or (hybrids) one a layer that attends.

        Raises:
            ModelError: no layer has attention.
        """
        found = list(self._forward(ids, TokenCache(), 1, output_attentions=True).attentions or ())
        if all(layer is None for layer in found):
            raise ModelError(
                f"{self.name} has no attention layer to read: DRAGIN needs the attention of a transformer model."
            )
        return found


def tapped_capture(model: PreTrainedModel, name: str, base: str, ids: Sequence[int], **facts) -> TappedCapture:
    """A tap on the module that attends last while the model reads ``ids`` with the implementation ``base``.

    Raises:
        ValueError: its attention does not go through the interface.
    """
    model.set_attn_implementation(TAPPED[base])
    capture = TappedCapture(model, name, **facts)
    with _ModulesCalled() as modules:
        capture._forward(ids, TokenCache(), 1)
    if not modules:
        raise ValueError("its attention does not go through the interface of transformers")
    modules[-1].__dict__[_TAP] = capture.tap
    return capture


def input_device(model: PreTrainedModel) -> torch.device:
    """Where token ids go: to the embedding, which need not be where the model's last layers are."""
    device = model.get_input_embeddings().weight.device
    return torch.device("cpu") if device.type == "meta" else device  # offloaded weights are fetched, inputs moved


def _pass(logits: torch.Tensor, rows: torch.Tensor, cache: KeyValues, kept: int) -> Pass:
    """A pass with its rows over absolute positions (a sliding layer keeps only its newest keys, the ones before get 0),
    all of it on one device, wherever the layer is."""
    missing = cache.get_seq_length() - rows.shape[-1]
    rows = torch.nn.functional.pad(rows, (missing, 0)) if missing > 0 else rows
    return Pass(logits[0, -kept:].float(), rows.to(logits.device))
