"""The paper's results, to hold one's own against: tables with bars, from ``assets/paper.json``."""

import json
from typing import Any

import gradio as gr

from .scripts import later
from .texts import ASSETS

FILE = ASSETS / "paper.json"


def results() -> dict[str, Any]:
    """The paper's tables.

    Returns:
        ``main`` and ``retrievals`` by model and dataset, a number for each of their ``methods``; ``timing`` and
        ``query`` (the ablations) by model and method, and ``retrievers`` by dataset and retriever, a number for each of
        their ``measures``; ``sweep`` with rows of θ and the measures.
    """
    return json.loads(FILE.read_text(encoding="utf-8"))


def paper_section() -> gr.HTML:
    """The section, drawn in the browser."""
    return gr.HTML(
        None,
        html_template='<section class="dragin paper"></section>',
        js_on_load=later("view_paper.js", "gradio_paper.js", PAPER=results()),
        apply_default_css=False,
        elem_id="paper",
    )
