"""The page: its head, and its tabs."""

import gradio as gr

from .compare import compare_tab
from .explore import example_questions, explore_tab
from .handlers import Handlers
from .learn import guide, learn_tab
from .loader import Models
from .parts import VIEW, data_line
from .texts import ASSETS, text
from .your_model import wire_model

POLL_SECONDS = 1.0
STYLES = ("page", "stage", "signals", "share", "edits", "runs", "lens", "compare", "learn", "present")
CSS_PATHS = [ASSETS / f"{name}.css" for name in STYLES]


def build_ui(models: Models) -> gr.Blocks:
    """The page over a model that may still be loading; launching it is the caller's."""
    handlers = Handlers(models, example_questions())
    with gr.Blocks(title=text("title"), analytics_enabled=False, fill_width=True) as page:
        timer = gr.Timer(POLL_SECONDS)
        model_line = header(models)
        with gr.Tabs(elem_id="tabs") as tabs:
            with gr.Tab(text("tab.explore"), id="explore"):
                explore = explore_tab(handlers)
            with gr.Tab(text("tab.compare"), id="compare") as tab:
                compare_tab(handlers, explore, tabs, tab)
            with gr.Tab(text("tab.learn"), id="learn"):
                learn_tab()
        guide(handlers, explore)
        wire_model(handlers, explore, model_line)
        gr.HTML(f"<p>{text('attribution')}</p>", js_on_load=None, apply_default_css=False, elem_id="attribution")
        timer.tick(handlers.poll, explore.model, [model_line, timer], **VIEW)
    return page


def header(models: Models) -> gr.HTML:
    """Title, what the page is for, and the line that tells the model's state."""
    with gr.Row(elem_id="page-head"):
        gr.HTML(
            f"<header><h1>{text('title')}</h1><p>{text('tagline')}</p></header>",
            js_on_load=None,
            apply_default_css=False,
            elem_id="page-title",
        )
        return data_line("model-line", models.loader(None).status.to_notice())
