"""Ways to answer a question: the methods of the paper, and any timing with any query."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dragin_core.errors import InputError
from dragin_core.methods import METHODS

from .session import Form
from .texts import text

LOGGER = logging.getLogger(__name__)
MOST_WAYS = 16


@dataclass(frozen=True, eq=False)
class Way:
    """One way to answer, and how far it is.

    Attributes:
        instead: the settings that make it, in place of those of the controls.
        run: as far as it is; ``partial`` is a window behind it that is no event yet.
        state: see :func:`~visuals.columns.column`.
        drawn: its column, as it was drawn last.
    """

    title: str
    instead: dict[str, str | None]
    run: Any = None
    partial: Any = None
    state: dict[str, Any] = field(default_factory=lambda: {"name": "waiting"})
    drawn: dict[str, Any] | None = None


def ways_of(asked: Any) -> list[Way]:
    """The ways that were asked for: ``[{"method"} or {"when", "what"}]``; at most so many."""
    found = [each for each in asked if isinstance(each, Mapping)] if isinstance(asked, list) else []
    return [way_of({name: str(value) for name, value in each.items()}) for each in found[:MOST_WAYS]]


def way_of(asked: Mapping[str, str]) -> Way:
    """A method of the paper, or any timing with any query."""
    if "method" in asked:
        method = asked["method"]
        title = text(f"method.{method}") if method in METHODS else method
        return Way(title, {"method": method, "when": None, "what": None})
    when, what = asked.get("when", ""), asked.get("what", "")
    return Way(f"{when} × {what}", {"method": "dragin", "when": when, "what": what})


def asked_form(asked: Mapping[str, Any], fields: tuple) -> Form:
    """The controls of Explore, with the question and the expected answer of this tab."""
    return replace(Form(*fields), question=str(asked.get("question") or ""), gold=str(asked.get("gold") or ""))


def answered(explainer: Any, way: Way, form: Form) -> Iterator[Way]:
    """The way, step by step, to its end; any failure becomes its state."""
    from dragin_core import Progress

    tokens = 0
    try:
        run = explainer.start(form.question, form.settings(**way.instead))
        while not run.finished:
            for item in explainer.advance(run):
                partial = item if isinstance(item, Progress) else None
                run = run if partial else run.then(item)
                tokens += bool(partial)
                way = replace(way, run=run, partial=partial, state={"name": "writing", "tokens": tokens})
                yield way
        yield replace(way, state={"name": "done"})
    except InputError as error:
        yield replace(way, state={"name": "failed", "error": str(error)})
    except Exception as error:
        LOGGER.exception("a way to answer failed")
        sentence = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        yield replace(way, state={"name": "failed", "error": text("notice.failed", error=sentence)})
