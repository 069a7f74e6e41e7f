"""A run as JSON: ``dragin-trace/1`` (a question answered) and ``dragin-score/1`` (one window, no retrieval)."""

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from .alone import cost_alone
from .cut import told_text
from .edits import Edits
from .events import AnswerCut, Decided, Event, Finished, PassagesRetrieved, QueryFormulated, Run, WindowDecoded
from .prompts import Prompt
from .reading import Reading, read
from .retrieval import Hit, matches
from .switches import Switches

TRACE_FORMAT = "dragin-trace/1"
SCORE_FORMAT = "dragin-score/1"
DIGITS = 7  # significant ones: a score of 1e-7 still passes θ = 0


@dataclass(frozen=True, eq=False)
class Trace:
    """A run with the environment it ran in."""

    run: Run
    environment: dict[str, Any]

    @property
    def answer(self) -> str:
        return self.run.answer

    @property
    def answer_without_retrieval(self) -> str | None:
        """What the first window says to its end, where no passage was in its prompt; else None."""
        first = next((e for e in self.run.events if isinstance(e, WindowDecoded)), None)
        if first is None or first.partial or first.window.prompt.passages or first.window.stop == "fired":
            return None
        return first.window.said

    @property
    def counts(self) -> dict[str, float]:
        windows = [e for e in self.run.events if isinstance(e, WindowDecoded)]
        searches = [e for e in self.run.events if isinstance(e, PassagesRetrieved)]
        costly = [e for e in self.run.events if isinstance(e, WindowDecoded | QueryFormulated)]
        return {
            "retrievals": self.run.retrievals,
            "decoded_tokens": sum(w.decoded_tokens for w in windows),
            "forward_passes": sum(e.forward_passes for e in costly),
            "cached_windows": sum(w.cached for w in windows),
            "seconds": round(sum(e.seconds for e in [*windows, *searches]), 3),
        }

    @property
    def counts_alone(self) -> dict[str, float]:
        """What of :attr:`counts` the run would have had on an empty cache, see :mod:`~dragin_core.alone`."""
        cost = cost_alone(self.run)
        return {
            "retrievals": self.run.retrievals,
            "decoded_tokens": cost.decoded_tokens,
            "forward_passes": cost.forward_passes,
            "seconds": round(cost.seconds, 3),
        }

    def to_dict(self) -> dict[str, Any]:
        """The ``dragin-trace/1`` document."""
        return {
            "format": TRACE_FORMAT,
            "question": self.run.question,
            "settings": self.run.settings.to_dict(),
            **({"edits": edits_dicts(self.run.edits)} if self.run.edits else {}),
            "environment": self.environment,
            "events": [self._event(index) for index in range(len(self.run.events))],
            "answer": self.answer,
            "answer_without_retrieval": self.answer_without_retrieval,
            "counts": self.counts,
        }

    def _event(self, index: int) -> dict[str, Any]:
        event = event_dict(self.run.events[index], self.run.settings.effective)
        return {**event, "edited": True} if self.run.edit_at(index) else event


def edits_dicts(edits: Edits) -> list[dict[str, Any]]:
    """Edits as a trace writes them; :func:`~dragin_core.edits.edits_from` reads them."""
    return [{"at": at, **edit.to_dict()} for at, edit in edits]


@singledispatch
def event_dict(event: Event, switches: Switches) -> dict[str, Any]:
    """One event as the trace of a run under these switches writes it."""
    raise TypeError(f"no event: {event!r}")


@event_dict.register
def _(event: WindowDecoded, switches: Switches) -> dict[str, Any]:
    window = event.window
    reading = read(window, switches)
    return {
        "type": "window",
        "round": event.round,
        "prompt": prompt_dict(window.prompt),
        "kept_text": window.prompt.kept_text,
        "text": window.text,
        "answer": window.said,
        "thinking": [list(section) for section in window.thinking],
        "units": units(reading),
        "rows": rows(reading, whole=not event.partial),
        "stop": window.stop,
        "partial": event.partial,
        "cached": event.cached,
        **({"sentences": [list(span) for span in reading.sentence_units]} if switches.decide == "window" else {}),
    }


@event_dict.register
def _(event: Decided, switches: Switches) -> dict[str, Any]:
    return {
        "type": "decision",
        "retrieve": event.retrieve,
        "index": event.index,
        "moment": event.moment,
        "score": _number(event.score),
        "reason": event.reason,
        "flags": list(event.flags),
        **({"sentence": list(event.sentence)} if event.sentence else {}),
        **({"keeps": event.keeps} if event.keeps is not None else {}),
        **_mends(event),
    }


@event_dict.register
def _(event: QueryFormulated, switches: Switches) -> dict[str, Any]:
    words = [
        {
            "text": c.text,
            "start": c.start,
            "end": c.end,
            "where": c.where,
            "weight": _number(c.weight),
            "kept": c.kept,
            "word_index": c.word_index,
        }
        for c in event.candidates
    ]
    return {"type": "query", "text": event.text, "sent": event.sent, "words": words, **_mends(event)}


@event_dict.register
def _(event: PassagesRetrieved, switches: Switches) -> dict[str, Any]:
    return {
        "type": "passages",
        "items": [_hit(hit) for hit in event.hits],
        "evidence": event.evidence,
        "reason": event.reason,
    }


@event_dict.register
def _(event: AnswerCut, switches: Switches) -> dict[str, Any]:
    return {
        "type": "cut",
        "kept_text": event.kept_text,
        "kept_token_ids": list(event.kept_ids),
        "prompt": prompt_dict(event.prompt),
    }


@event_dict.register
def _(event: Finished, switches: Switches) -> dict[str, Any]:
    return {"type": "finished", "reason": event.reason}


def prompt_dict(prompt: Prompt) -> dict[str, Any]:
    """A prompt with its coloured sections."""
    return {
        "text": prompt.text,
        "sections": [{"kind": s.kind, "start": s.start, "end": s.end} for s in prompt.sections],
        "token_ids": list(prompt.token_ids),
        "dropped": list(prompt.dropped),
    }


def units(reading: Reading) -> list[dict[str, Any]]:
    """Every unit of a window with all that its score is made of; offsets are in the window's new text.

    ``from`` is the unit that pays it most on the mean over heads, and pays ``from_attention``; ``max_attention`` takes
    each head's highest first. ``probability`` is that of its least likely token. Where attention is relative to its
    sentence, ``scale`` is what ``max_attention`` is multiplied by in ``rind``; null where the sentence is undefined.
    """
    window, shift = reading.window, len(reading.window.prompt.kept_text)
    rind, from_self, found = reading.final_scores, reading.switches.later == "from_self", []
    for i, ((start, end), pieces) in enumerate(zip(reading.spans, reading.pieces, strict=True)):
        unit = {
            "text": window.answer[start:end],
            "start": start - shift,
            "end": end - shift,
            "token_ids": [int(window.generated_ids[window.positions[k]]) for k in pieces],
            "entropy": _number(reading.entropy[i]),
            "probability": _number(window.signals.probability[pieces[0] : pieces[-1] + 1].min()),
            "max_attention": _number(reading.attention[i]),
            "max_attention_at": _growth(reading.attention_by_moment[:, i], i if from_self else i + 1),
            "from": int(reading.most_from[i]) if reading.most_from[i] >= 0 else None,
            "from_attention": _number(reading.most_paid[i]),
            "semantic": int(reading.semantic[i]),
            "reason": reading.reasons[i],
            "rind": _number(rind[i]),
            "pending": bool(reading.pending[i]),
            "top": [
                [text, _number(p)]
                for text, p in zip(
                    window.top_texts[pieces[0]], window.signals.top_probabilities[pieces[0]], strict=True
                )
            ],
            "word": _word_span(reading, i),
        }
        if reading.switches.scale == "sentence":
            unit["scale"] = _number(reading.scale[i])
        found.append(unit)
    return found


def _word_span(reading: Reading, unit: int) -> list[int] | None:
    """Where the word of a unit stands in the answer."""
    window = reading.window
    owners = [window.owners[k] for k in reading.pieces[unit] if window.owners[k] >= 0]
    if not owners:
        return None
    return [window.answer_words[owners[0]].start, window.answer_words[owners[-1]].end]


def rows(reading: Reading, whole: bool = True) -> dict[str, Any]:
    """The attention row of every unit (the mean of its pieces') over the words of question and answer that come before
    its own word; null for a word that none of the pieces can see, because the layer's sliding window ends before it.

    ``elsewhere`` says what of a row goes to the first token, the passages and the rest of the prompt. ``heads`` holds
    the rows head by head, packed; a window that is still being written (not ``whole``) has none.
    """
    window = reading.window
    words = [
        {"text": w.text, "start": w.start, "end": w.end, "where": where, "stop": window.is_stop(w)}
        for where, group in (("question", window.question_words), ("answer", window.answer_words))
        for w in group
    ]
    weights = []
    for pieces, length in zip(reading.pieces, reading.row_lengths, strict=True):
        row = window.word_weights[pieces[0] : pieces[-1] + 1].mean(axis=0)[:length]
        weights.append([_number(v) if window.sees(pieces[0], word) else None for word, v in enumerate(row)])
    found = {"words": words, "weights": weights, "elsewhere": _shares(reading.elsewhere)}
    return {**found, "heads": reading.heads} if whole else found


def _shares(parts: dict[str, list[float]]) -> dict[str, list[float]]:
    return {name: [round(value, 4) for value in values] for name, values in parts.items()}


def score_dict(reading: Reading, decided: Decided, query: QueryFormulated | None) -> dict[str, Any]:
    """The ``dragin-score/1`` document of one window."""
    window, switches = reading.window, reading.switches
    decision = {**event_dict(decided, switches), **_told(reading, decided)}
    for key in ("type", "mends"):
        decision.pop(key, None)
    told = event_dict(query, switches) if query else {}
    return {
        "format": SCORE_FORMAT,
        "text": window.text,
        "prompt_token_ids": list(window.prompt.token_ids),
        "generated_token_ids": list(window.generated_ids),
        "units": units(reading),
        "decision": decision,
        "query": {key: told[key] for key in ("text", "sent", "words")} if query else None,
        "mends": [*decided.mends, *(query.mends if query else ())],
    }


def _told(reading: Reading, decided: Decided) -> dict[str, Any]:
    """What stays of the window's text and the words of the sentence that is decided on; all null where sentences are
    decided on and none is a hit."""
    by_sentences = reading.switches.decide == "window"
    if not decided.retrieve:
        text = reading.window.text
        return {"kept_text": None, "sentence_words": None, "flags": None} if by_sentences else _kept(text)
    if not by_sentences or decided.index is None or decided.keeps is not None:
        return _kept(told_text(reading, decided) if decided.index is not None else "")
    sentence = reading.sentences[reading.sentence_of(decided.index)]
    return _kept(told_text(reading, decided), reading.word_texts[sentence.first : sentence.end])


def _kept(text: str, sentence_words: list[str] | None = None) -> dict[str, Any]:
    return {"kept_text": text, "sentence_words": sentence_words or []}


def _mends(event: Decided | QueryFormulated) -> dict[str, Any]:
    return {"mends": list(event.mends)} if event.mends else {}


def _growth(a_max: np.ndarray, first: int) -> list[list[float]]:
    """The moments, from the first possible one, at which a_max of a unit grew, with its value from then on."""
    grew = np.nonzero(np.diff(a_max, prepend=0.0) > 0)[0]
    return [[int(moment), _number(a_max[moment])] for moment in grew if moment >= first]


def _hit(hit: Hit) -> dict[str, Any]:
    passage = hit.passage
    return {
        "id": passage.id,
        "title": passage.title,
        "text": passage.text,
        "score": _number(hit.score),
        "terms": {term: _number(value) for term, value in hit.terms.items()},
        "marks": matches(passage.text, hit.terms),
        "title_marks": matches(passage.title, hit.terms),
    }


def _number(value) -> float | None:
    return None if value is None or not np.isfinite(value) else float(f"{value:.{DIGITS}g}")
