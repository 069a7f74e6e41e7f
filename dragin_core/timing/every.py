"""After every so many tokens (FL-RAG). Tokens of what the model thinks do not count."""

from ..events import Decided
from ..reading import read


def decide(window, settings, passed=(), until=None, anew=False) -> Decided:
    """The next place that has so many tokens behind the one before, and the answer going on after it.

    A character is never parted: where it is spelt by several tokens the place is behind the last of them.
    """
    written = len(window) if until is None else until
    start = passed[-1].keeps if passed else 0
    said = [k for k in range(start, len(window)) if window.reasons[k] != "thinking"]
    flags = tuple(d.index for d in passed)
    if len(said) >= settings.every:
        keeps = window.whole_from(said[settings.every - 1] + 1)
        if keeps < written:
            index = read(window, settings.effective).unit_of_token[keeps - 1]
            return Decided(True, "so many tokens", index, index, flags=flags, keeps=keeps)
    return Decided(False, "the answer ends first" if len(window) else "nothing written", flags=flags)
