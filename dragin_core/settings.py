"""What a person can set for a run, with the bounds that keep it sensible."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from .errors import InputError
from .methods import METHODS
from .switches import VARIANTS, Switches, Value, differing, effective
from .words import find_words

MAX_QUESTION_CHARACTERS = 2000


@dataclass(frozen=True)
class Settings:
    """Settings of one run; immutable, so a changed setting is a new value (:meth:`but`).

    Defaults of ``theta`` and ``top_n`` were chosen on half of ``assets/questions.jsonl`` for the packaged model; θ does
    not carry over from model to model (paper, table 2). ``variant`` sets every switch of :mod:`~dragin_core.switches`,
    ``switches`` single ones by name; it is a plain mapping that no one changes.

    Raises:
        InputError: a value is out of its bounds or not of its kind.
    """

    method: str = "dragin"
    variant: str = "paper"
    theta: float = 0.2  # RIND threshold, in nats × attention
    top_n: int = 12  # words of a query
    top_k: int = 3  # passages of a retrieval
    max_new_tokens: int = 64  # budget of the whole answer, all rounds together
    max_retrievals: int = 5
    shots: int = 0  # demonstrations before the question
    switches: Mapping[str, Value] = field(default_factory=dict, hash=False)  # that differ from the variant's

    def __post_init__(self):
        _require_choice("method", self.method, sorted(METHODS))
        _require_choice("variant", self.variant, VARIANTS)
        object.__setattr__(self, "theta", _number("theta", self.theta))
        for name, (low, high) in BOUNDS.items():
            object.__setattr__(self, name, _whole(name, getattr(self, name), low, high))
        if not isinstance(self.switches, Mapping):
            raise InputError(f"switches is {_shown(self.switches)}: give a mapping of names to values.")
        object.__setattr__(self, "switches", differing(self.variant, self.switches))
        effective(self.variant, self.switches)

    def but(self, **changes: Any) -> "Settings":
        """These settings with some changed and checked anew."""
        return replace(self, **changes)

    @cached_property
    def effective(self) -> Switches:
        """The value of every switch: the variant's, where it was not set by hand."""
        return effective(self.variant, self.switches)

    def to_dict(self) -> dict[str, Any]:
        """Every setting; ``switches`` names those that differ from the variant."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**values, "switches": dict(self.switches)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Settings":
        """Read what :meth:`to_dict` wrote; unknown keys are ignored."""
        known = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})


BOUNDS = {
    "top_n": (1, 100),
    "top_k": (1, 20),
    "max_new_tokens": (1, 1024),
    "max_retrievals": (0, 50),
    "shots": (0, 8),
}


def check_question(question: Any) -> str:
    """The question, as the prompt will hold it (outer white space removed).

    Raises:
        InputError: it is no text, blank, too long, or has no word in it.
    """
    if not isinstance(question, str) or not question.strip():
        raise InputError("The question is empty: type a question.")
    question = question.strip()
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise InputError(
            f"The question has {len(question):,} characters: shorten it to at most {MAX_QUESTION_CHARACTERS:,}."
        )
    if not find_words(question):
        raise InputError("The question has no word in it: type at least one word or number.")
    return question


def _require_choice(name: str, value: Any, choices) -> None:
    if value not in choices:
        raise InputError(f"{name} {value!r} is unknown: choose one of {', '.join(choices)}.")


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number) or number < 0:
        raise InputError(f"{name} is {_shown(value)}: give a finite number, 0 or more.")
    return number


def _whole(name: str, value: Any, low: int, high: int) -> int:
    try:
        number = int(value)
        exact = not isinstance(value, bool) and number == float(value)
    except (TypeError, ValueError, OverflowError):
        exact = False
    if not exact or not low <= number <= high:
        raise InputError(f"{name} is {_shown(value)}: give a whole number from {low} to {high}.")
    return number


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "…"
