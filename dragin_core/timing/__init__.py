"""When to retrieve: how each timing policy of :data:`~dragin_core.methods.WHEN` decides, by name."""

from collections.abc import Sequence
from typing import Protocol

from ..events import Decided
from ..settings import Settings
from ..window import Window
from . import every, flare, rind, sentence, without


class Decide(Protocol):
    """Whether a window asks for a retrieval."""

    def __call__(
        self,
        window: Window,
        settings: Settings,
        passed: Sequence[Decided] = (),
        until: int | None = None,
        anew: bool = False,
    ) -> Decided:
        """Decide.

        Args:
            passed: places of this round whose retrieval brought nothing new; the search goes on behind the last one.
            until: units from this one on may still change, so no decision may rest on them.
            anew: the window begins with what was written anew after a retrieval.
        """


TIMINGS: dict[str, Decide] = {
    "never": without.decide,
    "once": without.decide,
    "every": every.decide,
    "sentence": sentence.decide,
    "flare": flare.decide,
    "rind": rind.decide,
}
