"""When to retrieve and what to ask, by name, and the methods of the paper, which are one of each (section 4.3).

Only what settings, help and engine must know before anything heavy is loaded; how it is done stands in the modules of
``timing`` and ``query``.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class When:
    """A timing policy.

    Attributes:
        told: when it retrieves, in a line.
        before_first: it retrieves once before the first token, with the question.
        within: it retrieves while the answer is written.
        looks_ahead: what it decides on is thrown away and written anew; else the answer is kept up to there.
        by_sentences: it needs the window's sentences, and so its end.
    """

    told: str
    before_first: bool = False
    within: bool = True
    looks_ahead: bool = False
    by_sentences: bool = False


@dataclass(frozen=True)
class What:
    """A query formulation. ``told``: what it asks, in a line; ``by_sentences``: it looks for sentences."""

    told: str
    by_sentences: bool = False


@dataclass(frozen=True)
class Method:
    """Names in ``WHEN`` and ``WHAT``, and the method's name in the paper."""

    when: str
    what: str
    title: str


WHEN = {
    "never": When("no retrieval", within=False),
    "once": When("before the first token", before_first=True, within=False),
    "every": When("before the first token, then after every so many tokens", before_first=True),
    "sentence": When("before the first token, then after each sentence", before_first=True, by_sentences=True),
    "flare": When("where the sentence ahead holds an unlikely token", looks_ahead=True, by_sentences=True),
    "rind": When("where a token's RIND passes the threshold", looks_ahead=True),
}

WHAT = {
    "question": What("the question"),
    "last-sentence": What("the last whole sentence of the answer", by_sentences=True),
    "last-tokens": What("the last tokens of the answer, as many as --every says"),
    "full-context": What("the question and the answer so far"),
    "flare-mask": What("the sentence in doubt, without its unlikely tokens", by_sentences=True),
    "qfs": What("the words that the trigger attends to most"),
}

METHODS = {
    "dragin": Method("rind", "qfs", "DRAGIN"),
    "flare": Method("flare", "flare-mask", "FLARE: where the sentence ahead is unsure, with what it is sure of"),
    "fs-rag": Method("sentence", "last-sentence", "FS-RAG: after each sentence, with that sentence"),
    "fl-rag": Method("every", "last-tokens", "FL-RAG: after every so many tokens, with those tokens"),
    "sr-rag": Method("once", "question", "SR-RAG: retrieve once, with the question"),
    "wo-rag": Method("never", "question", "wo-RAG: no retrieval"),
}
