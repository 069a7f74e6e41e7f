"""QFS, what to retrieve (paper, section 3.2): the n words that the triggering token attends to most."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Candidate:
    """A word that may enter the query.

    ``where`` is "question", "answer", "passage" or "demonstration", ``start``/``end`` are offsets there (for the last
    two in the prompt's text), ``weight`` is the attention to its pieces (mean over heads, summed), ``word_index`` its
    place among the words of question and answer, -1 for others.
    """

    text: str
    start: int
    end: int
    where: str
    weight: float
    word_index: int
    kept: bool = False


def keep_top(candidates: Sequence[Candidate], n: int) -> list[Candidate]:
    """The candidates in reading order, the n heaviest marked as kept (ties: the earlier word)."""
    order = sorted(range(len(candidates)), key=lambda k: -candidates[k].weight)
    kept = set(order[:n])
    return [replace(candidate, kept=k in kept) for k, candidate in enumerate(candidates)]


def keep_top_tokens(
    candidates: Sequence[Candidate], positions: Sequence[Sequence[int]], row: np.ndarray, n: int
) -> list[Candidate]:
    """The candidates in reading order, those marked as kept that hold one of the n heaviest tokens."""
    tokens = sorted((p for each in positions for p in each), key=lambda p: -row[p])
    kept = set(tokens[:n])
    return [replace(c, kept=not kept.isdisjoint(p)) for c, p in zip(candidates, positions, strict=True)]


def query_text(candidates: Sequence[Candidate], repeats: bool = False) -> str:
    """The kept words in reading order, joined by single spaces, each word written once unless it ``repeats``."""
    kept = [candidate.text for candidate in candidates if candidate.kept]
    once: dict[str, str] = {}
    for text in kept:
        once.setdefault(text.casefold(), text)
    return " ".join(kept if repeats else once.values())
