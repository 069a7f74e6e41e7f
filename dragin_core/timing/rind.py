"""RIND (paper, section 3.1), decided as the switch ``decide`` says."""

from ..decisions import DECISIONS
from ..events import Decided
from ..reading import read


def decide(window, settings, passed=(), until=None, anew=False) -> Decided:
    """Where a unit's score passes θ."""
    switches = settings.effective
    return DECISIONS[switches.decide](read(window, switches), settings.theta, passed, until)
