"""When to retrieve: the timing policies, by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from .events import Decided
from .rind import find_trigger
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
    """The paper's: the earliest moment at which a token's RIND passes θ (section 3.1)."""

    before_first: bool = False

    def decide(self, window, settings, passed=(), until=None) -> Decided:
        flags = tuple(d.index for d in passed)
        after = passed[-1].moment if passed else -1
        trigger = find_trigger(window.scores, settings.theta, after, flags, until) if len(window) else None
        if trigger:
            return Decided(True, "above threshold", trigger.index, trigger.moment, trigger.score, flags)
        return Decided(False, self._why_not(window, passed), flags=flags)

    def _why_not(self, window: Window, passed) -> str:
        if not len(window):
            return "nothing written"
        if not window.semantic.any():
            return "no content word"
        return "never above threshold again" if passed else "never above threshold"


TIMINGS: dict[str, Timing] = {"never": Never(), "once": Never(before_first=True), "rind": Rind()}
