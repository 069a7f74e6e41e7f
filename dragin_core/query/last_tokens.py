"""The last tokens of the answer (FL-RAG)."""

from ..cut import cut
from ..events import QueryFormulated
from ..reading import read
from ..thinking import is_inside, outside


def formulate(question, window, decided, settings, passes) -> QueryFormulated:
    """The text of the last ``every`` tokens of what stays; the question where nothing does.

    Tokens that spell nothing, or what the model thinks, do not count.
    """
    ids, kept = cut(read(window, settings.effective), decided)
    characters = (*window.prompt.kept_characters, *window.characters)[: len(ids)]
    said = [span for span in characters if span[0] < span[1] and not is_inside(span, window.thinking)]
    if not said:
        return QueryFormulated(question, question)
    first = said[-settings.every :][0][0]
    text = "".join(kept[max(a, first) : b] for a, b in outside(kept, window.thinking)).strip()
    return QueryFormulated(text, text)
