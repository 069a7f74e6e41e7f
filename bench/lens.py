"""What all thresholds of a question cost against one run of it."""

import time
from dataclasses import dataclass

from dragin_core import Explainer, Settings
from dragin_core.engine import Engine
from dragin_core.lens import Lens, Segment

from .report import spread, table


@dataclass(frozen=True)
class Looked:
    """Forward passes and seconds of one run with nothing known, and of the lens with nothing known."""

    question: str
    one_passes: int
    one_seconds: float
    passes: int
    first_seconds: float
    last_seconds: float
    segments: int
    answers: int

    @property
    def ratio(self) -> float:
        """Passes of the lens over those of the run."""
        return self.passes / self.one_passes


def fresh(explainer: Explainer) -> Engine:
    """An engine that knows nothing, a key-value cache included."""
    explainer.lm.keep_cache([], explainer.lm.capture.new_cache())
    return Engine(explainer.lm, explainer.engine.retriever)


def look(explainer: Explainer, question: str, settings: Settings) -> Looked:
    """Measure one question."""
    lm = explainer.lm
    alone = Explainer(lm, explainer.corpus)
    alone.engine = fresh(explainer)
    before, started = lm.forward_passes, time.perf_counter()
    alone.run(question, settings)
    one, one_seconds = lm.forward_passes - before, time.perf_counter() - started
    engine = fresh(explainer)
    before, started = lm.forward_passes, time.perf_counter()
    found, times = [], []
    for item in Lens(engine, question, settings).over_theta():
        if isinstance(item, Segment):
            found.append(item)
            times.append(time.perf_counter() - started)
    passes, answers = lm.forward_passes - before, {segment.answer for segment in found}
    return Looked(question, one, one_seconds, passes, times[0], times[-1], len(found), len(answers))


def section(every: list[Looked], settings: Settings) -> str:
    """The report's part on the lens."""
    rows = [
        [
            each.question,
            str(each.segments),
            str(each.answers),
            str(each.one_passes),
            str(each.passes),
            f"{each.ratio:.1f}",
            f"{each.one_seconds:.1f}",
            f"{each.first_seconds:.1f}",
            f"{each.last_seconds:.1f}",
        ]
        for each in every
    ]
    return "\n\n".join(
        [
            "## All thresholds against one",
            f"Every distinct run from θ 0.05 up, answers of at most {settings.max_new_tokens} tokens, with nothing "
            f"known; against one run at θ {settings.theta:g}, whose windows are written to their end.",
            table(
                [
                    "question",
                    "runs",
                    "answers",
                    "passes of one run",
                    "passes of the lens",
                    "ratio",
                    "one run, s",
                    "first point, s",
                    "last point, s",
                ],
                rows,
            ),
            f"Ratio of passes: median {spread([each.ratio for each in every], '.1f')} (smallest–largest). In the page "
            "the first point is known: it is the run that is shown.",
        ]
    )
