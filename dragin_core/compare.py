"""One window under two settings: which units change score, which decision changes, and which switch did it.

The switches are set one by one, each on top of those before it, from the first settings to the second. A switch that
needs another waits for it, so every step is a combination that makes sense.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from .errors import InputError
from .reading import Reading, read
from .settings import Settings
from .window import Window

COMPARE_FORMAT = "dragin-compare/1"
RUN_ONLY = ("repeat_evidence", "after", "template", "stop")
DECIDED = ("retrieve", "index", "kept_text", "sentence_words", "flags")
SAME = 1e-7  # scores closer than this are equal

Document = dict[str, Any]


def path(first: Settings, second: Settings) -> Iterator[tuple[str, Settings]]:
    """The switches that differ, each with the settings once it is set too.

    Raises:
        InputError: there is no order in which every step makes sense.
    """
    ours, wanted = asdict(first.effective), asdict(second.effective)
    left = [name for name in wanted if ours[name] != wanted[name]]
    current = first
    while left:
        name, current = next(filter(None, (_step(current, name, wanted[name]) for name in left)), (None, current))
        if name is None:
            raise InputError(f"{', '.join(left)} cannot be set one by one: compare settings that lie closer together.")
        left.remove(name)
        yield name, current


def _step(settings: Settings, name: str, value: Any) -> tuple[str, Settings] | None:
    try:
        return name, settings.but(switches={**asdict(settings.effective), name: value})
    except InputError:
        return None


def compare(
    window: Window, first: Settings, second: Settings, score: Callable[[Window, Settings], Document]
) -> Document:
    """The ``dragin-compare/1`` document.

    Args:
        window: with all that the switches of both need.
        score: gives the ``dragin-score/1`` document of a window, see :meth:`Explainer.score_window`.

    Returns:
        ``{"format", "text", "from", "to", "changes", "units", "decision", "query", "steps", "only_in_a_run"}``:
        ``changes`` lists what differs ("scores", "decision", "query"), ``units`` are those whose score does,
        ``decision`` and ``query`` (as it is sent) are before and after. Each step has the same for one switch. Switches
        in ``only_in_a_run`` differ too, but a single window does not show them.
    """
    before = start = score(window, first)
    ours, steps, hidden = first, [], []
    for name, settings in path(first, second):
        if name in RUN_ONLY:
            hidden.append(name)
            ours = settings
            continue
        after = score(window, settings)
        change = _change(window, ours, settings, before, after)
        values = {"from": getattr(ours.effective, name), "to": getattr(settings.effective, name)}
        steps.append({"switch": name, **values, **change})
        before, ours = after, settings
    return {
        "format": COMPARE_FORMAT,
        "text": window.text,
        "from": first.to_dict(),
        "to": second.to_dict(),
        **_change(window, first, ours, start, before),
        "steps": steps,
        "only_in_a_run": hidden,
    }


def _change(window: Window, ours: Settings, theirs: Settings, before: Document, after: Document) -> Document:
    units = changed_units(read(window, ours.effective), read(window, theirs.effective))
    decisions = [{key: document["decision"][key] for key in DECIDED} for document in (before, after)]
    queries = [document["query"] and document["query"]["sent"] for document in (before, after)]
    what = {
        "scores": bool(units),
        "decision": any(d["retrieve"] for d in decisions) and decisions[0] != decisions[1],
        "query": queries[0] != queries[1],
    }
    return {
        "changes": [name for name, changed in what.items() if changed],
        "units": units,
        "decision": {"from": decisions[0], "to": decisions[1]},
        "query": {"from": queries[0], "to": queries[1]},
    }


def changed_units(ours: Reading, theirs: Reading) -> list[Document]:
    """The units whose score differs: words where both readings have words, else tokens with the score of their unit.

    Offsets are in the window's new text; a score is null where it is pending or undefined.
    """
    finer = ours if len(ours) >= len(theirs) else theirs
    shift = len(ours.window.prompt.kept_text)
    found = []
    for pieces, (start, end) in zip(finer.pieces, finer.spans, strict=True):
        scores = [_score_of_token(reading, pieces[0]) for reading in (ours, theirs)]
        if _differ(*scores):
            text = ours.window.answer[start:end]
            found.append({"text": text, "start": start - shift, "end": end - shift, "from": scores[0], "to": scores[1]})
    return found


def _score_of_token(reading: Reading, token: int) -> float | None:
    unit = next(k for k, pieces in enumerate(reading.pieces) if token in pieces)
    score = float(reading.final_scores[unit])
    return None if score != score else round(score, 7)


def _differ(one: float | None, other: float | None) -> bool:
    return one is not other and (one is None or other is None or abs(one - other) > SAME)


def told(document: Document) -> str:
    """The comparison in lines a person reads."""
    lines = [f"{document['from']['variant']} → {document['to']['variant']}: {document['text']!r}"]
    for step in document["steps"]:
        what = ", ".join(step["changes"]) or "nothing"
        lines.append(f"{step['switch']}: {step['from']} → {step['to']} changes {what}")
        if "scores" in step["changes"]:
            lines += [f"  {_shown(u['from'])} → {_shown(u['to'])}  {u['text']!r}" for u in step["units"]]
        if "decision" in step["changes"]:
            lines.append(f"  {_decision(step['decision']['from'])} → {_decision(step['decision']['to'])}")
        if "query" in step["changes"]:
            lines.append(f"  query: {step['query']['from']} → {step['query']['to']}")
    if document["only_in_a_run"]:
        lines.append(f"only seen in a run: {', '.join(document['only_in_a_run'])}")
    return "\n".join(lines)


def _shown(score: float | None) -> str:
    return "   none" if score is None else f"{score:7.3f}"


def _decision(decision: Document) -> str:
    if not decision["retrieve"]:
        return "does not fire"
    return f"fires at unit {decision['index']}, keeps {decision['kept_text']!r}"
