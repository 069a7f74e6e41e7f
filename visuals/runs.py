"""The runs of this visit: every run that was finished or stopped, as a tree of branches to open, name and delete.

The list is a value of its own in Gradio's state, one a visitor: the generators that write a run never hold it, so none
of them can write an older list over a newer one.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import gradio as gr

from dragin_core.errors import InputError

from .handlers import Handlers
from .parts import SESSION_SECONDS, VIEW, Explore, sent
from .payload import packed
from .scripts import later
from .session import Session, dial_values, notice
from .share import stretched_all
from .texts import text
from .your_model import short_name

MOST_RUNS = 20
MOST_LINES = 1_000
MOST_NAME = 80  # characters
SHOWN = 120  # characters of a question or answer
SHORT = 24  # characters of a token, query or value in a name


@dataclass(frozen=True, eq=False)
class Entry:
    """A run of the list. ``parent``: the id of the entry it branched from; ``gold``: the answer expected of it."""

    id: str
    parent: str | None
    name: str
    run: Any
    gold: str


@dataclass(frozen=True, eq=False)
class Runs:
    """The list, oldest first.

    Attributes:
        lines: which entry a line of a session (``Session.line``) is.
        current: the id of the one that is shown.
    """

    entries: tuple[Entry, ...] = ()
    lines: Mapping[str, str] = field(default_factory=dict)
    current: str | None = None

    def get(self, id: Any) -> Entry | None:
        """The entry of an id."""
        return next((entry for entry in self.entries if entry.id == id), None)

    def noted(self, session: Session, gold: str) -> "Runs":
        """The list with a session's run as it is now: a new entry, or the one it has been, or one that is the same."""
        run, line = session.run, session.line
        if run is None or line is None or not run.events:
            return replace(self, current=None)
        known = self.get(self.lines.get(line)) or self._same(run)
        lines = dict([*self.lines.items(), (line, known.id if known else line)][-MOST_LINES:])
        if known:
            longer = len(run.events) >= len(known.run.events) or known.id == self.lines.get(line)
            kept = replace(known, run=run, gold=gold) if longer else known
            entries = tuple(kept if entry is known else entry for entry in self.entries)
            return replace(self, entries=entries, lines=lines, current=known.id)
        parent = self.get(self.lines.get(session.parent))
        entry = Entry(line, parent and parent.id, name_of(run, parent and parent.run), run, gold)
        return replace(self, entries=(*self.entries, entry), lines=lines, current=line)

    def _same(self, run: Any) -> Entry | None:
        return next((entry for entry in self.entries if start_of(entry.run) == start_of(run)), None)

    def bounded(self) -> tuple["Runs", Entry | None]:
        """At most ``MOST_RUNS``: the oldest without branches leaves (of a single line its first), and is given back."""
        if len(self.entries) <= MOST_RUNS:
            return self, None
        parents = {entry.parent for entry in self.entries}
        gone = next((e for e in self.entries if e.id not in parents and e.id != self.current), self.entries[0])
        return self.without(gone.id), gone

    def without(self, id: str) -> "Runs":
        """The list without an entry; its branches become its parent's."""
        gone = self.get(id)
        if gone is None:
            return self
        kept = [
            replace(entry, parent=gone.parent) if entry.parent == id else entry
            for entry in self.entries
            if entry is not gone
        ]
        lines = {line: entry for line, entry in self.lines.items() if entry != id}
        return replace(self, entries=tuple(kept), lines=lines, current=None if self.current == id else self.current)

    def named(self, id: str, name: Any) -> "Runs":
        """The list with an entry named otherwise.

        Raises:
            InputError: the name is empty or too long.
        """
        if not isinstance(name, str) or not name.strip() or len(name) > MOST_NAME:
            raise InputError(text("runs.name.bad", most=MOST_NAME))
        entries = tuple(replace(e, name=name.strip()) if e.id == id else e for e in self.entries)
        return replace(self, entries=entries)


def start_of(run: Any) -> tuple:
    """What a run is a function of."""
    return run.model, run.question, run.settings, run.edits


def name_of(run: Any, parent: Any) -> str:
    """What changed against the run it branched from; method and θ where there is none."""
    if parent is None:
        first = text("runs.first", method=text(f"method.{run.settings.method}"), theta=f"{run.settings.theta:g}")
        return ", ".join([first, *edit_names(run, ())])
    old, new = parent.settings.to_dict(), run.settings.to_dict()
    changes = [_changed(name, old[name], new[name]) for name in new if name != "switches" and old[name] != new[name]]
    one, two = vars(parent.settings.effective), vars(run.settings.effective)
    if old["variant"] == new["variant"]:
        changes += [_changed(name, one[name], two[name]) for name in two if one[name] != two[name]]
    if parent.model != run.model:
        changes.append(_changed(text("model.label"), short_name(parent.model), short_name(run.model)))
    changes += edit_names(run, parent.edits)
    lost = len(parent.edits) - sum(edit in run.edits for edit in parent.edits)
    if lost and not any(edit not in parent.edits for edit in run.edits):
        changes.append(text("runs.lost", count=lost))
    return ", ".join(changes)[:MOST_NAME] or text("runs.again")


def _changed(name: str, old: Any, new: Any) -> str:
    shown = {"theta": "θ", "top_n": "n", "top_k": "k", "max_new_tokens": text("runs.length")}.get(name, name)
    return text("runs.changed", name=shown, old=_short(old), new=_short(new))


def edit_names(run: Any, known: Sequence) -> list[str]:
    """The edits of a run that are not among those known, each in a few words."""
    return [_edit_name(run, at, edit) for at, edit in run.edits if (at, edit) not in known]


def _edit_name(run: Any, at: int, edit: Any) -> str:
    event = run.events[at] if at < len(run.events) else None
    if edit.kind in ("fire", "ignore"):
        return text(f"runs.edit.{edit.kind}", token=_short(_token(run, at, getattr(event, "index", None))))
    if edit.kind == "ask":
        return text("runs.edit.ask", query=_short(edit.text))
    return text(f"runs.edit.{edit.kind}", count=len(edit.items) if edit.kind == "passages" else 0)


def _token(run: Any, at: int, index: int | None) -> str:
    """The unit a decision is about."""
    from dragin_core.events import WindowDecoded
    from dragin_core.reading import read

    windows = [event.window for event in run.events[:at] if isinstance(event, WindowDecoded)]
    if not windows or index is None:
        return "–"
    start, end = read(windows[-1], run.settings.effective).spans[index]
    return windows[-1].answer[start:end]


def _short(value: Any) -> str:
    value = f"{value:g}" if isinstance(value, float) else " ".join(str(value).split())
    return value if len(value) <= SHORT else f"{value[: SHORT - 1]}…"


def shown_list(runs: Runs, handlers: Handlers) -> str:
    """The list as the panel draws it: entries in the order of the tree, each with its depth."""
    found: list[dict[str, Any]] = []

    def grow(parent: str | None, depth: int) -> None:
        for entry in runs.entries:
            if entry.parent == parent:
                found.append({**told(entry, handlers), "depth": depth, "current": entry.id == runs.current})
                grow(entry.id, depth + 1)

    grow(None, 0)
    return packed({"runs": found})


def told(entry: Entry, handlers: Handlers) -> dict[str, Any]:
    """What the panel says of a run."""
    run = entry.run
    answer = run.answer.strip()
    return {
        "id": entry.id,
        "name": entry.name,
        "question": run.question[:SHOWN],
        "method": text(f"method.{run.settings.method}"),
        "retrievals": run.retrievals,
        "answer": answer if len(answer) <= SHOWN else f"{answer[: SHOWN - 1]}…",
        "right": handlers.judged_run(run, entry.gold) if run.finished else None,
        "finished": run.finished,
        "steps": len(run.events),
    }


# The panel


def runs_panel() -> tuple[gr.State, gr.HTML]:
    """The list and the panel. Its events are ``select`` (open), ``edit`` (rename), ``delete``, and ``option_select``
    (compare those whose ids are in ``event._data["ids"]``)."""
    panel = gr.HTML(
        packed({"runs": []}),
        html_template='<section class="dragin runs-of-page" hidden></section>',
        js_on_load=later("gradio_runs.js"),
        apply_default_css=False,
        elem_id="runs",
    )
    return gr.State(Runs(), time_to_live=SESSION_SECONDS), panel


def wire_runs(handlers: Handlers, tab: Explore, gold: gr.Textbox, ends: list) -> None:
    """Connect the list to the tab.

    Args:
        ends: listeners to what ends a run.
    """
    (session, _, line), (runs, panel) = tab.shown, tab.visit

    def note(state: Session, listed: Runs, typed: str) -> tuple:
        listed, gone = listed.noted(state, typed).bounded()
        told = notice(text("runs.full", most=MOST_RUNS, name=gone.name)) if gone else gr.skip()
        return listed, shown_list(listed, handlers), told

    def open_run(event: gr.EventData, listed: Runs) -> tuple:
        entry = listed.get(sent(event).get("id"))
        if entry is None:
            return (*[gr.skip()] * 2, notice(text("runs.gone"), "error"), *[gr.skip()] * (len(tab.filled) + 1))
        run = entry.run
        opened = Session(run=run, target=None if run.finished else len(run.events), line=entry.id)
        listed = replace(listed, current=entry.id, lines={**listed.lines, entry.id: entry.id})
        shown = opened, handlers.listed_payload(run, entry.gold, secrets.token_hex(8)), notice()
        controls = handlers.controls_of_run(run, [entry.gold])
        dials = stretched_all(tab.dials, dial_values(run.settings, tuple(tab.dials)))
        return *shown, *controls, *dials, None, listed, shown_list(listed, handlers)

    def rename(event: gr.EventData, listed: Runs) -> tuple:
        try:
            listed = listed.named(sent(event).get("id"), sent(event).get("name"))
        except InputError as error:
            return listed, shown_list(listed, handlers), notice(str(error), "error")
        return listed, shown_list(listed, handlers), notice()

    def delete(event: gr.EventData, listed: Runs) -> tuple:
        listed = listed.without(sent(event).get("id"))
        return listed, shown_list(listed, handlers), notice()

    for each in ends:
        each(note, [session, runs, gold], [runs, panel, line], **VIEW)
    panel.select(None, cancels=tab.running)
    panel.select(open_run, runs, [*tab.filled, tab.chooser, runs, panel], **VIEW)
    panel.edit(rename, runs, [runs, panel, line], **VIEW)
    panel.delete(delete, runs, [runs, panel, line], **VIEW)
