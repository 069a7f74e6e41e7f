"""Edits that a visitor makes on the page: what the browser sends, and which edits a changed run still has."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import gradio as gr

from dragin_core.errors import InputError
from dragin_core.settings import Settings

from .texts import text


def asked(data: Any) -> tuple[int, Any]:
    """The event's index and the edit that a browser sends: ``{"at", "edit": {"kind", …}}``.

    Raises:
        InputError: it is neither; one sentence.
    """
    from dragin_core.edits import edit_from  # brings the model's half, which takes seconds to load

    if not isinstance(data, Mapping) or type(data.get("at")) is not int:
        raise InputError(text("edit.nothing"))
    return data["at"], edit_from(data.get("edit"))


def same_place(trace: Mapping[str, Any], environment: Mapping[str, Any]) -> bool:
    """Whether a trace was made by the model and over the passages that are here, so that it can be made anew."""
    told = trace.get("environment", {})
    names = [(place.get("model"), (place.get("corpus") or {}).get("sha256")) for place in (told, environment)]
    return names[0] == names[1]


def told_events(trace: Mapping[str, Any], upto: int) -> list[tuple]:
    """What of the first events must come again where a run is made anew."""
    keys = ("type", "text", "sent", "kept_text", "retrieve", "index", "evidence")
    return [tuple(event.get(key) for key in keys) for event in trace["events"][:upto]]


def made_anew(explainer: Any, trace: Mapping[str, Any], at: int) -> Iterator[tuple]:
    """The run of a trace made here up to an event; yields as a handler does while it is.

    Raises:
        InputError: it is of another model or corpus, or goes otherwise here.
    """
    from dragin_core.edits import edits_from

    if not same_place(trace, explainer.environment):
        raise InputError(text("edit.elsewhere"))
    run = explainer.start(trace["question"], Settings.from_dict(trace["settings"]), edits_from(trace.get("edits", [])))
    while len(run.events) < min(at, len(trace["events"])):
        items = []
        for item in explainer.advance(run):
            items = [item]
            yield gr.skip(), gr.skip(), gr.skip()
        run = run.then(*items)
    if told_events(explainer.trace(run).to_dict(), at) != told_events(trace, at):
        raise InputError(text("edit.differs"))
    return run


def kept_edits(run: Any, before: Any) -> Any:
    """A run that follows another with changed settings: its edits stay as long as its events are the other's.

    Behind the first event that differs they are dropped: they were about something else.
    """
    at = len(run.events)
    if all(_alike(*pair) for pair in zip(run.events, before.events, strict=False)) and at <= len(before.events):
        return run
    return dropped(run)


def dropped(run: Any) -> Any:
    """The run without the edits that are still to come."""
    return replace(run, edits=run.edits_before(len(run.events)))


def _fits(item: Any, before: Any, at: int) -> bool:
    """Whether an edit still makes of an event what it made of it before; a window it does not decide on."""
    from dragin_core import Progress, events

    window = isinstance(item, Progress | events.WindowDecoded)
    return window or at >= len(before.events) or _alike(item, before.events[at])


def _alike(one: Any, two: Any) -> bool:
    return type(one) is type(two) and _told(one) == _told(two)


def _told(event: Any) -> tuple:
    """What makes an event what it is, whatever it cost."""
    from dragin_core import events

    match event:
        case events.WindowDecoded(window=window):
            return window.prompt.token_ids, window.generated_ids
        case events.Decided():
            return event.retrieve, event.index, event.reason
        case events.QueryFormulated():
            return (event.sent,)
        case events.PassagesRetrieved():
            return event.evidence, tuple(hit.passage for hit in event.hits)
        case events.AnswerCut():
            return (event.prompt.token_ids,)
    return (event.reason,)


def advanced(explainer: Any, run: Any, before: Any) -> Iterator[Any]:
    """(run, item) for each item of the next event; an edit that fits no more is dropped with those behind it.

    Args:
        before: the run whose edits ``run`` was begun with, None where they are its own.
    """
    if before is not None and run.edits:
        run = kept_edits(run, before)
        at, fits = len(run.events), True
        try:
            for item in explainer.advance(run):
                fits = not run.edit_at(at) or _fits(item, before, at)
                if fits:
                    yield run, item
            if fits:
                return
            run = dropped(run)
        except InputError:
            if not run.edit_at(len(run.events)):
                raise
            run = dropped(run)
    for item in explainer.advance(run):
        yield run, item
