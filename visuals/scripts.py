"""The browser's half: which scripts of ``assets/js`` there are, and how they are put together."""

import json

from .texts import ASSETS, texts

STAGE_SCRIPTS = (
    "core.js",
    "dom.js",
    "view_skyline.js",
    "view_card.js",
    "signals_summary.js",
    "view_signals.js",
    "attention_row.js",
    "view_row_tools.js",
    "view_attention.js",
    "view_passages.js",
    "view_prompt.js",
    "view_timeline.js",
    "player.js",
    "present.js",
    "copy.js",
    "figure_svg.js",
    "take.js",
    "view_answers.js",
    "linked.js",
    "stage.js",
    "gradio_stage.js",
)


def script(*names: str) -> str:
    """Scripts of ``assets/js`` as one, with the page's texts before them."""
    sources = [(ASSETS / "js" / name).read_text(encoding="utf-8") for name in names]
    return "\n".join([f"const TEXTS = {json.dumps(texts(), ensure_ascii=False)};", *sources])
