"""What if: one event of a run made otherwise by hand. A run is a function of question, settings and edits.

An edit stands at the index of the event it changes. The engine computes that event as ever and then lets the edit
change it, so a run replayed from nothing with the same edits is the same run.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import regex

from .errors import InputError
from .events import BY_HAND, IGNORED, AnswerCut, Decided, Event, PassagesRetrieved, QueryFormulated, Run, WindowDecoded
from .prompts import Prompt, rewritten
from .reading import Reading, read
from .retrieval import Hit, Passage, analyse
from .settings import MAX_QUESTION_CHARACTERS
from .words import find_words

if TYPE_CHECKING:
    from .engine import Engine
    from .language_model import CausalLM

MOST_UNITS = 20_000
MOST_PASSAGES = 20
MOST_TITLE = 300  # characters
MOST_PASSAGE = 4_000
MOST_PROMPT = 50_000
MOST_ID = 1_000
HAND_ID = "by-hand-"  # what the id of a passage written by hand begins with


class Edit:
    """One change by hand. ``kind``: its name in a trace; ``changes``: the events it can stand at."""

    kind: ClassVar[str]
    changes: ClassVar[tuple[type[Event], ...]]
    wrong_place: ClassVar[str]

    def apply(self, event: Event, run: Run, engine: "Engine") -> Event:
        """The event as the edit has it; ``run`` is the run before it.

        Raises:
            InputError: the edit makes no sense there; one sentence.
        """
        if not isinstance(event, self.changes):
            raise InputError(self.wrong_place)
        return self._applied(event, run, engine)

    def _applied(self, event: Any, run: Run, engine: "Engine") -> Event:
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """As a trace writes it: ``kind`` and its fields."""
        return {"kind": self.kind, **asdict(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Edit":
        """Read what :meth:`to_dict` wrote; unknown keys are ignored."""
        names = cls.__dataclass_fields__
        missing = next((name for name in names if name not in values), None)
        if missing:
            raise InputError(f"An edit of the kind {cls.kind!r} has no {missing}: give it.")
        return cls(**{name: values[name] for name in names})


@dataclass(frozen=True)
class FireAt(Edit):
    """Retrieve at a unit of the window, whatever its score.

    It fires at the first moment at which its attention is known, so the query row is its own as in the method (paper,
    section 3.2); never before a moment up to which triggers were passed over. Where sentences are decided on it is
    flagged beside those above θ in its sentence, and the moment is the window's end.
    """

    index: int
    kind = "fire"
    changes = (Decided,)
    wrong_place = "A token can be made to fire only where the run decides: choose a token that was just written."

    def __post_init__(self):
        if type(self.index) is not int or not 0 <= self.index < MOST_UNITS:
            raise InputError("The token to fire at is no whole number from 0 on: choose a token of the answer.")

    def _applied(self, event, run, engine):
        _require_watched(run)
        window, _ = engine.prepared(run.window, run.settings)
        reading = read(window, run.settings.effective)
        self._require_unit(reading)
        if reading.switches.decide == "window":
            return self._in_sentence(reading, run.settings.theta)
        passed = run.passed_over
        first = self.index if reading.switches.later == "from_self" else self.index + 1
        moment = min(max(first, passed[-1].moment + 1 if passed else 0), len(reading) - 1)
        score = _finite(reading.scores[moment, self.index])
        return Decided(True, BY_HAND, self.index, moment, score, tuple(d.index for d in passed))

    def _require_unit(self, reading: Reading) -> None:
        if self.index >= len(reading):
            raise InputError(f"There is no token {self.index + 1} in this round: it has {len(reading)}.")
        if reading.reasons[self.index] == "thinking":
            raise InputError("This token is thinking, not the answer: choose one of the answer.")
        if reading.pending[self.index]:
            raise InputError("The last token cannot fire, since no later one looks back at it: choose one before it.")

    def _in_sentence(self, reading: Reading, theta: float) -> Decided:
        number = reading.sentence_of(self.index)
        if number is None:
            raise InputError("This token is in no sentence, and sentences are decided on here: choose another.")
        first, end = reading.sentence_units[number]
        with np.errstate(invalid="ignore"):
            flags = (reading.values[first:end] > theta) & (reading.semantic[first:end] > 0)
        flags[self.index - first] = True
        return Decided(
            True,
            BY_HAND,
            self.index,
            len(reading) - 1,
            _finite(reading.final_scores[self.index]),
            tuple(int(flag) for flag in flags),
            sentence=(first, end),
        )


@dataclass(frozen=True)
class Ignore(Edit):
    """Pass a trigger over without a search: the run goes on as if the search had brought nothing new."""

    kind = "ignore"
    changes = (Decided,)
    wrong_place = "Only a trigger can be ignored: choose one that fires."

    def _applied(self, event, run, engine):
        if not event.retrieve:
            raise InputError(self.wrong_place)
        return replace(event, retrieve=False, reason=IGNORED)


@dataclass(frozen=True)
class AskInstead(Edit):
    """Send another query; the words that attention had picked stay beside it."""

    text: str
    kind = "ask"
    changes = (QueryFormulated,)
    wrong_place = "There is no query at this step: choose a step that asks."

    def __post_init__(self):
        _check_text(self.text, "query", MAX_QUESTION_CHARACTERS)
        object.__setattr__(self, "text", " ".join(self.text.split()))

    def _applied(self, event, run, engine):
        return replace(event, text=self.text, sent=self.text)


@dataclass(frozen=True)
class PassageChoice:
    """A passage found, by its ``id``; or one with this title and text, which the search did not bring."""

    id: str | None = None
    title: str = ""
    text: str | None = None

    def __post_init__(self):
        if self.text is None:
            if not isinstance(self.id, str) or len(self.id) > MOST_ID:
                raise InputError("A passage to use has neither an id nor a text: give one of them.")
            return
        _check_text(self.text, "passage", MOST_PASSAGE)
        if not isinstance(self.title, str) or len(self.title) > MOST_TITLE or _HALF.search(self.title):
            raise InputError(f"The title of a passage is no text of at most {MOST_TITLE} characters: shorten it.")

    def to_dict(self) -> dict[str, str]:
        """Its id alone, or its title and text."""
        return {"id": self.id} if self.text is None else {"title": self.title, "text": self.text}

    @classmethod
    def from_dict(cls, values: Any) -> "PassageChoice":
        """Raises: InputError, neither of both."""
        if not isinstance(values, Mapping):
            raise InputError("A passage to use is no object: give an id, or a title and a text.")
        if values.get("text") is None:
            return cls(values.get("id"))
        return cls(None, values.get("title", ""), values["text"])

    def hit(self, found: tuple[Hit, ...], query: str) -> Hit:
        """The hit it stands for; one by hand has no score, and of the query's terms those it holds."""
        for hit in found:
            if self.text is None and hit.passage.id == self.id:
                return hit
            if self.text is not None and (hit.passage.title, hit.passage.text) == (self.title, self.text):
                return hit
        if self.text is None:
            raise InputError(f"The passage {self.id[:40]!r} is not among those found: choose one that is.")
        terms = {term.text for term in analyse(f"{self.title}\n{self.text}")}
        asked = [term.text for term in analyse(query)]
        own = sha256(f"{self.title}\0{self.text}".encode()).hexdigest()[:12]
        return Hit(Passage(HAND_ID + own, self.title, self.text), 0.0, {t: 0.0 for t in asked if t in terms})


@dataclass(frozen=True)
class UsePassages(Edit):
    """Go on with these passages, in this order; with none, as if the search had found nothing."""

    items: tuple[PassageChoice, ...]
    kind = "passages"
    changes = (PassagesRetrieved,)
    wrong_place = "There are no passages at this step: choose a step that searches."

    def __post_init__(self):
        if len(self.items) > MOST_PASSAGES:
            raise InputError(f"These are {len(self.items)} passages: use at most {MOST_PASSAGES}.")

    def to_dict(self):
        return {"kind": self.kind, "items": [item.to_dict() for item in self.items]}

    @classmethod
    def from_dict(cls, values):
        items = values.get("items")
        if not isinstance(items, list | tuple):
            raise InputError("The passages to use are no list: give one.")
        if len(items) > MOST_PASSAGES:
            raise InputError(f"These are {len(items)} passages: use at most {MOST_PASSAGES}.")
        return cls(tuple(PassageChoice.from_dict(item) for item in items))

    def _applied(self, event, run, engine):
        hits = [item.hit(event.hits, run.last.sent) for item in self.items]
        once = tuple({(hit.passage.title, hit.passage.text): hit for hit in reversed(hits)}.values())[::-1]
        if not once:
            return replace(event, hits=(), evidence="none", reason="all left out by hand")
        evidence, _ = engine.evidence(once, run)
        return replace(event, hits=once, evidence=evidence, reason="chosen by hand")


@dataclass(frozen=True)
class WritePrompt(Edit):
    """Put another text in front of the answer so far, for the next window alone.

    It stands where that prompt is made: at a cut, or at the first window. The answer so far stays as token ids. Role
    markers work in the chat template's unchanged beginning and end; anywhere else they are plain characters.
    """

    text: str
    kind = "prompt"
    changes = (AnswerCut, WindowDecoded)
    wrong_place = "No prompt is made at this step: choose the step that makes it."

    def __post_init__(self):
        _check_text(self.text, "prompt", MOST_PROMPT)

    def prompt(self, lm: "CausalLM", prompt: Prompt) -> Prompt:
        """The prompt with this text.

        Raises:
            InputError: it does not fit the model.
        """
        return rewritten(lm, prompt, self.text)

    def _applied(self, event, run, engine):
        if isinstance(event, WindowDecoded):
            return event  # written behind this prompt already
        return replace(event, prompt=self.prompt(engine.lm, event.prompt))


KINDS: dict[str, type[Edit]] = {kind.kind: kind for kind in (FireAt, Ignore, AskInstead, UsePassages, WritePrompt)}
Edits = tuple[tuple[int, Edit], ...]


def edit_from(values: Any) -> Edit:
    """Any edit from what :meth:`Edit.to_dict` wrote, or a page sent.

    Raises:
        InputError: it is none; one sentence.
    """
    kind = values.get("kind") if isinstance(values, Mapping) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"There is no such edit: choose one of {', '.join(KINDS)}.")
    return KINDS[kind].from_dict(values)


def edits_from(values: Any) -> Edits:
    """The edits of a trace, ``[{"at", "kind", …}]``, in order.

    Raises:
        InputError: they are none, or out of order.
    """
    found: list[tuple[int, Edit]] = []
    for each in values:
        at = each.get("at") if isinstance(each, Mapping) else None
        if type(at) is not int or at < 0 or (found and at <= found[-1][0]):
            raise InputError("The edits do not stand at steps in rising order: give each its step.")
        found.append((at, edit_from(each)))
    return tuple(found)


_HALF = regex.compile("[\ud800-\udfff]")


def _check_text(text: Any, name: str, most: int) -> None:
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"The {name} is empty: write something.")
    if len(text) > most:
        raise InputError(f"The {name} has {len(text):,} characters: shorten it to at most {most:,}.")
    if _HALF.search(text):
        raise InputError(f"The {name} holds half a character: write it anew.")
    if not find_words(text):
        raise InputError(f"The {name} has no word in it: write at least one word or number.")


def _require_watched(run: Run) -> None:
    """That the run decides by RIND, and may retrieve once more."""
    if run.settings.timing != "rind":
        raise InputError("This method does not watch tokens, so none can fire: choose DRAGIN.")
    if run.window is None or run.unchecked:
        raise InputError("This round is kept unchecked, so no token of it can fire: choose another round.")
    if run.retrievals >= run.settings.max_retrievals:
        raise InputError(
            f"All {run.settings.max_retrievals} retrievals are used before this step: fire in an earlier round."
        )


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
