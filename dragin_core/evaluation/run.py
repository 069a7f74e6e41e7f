"""Run settings over questions and keep one outcome for each."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from ..explainer import Explainer
from ..settings import Settings
from .matching import is_right
from .questions import Question


@dataclass(frozen=True)
class Outcome:
    """One question under one method."""

    id: str
    question: str
    answer: str
    right: bool
    retrievals: int
    decoded_tokens: int
    forward_passes: int
    seconds: float
    queries: tuple[str, ...]


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
            **{name: value for name, value in trace.counts.items() if name != "cached_windows"},
        )


def evaluate_to_file(
    explainer: Explainer,
    questions: Iterable[Question],
    settings: Settings,
    path: Path,
    resume: bool,
    on_outcome: Callable[[Outcome], None],
) -> list[Outcome]:
    """Like :func:`evaluate`, one JSON line an outcome; with ``resume`` what the file already has is not run again."""
    done: dict[str, Outcome] = {}
    if resume and path.exists():
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        done = {row["id"]: Outcome(**{**row, "queries": tuple(row["queries"])}) for row in rows}
    outcomes = []
    with path.open("a" if resume else "w", encoding="utf-8") as out:
        for item in questions:
            known = done.get(item.id)
            outcome = known or next(evaluate(explainer, [item], settings))
            if known is None:
                out.write(json.dumps(asdict(outcome), ensure_ascii=False) + "\n")
                out.flush()
            outcomes.append(outcome)
            on_outcome(outcome)
    return outcomes
