"""A link to what the page shows: a question with its settings and edits, or a recorded run, in the address's query.

A link comes from anywhere, so it is read like any other input: bounded, checked by the settings' own rules, and refused
with one sentence. What it does not know it leaves alone, since hosts add names of their own.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from dragin_core.errors import InputError
from dragin_core.settings import Settings, check_question

from .stories import names
from .texts import text

NAMES = {  # in a link: in the settings
    "theta": "theta",
    "n": "top_n",
    "k": "top_k",
    "length": "max_new_tokens",
    "shots": "shots",
    "method": "method",
    "variant": "variant",
    "when": "when",
    "what": "what",
    "every": "every",
    "retrievals": "max_retrievals",
    "flare-rule": "flare_rule",
    "flare-threshold": "flare_threshold",
    "flare-mask": "flare_mask",
    "flare-doubt": "flare_doubt",
}
ALWAYS = ("theta", "n")
MOST_CHARACTERS = 12_000
MOST_FIELDS = 60
MOST_GOLD = 500


@dataclass(frozen=True)
class Link:
    """What a link says: the name of a recorded run, or a question with its expected answer, settings and edits.

    ``edits`` are as a trace writes them; whether they fit is looked at when the question is run.
    """

    run: str | None = None
    question: str = ""
    gold: str = ""
    settings: Settings | None = None
    edits: tuple[Mapping[str, Any], ...] = ()


def link_to(question: str, gold: str, settings: Settings, edits: Sequence[Mapping[str, Any]] = ()) -> str:
    """The query of a link to a question with these settings and edits; what is as by default is left out.

    Raises:
        InputError: the question is none, or the edits are too long for a link.
    """
    usual = Settings()
    fields = [("q", check_question(question))]
    fields += [("gold", gold.strip()[:MOST_GOLD])] if gold.strip() else []
    for name, setting in NAMES.items():
        value = getattr(settings, setting)
        if name in ALWAYS or value != getattr(usual, setting):
            fields.append((name, str(value)))
    fields += [("set", f"{name}:{value}") for name, value in settings.switches.items()]
    fields += [("edit", json.dumps(edit, ensure_ascii=False, separators=(",", ":"))) for edit in edits]
    found = "?" + urlencode(fields)
    if edits and len(found) > MOST_CHARACTERS:
        raise InputError(text("link.long"))
    return found


def link_to_run(name: str) -> str:
    """The query of a link to a recorded run."""
    return "?" + urlencode({"run": name})


def read_link(came: Any) -> Link:
    """Read the query or the fragment of an address.

    Raises:
        InputError: it names no question or run, or a value is out of its bounds; one sentence.
    """
    if not isinstance(came, str) or len(came) > MOST_CHARACTERS:
        raise InputError(text("link.large"))
    try:
        pairs = parse_qsl(came.lstrip("?#"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise InputError(text("link.large")) from error
    fields = dict(pairs)
    if "run" in fields:
        if fields["run"] not in names():
            raise InputError(text("link.run"))
        return Link(run=fields["run"])
    switches = dict(_switch(value) for name, value in pairs if name == "set")
    values: Mapping[str, Any] = {setting: fields[name] for name, setting in NAMES.items() if name in fields}
    try:
        settings = Settings.from_dict({**values, "switches": switches})
        question = check_question(fields.get("q", ""))
        edits = tuple(_edit(value) for name, value in pairs if name == "edit")
    except InputError as error:
        raise InputError(text("link.bad", error=error)) from error
    return Link(question=question, gold=fields.get("gold", "")[:MOST_GOLD], settings=settings, edits=edits)


def _edit(field: str) -> Mapping[str, Any]:
    try:
        found = json.loads(field)
    except (ValueError, RecursionError):
        found = None
    at = found.get("at") if isinstance(found, dict) else None
    if type(at) is not int or at < 0 or not isinstance(found.get("kind"), str):
        raise InputError(text("link.edit"))
    return found


def _switch(field: str) -> tuple[str, str]:
    name, _, value = field.partition(":")
    return name, value
