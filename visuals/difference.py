"""The difference view: one window of the shown run under two settings, and what each switch between them does."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gradio as gr

from dragin_core.errors import InputError
from dragin_core.settings import Settings

from .beside import guarded, waiting
from .handlers import Handlers
from .parts import MODEL
from .payload import JSON, packed
from .scripts import later
from .session import Form, Session
from .setup import switch_constants
from .texts import text

MOST_EVENTS = 1000


def difference_panel() -> gr.HTML:
    """The panel; its value is the text of a ``dragin-compare/1`` document with what was asked, or of what is asked:
    ``{"at", "variant", "switches"}``, the place of the window among the events and the arguments of the other
    ``Settings``."""
    return gr.HTML(
        packed({}),
        html_template='<div class="dragin difference-of-page"></div>',
        js_on_load=later("gradio_difference.js", **switch_constants()),
        apply_default_css=False,
        elem_id="difference",
    )


def wire_difference(handlers: Handlers, stage: gr.HTML, panel: gr.HTML, inputs: Sequence) -> Any:
    """The event that compares, one of the stage's own; ``inputs`` are session and form."""
    session, *fields = inputs

    def differ(shown: Session, asked: Any, *values) -> Iterator[str]:
        found: JSON = {}
        yield from guarded(compared(handlers, shown, asked, Form(*values), found), found, "difference.failed")

    return stage.apply(differ, [session, panel, *fields], panel, trigger_mode="always_last", **MODEL)


def compared(handlers: Handlers, session: Session, asked: Any, form: Form, found: JSON) -> Iterator[Any]:
    """Compare; yields what the panel shows. It fills ``found``."""
    found |= wish(asked)
    question, settings, _ = handlers.asked(session) or (form.question, form.settings(), None)
    found |= {"question": question, "settings": settings.to_dict()}
    other = settings.but(variant=found["variant"], switches=found["switches"])
    explainer = yield from waiting(handlers, form.model, found, session.run)
    if explainer is not None:
        window = yield from window_at(explainer, session.run, question, settings, found["at"])
        yield packed({**found, "document": explainer.compare(window, settings, other)})


def wish(asked: Any) -> JSON:
    """What is asked: ``{"at", "variant", "switches"}``.

    Raises:
        InputError: it is nothing of the kind.
    """
    try:
        found = json.loads(asked)
        at, variant, switches = found["at"], found["variant"], found["switches"]
    except (TypeError, ValueError, KeyError) as error:
        raise InputError(text("difference.none")) from error
    if not isinstance(at, int) or not 0 <= at < MOST_EVENTS or not isinstance(switches, Mapping):
        raise InputError(text("difference.none"))
    return {"at": at, "variant": variant, "switches": dict(switches)}


def window_at(explainer: Any, run: Any, question: str, settings: Settings, at: int) -> Iterator[Any]:
    """The window that is a run's event at a place. A run that was recorded or opened is written once more up to there,
    since a trace holds no windows; yields at each token.

    Raises:
        InputError: there is no window at that place.
    """
    run = run if run is not None else explainer.start(question, settings)
    while len(run.events) <= at and not run.finished:
        for item in explainer.advance(run):
            yield gr.skip()
            event = item
        run = run.then(event)
    window = getattr(run.events[at], "window", None) if at < len(run.events) else None
    if window is None:
        raise InputError(text("difference.none"))
    return window
