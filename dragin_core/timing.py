"""When to retrieve: the timing policies, by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from .decisions import DECISIONS
from .events import Decided
from .reading import read
from .settings import Settings
from .window import Window


class Timing(Protocol):
    """A policy. ``before_first``: it retrieves once before the first token is written."""

    before_first: bool

    def decide(
        self, window: Window, settings: Settings, passed: Sequence[Decided] = (), until: int | None = None
    ) -> Decided:
        """Whether a window asks for a retrieval.

        Args:
            passed: triggers of this round that brought nothing new; the search goes on after the last one's moment.
            until: units from this one on may still change, so no decision may rest on them.
        """


@dataclass(frozen=True)
class Never:
    """No retrieval; with ``before_first`` none but the one up front."""

    before_first: bool = False

    def decide(self, window, settings, passed=(), until=None) -> Decided:
        return Decided(False, "once, up front" if self.before_first else "never")


@dataclass(frozen=True)
class Rind:
    """RIND (paper, section 3.1), decided as the switch ``decide`` says."""

    before_first: bool = False

    def decide(self, window, settings, passed=(), until=None) -> Decided:
        switches = settings.effective
        return DECISIONS[switches.decide](read(window, switches), settings.theta, passed, until)


TIMINGS: dict[str, Timing] = {"never": Never(), "once": Never(before_first=True), "rind": Rind()}
