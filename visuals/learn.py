"""The tab Learn: a tour over the live page, what is easily misread, the words; and the recorded runs they show."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import gradio as gr

from .handlers import Handlers
from .parts import VIEW, Explore
from .scripts import script
from .stories import names
from .texts import ASSETS

GUIDE_SCRIPTS = ("core.js", "dom.js", "glossary.js", "spotlight.js", "tour.js", "learn_page.js", "gradio_guide.js")


@cache
def lessons(language: str = "en") -> dict[str, Any]:
    """``glossary``, ``tour``, ``misreadings`` and ``questions`` of a language, in the order they are told."""
    return json.loads((ASSETS / f"learn.{language}.json").read_text(encoding="utf-8"))


def learn_tab() -> None:
    """Build the tab inside the block that is open; Gradio draws it when it is first opened, and the guide fills it."""
    gr.HTML(
        None,
        html_template='<div class="learn learned"></div>',
        js_on_load=script("gradio_learn.js"),
        apply_default_css=False,
        elem_id="learn",
    )


def guide(handlers: Handlers, tab: Explore) -> gr.HTML:
    """The tour and the words over the whole page, outside its tabs; its event ``select`` shows a recorded run in
    Explore."""
    board = gr.HTML(
        None,
        html_template="<div></div>",
        js_on_load=f"const LEARN = {json.dumps(lessons(), ensure_ascii=False)};\n" + script(*GUIDE_SCRIPTS),
        apply_default_css=False,
        elem_id="guide",
    )

    def show(event: gr.EventData) -> tuple:
        """The recorded run that a step or a misreading needs; an unknown name changes nothing."""
        name = event._data.get("name") if isinstance(event._data, Mapping) else None
        if name not in names():
            return tuple(gr.skip() for _ in [*tab.filled, tab.chooser])
        return *handlers.tell(name, tuple(tab.dials)), name

    board.select(None, cancels=tab.running)
    board.select(show, None, [*tab.filled, tab.chooser], **VIEW)
    return board
