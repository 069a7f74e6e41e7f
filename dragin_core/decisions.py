"""When RIND decides: at the first moment above θ, or sentence by sentence over the whole window."""

from collections.abc import Sequence

import numpy as np

from .events import Decided
from .reading import Reading
from .rind import find_trigger
from .sentences import notice


def at_moment(reading: Reading, theta: float, passed: Sequence[Decided], until: int | None) -> Decided:
    """The earliest moment at which a unit's score passes θ (paper, section 3.1)."""
    flags = tuple(d.index for d in passed)
    after = passed[-1].moment if passed else -1
    trigger = find_trigger(reading.scores, theta, after, flags, until) if len(reading) else None
    if trigger:
        return Decided(True, "above threshold", trigger.index, trigger.moment, trigger.score, flags)
    return Decided(False, _why_not(reading, passed), flags=flags)


def over_window(reading: Reading, theta: float, passed: Sequence[Decided], until: int | None) -> Decided:
    """The first sentence, behind those passed over, that holds a unit above θ which can fire."""
    mends = [said] if (said := notice()) else []
    if reading.window.has_special_tokens:
        mends.append("special tokens are no text")
    done = max((reading.sentence_of(d.index) for d in passed), default=-1)
    for number, (first, end) in enumerate(reading.sentence_units):
        over = reading.values[first:end] > theta
        flags = over & (reading.semantic[first:end] > 0)
        if number > done and flags.any():
            index = first + int(flags.argmax())
            return Decided(
                True,
                "above threshold",
                index,
                len(reading) - 1,
                float(reading.final_scores[index]),
                tuple(int(f) for f in flags),
                sentence=(first, end),
                mends=tuple(mends),
            )
        mends += _mends(number, reading.values[first:end], over, flags)
    return Decided(False, _why_not(reading, passed), mends=tuple(mends))


def _mends(number: int, values: np.ndarray, over: np.ndarray, flags: np.ndarray) -> list[str]:
    told = []
    if len(values) and np.isnan(values).all():
        told.append(f"sentence {number + 1} is undefined: its attention sums to 0")
    if over.any() and not flags.any():
        told.append(f"sentence {number + 1} is no hit: no unit above the threshold can fire")
    return told


def _why_not(reading: Reading, passed: Sequence[Decided]) -> str:
    if not len(reading):
        return "nothing written"
    if not reading.semantic.any():
        return "no content word"
    return "never above threshold again" if passed else "never above threshold"


DECISIONS = {"moment": at_moment, "window": over_window}
