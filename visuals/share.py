"""Keep and share: save the trace that is shown, open one from a file, save the page as one file that needs no server.

Files stay between the browser and this process: a trace that is opened arrives as text, what is saved leaves as text,
and nothing is written to the server's disk.
"""

import re
from collections.abc import Mapping, Sequence
from secrets import token_hex
from typing import Any

import gradio as gr

from dragin_core.errors import InputError
from dragin_core.trace_file import MOST_BYTES, trace_text

from .export import page_of
from .handlers import Handlers
from .parts import VIEW, Explore, make_room, sent
from .scripts import script
from .session import Form, Session, notice
from .tables import TABLES
from .texts import text

NAME_CHARACTERS = 48


def share_bar() -> gr.HTML:
    """Its events: ``download`` (save the trace), ``submit`` (save the page), ``copy`` (save a table), ``upload`` (open)
    and ``select`` (a link)."""
    return gr.HTML(
        None,
        html_template='<div class="share-bar-of-page"></div>',
        js_on_load=f"const MOST_BYTES = {MOST_BYTES};\n" + script("copy.js", "gradio_share.js"),
        apply_default_css=False,
        elem_id="share",
    )


def wire_share(handlers: Handlers, bar: gr.HTML, tab: Explore, gold: gr.Textbox) -> None:
    """Connect the bar to the tab that shows what is opened."""
    session, _, line = tab.shown
    dials = tab.dials

    def open_file(event: gr.EventData) -> tuple:
        """Show what was opened; the dials stretch to a value beyond their ends."""
        came = sent(event)
        try:
            found = handlers.open(came.get("text"), tuple(dials))
        except InputError as error:
            nothing = [gr.skip()] * len(tab.filled)
            return *nothing[:2], notice(str(error), "error"), *nothing[3:], gr.skip()
        rest, values = found[: -len(dials)], found[-len(dials) :]
        return *rest, *stretched_all(dials, values), None

    def save_trace(state: Session) -> tuple:
        """The trace as the text of a file."""
        trace = handlers.shown_trace(state)
        if trace is None:
            return gr.skip(), notice(text("share.none"), "error")
        return saved(trace["question"], "json", trace_text(trace))

    def save_page(state: Session, typed: str) -> tuple:
        """The page as the text of a file."""
        found = handlers.shown_payload(state, typed)
        if found is None:
            return gr.skip(), notice(text("share.none"), "error")
        return saved(found["trace"]["question"], "html", page_of(found))

    def save_table(event: gr.EventData, state: Session) -> tuple:
        """Scores or decisions of the shown run as the text of a table."""
        trace, came = handlers.shown_trace(state), sent(event)
        if trace is None:
            return gr.skip(), notice(text("share.none"), "error")
        kind = "decisions" if came.get("kind") == "decisions" else "scores"
        name = f"{file_name(trace['question'])}-{kind}.csv"
        return {"name": name, "kind": "csv", "text": TABLES[kind](trace)}, notice(text("share.saved", name=name))

    def make_link(state: Session, *fields) -> tuple:
        """The query of a link to what the controls say; to a recorded run, while they say what it was run with."""
        try:
            return {"name": token_hex(4), "kind": "link", "text": handlers.link(state, Form(*fields))}, gr.skip()
        except InputError as error:
            return gr.skip(), notice(str(error), "error")

    bar.copy(save_table, session, [bar, line], **VIEW)
    bar.select(make_link, [session, *tab.fields], [bar, line], **VIEW)
    bar.download(save_trace, session, [bar, line], **VIEW)
    bar.submit(save_page, [session, gold], [bar, line], **VIEW)
    bar.upload(None, cancels=tab.running)
    make_room(bar.upload(open_file, None, [*tab.filled, tab.chooser], **VIEW), handlers, tab)


def saved(question: str, kind: str, content: str) -> tuple[dict[str, str], dict[str, str]]:
    """What the bar hands to the browser to save, and what is said of it."""
    name = f"{file_name(question)}.{kind}"
    return {"name": name, "kind": kind, "text": content}, notice(text("share.saved", name=name))


def file_name(question: str) -> str:
    """A name made of the question's letters and digits."""
    words = re.findall(r"[^\W_]+", question.lower())
    return "-".join(["dragin", *words])[:NAME_CHARACTERS].rstrip("-")


def stretched(dial: gr.Slider, value: float) -> dict[str, Any]:
    """A dial's new value, with room for it."""
    return gr.update(value=value, minimum=min(dial.minimum, value), maximum=max(dial.maximum, value))


def stretched_all(dials: Mapping[str, gr.Slider], values: Sequence[float]) -> list[dict[str, Any]]:
    """The dials' new values, with room for them."""
    return [stretched(dial, value) for dial, value in zip(dials.values(), values, strict=True)]
