"""Attention rows head by head, packed small enough to travel with a trace."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np

SCALE = 65535  # what 1.0 is stored as: a weight is off by at most 1 / SCALE
MOST_BYTES = 2_000_000  # of base64; a block beyond is left out, and the trace says so


def pack_heads(weights: np.ndarray, lengths: Sequence[int]) -> dict[str, Any]:
    """The rows of every head as text.

    Args:
        weights: float [heads, units, words], attention of each unit to each word, at most 1.
        lengths: per unit how many words its row has; what lies behind is dropped.

    Returns:
        ``{"count", "scale", "data"}``: ``data`` is base64 of little-endian uint16, unit after unit, in each word after
        word, for each word ``count`` heads; a stored number divided by ``scale`` is a weight. ``data`` is null where it
        would take more than ``MOST_BYTES``.
    """
    heads, units, words = weights.shape
    if len(lengths) != units or max(lengths, default=0) > words:
        raise ValueError(f"lengths {list(lengths)} do not fit {units} rows of {words} words: give one for each row")
    size = 2 * heads * sum(lengths)
    if 4 * size / 3 > MOST_BYTES:
        return {"count": heads, "scale": SCALE, "data": None}
    stored = np.rint(np.clip(weights, 0, 1) * SCALE).astype("<u2")
    parts = [stored[:, unit, :length].T.tobytes() for unit, length in enumerate(lengths)]
    return {"count": heads, "scale": SCALE, "data": b64encode(b"".join(parts)).decode("ascii")}
