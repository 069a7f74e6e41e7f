"""What a text says to a term-matching retriever: the same terms from passages and from queries."""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import regex

from ..words import find_words, is_stop_word

_CLITIC = regex.compile(r"(?i)(?<=\w)(?:n['’]t|['’](?:s|d|m|ll|re|ve))$")
_ABBREVIATION = regex.compile(r"\p{L}\p{M}*(?:\.\p{L}\p{M}*)+")
# The accents of Latin, Greek and Cyrillic; in other scripts a mark can be a vowel.
_MARK = regex.compile(r"[\u0300-\u036f]+")
_PART = regex.compile(r"(?:[^\-'’.,]|(?<=\p{N})[.,](?=\p{N}))+")
_PIECE = regex.compile(r"[^\-'’]+")


@dataclass(frozen=True)
class Term:
    """A term of a text: ``text`` is its normal form, ``source[start:end]`` what was written (half-open offsets)."""

    text: str
    start: int
    end: int


def analyse(text: str) -> list[Term]:
    """The terms of ``text`` in reading order: words in their normal form, without stop words and punctuation.

    Only English stop words are left out: in Chinese or Thai, where a character is a word, names are made of them too.
    A word is split at hyphens, apostrophes and dots, but a number keeps its inner marks ("8,849") and an abbreviation
    loses its dots ("U.S" is "us", and no stop word). English endings ("’s", "n’t") are left out.
    """
    return [
        Term(term, word.start + start, word.start + end)
        for word in find_words(text)
        for term, start, end in _terms(word.text)
    ]


def fold(text: str) -> str:
    """The normal form of a word: no case, no accents, compatible characters made one ("Gödel" and "GODEL")."""
    bare = _MARK.sub("", unicodedata.normalize("NFKD", text)).casefold()
    return unicodedata.normalize("NFC", _MARK.sub("", unicodedata.normalize("NFKD", bare))).strip()


@lru_cache(maxsize=100_000)
def _terms(word: str) -> tuple[tuple[str, int, int], ...]:
    """The terms of one word with their offsets in it."""
    if is_stop_word(word, "en"):
        return ()
    return tuple(
        (term, piece.start() + start, piece.start() + end)
        for piece in _PIECE.finditer(_CLITIC.sub("", word))
        for term, start, end in _terms_of_piece(piece.group())
    )


def _terms_of_piece(piece: str) -> list[tuple[str, int, int]]:
    if _ABBREVIATION.fullmatch(piece):
        return [(fold(piece.replace(".", "")), 0, len(piece))]
    parts = [part for part in _PART.finditer(piece) if not is_stop_word(part.group(), "en") and fold(part.group())]
    return [(fold(part.group()), part.start(), part.end()) for part in parts]
