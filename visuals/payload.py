"""What the browser is given: a trace as it is, and beside it the facts that need this side's word rules."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from dragin_core.evaluation.matching import is_right
from dragin_core.settings import Settings
from dragin_core.words import find_words

JSON = dict[str, Any]


def payload(
    trace: Mapping[str, Any],
    gold: Sequence[str] = (),
    *,
    live: bool = False,
    recorded: str | None = None,
    opened: str | None = None,
    came: str | None = None,
) -> JSON:
    """A ``dragin-trace/1`` document with the facts drawn beside it.

    Args:
        gold: aliases of the expected answer; none means that nothing is judged.
        live: the last window is being written now (else a partial one was stopped).
        recorded: the name of the recorded run that it is, where this visitor did not run it.
        opened: the key of this opening, where it came from a file.
        came: the key of this showing, where it came from another tab and brings its dials with it.

    Returns:
        ``{"trace", "facts", "live", "recorded", "opened", "came"}``, JSON-ready. ``facts["events"]`` runs parallel to
        the trace's events: a window has ``right`` (or null) and ``used`` ([start, end, word] in its text), passages
        have ``used`` ([start, end, word] in each item's text). ``facts["switches"]`` has the value of every switch.
    """
    whence = {"recorded": recorded, "opened": opened, "came": came}
    return {"trace": trace, "facts": facts(trace, gold), "live": live, **whence}


def packed(value: JSON) -> str:
    """A payload as the page's components pass it on: a text, since Gradio copies and watches objects leaf by leaf."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def empty_payload() -> JSON:
    """A stage with nothing on it."""
    nothing = {
        "question": "",
        "settings": {},
        "events": [],
        "answer": "",
        "answer_without_retrieval": None,
        "counts": {},
    }
    return payload(nothing)


def facts(trace: Mapping[str, Any], gold: Sequence[str] = ()) -> JSON:
    """What is derived from a trace: right or wrong, and the words each new answer took from its passages."""
    events = trace["events"]
    switches = asdict(Settings.from_dict(trace["settings"]).effective)
    accepted = ("new", "same") if switches["repeat_evidence"] == "retrieve" else ("new",)
    found: list[JSON] = [{} for _ in events]
    passages = None
    for index, event in enumerate(events):
        if event["type"] == "passages" and event["evidence"] in accepted:
            passages = index
        elif event["type"] == "window":
            said = event.get("answer", event["kept_text"] + event["text"])
            found[index]["right"] = None if event["partial"] else judged(said, gold)
            if passages is not None:
                words = new_words(event)
                items = [taken(item["text"], words) for item in events[passages]["items"]]
                known = {word for item in items for *_, word in item}
                found[index]["used"] = [span for span in words if span[2] in known]
                found[passages]["used"] = items
                passages = None
    finished = bool(events) and events[-1]["type"] == "finished"
    return {
        "events": found,
        "gold": list(gold),
        "switches": switches,
        "right": judged(trace["answer"], gold) if finished else None,
        "right_without": judged(trace.get("answer_without_retrieval"), gold),
    }


def judged(answer: str | None, gold: Sequence[str]) -> bool | None:
    """Whether an answer is right; None where there is no answer or nothing to compare it with."""
    return is_right(answer, gold) if gold and answer is not None else None


def new_words(window: Mapping[str, Any]) -> list[list]:
    """[start, end, casefolded] of the content words that a window added and the question does not hold."""
    shift = len(window["kept_text"])
    words = window["rows"]["words"]
    asked = {word["text"].casefold() for word in words if word["where"] == "question"}
    return [
        [word["start"] - shift, word["end"] - shift, word["text"].casefold()]
        for word in words
        if word["where"] == "answer"
        and word["start"] >= shift
        and not word["stop"]
        and word["text"].casefold() not in asked
    ]


def taken(text: str, words: Sequence[Sequence]) -> list[list]:
    """[start, end, casefolded] of the words of a passage that are among ``words``."""
    wanted = {word for *_, word in words}
    return [[w.start, w.end, w.text.casefold()] for w in find_words(text) if w.text.casefold() in wanted]


def aliases(gold: str | None) -> list[str]:
    """The aliases of an expected answer as typed: separated by semicolons, blanks left out."""
    return [alias.strip() for alias in (gold or "").split(";") if alias.strip()]
