"""RIND, when to retrieve (paper, section 3.1): S(t_i) = H_i · a_max(i) · s_i, and fire where S > θ."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Trigger:
    """A token that passes θ: its index, the moment (the newest token then), and its score at that moment."""

    index: int
    moment: int
    score: float


def scores_by_moment(entropy: np.ndarray, a_max_by_moment: np.ndarray, semantic: np.ndarray) -> np.ndarray:
    """float64 [n, n]: score of token i (axis 1) when token j (axis 0) is the newest; 0 where j ≤ i.

    Args:
        entropy: [n], nats. a_max_by_moment: [n, n]. semantic: [n], 0 or 1.
    """
    if a_max_by_moment.shape != (len(entropy), len(semantic)):
        raise ValueError(f"shapes differ: {entropy.shape}, {a_max_by_moment.shape}, {semantic.shape}")
    return a_max_by_moment * (entropy * semantic)


def find_trigger(
    scores: np.ndarray, theta: float, after: int = -1, passed: Collection[int] = (), until: int | None = None
) -> Trigger | None:
    """The earliest moment at which some token passes θ; the leftmost, if several do then.

    Args:
        scores: [n, n] of :func:`scores_by_moment`.
        after: only moments behind this one are looked at.
        passed: tokens that were passed over already.
        until: moments from this one on are not looked at.
    """
    over = scores[:until] > theta
    over[: after + 1] = False
    over[:, list(passed)] = False
    moments = over.any(axis=1)
    if not moments.any():
        return None
    moment = int(moments.argmax())
    index = int(over[moment].argmax())
    return Trigger(index, moment, float(scores[moment, index]))
