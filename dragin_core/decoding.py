"""Decoding one window token by token, with all signals, for the price of decoding it without."""

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch

from .attention import Pass
from .cost import Cost
from .detokenizer import Detokenizer
from .errors import not_numbers
from .language_model import CausalLM
from .prompts import Prompt
from .signals import Signals
from .window import Window

TOP = 5


class WindowDecoder:
    """Writes a window, one token per :meth:`steps` item; :meth:`window` is what there is so far.

    Greedy on the raw fp32 logits. The last token is fed once more, so that its attention row exists.

    Args:
        budget: most tokens of the window.
        given: tokens it begins with, read in one pass: a window begun earlier, or a text to be scored.
        stop_at_new_turn: end before a new "Question:" turn.
    """

    def __init__(
        self,
        lm: CausalLM,
        prompt: Prompt,
        budget: int,
        *,
        given: Sequence[int] = (),
        stop_at_new_turn: bool = True,
    ):
        self._lm, self._prompt, self._given = lm, prompt, list(given)
        self._budget = min(budget, lm.context_limit - len(prompt.token_ids))
        self._cut_by = "budget" if self._budget == budget else "context"
        self._stop_at_new_turn = stop_at_new_turn
        self._focus = [p for p, _ in prompt.question_tokens] + list(prompt.kept_positions)
        own = len(prompt.token_ids) - len(prompt.kept_ids)
        self._text = Detokenizer(lm.tokenizer, prompt.token_ids[:own], prompt.opens_thinking)
        for token_id in prompt.kept_ids:
            self._text.push(token_id)
        self._ids: list[int] = []
        self._chosen: list[Measured] = []
        self._rows: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []  # per head: block, focus; mean: prompt
        self._before: np.ndarray | None = None  # row of the prompt's last token
        self.stop: str | None = None
        self.forward_passes = 0
        self._began = time.perf_counter()

    def steps(self) -> Iterator[None]:
        """Decode; yields after each token. A token's own row is there at the next step."""
        ids = list(self._prompt.token_ids)
        cache, ready = self._lm.open_cache(ids)
        fed = ids[:ready]
        try:
            feed = [*ids[ready:], *self._given]
            step = self._run(feed, cache, 1 + len(self._given))
            fed += feed
            self._before = step.rows[:, 0, : len(ids)].mean(0).cpu().numpy()
            self._read_given(step)
            while self.stop is None:
                if len(self._ids) >= self._budget:
                    self.stop = self._cut_by
                    return
                token_id = self._choose(step)
                if token_id is None:
                    return
                yield
                step = self._run([token_id], cache)
                fed.append(token_id)
                self._keep_row(step.rows[:, -1])
        finally:
            if cache.get_seq_length() == len(fed):
                self._lm.keep_cache(fed, cache)

    def _run(self, ids: list[int], cache, kept: int = 1) -> Pass:
        self.forward_passes += 1
        return self._lm.run(ids, cache, kept)

    def _read_given(self, step: Pass) -> None:
        for k, token_id in enumerate(self._given):
            self._append(token_id, self._measured(step.logits[k], token_id))
            self._keep_row(step.rows[:, k + 1, : len(self._prompt.token_ids) + k + 1])

    def _choose(self, step: Pass) -> int | None:
        """The likeliest token, unless it ends the window."""
        token_id = int(step.logits[-1].argmax())
        measured = self._measured(step.logits[-1], token_id)
        if token_id in self._lm.end_ids:
            self.stop = "eos"
            return None
        self._append(token_id, measured)
        if self._stop_at_new_turn and self._text.new_turn is not None:
            self._take_back(self._text.new_turn)
            self.stop = "question"
            return None
        return token_id

    def _measured(self, logits: torch.Tensor, token_id: int) -> "Measured":
        measured = measure(logits, token_id)
        if not np.isfinite(measured.entropy):
            raise not_numbers(self._lm.name, self._lm.dtype)
        return measured

    def _append(self, token_id: int, measured: "Measured") -> None:
        self._ids.append(token_id)
        self._chosen.append(measured)
        self._text.push(token_id)

    def _keep_row(self, row: torch.Tensor) -> None:
        """Keep what explains of a token's attention row [heads, keys]: its own block, the words, the head mean."""
        row = row.cpu().numpy()
        prompt = row[:, : len(self._prompt.token_ids)]
        self._rows.append((row[:, len(self._prompt.token_ids) :].copy(), prompt[:, self._focus], prompt.mean(axis=0)))

    def _take_back(self, start: int) -> None:
        """Remove a new turn from the window; a token that holds its line break behind other text stays for that."""
        kept = len(self._prompt.kept_ids)
        count = self._text.end_at(max(start, len(self._prompt.kept_text)), kept) - kept
        self._ids, self._chosen, self._rows = self._ids[:count], self._chosen[:count], self._rows[:count]

    @property
    def settled(self) -> int:
        """Units that nothing still to come can change: whoever stops early must not decide on later ones."""
        kept = len(self._prompt.kept_ids)
        done = max(0, self._text.settled - kept)
        special = self._lm.special_ids
        return min(sum(i not in special for i in self._ids[:done]), self.rowed)

    @property
    def rowed(self) -> int:
        """Units whose attention row is there."""
        special = self._lm.special_ids
        return sum(i not in special for i in self._ids[: len(self._rows)])

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def spent(self) -> Cost:
        """What it took so far; tokens that were given cost a share of the first pass."""
        seconds = time.perf_counter() - self._began
        return Cost(self.forward_passes, len(self) - len(self._given), seconds)

    def window(self, stop: str | None = None) -> Window:
        """The window so far. A newest token without a row yet gets a row of zeros: it is pending either way."""
        n, kept = len(self._ids), len(self._prompt.kept_ids)
        heads = self._lm.heads
        block = np.zeros((heads, n, n), dtype=np.float32)
        focus = np.zeros((heads, n, len(self._focus)), dtype=np.float32)
        prompt_row = np.zeros((n, len(self._prompt.token_ids)), dtype=np.float32)
        for j, (own, words, mean) in enumerate(self._rows):
            block[:, j, : j + 1], focus[:, j], prompt_row[j] = own[:, : j + 1], words, mean
        signals = Signals(
            entropy=np.array([m.entropy for m in self._chosen], dtype=np.float64),
            probability=np.array([m.probability for m in self._chosen], dtype=np.float64),
            top_ids=np.array([m.top_ids for m in self._chosen], dtype=np.int64),
            top_probabilities=np.array([m.top_probabilities for m in self._chosen], dtype=np.float32),
            block=block,
            focus=focus,
            prompt_row=prompt_row,
            before=self._before,
        )
        special = self._lm.special_ids
        positions = np.array([k for k, i in enumerate(self._ids) if i not in special], dtype=int)
        if len(positions) < n:
            signals = signals.take(positions)
        return Window(
            prompt=self._prompt,
            answer=self._text.text,
            generated_ids=tuple(self._ids),
            spans=tuple(self._text.spans[kept:]),
            characters=tuple(self._text.characters[kept:]),
            thinking=self._text.thinking,
            positions=positions,
            signals=signals,
            top_texts=tuple(tuple(self._lm.token_text(t) for t in row) for row in signals.top_ids),
            stop=stop or self.stop,
            sliding_window=self._lm.capture.sliding_window,
            cost=Cost(self.forward_passes + len(self._given), n, time.perf_counter() - self._began),
        )


class Measured(NamedTuple):
    """A distribution and the token chosen from it: entropy in nats, the token's probability, the five likeliest."""

    entropy: float
    probability: float
    top_ids: np.ndarray
    top_probabilities: np.ndarray


def measure(logits: torch.Tensor, token_id: int) -> Measured:
    """What raw fp32 logits [vocabulary] say, and of one token.

    −inf logits contribute 0; logits that are not numbers give an entropy that is none.
    """
    log_p = torch.log_softmax(logits, dim=-1).clamp_(min=-1e4)  # exp(-1e4) is 0, and 0 times it is 0
    entropy = 0.0 + float((-torch.dot(log_p.exp(), log_p)).clamp(min=0))
    top = log_p.topk(min(TOP, log_p.shape[-1]))
    probability = float(log_p[token_id].exp())
    return Measured(entropy, probability, top.indices.cpu().numpy(), top.values.exp().cpu().numpy())
