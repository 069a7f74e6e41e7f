"""What a model thinks before it answers: the text between ``<think>`` and ``</think>``.

It is decoded, shown and kept like all other text, but is no part of the answer, is not scored and enters no query.
"""

from collections.abc import Iterable, Sequence

import regex

Span = tuple[int, int]

MARKS = {"<think>": True, "</think>": False}  # whether it opens
_MARK = regex.compile("|".join(MARKS))
_SPACE = regex.compile(r"\s*")


def opens(template: str) -> bool:
    """Whether text that a template puts in front of an answer leaves a thinking section open."""
    marks = _MARK.findall(template)
    return bool(marks) and MARKS[marks[-1]]


def sections(text: str, hidden: Iterable[tuple[int, bool]] = (), opened: bool = False) -> tuple[Span, ...]:
    """The thinking sections of a text as half-open spans, marks and the white space behind them included.

    What follows never changes whether a character in front of it is inside: a closing mark that nothing opened is a
    section of its own, and one that never comes leaves the section open to the end.

    Args:
        hidden: (offset, whether it opens) of marks that spell no text, being special tokens.
        opened: the text begins inside a section.
    """
    marks = [(m.start(), m.end(), MARKS[m.group()]) for m in _MARK.finditer(text)]
    marks += [(offset, offset, is_open) for offset, is_open in hidden]
    found: list[Span] = []
    begun = 0 if opened else None
    for start, end, is_open in sorted(marks):
        if is_open:
            begun = start if begun is None else begun
        else:
            found.append((start if begun is None else begun, _SPACE.match(text, end).end()))
            begun = None
    if begun is not None:
        found.append((begun, len(text)))
    return tuple((start, end) for start, end in found if start < end)


def outside(text: str, thinking: Sequence[Span]) -> list[Span]:
    """The rest of a text, as half-open spans in order; the sections may be those of a longer text it begins."""
    edges = [0, *(min(edge, len(text)) for section in thinking for edge in section), len(text)]
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return [(start, end) for start, end in pairs if start < end]


def without(text: str, thinking: Sequence[Span]) -> str:
    """A text without its thinking sections."""
    return "".join(text[start:end] for start, end in outside(text, thinking))


def is_inside(span: Span, thinking: Sequence[Span]) -> bool:
    """Whether all characters of a span, or the place of an empty one, are in one section."""
    start, end = span
    return any(first <= start and (end <= last if start < end else start < last) for first, last in thinking)
