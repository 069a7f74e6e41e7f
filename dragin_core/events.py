"""What happens in a run. A run is a list of these, and what comes next is a function of the list, the settings and the
edits."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .errors import InputError
from .methods import WHEN
from .prompts import Prompt
from .qfs import Candidate
from .retrieval import Hit
from .settings import Settings
from .window import Window

if TYPE_CHECKING:
    from .edits import Edit

BY_HAND = "by hand"
IGNORED = "ignored by hand"


@dataclass(frozen=True, eq=False)
class WindowDecoded:
    """The model wrote on. ``partial``: it was stopped, or is still writing. ``cached``: it cost the model nothing."""

    round: int
    window: Window
    cached: bool = False
    partial: bool = False
    forward_passes: int = 0
    decoded_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Decided:
    """Whether to retrieve, because of which unit, at which moment (indices into the window's units).

    Attributes:
        flags: units passed over before; where sentences are decided on, 1 per unit of the sentence that is flagged.
        sentence: the half-open range of the units of the sentence, where sentences are decided on.
        keeps: how many of the window's tokens stay; None where the switch ``cut`` says it.
        mends: where the released code's steps were mended, in words.
    """

    retrieve: bool
    reason: str
    index: int | None = None
    moment: int | None = None
    score: float | None = None
    flags: tuple[int, ...] = ()
    sentence: tuple[int, int] | None = None
    keeps: int | None = None
    mends: tuple[str, ...] = ()

    @property
    def ignored(self) -> bool:
        """Whether it is a trigger that was passed over by hand, without a search."""
        return self.reason == IGNORED


@dataclass(frozen=True)
class QueryFormulated:
    """``text`` is the query, ``sent`` what the retriever gets; the candidates show how it came about. ``read_again``:
    the text that was read in a pass of its own for it, None where none was."""

    text: str
    sent: str
    candidates: tuple[Candidate, ...] = ()
    mends: tuple[str, ...] = ()
    forward_passes: int = 0
    read_again: str | None = None


@dataclass(frozen=True)
class PassagesRetrieved:
    """``evidence``: "new", "same" (every passage is in the prompt already) or "none"; only "new" counts."""

    hits: tuple[Hit, ...]
    evidence: str
    reason: str
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class AnswerCut:
    """The answer up to the trigger's word or to where the timing cuts, and the prompt rewritten around the passages."""

    kept_ids: tuple[int, ...]
    kept_text: str
    prompt: Prompt


@dataclass(frozen=True)
class Finished:
    """``reason``: what ended the last window, "empty answer", or "still thinking" where nothing was left to answer
    with."""

    reason: str


Event = WindowDecoded | Decided | QueryFormulated | PassagesRetrieved | AnswerCut | Finished


@dataclass(frozen=True, eq=False)
class Run:
    """A question, its settings and the events so far; a value, so going back or branching is keeping an older one.

    Attributes:
        edits: (index of the event, edit) by rising index; see :mod:`~dragin_core.edits`.
        model: the name of the model it is run on.
    """

    question: str
    settings: Settings
    events: tuple[Event, ...] = field(default=())
    edits: tuple[tuple[int, "Edit"], ...] = field(default=())
    model: str = ""

    def then(self, event: Event) -> "Run":
        """This run with one more event."""
        return replace(self, events=(*self.events, event))

    def back(self) -> "Run":
        """This run without its last event. An edit goes with its event: the next step is the method's own again."""
        at = max(0, len(self.events) - 1)
        return replace(self, events=self.events[:at], edits=self.edits_before(at))

    def edited(self, at: int, edit: "Edit") -> "Run":
        """A branch: the events and edits before event ``at``, and there this edit.

        Raises:
            InputError: the run has not come so far.
        """
        if type(at) is not int or not 0 <= at <= len(self.events):
            raise InputError("The run has no such step: choose one of its steps.")
        return replace(self, events=self.events[:at], edits=(*self.edits_before(at), (at, edit)))

    def edits_before(self, at: int) -> tuple[tuple[int, "Edit"], ...]:
        """The edits of the events before one."""
        return tuple((index, edit) for index, edit in self.edits if index < at)

    def edit_at(self, at: int) -> "Edit | None":
        """The edit of an event, or None."""
        return dict(self.edits).get(at)

    @property
    def last(self) -> Event | None:
        return self.events[-1] if self.events else None

    @property
    def finished(self) -> bool:
        return isinstance(self.last, Finished)

    def latest(self, kind: type[Event]):
        """The newest event of a kind, or None."""
        return next((event for event in reversed(self.events) if isinstance(event, kind)), None)

    @property
    def window(self) -> Window | None:
        """The newest window."""
        event = self.latest(WindowDecoded)
        return event.window if event else None

    @property
    def answer(self) -> str:
        """The answer as it stands, without what the model thinks."""
        if self.finished and isinstance(self.events[-2], AnswerCut):
            return self.events[-2].prompt.kept_said
        return self.window.said if self.window is not None else ""

    @property
    def retrievals(self) -> int:
        """Retrievals that counted."""
        return sum(isinstance(e, PassagesRetrieved) and self.accepts(e) for e in self.events)

    def accepts(self, found: PassagesRetrieved) -> bool:
        """Whether passages go into the prompt: new ones, and known ones where ``repeat_evidence`` says so."""
        repeats = self.settings.effective.repeat_evidence == "retrieve"
        return found.evidence == "new" or (found.evidence == "same" and repeats)

    @property
    def anew(self) -> bool:
        """Whether the present round begins with what was thrown away and is written anew after a retrieval."""
        cuts = [k for k, event in enumerate(self.events) if isinstance(event, AnswerCut)]
        follows = bool(cuts) and isinstance(self.events[cuts[-1] - 1], PassagesRetrieved)
        return follows and WHEN[self.settings.timing].looks_ahead

    @property
    def unchecked(self) -> bool:
        """Whether all that stays of the present round is kept unchecked (switch ``after``)."""
        return self.anew and self.settings.effective.after == "sentence"

    @property
    def passed_over(self) -> list[Decided]:
        """Triggers, or other places, of the present round whose retrieval brought nothing new, or was left out."""
        passed: list[Decided] = []
        trigger = None
        for event in self.events:
            if isinstance(event, AnswerCut):
                passed, trigger = [], None
            elif isinstance(event, Decided) and event.ignored and event.index is not None:
                passed.append(event)
            elif isinstance(event, Decided) and event.retrieve and event.index is not None:
                trigger = event
            elif isinstance(event, PassagesRetrieved) and trigger and not self.accepts(event):
                passed.append(trigger)
        return passed
