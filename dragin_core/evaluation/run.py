"""Run settings over questions and keep one outcome for each."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from ..errors import InputError
from ..explainer import Explainer
from ..settings import Settings
from .matching import f1, is_right
from .questions import Question

MADE_BY = ("model", "revision", "dtype", "corpus")  # what of the environment decides an answer


@dataclass(frozen=True)
class Outcome:
    """One question under one method. ``forward_passes_alone``: see :mod:`~dragin_core.alone`; None where the engine
    does not explore."""

    id: str
    question: str
    answer: str
    right: bool
    retrievals: int
    decoded_tokens: int
    forward_passes: int
    seconds: float
    queries: tuple[str, ...]
    f1: float = 0.0
    forward_passes_alone: int | None = None


def evaluate(explainer: Explainer, questions: Iterable[Question], settings: Settings) -> Iterator[Outcome]:
    """Answer each question; yields as they are done."""
    for item in questions:
        trace = explainer.run(item.question, settings)
        queries = tuple(e["text"] for e in trace.to_dict()["events"] if e["type"] == "query")
        yield Outcome(
            id=item.id,
            question=item.question,
            answer=trace.answer,
            right=is_right(trace.answer, item.answers),
            queries=queries,
            f1=f1(trace.answer, item.answers),
            forward_passes_alone=trace.counts_alone["forward_passes"] if explainer.engine.explore else None,
            **{name: value for name, value in trace.counts.items() if name != "cached_windows"},
        )


def _outcomes_of(path: Path, made_with: dict) -> dict[str, Outcome]:
    """What an earlier run wrote, its last line perhaps cut short."""
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]  # whatever stands behind the last line end is no line
    rows = [json.loads(line) for line in lines]
    if rows and rows[0] != json.loads(json.dumps(made_with)):
        raise InputError(f"{path} was written with other settings: give another --out, or leave --resume out.")
    return {row["id"]: Outcome(**{**row, "queries": tuple(row["queries"])}) for row in rows[1:]}


def evaluate_to_file(
    explainer: Explainer,
    questions: Iterable[Question],
    settings: Settings,
    path: Path,
    resume: bool,
    on_outcome: Callable[[Outcome], None],
) -> list[Outcome]:
    """Like :func:`evaluate`, one JSON line an outcome behind a line with settings and environment.

    With ``resume`` what the file already has is not run again.

    Raises:
        InputError: the file to resume was written with other settings or in another environment.
    """
    made_with = {"settings": settings.to_dict()} | {name: explainer.environment[name] for name in MADE_BY}
    made_with["explore"] = explainer.engine.explore
    done = _outcomes_of(path, made_with) if resume and path.exists() else {}
    outcomes = []
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in (made_with, *map(asdict, done.values())))
        for item in questions:
            known = done.get(item.id)
            outcome = known or next(evaluate(explainer, [item], settings))
            if known is None:
                out.write(json.dumps(asdict(outcome), ensure_ascii=False) + "\n")
                out.flush()
            outcomes.append(outcome)
            on_outcome(outcome)
    return outcomes
