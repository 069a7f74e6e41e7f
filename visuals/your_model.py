"""The operator's models: one is chosen, what it changes is told, and a θ is suggested for it: θ does not carry over."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import gradio as gr

from .handlers import THETA_ENDS, Handlers
from .loader import LOADING_POLL_SECONDS, PACKAGED, Models, differences
from .parts import MODEL, Explore, say
from .session import Form, notice
from .texts import text

WAITS = {"concurrency_limit": None, "show_progress": "hidden", "api_visibility": "private"}


def model_chooser(names: Sequence[str]) -> gr.Dropdown:
    """The chooser of models; not there where there is no choice."""
    return gr.Dropdown(
        [(short_name(name), name) for name in names],
        value=names[0],
        label=text("model.label"),
        elem_id="model",
        filterable=False,
        min_width=120,
        visible=len(names) > 1,
    )


def short_name(name: str) -> str:
    """A model's name without the folders before it."""
    return text("model.packaged") if name == PACKAGED else name.rstrip("/").rsplit("/", 1)[-1] or name


def suggest_button() -> gr.Button:
    """The button that asks for a θ."""
    return gr.Button(text("suggest"), size="sm", elem_id="suggest", min_width=60)


def wire_model(handlers: Handlers, explore: Explore, line: gr.HTML) -> None:
    """Another model is loaded as soon as it is chosen, and what is shown is then run with it.

    Args:
        line: tells the model's state.
    """
    before = gr.State(handlers.models.names[0])

    def chosen_now(name: str, held_against: str) -> Iterator[tuple]:
        yield from choose(handlers.models, name, held_against)

    inputs, outputs = [explore.model, before], [line, explore.controls[4], before]
    chosen = explore.model.input(chosen_now, inputs, outputs, trigger_mode="always_last", **WAITS)
    chosen.then(None, None, None, js=say("dragin-changed"))


def choose(models: Models, name: str, before: str) -> Iterator[tuple]:
    """The model's line and the notice, while the chosen one loads and then, and the model to hold the next against."""
    loader = models.loader(name)
    while not loader.wait(LOADING_POLL_SECONDS):
        yield loader.status.to_notice(), notice(), gr.skip()
    old, new = models.loader(before).explainer, loader.explainer
    changed = differences(old.environment, new.environment) if old and new else ""
    told = text("model.changed", what=changed) if changed else text("model.same") if new else ""
    yield loader.status.to_notice(), notice(told), name if new else gr.skip()


def wire_suggest(handlers: Handlers, stage: gr.HTML, button: gr.Button, inputs: Sequence, outputs: Sequence) -> Any:
    """The event that looks for a θ, one of the stage's own; the dial then follows it as if it had been moved.

    Args:
        inputs: session and form. outputs: the θ dial, and the line below the presets, which a run leaves alone.
    """

    def suggest(session: Any, *fields) -> Iterator[tuple]:
        for _, dial, line in handlers.told(suggested(handlers, Form(*fields))):
            yield dial, line

    event = stage.tick(suggest, inputs, outputs, trigger_mode="always_last", **MODEL)
    button.click(None, None, None, js=say("dragin-act", "tick"))
    return event


def suggested(handlers: Handlers, form: Form) -> Iterator[tuple]:
    """Answer the example questions from memory; yields (nothing, θ dial, notice)."""
    from dragin_core.suggest import SHARE, scores, theta_for

    settings, found, questions = form.settings(), [], [*handlers.examples.values()]
    explainer = yield from handlers.model(form.model)
    if explainer is None:
        return
    for place, question in enumerate(questions, 1):
        yield gr.skip(), gr.skip(), notice(text("suggest.progress", place=place, count=len(questions)))
        for item in scores(explainer.engine, question, settings):
            found += [item] if hasattr(item, "dtype") else []
            yield gr.skip(), gr.skip(), gr.skip()
    theta = theta_for(found)
    told = text("suggest.told", theta=f"{theta:g}", share=round(100 * SHARE), count=sum(map(len, found)))
    yield gr.skip(), gr.update(value=theta, maximum=max(THETA_ENDS, math.ceil(theta))), notice(told)
