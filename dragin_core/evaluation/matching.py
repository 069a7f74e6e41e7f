"""When an answer counts as right: a normalised alias of the gold answer stands in it, as whole words; and F1."""

import unicodedata
from collections import Counter
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


def f1(answer: str, aliases: Iterable[str]) -> float:
    """Harmonic mean of precision and recall of the answer's words, normalised, against the alias it comes closest to.

    The whole answer counts, so a sentence around the right name is below 1. Characters are words where the script has
    no spaces.
    """
    said = _words(answer)
    return max((_overlap(said, _words(alias)) for alias in aliases), default=0.0)


def _words(text: str) -> Counter[str]:
    return Counter(_UNSPACED.sub(lambda found: f" {found.group()} ", normalise(text)).split())


def _overlap(said: Counter[str], wanted: Counter[str]) -> float:
    shared = (said & wanted).total()
    return 2 * shared / (said.total() + wanted.total()) if shared else 0.0
