"""QFS: the context words that the trigger attends to most (paper, section 3.2)."""

from ..candidates import attention_row, candidates
from ..context import Context, glue, glued_context, prompt_context
from ..events import Decided, QueryFormulated
from ..passes import ReadAgain, ShortPasses
from ..qfs import Candidate, keep_top, keep_top_tokens, query_text
from ..reading import Reading, read
from ..settings import Settings
from ..switches import NONE, Switches
from ..window import Window


def formulate(
    question: str, window: Window, decided: Decided, settings: Settings, passes: ShortPasses
) -> QueryFormulated:
    """The n heaviest words; where tokens or sentences set the place, the trigger is the last unit in front of it."""
    switches = settings.effective
    context, mends, again = CONTEXTS[switches.query_text](read(window, switches), decided, passes)
    found = weighed(context, switches, settings.top_n)
    text = query_text(found, context.repeats)
    sent = text if switches.query_limit == NONE else passes.last_tokens(text, switches.query_limit)
    cost, read_again = (again.forward_passes, again.text) if again else (0, None)
    return QueryFormulated(text, sent, tuple(found), mends, cost, read_again)


def weighed(context: Context, switches: Switches, n: int) -> list[Candidate]:
    """The words of a context that may enter the query, n of them (or those of n tokens) marked as kept."""
    row = attention_row(context, switches.query_row)
    found, positions = candidates(context, row, switches.query_stopwords)
    if switches.query_unit == "token":
        return keep_top_tokens(found, positions, row, n)
    return keep_top(found, n)


Found = tuple[Context, tuple[str, ...], ReadAgain | None]


def _in_front(reading: Reading, decided: Decided, passes: ShortPasses) -> Found:
    return prompt_context(reading, decided), (), None


def _read_again(reading: Reading, decided: Decided, passes: ShortPasses) -> Found:
    glued = glue(reading, decided)
    again = passes.read_again(glued.text)
    return glued_context(reading, decided, glued, again), glued.mends, again


CONTEXTS = {"context": _in_front, "reencoded": _read_again}
