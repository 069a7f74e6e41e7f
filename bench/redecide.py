"""What another θ or n costs where the windows are known already."""

import time
from collections.abc import Iterable
from statistics import median

import numpy as np

from dragin_core import Explainer, Run, Settings
from dragin_core.engine import Engine
from dragin_core.events import WindowDecoded

from .prompts import QUESTIONS
from .report import table


def talkative_run(explainer: Explainer, tokens: int, questions: Iterable[str] = QUESTIONS) -> Run:
    """A run whose first window has been written and is as long as asked, or else the longest of those tried."""
    best, most = None, -1
    for question in questions:
        run = explainer.start(question, Settings(max_new_tokens=tokens))
        *_, event = explainer.advance(run)
        if len(event.window) > most:
            best, most = run.then(event), len(event.window)
        if most == tokens:
            break
    return best


def changed(run: Run, **settings) -> Run:
    """The same first window under other settings."""
    return Run(run.question, run.settings.but(**settings)).then(run.events[0])


def redecide(explainer: Explainer, run: Run) -> tuple[float, str | None]:
    """Milliseconds to decide on a window and to word the query, and the query."""
    started = time.perf_counter()
    (decided,) = explainer.advance(run)
    query = None
    if decided.retrieve:
        (formulated,) = explainer.advance(run.then(decided))
        query = formulated.text
    return 1e3 * (time.perf_counter() - started), query


def redecisions(
    explainer: Explainer, run: Run, thetas: Iterable[float], ns: Iterable[int]
) -> tuple[float, list[float]]:
    """Milliseconds of the first decision on a window, which lays its arrays out, and of every one after it."""
    first, _ = redecide(explainer, changed(run, theta=0.05))
    ns = list(ns)
    return first, [redecide(explainer, changed(run, theta=t, top_n=n))[0] for t in thetas for n in ns]


def second_runs(explainer: Explainer, question: str, thetas: Iterable[float]) -> list[dict]:
    """Per θ, one after the other: forward passes with nothing known, and with what the θ before it left known; and
    milliseconds of the whole run once more, when all of it is known, passages included."""
    thetas = list(thetas)
    settings = Settings()
    rows = []
    for theta in thetas:
        alone = Explainer(explainer.lm, explainer.corpus)
        alone.engine = Engine(explainer.lm, explainer.engine.retriever)
        rows.append({"theta": theta, "alone": alone.run(question, settings.but(theta=theta)).counts})
    shared = Explainer(explainer.lm, explainer.corpus)
    shared.engine = Engine(explainer.lm, explainer.engine.retriever)
    for row in rows:
        row["after"] = shared.run(question, settings.but(theta=row["theta"])).counts
    for row in rows:
        started = time.perf_counter()
        again = shared.run(question, settings.but(theta=row["theta"]))
        row["milliseconds"] = 1e3 * (time.perf_counter() - started)
        row["again"] = again.counts
    return rows


def section(explainer: Explainer, run: Run, question: str, quick: bool) -> str:
    """The report's part on θ and n."""
    window = next(e for e in run.events if isinstance(e, WindowDecoded)).window
    thetas, ns = np.linspace(0.02, 2, 5 if quick else 40), (1, 12, 50) if quick else range(1, 51, 3)
    first, later = redecisions(explainer, run, [float(t) for t in thetas], ns)
    started = time.perf_counter()
    explainer.trace(run).to_dict()
    drawn = 1e3 * (time.perf_counter() - started)
    rows = second_runs(explainer, question, (0.3, 0.6) if quick else (0.3, 0.4, 0.2, 0.6, 1.5))
    lines = [
        [
            f"{row['theta']:g}",
            str(row["after"]["retrievals"]),
            str(row["alone"]["forward_passes"]),
            str(row["after"]["forward_passes"]),
            str(row["again"]["forward_passes"]),
            f"{row['milliseconds']:.1f}",
        ]
        for row in rows
    ]
    return "\n\n".join(
        [
            "## Another θ or n",
            f"On a known window of {len(window)} tokens, decision and query for {len(later)} pairs of θ and n: median "
            f"{median(later):.2f} ms, slowest {max(later):.2f} ms. The first one, which lays the arrays out, "
            f"{first:.1f} ms. Writing that window as JSON for the page: {drawn:.1f} ms.",
            f"“{question}”, one θ after the other. Forward passes with nothing known, with what the θ before it left "
            "known (only new branches cost anything), and once more at the end:",
            table(
                ["θ", "retrievals", "passes alone", "passes after the θ before", "passes again", "again, ms in all"],
                lines,
            ),
        ]
    )
