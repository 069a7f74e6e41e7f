"""When an answer counts as right: a normalised alias of the gold answer stands in it, as whole words."""

import unicodedata
from collections.abc import Iterable

import regex

_ARTICLES = regex.compile(r"\b(?:a|an|the)\b")
_NOT_WORD = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")


def normalise(text: str) -> str:
    """Casefolded (NFKC), punctuation to single spaces, English articles out."""
    plain = _NOT_WORD.sub(" ", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(_ARTICLES.sub(" ", plain).split())


def is_right(answer: str, aliases: Iterable[str]) -> bool:
    """Whether some alias stands in the answer, both normalised; whole words, where the script has spaces."""
    said = normalise(answer)
    for alias in map(normalise, aliases):
        if alias and (f" {alias} " in f" {said} " or (_UNSPACED.search(alias) and alias in said)):
            return True
    return False
