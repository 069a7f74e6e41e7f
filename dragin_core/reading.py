"""A window read under switches: its units and their scores. Pure arrays; the model is not asked again."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .elsewhere import elsewhere
from .heads import pack_heads
from .rind import scores_by_moment
from .sentences import analyse, holds_content, share_out
from .signals import growing_maximum
from .switches import Switches
from .window import Window
from .words import spaced_words

REMEMBERED = 4  # readings of one window


@dataclass(frozen=True)
class Sentence:
    """A sentence of a window: its text, and the half-open range of space-bounded words it has."""

    text: str
    first: int
    end: int


@dataclass(frozen=True, eq=False)
class Reading:
    """Units and scores of a window (paper, section 3.1). A unit is a token, or all tokens from a space to the next."""

    window: Window
    switches: Switches

    def __len__(self) -> int:
        return len(self.pieces)

    @cached_property
    def words(self) -> list[range]:
        """The space-bounded words, each as the range of its tokens."""
        return spaced_words(self.window.answer, self.window.unit_spans)

    @cached_property
    def pieces(self) -> list[range]:
        """Per unit the range of its tokens."""
        return self.words if self.switches.unit == "word" else [range(k, k + 1) for k in range(len(self.window))]

    @cached_property
    def unit_of_token(self) -> list[int]:
        """Per token the index of its unit."""
        return [unit for unit, tokens in enumerate(self.pieces) for _ in tokens]

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Per unit its characters in the answer; joined they are the window's text."""
        tokens = self.window.unit_spans
        return [(tokens[tokens_of[0]][0], tokens[tokens_of[-1]][1]) for tokens_of in self.pieces]

    @cached_property
    def word_texts(self) -> list[str]:
        """The space-bounded words without the white space around them."""
        spans = self.window.unit_spans
        return [self.window.answer[spans[w[0]][0] : spans[w[-1]][1]].strip() for w in self.words]

    @cached_property
    def word_of_unit(self) -> list[int]:
        """Per unit the index of its space-bounded word."""
        owners = [k for k, tokens in enumerate(self.words) for _ in tokens]
        return [owners[tokens[0]] for tokens in self.pieces]

    @cached_property
    def sentences(self) -> list[Sentence]:
        """The sentences, as the English pipeline finds them in the window's text alone."""
        texts = analyse(self.window.text).sentences
        return [Sentence(text, *span) for text, span in zip(texts, share_out(self.word_texts, texts), strict=True)]

    def sentence_of(self, unit: int) -> int | None:
        """The index of the sentence that a unit is in."""
        word = self.word_of_unit[unit]
        return next((k for k, s in enumerate(self.sentences) if s.first <= word < s.end), None)

    @cached_property
    def sentence_units(self) -> list[tuple[int, int]]:
        """Per sentence the half-open range of its units."""
        owners = np.array(self.word_of_unit, dtype=int)
        ends = [(int(np.searchsorted(owners, s.first)), int(np.searchsorted(owners, s.end))) for s in self.sentences]
        return ends

    # Scores

    @cached_property
    def _member(self) -> np.ndarray:
        """float64 [tokens, units]: 1 where a token is a piece of a unit."""
        member = np.zeros((len(self.window), len(self)))
        for unit, tokens in enumerate(self.pieces):
            member[tokens, unit] = 1
        return member

    @cached_property
    def entropy(self) -> np.ndarray:
        """float64 [units], nats: the mean over a unit's pieces."""
        entropy = self.window.signals.entropy
        return entropy if self.switches.unit == "token" else entropy @ self._member / self._member.sum(axis=0)

    @property
    def _block(self) -> np.ndarray | None:
        alone = self.switches.attention_over == "answer_alone"
        return self.window.alone if alone else self.window.signals.block

    @cached_property
    def attention_by_moment(self) -> np.ndarray:
        """float64 [units, units]: attention to unit i (axis 1) when unit j (axis 0) is the newest, pieces summed."""
        from_self = self.switches.later == "from_self"
        block = self._block
        if block is None:
            return np.zeros((len(self), len(self)))
        plain = not from_self and block is self.window.signals.block
        tokens = self.window.signals.a_max_by_moment if plain else growing_maximum(block, from_self)
        if self.switches.unit == "token":
            return tokens
        newest = [tokens_of[-1] for tokens_of in self.pieces]
        return np.tril(tokens[newest] @ self._member, 0 if from_self else -1)

    @cached_property
    def pending(self) -> np.ndarray:
        """bool [units]: no attention to it is known yet."""
        pending = np.zeros(len(self), dtype=bool)
        if self._block is None:
            pending[:] = True
        elif self.switches.later == "after" or not self.window.newest_has_row:
            pending[-1:] = True
        return pending

    @cached_property
    def attention(self) -> np.ndarray:
        """float64 [units]: the final attention, unscaled; NaN where pending."""
        final = self.attention_by_moment[-1] if len(self) else np.zeros(0)
        return np.where(self.pending, np.nan, final)

    @cached_property
    def scale(self) -> np.ndarray:
        """float64 [units]: what attention is multiplied by; NaN where a sentence's attention sums to 0.

        Pending units count neither in the sum nor in the number of units.
        """
        scale = np.ones(len(self))
        if self.switches.scale == "sentence":
            for first, end in self.sentence_units:
                known = self.attention[first:end][~self.pending[first:end]]
                scale[first:end] = len(known) / known.sum() if known.sum() > 0 else np.nan
        return scale

    @cached_property
    def _paid(self) -> np.ndarray:
        """[units, units]: what unit j (axis 0) pays to unit i (axis 1), mean over heads, pieces added up."""
        paid = self._block.mean(axis=0)
        if self.switches.unit == "word":
            paid = self._member.T @ paid @ self._member
        return np.tril(paid, 0 if self.switches.later == "from_self" else -1)

    @cached_property
    def most_from(self) -> np.ndarray:
        """int [units]: the unit that pays it the most attention (mean over heads); -1 where pending."""
        if not len(self) or self._block is None:
            return np.full(len(self), -1)
        return np.where(self.pending, -1, self._paid.argmax(axis=0))

    @cached_property
    def most_paid(self) -> np.ndarray:
        """float [units]: what that unit pays it, which is at most ``attention``; NaN where pending."""
        if not len(self) or self._block is None:
            return np.full(len(self), np.nan)
        return np.where(self.pending, np.nan, self._paid.max(axis=0))

    @cached_property
    def reasons(self) -> list[str]:
        """Per unit "content", or why it can't fire: "stop word", "no word", "no content tag", "thinking"."""
        found = SEMANTICS[self.switches.semantic](self)
        thinking = [any(self.window.reasons[k] == "thinking" for k in pieces) for pieces in self.pieces]
        return ["thinking" if thinks else reason for thinks, reason in zip(thinking, found, strict=True)]

    @cached_property
    def semantic(self) -> np.ndarray:
        """float64 [units]: s, 1 where the unit can fire."""
        return np.array([float(reason == "content") for reason in self.reasons])

    @cached_property
    def scores(self) -> np.ndarray:
        """float64 [units, units]: RIND of unit i (axis 1) when unit j (axis 0) is the newest, unscaled."""
        return scores_by_moment(self.entropy, self.attention_by_moment, self.semantic)

    # Rows

    @cached_property
    def row_lengths(self) -> list[int]:
        """Per unit how many words of question and answer come before its own word."""
        return [self.window.words_before(tokens_of[0]) for tokens_of in self.pieces]

    @cached_property
    def heads(self) -> dict[str, Any]:
        """The rows over the words, head by head, as :func:`~dragin_core.heads.pack_heads` packs them."""
        by_token = self.window.head_word_weights
        rows = [by_token[:, tokens[0] : tokens[-1] + 1].mean(axis=1) for tokens in self.pieces]
        return pack_heads(np.stack(rows, axis=1) if rows else by_token, self.row_lengths)

    @cached_property
    def elsewhere(self) -> dict[str, list[float]]:
        """Per unit what it pays to the rest of the prompt, see :func:`~dragin_core.elsewhere.elsewhere`."""
        parts = elsewhere(self.window.prompt, self.window.signals.prompt_row)
        return {
            name: [float(values[tokens[0] : tokens[-1] + 1].mean()) for tokens in self.pieces]
            for name, values in parts.items()
        }

    def lay_out(self) -> None:
        """Compute what θ and n need, so that the first move of either is as quick as the next."""
        _ = self.scores, self.values, self.window.word_weights

    @cached_property
    def values(self) -> np.ndarray:
        """float64 [units]: entropy × scaled attention at the end of the window; NaN where pending or undefined."""
        return self.entropy * self.attention * self.scale

    @property
    def final_scores(self) -> np.ndarray:
        """float64 [units]: RIND at the end of the window; NaN where pending or undefined."""
        return self.values * self.semantic


def read(window: Window, switches: Switches) -> Reading:
    """The window under these switches; the last few readings are remembered with the window."""
    known = window.readings
    if switches not in known:
        while len(known) >= REMEMBERED:
            known.pop(next(iter(known)), None)
        known[switches] = Reading(window, switches)
    return known[switches]


def _by_stop_words(reading: Reading) -> list[str]:
    tokens = reading.window.reasons
    order = ("content", "stop word", "no word", "thinking")
    return [min((tokens[k] for k in pieces), key=order.index) for pieces in reading.pieces]


def _by_tags(reading: Reading) -> list[str]:
    reasons = ["no content tag"] * len(reading)
    for sentence, (first, end) in zip(reading.sentences, reading.sentence_units, strict=True):
        for unit in range(first, end):
            if holds_content(reading.word_texts[reading.word_of_unit[unit]], sentence.text):
                reasons[unit] = "content"
    return reasons


SEMANTICS = {"stopword": _by_stop_words, "pos": _by_tags}
