"""What a person can set for a run, with the bounds that keep it sensible."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from .errors import InputError
from .methods import METHODS, WHAT, WHEN
from .switches import VARIANTS, Switches, Value, differing, effective
from .words import find_words

MAX_QUESTION_CHARACTERS = 2000


@dataclass(frozen=True)
class Settings:
    """Settings of one run; immutable, so a changed setting is a new value (:meth:`but`).

    Defaults of ``theta`` and ``top_n`` were chosen on half of ``assets/questions.jsonl`` for the packaged model; θ does
    not carry over from model to model (paper, table 2). ``variant`` sets every switch of :mod:`~dragin_core.switches`,
    ``switches`` single ones by name; it is a plain mapping that no one changes. ``when`` and ``what`` take the place of
    the method's own.

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
    when: str | None = None  # a name in methods.WHEN
    what: str | None = None  # a name in methods.WHAT
    every: int = 25  # tokens between retrievals (when=every), and of a query (what=last-tokens)
    flare_rule: str = "paper"  # or "released": DRAGIN's released code has another FLARE for a baseline
    flare_threshold: float = 0.8  # probability; a token below makes a sentence unsure
    flare_mask: float = 0.4  # probability; tokens below are left out of the query
    flare_doubt: float = 0.08  # 1 - probability; both limits of the rule "released"
    switches: Mapping[str, Value] = field(default_factory=dict, hash=False)  # that differ from the variant's

    def __post_init__(self):
        _require_choice("method", self.method, sorted(METHODS))
        _require_choice("variant", self.variant, VARIANTS)
        _require_choice("flare_rule", self.flare_rule, FLARE_RULES)
        object.__setattr__(self, "theta", _number("theta", self.theta))
        for name in PROBABILITIES:
            object.__setattr__(self, name, _number(name, getattr(self, name), 1))
        for name, (low, high) in BOUNDS.items():
            object.__setattr__(self, name, _whole(name, getattr(self, name), low, high))
        if not isinstance(self.switches, Mapping):
            raise InputError(f"switches is {_shown(self.switches)}: give a mapping of names to values.")
        object.__setattr__(self, "switches", differing(self.variant, self.switches))
        effective(self.variant, self.switches)
        _require_pair(self)

    def but(self, **changes: Any) -> "Settings":
        """These settings with some changed and checked anew."""
        return replace(self, **changes)

    @cached_property
    def effective(self) -> Switches:
        """The value of every switch: the variant's, where it was not set by hand."""
        return effective(self.variant, self.switches)

    @property
    def timing(self) -> str:
        """When to retrieve: a name in ``methods.WHEN``."""
        return self.when or METHODS[self.method].when

    @property
    def formulation(self) -> str:
        """What to ask: a name in ``methods.WHAT``; the question where nothing is written yet."""
        asks_later = WHEN[self.timing].within
        return (self.what or METHODS[self.method].what) if asks_later else "question"

    @property
    def reads_sentences(self) -> bool:
        """Whether the English pipeline is asked for sentences or tags."""
        return self.effective.reads_sentences or WHEN[self.timing].by_sentences or WHAT[self.formulation].by_sentences

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
    "every": (1, 1024),
}
PROBABILITIES = ("flare_threshold", "flare_mask", "flare_doubt")
FLARE_RULES = ("paper", "released")


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
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name} {value!r} is unknown: choose one of {', '.join(choices)}.")


def _require_pair(settings: Settings) -> None:
    for name, choices in (("when", WHEN), ("what", WHAT)):
        if getattr(settings, name) is not None:
            _require_choice(name, getattr(settings, name), choices)
    what, timing = settings.what, settings.timing
    if what not in (None, "question") and not WHEN[timing].within:
        later = ", ".join(name for name, each in WHEN.items() if each.within)
        raise InputError(
            f"what={what} makes no sense with when={timing}, which asks nothing once the answer is begun: "
            f"set when to one of {later}."
        )


def _number(name: str, value: Any, most: float = math.inf) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number) or not 0 <= number <= most:
        wanted = "a finite number, 0 or more" if most == math.inf else f"a number from 0 to {most:g}"
        raise InputError(f"{name} is {_shown(value)}: give {wanted}.")
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
