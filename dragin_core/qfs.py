"""QFS, what to retrieve (paper, section 3.2): the n words that the triggering token attends to most."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A word that may enter the query.

    ``where`` is "question" or "answer", ``start``/``end`` are offsets there, ``weight`` is the trigger's attention to
    its pieces (mean over heads, summed), ``word_index`` its place among all the context words.
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
    return [
        Candidate(c.text, c.start, c.end, c.where, c.weight, c.word_index, k in kept) for k, c in enumerate(candidates)
    ]


def query_text(candidates: Sequence[Candidate]) -> str:
    """The kept words in reading order, joined by single spaces, each word written once."""
    words: dict[str, str] = {}
    for candidate in candidates:
        if candidate.kept:
            words.setdefault(candidate.text.casefold(), candidate.text)
    return " ".join(words.values())
