"""Whether the parts of a ``dragin-trace/1`` document fit together; their shape has been checked by ``trace_shape``."""

import binascii
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from .edits import AskInstead, Edit, FireAt, Ignore, edits_from
from .errors import InputError
from .events import IGNORED
from .settings import Settings
from .shapes import require

Doc = Mapping[str, Any]
MOST_OF_PASSAGES = 2_000_000  # characters of all passages together: their words are looked for whenever it is drawn
START = ""
SKIPPED = "trigger ignored by hand"
# what can follow what; a window follows passages that were not accepted where it had been stopped as it fired
FOLLOWS = {
    START: ("window", "decision"),
    "window": ("decision",),
    "decision": ("query", "cut", "finished"),
    SKIPPED: ("decision", "window"),
    "query": ("passages",),
    "passages": ("decision", "cut", "window"),
    "cut": ("window", "finished"),
    "finished": (),
}
EDITED = {"fire": ("decision",), "ignore": ("decision",), "ask": ("query",), "passages": ("passages",)}
EDITED["prompt"] = ("cut", "window")


@dataclass
class Story:
    """What has happened up to an event.

    Attributes:
        window: the newest window; ``open`` says that nothing was cut from it yet, so that decisions are about it.
        kept: the answer that the next window goes on from.
        passage_characters: in all passages so far.
    """

    settings: Settings
    question: str
    last: str = START
    retrieve: bool = False
    window: Doc = field(default_factory=dict)
    open: bool = False
    kept: str = ""
    round: int = 1
    passage_characters: int = 0


def check_sense(trace: Doc, settings: Settings) -> None:
    """Raises: InputError, one sentence about the first thing that does not fit."""
    story = Story(settings, trace["question"])
    edits = _edits(trace.get("edits", []))
    for index, event in enumerate(trace["events"]):
        where, kind = f"events[{index}]", event["type"]
        check_order(event, where, story)
        check_edited(event, where, edits.get(index))
        CHECKS.get(kind, lambda *_: None)(event, where, story)
        if event.get("partial"):
            require(index + 1 == len(trace["events"]), f"{where} is a window that was stopped, yet events follow it")
        story.last = SKIPPED if event.get("edited") and event.get("reason") == IGNORED else kind


def check_order(event: Doc, where: str, story: Story) -> None:
    """That an event can come where it does."""
    kind, last = event["type"], story.last
    after = f"after a {last}" if last else "first"
    require(kind in FOLLOWS[last], f"{where} is a {kind}, which cannot come {after}")
    if last == "decision":
        require(story.retrieve == (kind == "query"), f"{where} is a {kind}, which the decision before it rules out")
    require(last != SKIPPED or story.open == (kind == "decision"), f"{where} is a {kind}, which cannot come {after}")
    require(kind not in ("decision", "cut") or last == START or story.open, f"{where} is a {kind} before any window")


def check_edited(event: Doc, where: str, edit: Edit | None) -> None:
    """That an event says whether it was edited, and is what its edit makes of it."""
    require(bool(event.get("edited")) == bool(edit), f"{where} and the edits do not agree on whether it was edited")
    if edit is None:
        return
    kind = event["type"]
    require(kind in EDITED[edit.kind], f"{where} is a {kind}, which the edit that stands there cannot change")
    told = {
        FireAt: lambda: event["retrieve"] and event["index"] == edit.index,
        Ignore: lambda: not event["retrieve"] and event["reason"] == IGNORED,
        AskInstead: lambda: event["sent"] == edit.text,
    }
    require(told.get(type(edit), lambda: True)(), f"{where} is not what the edit that stands there makes of it")


def _edits(values: Sequence[Doc]) -> dict[int, Edit]:
    try:
        return dict(edits_from(values))
    except InputError as error:
        raise InputError(f"This trace cannot be opened: in its edits, {error}") from error


def check_window(window: Doc, where: str, story: Story) -> None:
    """A window and all that its units, rows and sentences point at."""
    units, whole = window["units"], window["kept_text"] + window["text"]
    require(window["round"] == story.round, f"{where}.round is {window['round']}, not {story.round}")
    require(window["kept_text"] == story.kept, f"{where}.kept_text is not what was kept before it")
    check_prompt(window["prompt"], f"{where}.prompt")
    at = 0
    for index, unit in enumerate(units):
        here = f"{where}.units[{index}]"
        require(unit["start"] == at and unit["end"] == at + len(unit["text"]), f"{here} does not stand at its offsets")
        at = unit["end"]
    joined = "".join(unit["text"] for unit in units)
    require(joined == window["text"], f"{where}.text is not what its units say one after the other")
    for index, unit in enumerate(units):
        check_unit(unit, f"{where}.units[{index}]", len(units), len(whole))
    for index, span in enumerate(window.get("thinking", [])):
        check_span(span, len(whole), f"{where}.thinking[{index}]")
    check_rows(window["rows"], f"{where}.rows", len(units), {"question": story.question, "answer": whole})
    if story.settings.effective.decide == "window":
        require("sentences" in window, f"{where}.sentences is missing")
    check_spans(window.get("sentences", []), len(units), f"{where}.sentences")
    story.window, story.open = window, True


def check_unit(unit: Doc, where: str, units: int, characters: int) -> None:
    """A unit's word and the units that look back at it."""
    if unit["word"] is not None:
        check_span(unit["word"], characters, f"{where}.word")
    require(unit["from"] is None or unit["from"] < units, f"{where}.from is {unit['from']}, beyond the last unit")
    moments = [moment for moment, _ in unit["max_attention_at"]]
    rising = all(a < b for a, b in pairwise(moments)) and max(moments, default=-1) < units
    require(rising, f"{where}.max_attention_at does not go from unit to unit up to the last")


def check_prompt(prompt: Doc, where: str) -> None:
    """A prompt's sections, in order and inside its text."""
    check_spans([(s["start"], s["end"]) for s in prompt["sections"]], len(prompt["text"]), f"{where}.sections")


def check_rows(rows: Doc, where: str, units: int, texts: Mapping[str, str]) -> None:
    """Attention rows: one a unit, none longer than there are words; the words stand in question and answer."""
    words, weights = rows["words"], rows["weights"]
    for index, word in enumerate(words):
        found = texts[word["where"]][word["start"] : word["end"]]
        require(found == word["text"], f"{where}.words[{index}] does not stand at its offsets in the {word['where']}")
    require(len(weights) == units, f"{where}.weights has {len(weights)} rows for {units} units")
    for index, row in enumerate(weights):
        require(len(row) <= len(words), f"{where}.weights[{index}] has {len(row)} weights for {len(words)} words")
    for name, shares in rows.get("elsewhere", {}).items():
        require(len(shares) == units, f"{where}.elsewhere[{name[:40]!r}] has {len(shares)} values for {units} units")
    if rows.get("heads") and rows["heads"]["data"] is not None:
        check_heads(rows["heads"], f"{where}.heads", sum(map(len, weights)))


def check_heads(heads: Doc, where: str, weights: int) -> None:
    """Packed rows: exactly as many numbers as there are weights and heads (``heads.pack_heads``)."""
    try:
        size = len(b64decode(heads["data"], validate=True))
    except (binascii.Error, ValueError):
        size = -1
    wanted = 2 * heads["count"] * weights
    require(size == wanted, f"{where}.data does not hold the {heads['count']} heads of {weights} weights")


def check_decision(decision: Doc, where: str, story: Story) -> None:
    """A decision about units of the window that is open, or about none."""
    units = len(story.window["units"]) if story.open else 0
    for name in ("index", "moment"):
        value = decision[name]
        require(value is None or value < units, f"{where}.{name} is {value}, but there are {units} units to decide on")
    story.retrieve = decision["retrieve"]
    if "sentence" not in decision:
        return
    first, end = decision["sentence"]
    check_span((first, end), units, f"{where}.sentence")
    require(len(decision["flags"]) == end - first, f"{where}.flags has not one flag for each unit of its sentence")
    require(set(decision["flags"]) <= {0, 1}, f"{where}.flags has a value that is neither 0 nor 1")


def check_query(query: Doc, where: str, story: Story) -> None:
    """The words of a query end behind their beginnings."""
    for index, word in enumerate(query["words"]):
        require(word["start"] <= word["end"], f"{where}.words[{index}] ends before it begins")


def check_passages(found: Doc, where: str, story: Story) -> None:
    """The words marked in a passage stand in it, and there is not too much of them."""
    story.passage_characters += sum(len(item["text"]) for item in found["items"])
    enough = story.passage_characters <= MOST_OF_PASSAGES
    require(enough, f"{where} brings the passages to more than {MOST_OF_PASSAGES:,} characters")
    for index, item in enumerate(found["items"]):
        for key, text in (("marks", item["text"]), ("title_marks", item["title"])):
            for k, (start, end, _) in enumerate(item.get(key, [])):
                check_span((start, end), len(text), f"{where}.items[{index}].{key}[{k}]")


def check_cut(cut: Doc, where: str, story: Story) -> None:
    """What is kept begins with what was kept before and goes no further than the window."""
    whole = story.window["kept_text"] + story.window["text"]
    fits = cut["kept_text"].startswith(story.window["kept_text"]) and whole.startswith(cut["kept_text"])
    require(fits, f"{where}.kept_text is no beginning of the answer so far")
    check_prompt(cut["prompt"], f"{where}.prompt")
    story.kept, story.open, story.round = cut["kept_text"], False, story.round + 1


CHECKS = {
    "window": check_window,
    "decision": check_decision,
    "query": check_query,
    "passages": check_passages,
    "cut": check_cut,
}


def check_span(span: Sequence[int], length: int, where: str) -> None:
    """A half-open range inside a length."""
    start, end = span
    require(start <= end <= length, f"{where} goes from {start} to {end}, but there are {length}")


def check_spans(spans: Sequence[Sequence[int]], length: int, where: str) -> None:
    """Half-open ranges, each behind the one before."""
    at = 0
    for index, (start, end) in enumerate(spans):
        check_span((start, end), length, f"{where}[{index}]")
        require(at <= start, f"{where}[{index}] begins before the one in front of it ends")
        at = end
