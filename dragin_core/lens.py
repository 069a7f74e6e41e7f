"""What other settings would have done: every distinct run over the range of θ, or of n, for one question.

A decision changes only where θ passes a score, so a run holds on an interval whose ends are scores. They are found by
deciding anew on the windows of the run, without the model. The next run begins just outside; it shares all events in
front of the first that differs, and every window that was written before.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from .engine import Engine, Progress
from .errors import InputError
from .events import Decided, Event, QueryFormulated, Run, WindowDecoded
from .reading import Reading, read
from .settings import Settings

LOWEST_THETA = 0.05
MOST_N = 50
ABOVE_ALL = 1e9  # no score comes near
ROUNDING = 3e-5  # how far a score read token by token may be from the same read at once

Found = Iterator["Progress | Segment"]


@dataclass(frozen=True, eq=False)
class Segment:
    """A finished run and where it holds.

    Attributes:
        low, high: for θ from ``low`` up to but not including ``high``, which may be infinite; for n both inclusive.
        run: with a round θ of the interval, or an n of it.
        seen: about how much of the whole range is known with it, from 0 to 1.
    """

    low: float
    high: float
    run: Run
    seen: float = 0.0

    @property
    def retrievals(self) -> int:
        return self.run.retrievals

    @property
    def answer(self) -> str:
        return self.run.answer

    @property
    def decisions(self) -> int:
        """How often it was decided whether to retrieve."""
        return sum(isinstance(event, Decided) for event in self.run.events)

    @property
    def queries(self) -> list[str]:
        """What was asked, in order."""
        return [event.sent for event in self.run.events if isinstance(event, QueryFormulated)]


class Lens:
    """One question under settings that differ in θ, or in n, alone.

    Windows are written only as far as a run needs them, and what the engine knows already is used. The generators yield
    :class:`~dragin_core.engine.Progress` at each token and each :class:`Segment` once; closing one stops it.

    Raises:
        InputError: the settings do not retrieve by RIND.
    """

    def __init__(self, engine: Engine, question: str, settings: Settings):
        if settings.timing != "rind":
            raise InputError(f"The lens is for RIND, and these settings retrieve by {settings.timing}: set when=rind.")
        self.engine, self.begin = engine.sparing(), Run(question, settings)

    def over_theta(self, lowest: float = LOWEST_THETA) -> Found:
        """The run at the present θ, then all from the highest θ down to ``lowest``, below which the last may reach.

        Downwards, since a window that was written as far as it fires holds all that lower thresholds need.
        """
        theta = self.begin.settings.theta
        lowest = min(Settings(theta=lowest).theta, theta)
        present = yield from self._finish(self.begin)
        here = self._interval(present)
        yield Segment(*here, rounded(present, *here))
        run, high, steps = present, math.inf, []
        while high > lowest:
            if high == here[1]:
                run, high = present, here[0]
                continue
            run = yield from self._finish(self._shared(run, theta=below(high)))
            low = self._interval(run)[0]
            if math.isclose(low, here[1], rel_tol=ROUNDING) or low < here[1] < high:
                low = here[1]
            steps = steps or self._steps(run, lowest)
            yield Segment(low, high, rounded(run, low, high), sum(step >= low for step in steps) / len(steps))
            high = low

    def over_n(self, most: int = MOST_N) -> Found:
        """The run at the present n, then upwards to ``most`` and downwards to 1."""
        n = self.begin.settings.top_n
        present = yield from self._finish(self.begin)
        low, high = self._reach(present, 1, most := max(most, n))
        seen = high - low + 1
        yield Segment(low, high, present, seen / most)
        for step, at in ((1, high), (-1, low)):
            run = present
            while 1 <= (at := at + step) <= most:
                run = yield from self._finish(self._shared(run, top_n=at))
                ends = self._reach(run, at if step > 0 else 1, most if step > 0 else at)
                seen += ends[1] - ends[0] + 1
                yield Segment(*ends, run, seen / most)
                at = ends[step > 0]

    def _finish(self, run: Run) -> Iterator[Progress]:
        """Advance to the end; returns the run."""
        while not run.finished:
            for item in self.engine.advance(run):
                if isinstance(item, Progress):
                    yield item
                else:
                    run = run.then(item)
        return run

    def _shared(self, run: Run, **changes) -> Run:
        """A run under changed settings as far as its decisions and queries are those of another. A window that was left
        where it fired is looked at once more: it may have to be gone on with."""
        found = Run(run.question, run.settings.but(**changes))
        for event in run.events:
            if isinstance(event, Decided | QueryFormulated):
                (again,) = self.engine.advance(found)
                if not alike(event, again):
                    fired = isinstance(found.last, WindowDecoded) and found.window.stop == "fired"
                    return found.back() if fired else found
                event = again
            found = found.then(event)
        return found

    def _interval(self, run: Run) -> tuple[float, float]:
        """The thresholds at which every decision of a run is what it is: from, and up to but not including."""
        low, high = 0.0, math.inf
        for place, event in enumerate(run.events):
            if isinstance(event, Decided):
                before = replace(run, events=run.events[:place])
                ends = self._holds(before, event)
                low, high = max(low, ends[0]), min(high, ends[1])
        return low, high

    def _holds(self, before: Run, decided: Decided) -> tuple[float, float]:
        """The same for one decision. Its place and its flags go one way as θ grows, so equal ones lie together."""
        scores = thresholds(read(self.engine.prepared(before.window, before.settings)[0], before.settings.effective))

        def same(step: int) -> bool:
            theta = scores[step - 1] if step else 0.0
            return self.engine.decided(replace(before, settings=before.settings.but(theta=theta))) == decided

        here = bisect_right(scores, before.settings.theta)
        first = partition(0, here, same)
        last = partition(here + 1, len(scores) + 1, lambda step: not same(step)) - 1
        return (scores[first - 1] if first else 0.0), (scores[last] if last < len(scores) else math.inf)

    def _steps(self, run: Run, lowest: float) -> list[float]:
        """Down to ``lowest``, the thresholds at which the first decision changes; its window is written to the end."""
        place = next(k for k, event in enumerate(run.events) if isinstance(event, Decided))
        before, found = replace(run, events=run.events[:place]), [math.inf]
        while found[-1] > lowest:
            before = replace(before, settings=before.settings.but(theta=below(found[-1])))
            found.append(self._holds(before, self.engine.decided(before))[0])
        return found[1:]

    def _reach(self, run: Run, least: int, most: int) -> tuple[int, int]:
        """The n, of those from ``least`` to ``most``, at which every query of a run is what it is."""
        n = run.settings.top_n

        def same(n: int) -> bool:
            return len(self._shared(run, top_n=n).events) == len(run.events)

        return partition(least, n, same), partition(n + 1, most + 1, lambda n: not same(n)) - 1


def below(theta: float) -> float:
    """A threshold just under another; under infinity one above all scores. What is nearer is the same score."""
    return min(ABOVE_ALL, theta * (1 - ROUNDING))


def partition(first: int, end: int, holds: Callable[[int], bool]) -> int:
    """The first place from which on something holds, which it does up to the end; ``end`` if nowhere."""
    while first < end:
        middle = (first + end) // 2
        first, end = (first, middle) if holds(middle) else (middle + 1, end)
    return first


def thresholds(reading: Reading) -> list[float]:
    """The scores, in order, that a threshold can pass in a window."""
    scores = reading.values if reading.switches.decide == "window" else reading.scores
    return np.unique(scores[scores > 0]).tolist()


def alike(one: Event, other: Event) -> bool:
    """Whether what follows two decisions or queries is the same."""
    if isinstance(one, QueryFormulated) and isinstance(other, QueryFormulated):
        return (one.text, one.sent) == (other.text, other.sent)
    return one == other


def rounded(run: Run, low: float, high: float) -> Run:
    """A run of an interval of θ with a θ in it of as few digits as there are."""
    theta, digits = math.ceil(low), 0
    while not low <= theta < high and digits < 15:
        digits += 1
        theta = math.ceil(low * 10**digits) / 10**digits
    return replace(run, settings=run.settings.but(theta=theta if low <= theta < high else low))
