"""What a run would have cost if nothing had been known before it.

Windows and short passes are remembered, so what a run cost in fact depends on what was run before it. Here every step
costs what it did when it was first computed, once in a run: what an engine that explores and has just been made pays.
"""

from collections.abc import Hashable, Iterator

from .cost import Cost
from .events import Event, PassagesRetrieved, QueryFormulated, Run, WindowDecoded

ONE_PASS = Cost(forward_passes=1)


def cost_alone(run: Run) -> Cost:
    """The cost of a run on an empty cache; of a window that is still being written, what there is of it."""
    reads_alone = run.settings.effective.attention_over == "answer_alone"
    total, known = Cost(), set()
    for place, event in enumerate(run.events):
        for key, cost in _steps(event, place, reads_alone):
            if key not in known:
                known.add(key)
                total += cost
    return total


def _steps(event: Event, place: int, reads_alone: bool) -> Iterator[tuple[Hashable, Cost]]:
    """The computations behind an event: what each is remembered by, and what it takes."""
    match event:
        case WindowDecoded(window=window):
            yield ("window", window.prompt.token_ids), window.cost
            if reads_alone and len(window) and not event.partial:
                yield ("alone", tuple(window.generated_ids[k] for k in window.positions)), ONE_PASS
        case QueryFormulated(read_again=text) if text is not None:
            yield ("again", text), ONE_PASS
        case PassagesRetrieved(seconds=seconds):
            yield ("search", place), Cost(seconds=seconds)
