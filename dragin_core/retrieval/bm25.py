"""BM25 over a corpus, by rank-bm25, with an inverse document frequency that is never negative."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from rank_bm25 import BM25Okapi

from ..errors import InputError
from .analysis import analyse
from .corpus import Corpus, Passage

K1 = 1.2
B = 0.75
_REMEMBERED = 1024


@dataclass(frozen=True)
class Hit:
    """A passage found, its BM25 score, and what each term of the query adds to it (these sum to the score)."""

    passage: Passage
    score: float
    terms: dict[str, float]


class BM25Retriever:
    """Searches a corpus with BM25 (k1 1.2, b 0.75) over title and text of its passages.

    Raises:
        InputError: no passage has a term to be found by.
    """

    def __init__(self, corpus: Corpus):
        self.corpus = corpus
        documents = [[term.text for term in analyse(f"{p.title}\n{p.text}")] for p in corpus.passages]
        if not any(documents):
            raise InputError(f"The corpus {corpus.name} has no word to search for: give passages of text.")
        self._index = _Okapi(documents, k1=K1, b=B)
        self._holders = _holders(self._index.doc_freqs)
        self._remembered = lru_cache(_REMEMBERED)(self._search)

    def search(self, query: str, k: int) -> list[Hit]:
        """The ``k`` passages that score highest above 0, best first, equal scores in the order of the corpus.

        A text is given once, also where it stands under two titles. Fewer than ``k`` where fewer match.
        """
        terms = tuple(term.text for term in analyse(query))
        return [replace(hit, terms=dict(hit.terms)) for hit in self._remembered(terms, k)]

    def _search(self, terms: tuple[str, ...], k: int) -> tuple[Hit, ...]:
        known = [term for term in terms if term in self._index.idf]
        if not known:
            return ()
        candidates = sorted(set().union(*(self._holders[term] for term in known)))
        best = self._best(candidates, np.array(self._index.get_batch_scores(known, candidates)), k)
        columns = {
            term: self._index.get_batch_scores([term] * known.count(term), best) for term in dict.fromkeys(known)
        }
        return tuple(
            self._hit(i, {term: column[row] for term, column in columns.items()}) for row, i in enumerate(best)
        )

    def _best(self, candidates: list[int], scores: np.ndarray, k: int) -> list[int]:
        """The first ``k`` of the candidates by falling score, each text once."""
        best: dict[str, int] = {}
        for row in np.argsort(-scores, kind="stable"):
            if len(best) >= k:
                break
            best.setdefault(self.corpus.passages[candidates[row]].text, candidates[row])
        return list(best.values())

    def _hit(self, index: int, terms: dict[str, float]) -> Hit:
        matched = {term: value for term, value in terms.items() if value > 0}
        return Hit(self.corpus.passages[index], sum(matched.values()), matched)


def _holders(counts: Sequence[Mapping[str, int]]) -> dict[str, list[int]]:
    """For each term the indices of the passages that hold it: only these have a score to be computed."""
    holders: dict[str, list[int]] = {}
    for index, terms in enumerate(counts):
        for term in terms:
            holders.setdefault(term, []).append(index)
    return holders


class _Okapi(BM25Okapi):
    def _calc_idf(self, nd: dict[str, int]) -> None:
        self.idf = {term: math.log1p((self.corpus_size - df + 0.5) / (df + 0.5)) for term, df in nd.items()}
