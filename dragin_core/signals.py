"""The signals of one decoded window, as plain arrays (paper, section 3.1)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Signals:
    """What the model computed while it wrote n tokens behind a prompt.

    Attributes:
        entropy: float64 [n], nats, of the distribution each token was chosen from.
        probability: float64 [n], of each token; below the best of the five likeliest where the text was given.
        top_ids, top_probabilities: [n, 5], the likeliest tokens instead of each, best first.
        block: float32 [heads, n, n], attention of token j (axis 1) to token i (axis 2); zero for i > j.
        focus: float32 [heads, n, c], attention of token j to the prompt's c word tokens (question and kept answer).
        prompt_row: float32 [n, p], attention of token j to every prompt token, mean over heads.
        before: float32 [p], the same of the prompt's last token; None where it is not known.
    """

    entropy: np.ndarray
    probability: np.ndarray
    top_ids: np.ndarray
    top_probabilities: np.ndarray
    block: np.ndarray
    focus: np.ndarray
    prompt_row: np.ndarray
    before: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.entropy)

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, in bytes; those derived from them take about as much again."""
        return 2 * sum(array.nbytes for array in vars(self).values() if isinstance(array, np.ndarray))

    @cached_property
    def a_max_by_moment(self) -> np.ndarray:
        """float64 [n, n]: a_max of token i (axis 1) when token j (axis 0) is the newest; 0 where j ≤ i.

        The maximum over later tokens is taken in each head, then the mean over heads.
        """
        return growing_maximum(self.block)

    @property
    def a_max(self) -> np.ndarray:
        """float64 [n]: the final a_max; NaN for the last token, which is pending."""
        final = self.a_max_by_moment[-1].copy() if len(self) else np.zeros(0)
        final[-1:] = np.nan
        return final

    @cached_property
    def mean_block(self) -> np.ndarray:
        """float32 [n, n]: the block averaged over heads."""
        return self.block.mean(axis=0)

    def take(self, index: np.ndarray) -> "Signals":
        """The signals of some of the tokens, as if the others were not there."""
        return Signals(
            self.entropy[index],
            self.probability[index],
            self.top_ids[index],
            self.top_probabilities[index],
            self.block[:, index][:, :, index],
            self.focus[:, index],
            self.prompt_row[index],
            self.before,
        )


def growing_maximum(block: np.ndarray, from_self: bool = False) -> np.ndarray:
    """float64 [n, n]: the most that tokens up to j (axis 0) pay to token i (axis 1), mean over heads of each head's.

    Args:
        block: float32 [heads, n, n], attention of token j (axis 1) to token i (axis 2).
        from_self: what token i pays to itself counts too; else only tokens after it do, and the diagonal is 0.
    """
    total = np.zeros(block.shape[1:])
    for head in block:  # one head at a time keeps the extra memory at one [n, n]
        total += np.maximum.accumulate(np.tril(head, 0 if from_self else -1), axis=0)
    return total / max(1, len(block))
