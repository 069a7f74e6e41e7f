"""The last whole sentence of the answer (FS-RAG)."""

import regex

from ..cut import cut
from ..events import QueryFormulated
from ..reading import read
from ..sentences import sentence_spans

_ENDED = regex.compile(r"[.!?…。！？]\p{P}*$")


def formulate(question, window, decided, settings, passes) -> QueryFormulated:
    """The last sentence of what stays that is whole; the question as long as there is none.

    Where the timing decided by a sentence that stays, it is that one.
    """
    reading = read(window, settings.effective)
    _, kept = cut(reading, decided)
    if decided.sentence is not None:
        first, end = decided.sentence
        start, stop = reading.spans[first][0], reading.spans[end - 1][1]
        if stop <= len(kept):
            return _query(kept[start:stop])
    spans = sentence_spans(kept, window.thinking)
    if spans and not _ENDED.search(kept[spans[-1][0] : spans[-1][1]]):
        spans.pop()
    return _query(kept[spans[-1][0] : spans[-1][1]] if spans else question)


def _query(text: str) -> QueryFormulated:
    text = text.strip()
    return QueryFormulated(text, text)
