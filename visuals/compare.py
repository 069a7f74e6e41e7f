"""The tab Compare: one question, answered by several methods side by side."""

import logging
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import gradio as gr

from dragin_core.errors import InputError
from dragin_core.methods import METHODS, WHAT, WHEN
from dragin_core.settings import check_question

from .columns import column
from .handlers import Form, Handlers, notice
from .paper import paper_section
from .parts import MODEL, VIEW, Explore, data_line, make_room
from .payload import packed, payload
from .scripts import constants, script
from .share import stretched_all
from .texts import text

LOGGER = logging.getLogger(__name__)
REDRAW_SECONDS = 0.25
MOST_WAYS = 16
SESSION_SECONDS = 3600
SCRIPTS = ("core.js", "dom.js", "view_columns.js", "gradio_act.js", "gradio_compare.js")


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


class Comparison:
    """The handlers of the tab. Model events yield (ways, board, notice).

    Args:
        handlers: of the page; they have the model and judge answers.
    """

    def __init__(self, handlers: Handlers):
        self._handlers = handlers

    def run(self, event: gr.EventData, *fields) -> Iterator[tuple]:
        """Answer the question in every way that was asked for, one after the other; one that fails stops no other."""
        asked = event._data if isinstance(event._data, Mapping) else {}
        form = replace(Form(*fields), question=str(asked.get("question") or ""), gold=str(asked.get("gold") or ""))
        ways = ways_of(asked.get("ways"))
        try:
            check_question(form.question)
            if not ways:
                raise InputError(text("compare.noway"))
        except InputError as error:
            yield gr.skip(), gr.skip(), notice(str(error), "error")
            return
        yield ways, board(ways), notice()
        explainer = yield from self._handlers.model()
        if explainer is None:
            return
        drawn = 0.0
        for place, way in enumerate(ways):
            for step in self._answered(explainer, way, form):
                due = step.state["name"] != "writing" or time.monotonic() - drawn >= REDRAW_SECONDS
                if not due:
                    yield gr.skip(), gr.skip(), gr.skip()
                    continue
                drawn = time.monotonic()
                ways = [*ways[:place], self._drawn(explainer, step, form.gold), *ways[place + 1 :]]
                yield ways, board(ways), gr.skip()

    def open(self, event: gr.EventData, ways: list[Way], gold: str, dials: dict[str, gr.Slider]) -> tuple:
        """Show the run of a column on the tab Explore: what :attr:`Explore.filled` fills.

        Raises:
            InputError: there is no such run.
        """
        asked = event._data if isinstance(event._data, Mapping) else {}
        index = asked.get("index")
        if not isinstance(index, int) or not 0 <= index < len(ways or []) or ways[index].run is None:
            raise InputError(text("compare.norun"))
        way = ways[index]
        found = self._handlers.show(way.run, way.partial, gold, tuple(dials))
        return *found[: -len(dials)], *stretched_all(dials, found[-len(dials) :])

    def _answered(self, explainer: Any, way: Way, form: Form) -> Iterator[Way]:
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

    def _drawn(self, explainer: Any, way: Way, gold: str) -> Way:
        """The way with its column, and with the window that is being written as it is now."""
        if way.run is None:
            return replace(way, drawn=column(way.title, way.state))
        partial = getattr(way.partial, "window", way.partial)
        trace = explainer.trace(way.run if partial is None else way.run.then(partial))
        shown = payload(trace.to_dict(), self._handlers.expected(way.run.question, gold))
        return replace(way, partial=partial, drawn=column(way.title, way.state, shown, trace.counts_alone))


def board(ways: list[Way]) -> str:
    """What the browser is given."""
    return packed({"columns": [way.drawn or column(way.title, way.state) for way in ways]})


def compare_tab(handlers: Handlers, explore: Explore, tabs: gr.Tabs, tab: gr.Tab) -> None:
    """Build the tab inside the block that is open, and connect it to the tab on which a run can be opened."""
    comparison = Comparison(handlers)
    ways = gr.State([], time_to_live=SESSION_SECONDS)
    line = data_line("compare-line", None)
    given = constants(METHODS=list(reversed(METHODS)), WHEN=list(WHEN), WHAT=list(WHAT))
    stage = gr.HTML(
        None,
        html_template='<div class="dragin compare"></div>',
        js_on_load=given + script(*SCRIPTS),
        apply_default_css=False,
        elem_id="compare",
    )
    paper_section()
    tab.select(None, None, None, js="() => { window.dispatchEvent(new CustomEvent('dragin-compare')); return []; }")
    running = stage.submit(comparison.run, explore.fields, [ways, stage, line], **MODEL)
    running.then(None, None, None, js="() => { window.dispatchEvent(new CustomEvent('dragin-compared')); return []; }")
    stage.stop(None, cancels=[running])

    def open_run(event: gr.EventData, found: list[Way]) -> tuple:
        """Show a column's run on the other tab, and go there."""
        asked = event._data if isinstance(event._data, Mapping) else {}
        try:
            filled = comparison.open(event, found, str(asked.get("gold") or ""), explore.dials)
        except InputError as error:
            return *[gr.skip()] * (len(explore.filled) + 2), notice(str(error), "error")
        return *filled, None, gr.Tabs(selected="explore"), notice()

    stage.select(None, cancels=explore.running)
    opened = stage.select(open_run, ways, [*explore.filled, explore.chooser, tabs, line], **VIEW)
    make_room(opened, handlers, explore)
