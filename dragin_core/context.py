"""The text that a query may take words from, with the attention rows that weigh them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import regex

from .events import Decided
from .passes import ReadAgain
from .reading import Reading
from .sentences import join
from .thinking import is_inside
from .words import Word, find_words, spaced_words, word_of_each

_NUMBER = regex.compile(r"\[\d+\] ")


@dataclass(frozen=True)
class ContextWord:
    """A word of the context.

    Attributes:
        where: "question", "answer", "passage" or "demonstration"; ``start``/``end`` are offsets there, in the prompt's
            text for the last two.
        index: its place among the words of question and answer, -1 for others.
        positions: of its tokens, in the sequence whose rows the context has.
    """

    text: str
    start: int
    end: int
    where: str
    index: int
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Hit:
    """A flagged word: the positions of its pieces, and the position at which the word starts."""

    pieces: tuple[int, ...]
    start: int


@dataclass(frozen=True, eq=False)
class Context:
    """Words, in reading order, and attention.

    Attributes:
        row: position → float [positions], attention of the token there, mean over heads; None where it is not known.
        size: number of positions.
        hits: the words whose rows weigh the others.
        flagged: every flagged word's positions, those of the hits among them.
        own: the positions of the hits' own words.
        text: all of it, for the English pipeline.
        repeats: a word kept in two places is written twice.
    """

    words: tuple[ContextWord, ...]
    row: Callable[[int], np.ndarray | None]
    size: int
    hits: tuple[Hit, ...]
    flagged: frozenset[int]
    own: frozenset[int]
    text: str
    repeats: bool


def hit_units(reading: Reading, decided: Decided) -> list[int]:
    """The units whose attention makes the query, by the switch ``query_hits``."""
    return flagged_units(decided) if reading.switches.query_hits == "sentence" else [decided.index]


def flagged_units(decided: Decided) -> list[int]:
    """The units above θ: the trigger, or all those of its sentence."""
    if decided.sentence is None:
        return [decided.index]
    return [decided.sentence[0] + k for k, flag in enumerate(decided.flags) if flag]


def scope_sections(reading: Reading) -> list[tuple[str, int, int]]:
    """(kind, start, end) of the prompt's sections in a query's scope, question and answer apart."""
    kinds = {"answer": (), "+passages": ("passage",), "+demonstrations": ("passage", "demonstration")}
    wanted = kinds[reading.switches.query_scope]
    prompt, found = reading.window.prompt, []
    for section in prompt.sections:
        if section.kind in wanted:
            number = _NUMBER.match(prompt.text, section.start) if section.kind == "passage" else None
            found.append((section.kind, number.end() if number else section.start, section.end))
    return found


# The context the model had in front of it


def prompt_context(reading: Reading, decided: Decided) -> Context:
    """Question, answer in front of the last hit, and what else is in scope; positions are those of the sequence."""
    window, hits = reading.window, hit_units(reading, decided)
    shift = len(window.prompt.token_ids)
    words = [*_scope_words(reading), *_question_and_answer(reading, max(hits))]
    starts = _answer_positions(reading)
    own = frozenset(p for unit in hits for p in _own_positions(reading, unit, starts))
    flagged = frozenset(p for unit in flagged_units(decided) for p in _own_positions(reading, unit, starts))
    return Context(
        words=tuple(words),
        row=lambda position: _sequence_row(reading, position),
        size=shift + len(window),
        hits=tuple(
            Hit(tuple(shift + k for k in reading.pieces[unit]), min(_own_positions(reading, unit, starts)))
            for unit in hits
        ),
        flagged=flagged,
        own=own,
        text=join(
            [window.prompt.text[a:b] for _, a, b in scope_sections(reading)]
            + [window.prompt.question, window.answer[: reading.spans[max(hits)][0]].strip()]
        ),
        repeats=False,
    )


def _sequence_row(reading: Reading, position: int) -> np.ndarray | None:
    signals, shift = reading.window.signals, len(reading.window.prompt.token_ids)
    if position < shift - 1 or (position == shift - 1 and signals.before is None):
        return None
    if position == shift - 1:
        return np.concatenate([signals.before, np.zeros(len(signals), dtype=np.float32)])
    token = position - shift
    return np.concatenate([signals.prompt_row[token], signals.mean_block[token]])


def _answer_positions(reading: Reading) -> list[list[int]]:
    """Per word of the answer the positions of its tokens."""
    window, prompt = reading.window, reading.window.prompt
    found: list[list[int]] = [[] for _ in window.answer_words]
    for position, owner in zip(prompt.kept_positions, window.kept_owners, strict=True):
        if owner >= 0:
            found[owner].append(position)
    for token, owner in enumerate(window.owners):
        if owner >= 0:
            found[owner].append(len(prompt.token_ids) + token)
    return found


def _own_positions(reading: Reading, unit: int, answer: list[list[int]]) -> set[int]:
    """The positions of a unit's tokens and of the rest of the words they belong to."""
    window, tokens = reading.window, reading.pieces[unit]
    own = {len(window.prompt.token_ids) + k for k in tokens}
    if reading.switches.unit == "token":
        own.update(p for k in tokens if window.owners[k] >= 0 for p in answer[window.owners[k]])
    return own


def _question_and_answer(reading: Reading, last: int) -> list[ContextWord]:
    window = reading.window
    asked: list[list[int]] = [[] for _ in window.question_words]
    for position, word in window.prompt.question_tokens:
        asked[word].append(position)
    words = [("question", w, p) for w, p in zip(window.question_words, asked, strict=True)]
    words += [("answer", w, p) for w, p in zip(window.answer_words, _answer_positions(reading), strict=True)]
    count = window.words_before(reading.pieces[last][0])
    return [ContextWord(w.text, w.start, w.end, where, k, tuple(p)) for k, (where, w, p) in enumerate(words[:count])]


def _scope_words(reading: Reading) -> list[ContextWord]:
    prompt, found = reading.window.prompt, []
    for kind, start, end in scope_sections(reading):
        words = [Word(w.text, w.start + start, w.end + start) for w in find_words(prompt.text[start:end])]
        owned: list[list[int]] = [[] for _ in words]
        for position, owner in enumerate(word_of_each(prompt.spans, words)):
            if owner >= 0:
                owned[owner].append(position)
        found += [ContextWord(w.text, w.start, w.end, kind, -1, tuple(p)) for w, p in zip(words, owned, strict=True)]
    return found


# Question and answer read once more


@dataclass(frozen=True)
class _Part:
    """A part of the text to be read again; ``origin`` is where a character of it comes from, -1 if unknown."""

    text: str
    where: str
    origin: Sequence[int]


@dataclass(frozen=True, eq=False)
class Glued:
    """The text to be read again, where its parts begin, and the span of each space-bounded word of the window."""

    text: str
    parts: tuple[tuple[int, _Part], ...]
    word_spans: dict[int, tuple[int, int]]
    mends: tuple[str, ...]


def glue(reading: Reading, decided: Decided) -> Glued:
    """What else is in scope, the question, the answer so far, the sentences that are kept and the words of the sentence
    of the trigger, joined by single spaces, empty parts left out.

    Where it is decided at a moment, the words after the trigger are not written yet.
    """
    window, prompt = reading.window, reading.window.prompt
    number = reading.sentence_of(decided.index)
    sentence = reading.sentences[number]
    end = sentence.end if decided.sentence else reading.word_of_unit[decided.index] + 1
    here = range(sentence.first, end)
    kept = join([s.text for s in reading.sentences[:number]])
    said = join([reading.word_texts[k] for k in here])
    parts = [_Part(prompt.text[a:b], kind, range(a, b)) for kind, a, b in scope_sections(reading)]
    parts.append(_Part(prompt.question, "question", range(len(prompt.question))))
    parts += _answer_parts([prompt.kept_text.strip(), kept, said], window.answer)
    text, placed = "", []
    for part in (part for part in parts if part.text):
        text = join([text, part.text])
        placed.append((len(text) - len(part.text), part))
    spans, cursor = {}, len(text) - len(said)
    for k in (k for k in here if reading.word_texts[k]):
        spans[k] = (cursor, cursor + len(reading.word_texts[k]))
        cursor = spans[k][1] + 1
    mends = ("empty parts are not joined into the text of the query",) if len(placed) < len(parts) else ()
    return Glued(text, tuple(placed), spans, mends)


def _answer_parts(texts: list[str], answer: str) -> list[_Part]:
    """Parts of the answer with the place of each character, found by counting what is no white space."""
    solid = [k for k, character in enumerate(answer) if not character.isspace()]
    parts, seen = [], 0
    for text in texts:
        origin = []
        for character in text:
            known = seen < len(solid) and answer[solid[seen]] == character
            origin.append(solid[seen] if known else -1)
            seen += not character.isspace()
        parts.append(_Part(text, "answer", origin))
    return parts


def glued_context(reading: Reading, decided: Decided, glued: Glued, again: ReadAgain) -> Context:
    """The glued text's space-bounded words; positions are those of its own tokens."""
    positions = [k for k, (a, b) in enumerate(again.spans) if a < b]
    spans = [again.spans[k] for k in positions]
    groups = [tuple(positions[k] for k in group) for group in spaced_words(glued.text, spans)]
    words = [_glued_word(reading, glued, again, group) for group in groups]
    words = [w for w in words if w.where != "answer" or not _thought(reading, w)]

    def hit(unit: int) -> Hit:
        start, end = glued.word_spans[reading.word_of_unit[unit]]
        touched = [g for g in groups if again.spans[g[0]][0] < end and again.spans[g[-1]][1] > start]
        return Hit(tuple(p for g in touched for p in g), touched[0][0])

    hits = {unit: hit(unit) for unit in {*flagged_units(decided), *hit_units(reading, decided)}}
    used = [hits[unit] for unit in hit_units(reading, decided)]
    return Context(
        words=tuple(words),
        row=lambda position: again.rows[position] if position >= 0 else None,
        size=len(again.spans),
        hits=tuple(used),
        flagged=frozenset(p for unit in flagged_units(decided) for p in hits[unit].pieces),
        own=frozenset(p for each in used for p in each.pieces),
        text=glued.text,
        repeats=True,
    )


def _glued_word(reading: Reading, glued: Glued, again: ReadAgain, group: tuple[int, ...]) -> ContextWord:
    raw = glued.text[again.spans[group[0]][0] : again.spans[group[-1]][1]]
    text = raw.strip()
    start = again.spans[group[0]][0] + len(raw) - len(raw.lstrip())
    at, part = next((at, part) for at, part in reversed(glued.parts) if at <= start)
    origin = part.origin[start - at]
    last = part.origin[min(start - at + len(text), len(part.text)) - 1]
    if origin < 0 or last < origin:
        return ContextWord(text, 0, 0, part.where, -1, group)
    return ContextWord(text, origin, last + 1, part.where, _index(reading, part.where, origin, last + 1), group)


def _thought(reading: Reading, word: ContextWord) -> bool:
    return word.start < word.end and is_inside((word.start, word.end), reading.window.thinking)


def _index(reading: Reading, where: str, start: int, end: int) -> int:
    """The place of the first word of question or answer that has characters in a span."""
    window = reading.window
    groups = {"question": (0, window.question_words), "answer": (len(window.question_words), window.answer_words)}
    shift, words = groups.get(where, (0, []))
    return next((shift + k for k, w in enumerate(words) if w.start < end and w.end > start), -1)
