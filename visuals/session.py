"""What a visitor has: the run that is shown, and what the controls say; plain values that Gradio passes around."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from dragin_core.settings import Settings

from .link import Link
from .setup import NO_PRESET, chosen, panel_value


@dataclass(frozen=True, eq=False)
class Opened:
    """A trace that came from a file; ``key`` tells one opening from the next."""

    trace: dict[str, Any]
    key: str


@dataclass(frozen=True, eq=False)
class Session:
    """A visitor's run, or none: then the recorded run of this name is shown, or the trace that was opened, or nothing
    after a reset.

    ``target``: the number of events that were asked for, None for all to the end; a branch goes as far. ``partial``: a
    window that is no event yet and is shown behind the run's. ``line`` tells the run from those it did not grow out of
    step by step, ``parent`` is the line it branched from, ``before`` the run whose edits a branch takes over as long as
    they fit, ``link`` the one that filled the controls, not run yet.
    """

    run: Any = None
    recorded: str | None = None
    target: int | None = None
    partial: Any = None
    opened: Opened | None = None
    line: str | None = None
    parent: str | None = None
    before: Any = None
    link: Link | None = None

    def reached(self, run: Any) -> bool:
        """Whether a run is as far as was asked for."""
        return run.finished or (self.target is not None and len(run.events) >= self.target)

    def linked_edits(self, question: str, settings: Settings) -> tuple[Mapping[str, Any], ...]:
        """The edits of the link, as long as question and settings are those it came with."""
        same = self.link is not None and (self.link.question, self.link.settings) == (question.strip(), settings)
        return self.link.edits if same else ()


@dataclass(frozen=True)
class Form:
    """What the controls say when an event begins."""

    question: str
    gold: str
    method: str
    theta: float
    top_n: int
    top_k: int
    max_new_tokens: int
    shots: int
    switches: Any  # value of the switch panel
    model: str | None = None

    def settings(self, **instead: Any) -> Settings:
        """The settings, some replaced. Raises: InputError, one sentence about the first value that is out of bounds."""
        values = {
            "method": self.method,
            "theta": self.theta,
            "top_n": self.top_n,
            "top_k": self.top_k,
            "max_new_tokens": self.max_new_tokens,
            "shots": self.shots,
        }
        return Settings(**{**values, **chosen(self.switches), **instead})


def notice(sentence: str = "", kind: str = "info") -> dict[str, str]:
    """The value of the notice line; no sentence clears it."""
    return {"kind": kind, "text": sentence}


def controls_of(trace: dict[str, Any], settings: Settings) -> tuple:
    """Question, expected answer, method, preset, its note, the switches, as a trace was run with; the model stays."""
    gold = "; ".join(trace.get("gold", []))
    return trace["question"], gold, settings.method, NO_PRESET, None, panel_value(settings), gr.skip()


def dial_values(settings: Settings, dials: tuple[str, ...]) -> tuple:
    """The value of each dial, by the setting it shows."""
    values = settings.to_dict()
    return tuple(values[dial] for dial in dials)
