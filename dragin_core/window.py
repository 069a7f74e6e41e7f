"""One decoded window: the tokens a model wrote behind a prompt, their words, and every number that explains them."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .prompts import Prompt
from .signals import Signals
from .words import Word, find_words, is_stop_word, word_of_each


@dataclass(frozen=True, eq=False)
class Window:
    """The tokens that spell text, called tokens below, have signals; special tokens have none.

    Attributes:
        generated_ids: every generated token, special ones too.
        spans: per generated token its characters in ``answer`` (kept text and new text together).
        positions: per token its place in ``generated_ids``.
        signals: arrays over the tokens.
        stop: why it ended: "eos", "question" (a new turn), "budget", "context", "fired" (only decoded as far as the
            trigger needs) or None while it is being written.
        alone: float32 [heads, n, n], attention of token j (axis 1) to token i (axis 2) where the model reads the n
            tokens without any prompt; None unless a switch asked for it.
        readings: how it was read lately, see :func:`~dragin_core.reading.read`.
    """

    prompt: Prompt
    answer: str
    generated_ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    positions: np.ndarray
    signals: Signals
    top_texts: tuple[tuple[str, ...], ...]
    stop: str | None = None
    alone: np.ndarray | None = None
    readings: dict = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def text(self) -> str:
        """The new text."""
        return self.answer[len(self.prompt.kept_text) :]

    @cached_property
    def unit_spans(self) -> list[tuple[int, int]]:
        """Per token its characters in ``answer``."""
        return [self.spans[p] for p in self.positions]

    @cached_property
    def question_words(self) -> list[Word]:
        return find_words(self.prompt.question)

    @cached_property
    def answer_words(self) -> list[Word]:
        return find_words(self.answer)

    @cached_property
    def owners(self) -> list[int]:
        """Per token the index of its word in ``answer_words``, or -1."""
        every = word_of_each([*self.prompt.kept_spans, *self.spans], self.answer_words)
        return [every[len(self.prompt.kept_spans) + p] for p in self.positions]

    @cached_property
    def reasons(self) -> list[str]:
        """Per token why it counts or not: "content", "stop word" or "no word"."""
        return [
            "no word" if w < 0 else "stop word" if self.is_stop(self.answer_words[w]) else "content"
            for w in self.owners
        ]

    @cached_property
    def semantic(self) -> np.ndarray:
        """float64 [tokens]: s, 1 where the token belongs to a word that is no stop word."""
        return np.array([float(reason == "content") for reason in self.reasons])

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
        questions = len(self.question_words)
        kept_owners = word_of_each(self.prompt.kept_spans, self.answer_words)
        columns = [w for _, w in self.prompt.question_tokens]
        columns += [questions + w if w >= 0 else -1 for w in kept_owners]
        columns += [questions + w if w >= 0 else -1 for w in self.owners]
        member = np.zeros((len(columns), questions + len(self.answer_words)), dtype=np.float32)
        for row, word in enumerate(columns):
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
        ids = (*self.prompt.kept_ids, *self.generated_ids)
        spans = (*self.prompt.kept_spans, *self.spans)
        first = next(k for k, (_, b) in enumerate(spans) if b > start)
        return ids[:first], self.answer[: spans[first][0]]

    def cut_at(self, index: int) -> tuple[tuple[int, ...], str]:
        """The answer up to a token, or up to the first piece of the character it is a piece of: ids and text."""
        place = int(self.positions[index])
        while place and self.spans[place][0] == self.spans[place][1]:
            place -= 1
        return (*self.prompt.kept_ids, *self.generated_ids[:place]), self.answer[: self.spans[place][0]]

    @property
    def whole(self) -> tuple[tuple[int, ...], str]:
        """All of the answer: ids and text."""
        return (*self.prompt.kept_ids, *self.generated_ids), self.answer
