"""Words and the tokens that belong to them, read from decoded text and offsets, never from vocabulary strings.

A word is a maximal run of letters and digits, with single inner ``' ’ - . ,`` kept ("O'Neil", "8,849"). In scripts
written without spaces (Han, Kana, Thai, Lao, Khmer, Burmese) every character with its marks is a word.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

import regex

_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\u30fc\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_LETTER = rf"[[\p{{L}}\p{{N}}]--{_UNSPACED}]"
_RUN = rf"{_LETTER}(?:{_LETTER}|[\p{{M}}\u200c\u200d])*"
_GAPS = " \n"
_INNER = "'’\\-.,"
_WORD = regex.compile(rf"(?V1)(?:[{_UNSPACED}&&[\p{{L}}\p{{N}}]]\p{{M}}*|{_RUN}(?:[{_INNER}]{_RUN})*)")


@dataclass(frozen=True)
class Word:
    """A word of a text: ``text == source[start:end]`` (half-open character offsets)."""

    text: str
    start: int
    end: int


def find_words(text: str) -> list[Word]:
    """The words of ``text`` in reading order; they never overlap."""
    return [Word(m.group(), m.start(), m.end()) for m in _WORD.finditer(text)]


def settled_until(text: str) -> int:
    """The offset up to which no text that may still be appended can change a word.

    The last word stays open while it touches the end, or ends one inner mark before it ("8," may become "8,849").
    """
    words = find_words(text)
    if not words:
        return len(text)
    rest = text[words[-1].end :]
    is_open = not rest or (len(rest) == 1 and rest in "'’-.,")
    return words[-1].start if is_open else len(text)


_SCRIPTS = {  # by script the language whose stop words count; all others, Latin among them, have the English ones
    "Han": "zh",
    "Hiragana": "ja",
    "Katakana": "ja",
    "Hangul": "ko",
    "Thai": "th",
    "Cyrillic": "ru",
    "Greek": "el",
    "Arabic": "ar",
    "Hebrew": "he",
    "Devanagari": "hi",
}
_SCRIPT = regex.compile("|".join(rf"(?P<{script}>\p{{{script}}})" for script in _SCRIPTS))


@lru_cache
def stop_words(language: str = "en") -> frozenset[str]:
    """spaCy's stop words of a language, lower-cased (326 in English).

    Raises:
        ValueError: spaCy has no such language.
    """
    try:
        module = import_module(f"spacy.lang.{language}.stop_words")
    except ModuleNotFoundError as error:
        raise ValueError(f"spaCy has no stop words for the language {language!r}") from error
    return frozenset(word.lower() for word in module.STOP_WORDS)


def language_of(word: str) -> str:
    """The language whose stop list a word is looked up in, told by the script of its first character that tells.

    A script is no language: Japanese written in Han characters is looked up in the Chinese list, Ukrainian in the
    Russian one, and every language in Latin letters in the English one, as the paper does.
    """
    found = _SCRIPT.search(word)
    return _SCRIPTS[found.lastgroup] if found else "en"


def is_stop_word(word: str, language: str | None = None) -> bool:
    """Whether ``word`` is in the stop list, whatever its case; by default in that of its script."""
    return word.lower().replace("’", "'") in stop_words(language or language_of(word))


def word_of_each(spans: Sequence[tuple[int, int]], words: Sequence[Word]) -> list[int]:
    """For each token the index of the first word it has characters in, or -1.

    Args:
        spans: per token, in text order, the half-open span of all characters it has bytes in. Those that spell one
            character share it; one without characters (a special token, broken bytes) belongs to no word.
    """
    owners: list[int] = []
    w = 0
    for start, end in spans:
        if start == end:
            owners.append(-1)
            continue
        while w < len(words) and words[w].end <= start:
            w += 1
        owners.append(w if w < len(words) and words[w].start < end else -1)
    return owners


def spaced_words(text: str, spans: Sequence[tuple[int, int]]) -> list[range]:
    """Groups of consecutive token spans, each from a piece that begins with a space or newline up to the next.

    Spans may leave the white space before a piece out. A span without characters belongs to the group before it.
    """
    starts = [k for k, (start, end) in enumerate(spans) if k == 0 or (start < end and _begins_word(text, spans, k))]
    return [range(start, end) for start, end in zip(starts, [*starts[1:], len(spans)], strict=False)]


def _begins_word(text: str, spans: Sequence[tuple[int, int]], k: int) -> bool:
    start = spans[k][0]
    return text[start] in _GAPS or (start > spans[k - 1][1] and text[start - 1] in _GAPS)
