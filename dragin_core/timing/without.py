"""No retrieval while the answer is written: not at all, or only before the first token."""

from ..events import Decided
from ..methods import WHEN


def decide(window, settings, passed=(), until=None, anew=False) -> Decided:
    """Never."""
    return Decided(False, "once, up front" if WHEN[settings.timing].before_first else "never")
