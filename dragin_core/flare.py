"""Which sentences FLARE finds unsure and which of their tokens it leaves out of the query, by its paper (Jiang et al.,
2023: active retrieval with the sentence ahead) or as DRAGIN's released code has it for a baseline."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from .settings import Settings


@dataclass(frozen=True)
class Unsure:
    """A sentence in doubt: the places of the tokens that make it so, and the number that was held against the limit."""

    tokens: tuple[int, ...]
    score: float


class Rule(Protocol):
    """Both take float64 [n], the probability of each token of a sentence."""

    def find(self, probability: np.ndarray, settings: "Settings") -> Unsure | None:
        """Why the sentence asks for a retrieval; None if it does not."""

    def mask(self, probability: np.ndarray, settings: "Settings") -> np.ndarray:
        """bool [n]: the tokens that the query leaves out."""


class Paper:
    """Some token is less likely than ``flare_threshold``; the query has none less likely than ``flare_mask``."""

    def find(self, probability, settings):
        low = np.flatnonzero(probability < settings.flare_threshold)
        return Unsure(tuple(low.tolist()), float(probability[low[0]])) if len(low) else None

    def mask(self, probability, settings):
        return probability < settings.flare_mask


class Released:
    """The mean of 1 − p passes ``flare_doubt``; the query has no token whose 1 − p does."""

    def find(self, probability, settings):
        doubt = 1 - probability
        if not len(doubt) or not doubt.mean() > settings.flare_doubt:
            return None
        return Unsure(tuple(np.flatnonzero(self.mask(probability, settings)).tolist()), float(doubt.mean()))

    def mask(self, probability, settings):
        return 1 - probability > settings.flare_doubt


RULES: dict[str, Rule] = {"paper": Paper(), "released": Released()}
