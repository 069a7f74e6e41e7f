"""The sentence in doubt without its unlikely tokens (FLARE)."""

import numpy as np

from ..events import Decided, QueryFormulated
from ..flare import RULES
from ..reading import Reading, read
from ..sentences import sentence_spans
from ..thinking import Span


def formulate(question, window, decided, settings, passes) -> QueryFormulated:
    """The sentence with a space in place of tokens that the rule masks; white space is closed up.

    Tokens kept from earlier rounds have no probability and stay in.
    """
    start, end = _sentence(read(window, settings.effective), decided)
    left_out = RULES[settings.flare_rule].mask(window.signals.probability, settings)
    masked = set()
    for token in np.flatnonzero(left_out):
        masked.update(range(*window.characters[window.positions[token]]))
    shown = (" " if k in masked else window.answer[k] for k in range(start, end))
    text = " ".join("".join(shown).split())
    return QueryFormulated(text, text)


def _sentence(reading: Reading, decided: Decided) -> Span:
    """The sentence decided on; else the trigger's, as far as it was written at that moment."""
    if decided.sentence is not None:
        first, end = decided.sentence
        return reading.spans[first][0], reading.spans[end - 1][1]
    written = reading.window.answer[: reading.spans[decided.moment][1]]
    spans = sentence_spans(written, reading.window.thinking)
    ends = reading.spans[decided.index][1]
    return next((span for span in reversed(spans) if span[0] < ends), (0, len(written)))
