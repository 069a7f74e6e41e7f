"""A run as JSON: ``dragin-trace/1`` (a question answered) and ``dragin-score/1`` (one window, no retrieval)."""

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from .events import AnswerCut, Decided, Event, Finished, PassagesRetrieved, QueryFormulated, Run, WindowDecoded
from .prompts import Prompt
from .retrieval import Hit, matches
from .window import Window

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
        return first.window.answer

    @property
    def counts(self) -> dict[str, float]:
        windows = [e for e in self.run.events if isinstance(e, WindowDecoded)]
        searches = [e for e in self.run.events if isinstance(e, PassagesRetrieved)]
        return {
            "retrievals": self.run.retrievals,
            "decoded_tokens": sum(w.decoded_tokens for w in windows),
            "forward_passes": sum(w.forward_passes for w in windows),
            "cached_windows": sum(w.cached for w in windows),
            "seconds": round(sum(e.seconds for e in [*windows, *searches]), 3),
        }

    def to_dict(self) -> dict[str, Any]:
        """The ``dragin-trace/1`` document."""
        return {
            "format": TRACE_FORMAT,
            "question": self.run.question,
            "settings": self.run.settings.to_dict(),
            "environment": self.environment,
            "events": [event_dict(event) for event in self.run.events],
            "answer": self.answer,
            "answer_without_retrieval": self.answer_without_retrieval,
            "counts": self.counts,
        }


@singledispatch
def event_dict(event: Event) -> dict[str, Any]:
    """One event as the trace writes it."""
    raise TypeError(f"no event: {event!r}")


@event_dict.register
def _(event: WindowDecoded) -> dict[str, Any]:
    window = event.window
    return {
        "type": "window",
        "round": event.round,
        "prompt": prompt_dict(window.prompt),
        "kept_text": window.prompt.kept_text,
        "text": window.text,
        "units": units(window),
        "rows": rows(window),
        "stop": window.stop,
        "partial": event.partial,
        "cached": event.cached,
    }


@event_dict.register
def _(event: Decided) -> dict[str, Any]:
    return {
        "type": "decision",
        "retrieve": event.retrieve,
        "index": event.index,
        "moment": event.moment,
        "score": _number(event.score),
        "reason": event.reason,
        "flags": list(event.flags),
    }


@event_dict.register
def _(event: QueryFormulated) -> dict[str, Any]:
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
    return {"type": "query", "text": event.text, "sent": event.sent, "words": words}


@event_dict.register
def _(event: PassagesRetrieved) -> dict[str, Any]:
    return {
        "type": "passages",
        "items": [_hit(hit) for hit in event.hits],
        "evidence": event.evidence,
        "reason": event.reason,
    }


@event_dict.register
def _(event: AnswerCut) -> dict[str, Any]:
    return {
        "type": "cut",
        "kept_text": event.kept_text,
        "kept_token_ids": list(event.kept_ids),
        "prompt": prompt_dict(event.prompt),
    }


@event_dict.register
def _(event: Finished) -> dict[str, Any]:
    return {"type": "finished", "reason": event.reason}


def prompt_dict(prompt: Prompt) -> dict[str, Any]:
    """A prompt with its coloured sections."""
    return {
        "text": prompt.text,
        "sections": [{"kind": s.kind, "start": s.start, "end": s.end} for s in prompt.sections],
        "token_ids": list(prompt.token_ids),
        "dropped": list(prompt.dropped),
    }


def units(window: Window) -> list[dict[str, Any]]:
    """Every unit of a window with all that its score is made of; offsets are in the window's new text."""
    signals, shift = window.signals, len(window.prompt.kept_text)
    a_max, rind, found = signals.a_max, window.final_scores, []
    for i, (start, end) in enumerate(window.unit_spans):
        owner = window.owners[i]
        word = window.answer_words[owner] if owner >= 0 else None
        found.append(
            {
                "text": window.answer[start:end],
                "start": start - shift,
                "end": end - shift,
                "token_ids": [int(window.generated_ids[window.positions[i]])],
                "entropy": _number(signals.entropy[i]),
                "max_attention": _number(a_max[i]),
                "max_attention_at": _growth(signals.a_max_by_moment[:, i], i),
                "from": int(signals.most_from[i]) if i + 1 < len(window) else None,
                "semantic": int(window.semantic[i]),
                "reason": window.reasons[i],
                "rind": _number(rind[i]),
                "pending": i + 1 == len(window),
                "top": [
                    [text, _number(p)]
                    for text, p in zip(window.top_texts[i], signals.top_probabilities[i], strict=True)
                ],
                "word": [word.start, word.end] if word else None,
            }
        )
    return found


def rows(window: Window) -> dict[str, Any]:
    """The attention row of every unit over the words of question and answer that come before its own word."""
    words = [
        {"text": w.text, "start": w.start, "end": w.end, "where": where, "stop": window.is_stop(w)}
        for where, group in (("question", window.question_words), ("answer", window.answer_words))
        for w in group
    ]
    weights = [[_number(v) for v in window.word_weights[i, : window.words_before(i)]] for i in range(len(window))]
    return {"words": words, "weights": weights}


def score_dict(window: Window, decided: Decided, query: QueryFormulated | None) -> dict[str, Any]:
    """The ``dragin-score/1`` document of one window."""
    kept_text = window.cut_before(decided.index)[1] if decided.retrieve else window.answer
    decision = {
        **event_dict(decided),
        "kept_text": kept_text[len(window.prompt.kept_text) :],
        "sentence_words": [],
    }
    del decision["type"]
    return {
        "format": SCORE_FORMAT,
        "text": window.text,
        "prompt_token_ids": list(window.prompt.token_ids),
        "generated_token_ids": list(window.generated_ids),
        "units": units(window),
        "decision": decision,
        "query": {k: v for k, v in event_dict(query).items() if k != "type"} if query else None,
    }


def _growth(a_max: np.ndarray, index: int) -> list[list[float]]:
    """The moments at which a_max of a unit grew, with its value from then on."""
    grew = np.nonzero(np.diff(a_max, prepend=0.0) > 0)[0]
    return [[int(moment), _number(a_max[moment])] for moment in grew if moment > index]


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
