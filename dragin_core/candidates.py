"""The words that may enter a query and what each weighs, by switch (paper, section 3.2)."""

from collections.abc import Sequence

import numpy as np

from .context import Context, ContextWord, Hit
from .qfs import Candidate
from .sentences import analyse
from .words import find_words, is_stop_word


def attention_row(context: Context, kind: str) -> np.ndarray:
    """float64 [positions]: the row that weighs the words, the mean over the hits. Its sum is at most 1.

    Args:
        kind: the switch ``query_row``.
    """
    return np.mean([ROWS[kind](context, hit) for hit in context.hits], axis=0)


def _own_row(context: Context, hit: Hit) -> np.ndarray:
    """What the pieces pay to what stands before the word, mean over the pieces."""
    return _mean_rows(context, hit.pieces, hit.start)


def _row_before(context: Context, hit: Hit) -> np.ndarray:
    """What the token in front of each piece pays to what stands before the word, brought to a sum of 1; the mean."""
    return _mean_rows(context, [p - 1 for p in hit.pieces], hit.start, normalised=True)


def _mean_rows(context: Context, positions: Sequence[int], end: int, normalised: bool = False) -> np.ndarray:
    total, count = np.zeros(context.size), 0
    for row in (context.row(position) for position in positions):
        if row is None:
            continue
        part = row[:end].astype(float)
        if normalised and part.sum() > 0:
            part = part / part.sum()
        total[: len(part)] += part
        count += 1
    return total / max(1, count)


ROWS = {"trigger": _own_row, "previous": _row_before}


def _no_stop_word(word: ContextWord, context: Context) -> bool:
    return any(not is_stop_word(w.text) for w in find_words(word.text)) and context.own.isdisjoint(word.positions)


def _any_word(word: ContextWord, context: Context) -> bool:
    return bool(find_words(word.text)) and context.own.isdisjoint(word.positions)


def _tagged(word: ContextWord, context: Context) -> bool:
    held = any(token in word.text for token in analyse(context.text).content)
    return held and context.flagged.isdisjoint(word.positions)


ADMITTED = {"drop": _no_stop_word, "keep": _any_word, "pos": _tagged}


def candidates(context: Context, row: np.ndarray, stop_words: str) -> tuple[list[Candidate], list[tuple[int, ...]]]:
    """The words that may enter the query in reading order, and the positions of each one's tokens.

    Args:
        stop_words: the switch ``query_stopwords``.
    """
    words = [word for word in context.words if ADMITTED[stop_words](word, context)]
    found = [Candidate(w.text, w.start, w.end, w.where, float(row[list(w.positions)].sum()), w.index) for w in words]
    return found, [word.positions for word in words]
