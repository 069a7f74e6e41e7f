"""Where a sentence that the model would write next is unsure (FLARE; its rule is in :mod:`~dragin_core.flare`)."""

from ..events import Decided
from ..flare import RULES
from ..reading import read


def decide(window, settings, passed=(), until=None, anew=False) -> Decided:
    """The first unsure sentence behind those passed over; one that was written anew is kept as it is."""
    rule = RULES[settings.flare_rule]
    start = passed[-1].keeps if passed else -1
    units = read(window, settings.effective).unit_of_token
    for tokens in window.sentence_tokens[1 if anew else 0 :]:
        if not tokens or tokens.start <= start:
            continue
        found = rule.find(window.signals.probability[tokens.start : tokens.stop], settings)
        if found is not None:
            unsure = {units[tokens.start + k] for k in found.tokens}
            first, last = units[tokens[0]], units[tokens[-1]]
            flags = tuple(int(unit in unsure) for unit in range(first, last + 1))
            sentence, keeps = (first, last + 1), tokens.start
            return Decided(True, "unsure sentence", min(unsure), last, found.score, flags, sentence, keeps=keeps)
    return Decided(False, _why_not(window, passed))


def _why_not(window, passed) -> str:
    if not len(window):
        return "nothing written"
    return "never unsure again" if passed else "never unsure"
