"""The lens: what every other threshold, or every other n, would have done with the question that is shown."""

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

import gradio as gr

from dragin_core.settings import Settings

from .beside import guarded, waiting
from .handlers import REDRAW_SECONDS, Handlers
from .parts import MODEL
from .payload import JSON, judged, packed
from .scripts import later
from .session import Form, Session

OVER = ("theta", "top_n")


def lens_panel() -> gr.HTML:
    """The panel; its value is the text of :func:`found_so_far`, and before that ``{"over": setting}``."""
    return gr.HTML(
        packed({"over": OVER[0]}),
        html_template='<div class="dragin lens-of-page"></div>',
        js_on_load=later("lens_shown.js", "lens_chart.js", "gradio_lens.js"),
        apply_default_css=False,
        elem_id="lens",
    )


def wire_lens(handlers: Handlers, stage: gr.HTML, panel: gr.HTML, inputs: Sequence) -> Any:
    """The event that looks, one of the stage's own (``assets/js/gradio_stage.js`` says why); ``inputs`` are session
    and form."""
    session, *fields = inputs

    def look(shown: Session, asked: Any, *values) -> Iterator[str]:
        found = {"over": over_of(asked)}
        yield from guarded(look_around(handlers, shown, asked, Form(*values), found), found, "lens.failed")

    return stage.expand(look, [session, panel, *fields], panel, trigger_mode="always_last", **MODEL)


def look_around(handlers: Handlers, session: Session, asked: Any, form: Form, found: JSON) -> Iterator[str]:
    """Look with the lens; yields what the panel shows, after each token so that Stop can bite. It fills ``found``."""
    question, *_ = handlers.asked(session) or (form.question,)
    settings = form.settings()
    found |= found_so_far(over_of(asked), question, settings)
    explainer = yield from waiting(handlers, form.model, found)
    if explainer is not None:
        yield from looked(explainer, found, settings, handlers.expected(question, form.gold))


def looked(explainer: Any, found: JSON, settings: Settings, gold: Sequence[str]) -> Iterator[str]:
    """What is found, segment by segment."""
    from dragin_core.lens import Segment

    lens = explainer.lens(found["question"], settings)
    items = lens.over_theta() if found["over"] == "theta" else lens.over_n()
    yield packed(found)
    drawn = 0.0
    for item in items:
        if isinstance(item, Segment):
            found["segments"].append(segment_of(item, found["over"], gold))
            found["seen"] = item.seen
        else:
            found["tokens"] += 1
        due = time.monotonic() - drawn >= REDRAW_SECONDS
        drawn = time.monotonic() if due else drawn
        yield packed(found) if due else gr.skip()
    yield packed({**found, "done": True})


def found_so_far(over: str, question: str, settings: Settings) -> JSON:
    """What a lens that has found nothing yet shows.

    Returns:
        ``{"over", "question", "settings", "segments", "seen", "tokens", "done"}``; ``seen`` is the share of the range
        that is known, ``tokens`` are those that were written for it.
    """
    asked = {"over": over, "question": question.strip(), "settings": settings.to_dict()}
    return {**asked, "segments": [], "seen": 0, "tokens": 0, "done": False}


def segment_of(segment: Any, over: str, gold: Sequence[str]) -> JSON:
    """A segment as the page draws it; ``high`` is null where it has no end, ``value`` is what the dial is set to."""
    return {
        "low": segment.low,
        "high": None if segment.high == float("inf") else segment.high,
        "value": getattr(segment.run.settings, over),
        "retrievals": segment.retrievals,
        "decisions": segment.decisions,
        "queries": segment.queries,
        "answer": segment.answer.strip(),
        "right": judged(segment.answer, gold),
    }


def over_of(asked: Any) -> str:
    """The setting that the panel asks about."""
    try:
        over = json.loads(asked)["over"]
    except (TypeError, ValueError, KeyError):
        over = None
    return over if over in OVER else OVER[0]
