"""The browser's half: which scripts of ``assets/js`` there are, and how they are put together."""

import json
import re
from functools import cache
from hashlib import sha256
from typing import Any
from urllib.parse import quote

import gradio as gr
from rjsmin import jsmin

from .texts import ASSETS, texts

JS = ASSETS / "js"
UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}

SHARED = ("core.js", "dom.js")
STAGE_SCRIPTS = (
    "measures.js",
    "view_doubt.js",
    "steady.js",
    "edits.js",
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
    "gradio_act.js",
    "gradio_stage.js",
)


def script(*names: str) -> str:
    """Scripts of ``assets/js`` as one, without their comments; they need :func:`shared` before them."""
    return "\n".join(_bare(name) for name in names)


@cache
def _bare(name: str) -> str:
    return jsmin((JS / name).read_text(encoding="utf-8"))


def later(*names: str, **values: Any) -> str:
    """JavaScript that fetches scripts of ``assets/js`` and runs them, for what the first view does not need; they have
    ``values`` as constants, and what Gradio gives to ``js_on_load``."""
    gr.set_static_paths(JS)
    addresses = [f"gradio_api/file={quote((JS / name).as_posix())}?{_version(name)}" for name in names]
    return f"runLater({script_data(addresses)}, {script_data(values)}, {{ element, props, watch, trigger }});"


@cache
def _version(name: str) -> str:
    """Changes with the script, so that no browser runs an old one."""
    return sha256((JS / name).read_bytes()).hexdigest()[:12]


def shared() -> str:
    """What every component's script needs, once for all: texts, the method, and how nodes are built."""
    return f"const TEXTS = {script_data(texts())};\n{script(*SHARED)}"


def head() -> str:
    """What the page's head holds."""
    return f"<script>{shared()}</script>"


def script_data(value: Any) -> str:
    """A value as JSON that nothing can break out of, in a data block or in a script."""
    found = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return re.sub("[<>&\u2028\u2029]", lambda sign: UNSAFE[sign[0]], found)


def constants(**values: Any) -> str:
    """Constants of a script, by name."""
    return "".join(f"const {name} = {script_data(value)};\n" for name, value in values.items())
