"""One decoded window: the tokens a model wrote behind a prompt, their words, and every number that explains them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .prompts import Prompt
from .qfs import Candidate
from .rind import scores_by_moment
from .signals import Signals
from .words import Word, find_words, is_stop_word, word_of_each


@dataclass(frozen=True, eq=False)
class Window:
    """A unit is a token that spells text; special tokens are none.

    Attributes:
        generated_ids: every generated token, special ones too.
        spans: per generated token its characters in ``answer`` (kept text and new text together).
        positions: per unit its place in ``generated_ids``.
        signals: arrays over the units.
        stop: why it ended: "eos", "question" (a new turn), "budget", "context", "fired" (only decoded as far as the
            trigger needs) or None while it is being written.
    """

    prompt: Prompt
    answer: str
    generated_ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    positions: np.ndarray
    signals: Signals
    top_texts: tuple[tuple[str, ...], ...]
    stop: str | None = None

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def text(self) -> str:
        """The new text."""
        return self.answer[len(self.prompt.kept_text) :]

    @cached_property
    def unit_spans(self) -> list[tuple[int, int]]:
        """Per unit its characters in ``answer``."""
        return [self.spans[p] for p in self.positions]

    @cached_property
    def question_words(self) -> list[Word]:
        return find_words(self.prompt.question)

    @cached_property
    def answer_words(self) -> list[Word]:
        return find_words(self.answer)

    @cached_property
    def owners(self) -> list[int]:
        """Per unit the index of its word in ``answer_words``, or -1."""
        every = word_of_each([*self.prompt.kept_spans, *self.spans], self.answer_words)
        return [every[len(self.prompt.kept_spans) + p] for p in self.positions]

    @cached_property
    def reasons(self) -> list[str]:
        """Per unit why it counts or not: "content", "stop word" or "no word"."""
        return [
            "no word" if w < 0 else "stop word" if self.is_stop(self.answer_words[w]) else "content"
            for w in self.owners
        ]

    @cached_property
    def semantic(self) -> np.ndarray:
        """float64 [units]: s, 1 where the unit belongs to a word that is no stop word."""
        return np.array([float(reason == "content") for reason in self.reasons])

    @cached_property
    def scores(self) -> np.ndarray:
        """float64 [units, units]: RIND of unit i (axis 1) when unit j (axis 0) is the newest."""
        return scores_by_moment(self.signals.entropy, self.signals.a_max_by_moment, self.semantic)

    @cached_property
    def final_scores(self) -> np.ndarray:
        """float64 [units]: RIND at the end of the window; NaN for the last, which is pending."""
        final = self.scores[-1].copy() if len(self) else np.zeros(0)
        final[-1:] = np.nan
        return final

    @cached_property
    def word_weights(self) -> np.ndarray:
        """float32 [units, words]: attention of each unit to each word of question then answer, mean over heads, the
        pieces of a word summed."""
        questions = len(self.question_words)
        kept_owners = word_of_each(self.prompt.kept_spans, self.answer_words)
        columns = [w for _, w in self.prompt.question_tokens]
        columns += [questions + w if w >= 0 else -1 for w in kept_owners]
        columns += [questions + w if w >= 0 else -1 for w in self.owners]
        member = np.zeros((len(columns), questions + len(self.answer_words)), dtype=np.float32)
        for row, word in enumerate(columns):
            if word >= 0:
                member[row, word] = 1
        attention = np.concatenate([self.signals.focus.mean(axis=0), self.signals.mean_block], axis=1)
        return attention @ member

    def is_stop(self, word: Word) -> bool:
        """Whether a word is in the stop list."""
        return is_stop_word(word.text)

    def lay_out(self) -> None:
        """Compute what θ and n need, so that the first move of either is as quick as the next."""
        _ = self.scores, self.word_weights

    def words_before(self, index: int) -> int:
        """How many words of question and answer come before the word of a unit."""
        owner, start = self.owners[index], self.unit_spans[index][0]
        before = owner if owner >= 0 else sum(w.end <= start for w in self.answer_words)
        return len(self.question_words) + before

    def candidates(self, index: int) -> list[Candidate]:
        """The words that unit ``index`` may put into a query, with its attention to them; no stop words."""
        words = [("question", w) for w in self.question_words] + [("answer", w) for w in self.answer_words]
        return [
            Candidate(w.text, w.start, w.end, where, float(self.word_weights[index, k]), k)
            for k, (where, w) in enumerate(words[: self.words_before(index)])
            if not self.is_stop(w)
        ]

    def cut_before(self, index: int) -> tuple[tuple[int, ...], str]:
        """The answer up to the word of a unit: its token ids and its text (METHOD: whole words are cut)."""
        owner = self.owners[index]
        start = self.answer_words[owner].start if owner >= 0 else self.unit_spans[index][0]
        ids = (*self.prompt.kept_ids, *self.generated_ids)
        spans = (*self.prompt.kept_spans, *self.spans)
        first = next(k for k, (_, b) in enumerate(spans) if b > start)
        return ids[:first], self.answer[: spans[first][0]]
