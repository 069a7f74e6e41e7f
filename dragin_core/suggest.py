"""A θ for another model or variant, from its own scores: θ does not carry over (paper, table 2).

What is kept is how rarely it fires: on the same questions as many of the units that can fire pass the θ found here as
pass the default θ on the packaged model.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from .engine import Engine, Progress
from .events import Run
from .reading import read
from .settings import Settings

SHARE = 0.32  # of such units of assets/examples.json pass θ 0.2 on the packaged model, variant paper (a test)


def scores(engine: Engine, question: str, settings: Settings) -> Iterator[Progress | np.ndarray]:
    """Write the answer from memory; yields its tokens as progress, then float64 [m], the scores of units that can fire
    and are not pending."""
    run = Run(question, settings.but(method="wo-rag", when=None, what=None))
    for item in engine.advance(run):
        if isinstance(item, Progress):
            yield item
        else:
            reading = read(item.window, settings.effective)
            found = np.where(reading.semantic > 0, reading.final_scores, np.nan)
            yield found[np.isfinite(found) & ~np.asarray(reading.pending)]


def theta_for(found: Sequence[np.ndarray], share: float = SHARE) -> float:
    """The θ that this share of all scores pass, to two significant digits; 0 where there is no score."""
    every = np.concatenate([*found, []])
    return float(f"{np.quantile(every, 1 - share):.2g}") if len(every) else 0.0
