"""The question itself."""

from ..events import QueryFormulated


def formulate(question, window, decided, settings, passes) -> QueryFormulated:
    """The question, whatever is written."""
    return QueryFormulated(question, question)
