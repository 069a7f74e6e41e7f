"""Rows of the last attention layer, kept while the model runs as fast as it can.

transformers lets a model's attention be any function registered by name. Ours calls the implementation the model
would use anyway and, in one layer only, also keeps ``softmax(q·k·scaling)`` of the newest query rows.
"""

import threading
from dataclasses import dataclass, field

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

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


class modules_called:
    """Context in which the attention modules that go through the interface are listed, in call order."""

    def __enter__(self) -> list[torch.nn.Module]:
        _calls.modules = []
        return _calls.modules

    def __exit__(self, *_):
        _calls.modules = None


def tap(module: torch.nn.Module) -> AttentionTap:
    """Put a tap on one attention module and return it."""
    new = AttentionTap()
    module.__dict__[_TAP] = new
    return new
