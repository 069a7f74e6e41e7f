"""The question and all of the answer so far."""

from ..cut import cut
from ..events import QueryFormulated
from ..reading import read
from ..sentences import join
from ..thinking import without


def formulate(question, window, decided, settings, passes) -> QueryFormulated:
    """Question and what stays of the answer, joined by a space."""
    _, kept = cut(read(window, settings.effective), decided)
    text = join([question, without(kept, window.thinking).strip()])
    return QueryFormulated(text, text)
