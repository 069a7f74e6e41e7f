"""Finding passages: corpora, the analysis that passages and queries share, and one module for each backend."""

from collections.abc import Collection
from typing import Protocol

from .analysis import analyse
from .bm25 import BM25Retriever, Hit
from .corpus import Corpus, Passage, from_summaries, load_corpus


class Retriever(Protocol):
    """A search backend over one corpus."""

    corpus: Corpus

    def search(self, query: str, k: int) -> list[Hit]:
        """At most ``k`` hits with a score above 0, best first."""


RETRIEVERS = {"bm25": BM25Retriever}


def matches(text: str, terms: Collection[str]) -> list[tuple[int, int, str]]:
    """Where ``text`` holds one of the query's terms: (start, end, term), half-open."""
    return [(t.start, t.end, t.text) for t in analyse(text) if t.text in terms]


__all__ = [
    "RETRIEVERS",
    "BM25Retriever",
    "Corpus",
    "Hit",
    "Passage",
    "Retriever",
    "from_summaries",
    "load_corpus",
    "matches",
]
