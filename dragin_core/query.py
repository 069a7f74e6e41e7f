"""What to retrieve: the query formulations, by name."""

from collections.abc import Callable

from .events import Decided, QueryFormulated
from .qfs import keep_top, query_text
from .settings import Settings
from .window import Window

Formulation = Callable[[str, Window | None, Decided, Settings], QueryFormulated]


def question(question: str, window: Window | None, decided: Decided, settings: Settings) -> QueryFormulated:
    """The question itself."""
    return QueryFormulated(question, question)


def qfs(question: str, window: Window, decided: Decided, settings: Settings) -> QueryFormulated:
    """The n context words that the trigger attends to most (paper, section 3.2)."""
    candidates = keep_top(window.candidates(decided.index), settings.top_n)
    text = query_text(candidates)
    return QueryFormulated(text, text, tuple(candidates))


QUERIES: dict[str, Formulation] = {"question": question, "qfs": qfs}
