"""The same questions at many thresholds; windows are shared, so each further θ costs only the branches it opens."""

from collections.abc import Callable, Sequence

import numpy as np

from ..errors import InputError
from ..explainer import Explainer
from ..settings import Settings
from .questions import Question
from .run import evaluate

MOST = 1000


def threshold_range(text: str) -> list[float]:
    """Thresholds written as FROM:TO:COUNT, both ends in it.

    Raises:
        InputError: the text is not of that form.
    """
    try:
        first, last, count = text.split(":")
        if not 1 <= int(count) <= MOST:
            raise InputError(f"--theta {text!r} asks for {count} thresholds: give 1 to {MOST}.")
        values = [round(float(v), 6) for v in np.linspace(float(first), float(last), int(count))]
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"--theta {text!r} is no range: write FROM:TO:COUNT, such as 0.1:2.0:20.") from error
    if not all(np.isfinite(values)) or values != sorted(values) or values[0] < 0:
        raise InputError(f"--theta {text!r} is no rising range of thresholds of 0 or more: write FROM:TO:COUNT.")
    return values


def sweep_table(
    explainer: Explainer,
    questions: Sequence[Question],
    settings: Settings,
    thetas: Sequence[float],
    on_progress: Callable[[str, float | None], None],
) -> str:
    """CSV: per θ the right answers, retrievals, forward passes. Question by question, so that windows stay cached."""
    totals = np.zeros((len(thetas), 3))
    for number, item in enumerate(questions, 1):
        for row, theta in enumerate(thetas):
            (outcome,) = evaluate(explainer, [item], settings.but(theta=theta))
            totals[row] += outcome.right, outcome.retrievals, outcome.forward_passes
        on_progress(f"question {number} of {len(questions)}", number / len(questions))
    lines = ["theta,questions,right,retrievals,forward_passes"]
    lines += [
        f"{theta:g},{len(questions)},{int(r)},{int(k)},{int(p)}"
        for theta, (r, k, p) in zip(thetas, totals, strict=True)
    ]
    return "\n".join(lines) + "\n"
