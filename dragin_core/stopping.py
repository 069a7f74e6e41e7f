"""What ends an answer that is written in rounds, by the switch ``stop``."""

from collections.abc import Callable
from dataclasses import dataclass

from .window import Window

ANSWER_GIVEN = "the answer is"


@dataclass(frozen=True, eq=False)
class Written:
    """The answer at the end of a round.

    Attributes:
        window: the last one; ``whole``: all of it is kept.
        ids, text: the answer; ``before``: its text when the round began; ``said``: without what the model thinks.
        budget: tokens.
    """

    window: Window
    whole: bool
    ids: tuple[int, ...]
    text: str
    before: str
    said: str
    budget: int

    @property
    def grew(self) -> bool:
        return len(self.text.strip()) > len(self.before.strip())


def paper_stop(written: Written) -> str | None:
    """The end of a window that is kept whole, nothing new, or a spent budget."""
    if written.whole:
        return written.window.stop
    if not written.grew:
        return "no growth"
    return "budget" if len(written.ids) >= written.budget else None


def official_stop(written: Written) -> str | None:
    """The end token, the words that give the answer, nothing new, or more tokens than the budget."""
    if written.whole and written.window.stop in ("eos", "context"):
        return written.window.stop
    if ANSWER_GIVEN in written.said:
        return "answer given"
    if not written.grew:
        return "no growth"
    return "budget" if len(written.ids) > written.budget else None


STOPS: dict[str, Callable[[Written], str | None]] = {"paper": paper_stop, "official": official_stop}
