"""The methods by name: a timing (when) and a query formulation (what) each (paper, section 4.3)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """Names in ``timing.TIMINGS`` and ``query.QUERIES``, and the method's name in the paper."""

    when: str
    what: str
    title: str


METHODS = {
    "dragin": Method("rind", "qfs", "DRAGIN"),
    "sr-rag": Method("once", "question", "SR-RAG: retrieve once, with the question"),
    "wo-rag": Method("never", "question", "wo-RAG: no retrieval"),
}
