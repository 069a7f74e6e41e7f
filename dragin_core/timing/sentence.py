"""After each sentence (FS-RAG). The window's last sentence has nothing after it and is left alone."""

from ..events import Decided
from ..reading import read


def decide(window, settings, passed=(), until=None, anew=False) -> Decided:
    """The end of the first sentence behind those passed over."""
    start = passed[-1].keeps if passed else 0
    for tokens in window.sentence_tokens[:-1]:
        if tokens and tokens.stop > start:
            units = read(window, settings.effective).unit_of_token
            first, last = units[tokens[0]], units[tokens[-1]]
            flags = tuple(int(unit == last) for unit in range(first, last + 1))
            return Decided(True, "a sentence", last, last, None, flags, (first, last + 1), keeps=tokens.stop)
    return Decided(False, "the answer ends first" if len(window) else "nothing written")
