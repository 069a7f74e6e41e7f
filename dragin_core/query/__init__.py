"""What to retrieve: how each query formulation of :data:`~dragin_core.methods.WHAT` words a query, by name."""

from collections.abc import Callable

from ..events import Decided, QueryFormulated
from ..passes import ShortPasses
from ..settings import Settings
from ..window import Window
from . import flare_mask, full_context, last_sentence, last_tokens, qfs, question

Formulation = Callable[[str, Window | None, Decided, Settings, ShortPasses], QueryFormulated]
QUERIES: dict[str, Formulation] = {
    "question": question.formulate,
    "last-sentence": last_sentence.formulate,
    "last-tokens": last_tokens.formulate,
    "full-context": full_context.formulate,
    "flare-mask": flare_mask.formulate,
    "qfs": qfs.formulate,
}
