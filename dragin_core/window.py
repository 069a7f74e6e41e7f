"""One decoded window: the tokens a model wrote behind a prompt, their words, and every number that explains them."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .cost import Cost
from .prompts import Prompt
from .sentences import sentence_spans
from .signals import Signals
from .thinking import Span, is_inside, outside, without
from .words import Word, find_words, is_stop_word, word_of_each


@dataclass(frozen=True, eq=False)
class Window:
    """The tokens that spell text, called tokens below, have signals; special tokens have none.

    Attributes:
        generated_ids: every generated token, special ones too.
        answer: kept text and new text together, with what the model thinks.
        spans: per generated token the characters in ``answer`` that begin in it; joined they are the new text.
        characters: per generated token all characters it has bytes in; pieces of one character share it.
        thinking: sections of ``answer`` that are no part of what it says.
        positions: per token its place in ``generated_ids``.
        signals: arrays over the tokens.
        stop: why it ended: "eos", "question" (a new turn), "budget", "context", "fired" (only decoded as far as the
            trigger needs) or None while it is being written.
        alone: float32 [heads, n, n], attention of token j (axis 1) to token i (axis 2) where the model reads the n
            tokens without any prompt; None unless a switch asked for it.
        sliding_window: how many tokens back, itself among them, a token sees in the captured layer; None if all.
        cost: what writing it takes: a pass for the prompt and one for each token.
        readings: how it was read lately, see :func:`~dragin_core.reading.read`.
    """

    prompt: Prompt
    answer: str
    generated_ids: tuple[int, ...]
    spans: tuple[Span, ...]
    characters: tuple[Span, ...]
    positions: np.ndarray
    signals: Signals
    top_texts: tuple[tuple[str, ...], ...]
    thinking: tuple[Span, ...] = ()
    stop: str | None = None
    alone: np.ndarray | None = None
    sliding_window: int | None = None
    cost: Cost = field(default_factory=Cost)
    readings: dict = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def text(self) -> str:
        """The new text."""
        return self.answer[len(self.prompt.kept_text) :]

    @property
    def said(self) -> str:
        """The answer without what the model thinks."""
        return without(self.answer, self.thinking)

    @cached_property
    def unit_spans(self) -> list[tuple[int, int]]:
        """Per token its characters in ``answer``."""
        return [self.spans[p] for p in self.positions]

    @cached_property
    def question_words(self) -> list[Word]:
        return find_words(self.prompt.question)

    @cached_property
    def answer_words(self) -> list[Word]:
        """The words of what is said."""
        return [
            Word(word.text, start + word.start, start + word.end)
            for start, end in outside(self.answer, self.thinking)
            for word in find_words(self.answer[start:end])
        ]

    @cached_property
    def owners(self) -> list[int]:
        """Per token the index of its word in ``answer_words``, or -1."""
        every = word_of_each(self.characters, self.answer_words)
        return [every[p] for p in self.positions]

    @cached_property
    def kept_owners(self) -> list[int]:
        """Per kept token the index of its word in ``answer_words``, or -1."""
        return word_of_each(self.prompt.kept_characters, self.answer_words)

    @cached_property
    def reasons(self) -> list[str]:
        """Per token why it counts or not: "content", "stop word", "no word" or "thinking"."""
        return [self._reason(p, w) for p, w in zip(self.positions, self.owners, strict=True)]

    def _reason(self, position: int, owner: int) -> str:
        if owner >= 0:
            return "stop word" if self.is_stop(self.answer_words[owner]) else "content"
        return "thinking" if is_inside(self.characters[position], self.thinking) else "no word"

    @cached_property
    def semantic(self) -> np.ndarray:
        """float64 [tokens]: s, 1 where the token belongs to a word that is no stop word."""
        return np.array([float(reason == "content") for reason in self.reasons])

    @cached_property
    def sentence_tokens(self) -> list[range]:
        """The tokens of each sentence of what the window says, its text read alone; white space between is in none."""
        spans, found = self.unit_spans, []
        for start, end in sentence_spans(self.answer, self.thinking, len(self.prompt.kept_text)):
            inside = [k for k, (a, b) in enumerate(spans) if a < end and b > start]
            first = max(inside[0], found[-1].stop if found else 0)
            found.append(range(first, max(first, self.whole_from(inside[-1] + 1))))
        return found

    def whole_from(self, index: int) -> int:
        """The first place, from a token on, in front of which every character is whole."""
        while index < len(self):
            place = self.positions[index]
            if self.characters[place][0] >= self.spans[place][0]:
                break
            index += 1
        return index

    @property
    def newest_has_row(self) -> bool:
        """Whether the last token has been fed to the model, so that its own row exists."""
        return not len(self) or bool(self.signals.prompt_row[-1].any() or self.signals.block[:, -1].any())

    @property
    def has_special_tokens(self) -> bool:
        """Whether the model wrote tokens that are no text, an end token among them."""
        return self.stop == "eos" or len(self) < len(self.generated_ids)

    @cached_property
    def _word_member(self) -> np.ndarray:
        """float32 [columns, words]: 1 where a word token of the prompt, or a token, is a piece of a word."""
        columns = self._columns
        member = np.zeros((len(columns), len(self.question_words) + len(self.answer_words)), dtype=np.float32)
        for row, (_, word) in enumerate(columns):
            if word >= 0:
                member[row, word] = 1
        return member

    @cached_property
    def word_weights(self) -> np.ndarray:
        """float32 [tokens, words]: attention of each token to each word of question then answer, mean over heads, the
        pieces of a word summed."""
        attention = np.concatenate([self.signals.focus.mean(axis=0), self.signals.mean_block], axis=1)
        return attention @ self._word_member

    @property
    def head_word_weights(self) -> np.ndarray:
        """float32 [heads, tokens, words]: the same head by head."""
        return np.concatenate([self.signals.focus, self.signals.block], axis=2) @ self._word_member

    @cached_property
    def _columns(self) -> list[tuple[int, int]]:
        """Position and word, -1 if none, of the tokens of question, kept answer and new answer; words count through."""
        prompt, questions = self.prompt, len(self.question_words)
        answer = zip([*prompt.kept_positions, *self._token_positions], [*self.kept_owners, *self.owners], strict=True)
        return [*prompt.question_tokens, *((p, questions + w if w >= 0 else -1) for p, w in answer)]

    @property
    def _token_positions(self) -> list[int]:
        """Per token its absolute position."""
        return [len(self.prompt.token_ids) + int(k) for k in self.positions]

    @cached_property
    def _word_ends(self) -> dict[int, int]:
        """Per word the absolute position of its last token."""
        return {word: position for position, word in self._columns if word >= 0}

    def sees(self, index: int, word: int) -> bool:
        """Whether any token of a word of question then answer is inside the sliding window of a token."""
        reach = self.sliding_window
        return reach is None or self._token_positions[index] - self._word_ends.get(word, 0) < reach

    def is_stop(self, word: Word) -> bool:
        """Whether a word is in the stop list."""
        return is_stop_word(word.text)

    def words_before(self, index: int) -> int:
        """How many words of question and answer come before the word of a token."""
        owner, start = self.owners[index], self.unit_spans[index][0]
        before = owner if owner >= 0 else sum(w.end <= start for w in self.answer_words)
        return len(self.question_words) + before

    def cut_before(self, index: int) -> tuple[tuple[int, ...], str]:
        """The answer up to the word of a token: its token ids and its text."""
        owner = self.owners[index]
        start = self.answer_words[owner].start if owner >= 0 else self.unit_spans[index][0]
        spans = (*self.prompt.kept_spans, *self.spans)
        return self._up_to(next(k for k, (_, b) in enumerate(spans) if b > start))

    def cut_at(self, index: int) -> tuple[tuple[int, ...], str]:
        """The answer up to a token, or up to the first piece of the character it is a piece of: ids and text."""
        return self._up_to(len(self.prompt.kept_ids) + int(self.positions[index]))

    def _up_to(self, place: int) -> tuple[tuple[int, ...], str]:
        ids, text = self.whole
        spans = (*self.prompt.kept_spans, *self.spans)
        characters = (*self.prompt.kept_characters, *self.characters)
        while place and characters[place][0] < spans[place][0]:
            place -= 1
        return ids[:place], text[: spans[place][0]]

    @property
    def whole(self) -> tuple[tuple[int, ...], str]:
        """All of the answer: ids and text."""
        return (*self.prompt.kept_ids, *self.generated_ids), self.answer
