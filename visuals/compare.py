"""The tab Compare: one question, answered by several methods side by side."""

import time
from collections.abc import Iterator
from dataclasses import replace

import gradio as gr

from dragin_core.errors import InputError
from dragin_core.methods import METHODS, WHAT, WHEN
from dragin_core.settings import check_question

from .columns import column
from .handlers import Handlers
from .matrix import matrix_section
from .paper import paper_section
from .parts import MODEL, SESSION_SECONDS, VIEW, Explore, data_line, make_room, sent
from .payload import packed, payload
from .runs import Entry, Runs
from .scripts import later
from .session import notice
from .share import stretched_all
from .texts import text
from .ways import MOST_WAYS, Way, answered, asked_form, ways_of

REDRAW_SECONDS = 0.25
SCRIPTS = ("view_columns.js", "gradio_act.js", "gradio_compare.js")


class Comparison:
    """The handlers of the tab. Model events yield (ways, board, notice).

    Args:
        handlers: of the page; they have the model and judge answers.
    """

    def __init__(self, handlers: Handlers):
        self._handlers = handlers

    def run(self, event: gr.EventData, *fields) -> Iterator[tuple]:
        """Answer the question in every way that was asked for, one after the other; one that fails stops no other."""
        asked = sent(event)
        form = asked_form(asked, fields)
        ways = ways_of(asked.get("ways"))
        try:
            check_question(form.question)
            if not ways:
                raise InputError(text("compare.noway"))
        except InputError as error:
            yield gr.skip(), gr.skip(), notice(str(error), "error")
            return
        yield ways, board(ways), notice()
        explainer = yield from self._handlers.model(form.model)
        if explainer is None:
            return
        drawn = 0.0
        for place, way in enumerate(ways):
            for step in answered(explainer, way, form):
                due = step.state["name"] != "writing" or time.monotonic() - drawn >= REDRAW_SECONDS
                if not due:
                    yield gr.skip(), gr.skip(), gr.skip()
                    continue
                drawn = time.monotonic()
                ways = [*ways[:place], self._drawn(step, form.gold), *ways[place + 1 :]]
                yield ways, board(ways), gr.skip()

    def open(self, event: gr.EventData, ways: list[Way], dials: dict[str, gr.Slider]) -> tuple:
        """Show the run of a column on the tab Explore: what :attr:`Explore.filled` fills.

        Raises:
            InputError: there is no such run.
        """
        asked = sent(event)
        index = asked.get("index")
        if not isinstance(index, int) or not 0 <= index < len(ways or []) or ways[index].run is None:
            raise InputError(text("compare.norun"))
        way = ways[index]
        found = self._handlers.show(way.run, way.partial, str(asked.get("gold") or ""), tuple(dials))
        return *found[: -len(dials)], *stretched_all(dials, found[-len(dials) :])

    def listed(self, event: gr.EventData, runs: Runs) -> list[Way]:
        """The runs of the visit's list that were asked for, as columns.

        Raises:
            InputError: there are no such runs.
        """
        ids = sent(event).get("ids")
        entries = [runs.get(each) for each in ids[:MOST_WAYS]] if isinstance(ids, list) else []
        if not entries or None in entries:
            raise InputError(text("runs.gone"))
        return [self._column_of(entry) for entry in entries]

    def _column_of(self, entry: Entry) -> Way:
        state = {"name": "done" if entry.run.finished else "stopped"}
        return self._drawn(Way(entry.name, {}, run=entry.run, state=state), entry.gold)

    def _drawn(self, way: Way, gold: str) -> Way:
        """The way with its column, and with the window that is being written as it is now."""
        if way.run is None:
            return replace(way, drawn=column(way.title, way.state))
        partial = getattr(way.partial, "window", way.partial)
        trace = self._handlers.trace(way.run if partial is None else way.run.then(partial))
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
    stage = gr.HTML(
        None,
        html_template='<div class="dragin compare"></div>',
        js_on_load=later(*SCRIPTS, METHODS=list(reversed(METHODS)), WHEN=list(WHEN), WHAT=list(WHAT)),
        apply_default_css=False,
        elem_id="compare",
    )
    matrix_section(handlers, explore)
    paper_section()
    tab.select(None, None, None, js="() => { window.dispatchEvent(new CustomEvent('dragin-compare')); return []; }")
    running = stage.submit(comparison.run, explore.fields, [ways, stage, line], **MODEL)
    running.then(None, None, None, js="() => { window.dispatchEvent(new CustomEvent('dragin-compared')); return []; }")
    stage.stop(None, cancels=[running])

    def open_run(event: gr.EventData, found: list[Way]) -> tuple:
        """Show a column's run on the other tab, and go there."""
        try:
            filled = comparison.open(event, found, explore.dials)
        except InputError as error:
            return *[gr.skip()] * (len(explore.filled) + 2), notice(str(error), "error")
        return *filled, None, gr.Tabs(selected="explore"), notice()

    def show_listed(event: gr.EventData, runs: Runs) -> tuple:
        """Show runs of the visit's list side by side, and go there."""
        try:
            found = comparison.listed(event, runs)
        except InputError as error:
            return gr.skip(), gr.skip(), gr.skip(), notice(str(error), "error")
        return found, board(found), gr.Tabs(selected="compare"), notice()

    runs, panel = explore.visit
    panel.option_select(None, cancels=[running])
    panel.option_select(show_listed, runs, [ways, stage, tabs, line], **VIEW)
    stage.select(None, cancels=explore.running)
    opened = stage.select(open_run, ways, [*explore.filled, explore.chooser, tabs, line], **VIEW)
    make_room(opened, handlers, explore)
