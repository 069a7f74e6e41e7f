"""Runs side by side: what ``assets/js/view_columns.js`` draws, and the part of a payload that it reads."""

from collections.abc import Mapping
from typing import Any

JSON = dict[str, Any]
WINDOW = ("type", "round", "kept_text", "text", "partial", "stop")
READ = {
    "window": WINDOW,
    "decision": ("type", "retrieve", "index", "moment", "reason"),
    "query": ("type", "text", "sent"),
    "passages": ("type", "evidence", "reason", "items"),
    "cut": ("type", "kept_text"),
    "finished": ("type", "reason"),
}
ITEM = ("title", "text", "score")


def column(title: str, state: JSON, payload: Mapping[str, Any] | None = None, alone: JSON | None = None) -> JSON:
    """A column: ``{"title", "payload", "state"}``.

    Args:
        state: ``{"name", "tokens", "error"}``; names are waiting, writing, done, stopped and failed.
        payload: of a run as far as it is (:func:`visuals.payload.payload`); what no column shows is left out.
        alone: the run's counts on an empty cache.
    """
    return {"title": title, "state": state, "payload": slim(payload, alone) if payload else None}


def slim(payload: Mapping[str, Any], alone: JSON | None = None) -> JSON:
    """A payload without units, rows and prompts: some kilobytes in place of some hundred."""
    trace, facts = payload["trace"], payload["facts"]
    kept = {name: trace[name] for name in ("question", "settings", "answer", "counts")}
    kept["events"] = [_slim_event(event) for event in trace["events"]]
    judged = {name: facts[name] for name in ("switches", "gold", "right")}
    return {"trace": kept, "facts": judged, **({"alone": alone} if alone else {})}


def _slim_event(event: Mapping[str, Any]) -> JSON:
    found = {name: event[name] for name in READ[event["type"]] if name in event}
    if event["type"] == "passages":
        found["items"] = [{name: item[name] for name in ITEM} for item in event["items"]]
    return found
