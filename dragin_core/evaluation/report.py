"""Outcomes as a table, and two methods compared question by question."""

from collections.abc import Mapping, Sequence
from math import comb

from .run import Outcome


def compare(ours: Sequence[Outcome], theirs: Sequence[Outcome]) -> dict[str, float]:
    """Paired wins and losses, with the two-sided sign-test probability of a split at least as uneven by chance."""
    other = {o.id: o.right for o in theirs}
    wins = sum(o.right and not other[o.id] for o in ours)
    losses = sum(not o.right and other[o.id] for o in ours)
    n = wins + losses
    tail = sum(comb(n, k) for k in range(min(wins, losses) + 1)) / 2**n
    return {"wins": wins, "losses": losses, "p": min(1.0, 2 * tail)}


def summary_table(results: Mapping[str, Sequence[Outcome]]) -> str:
    """A Markdown table, a row a method.

    Windows that an earlier row wrote are not written again; where that was counted, a further column has what each
    method would take alone. Wins and losses are against wo-rag where it is there, else against the first row.
    """
    base = "wo-rag" if "wo-rag" in results else next(iter(results))
    alone = _counted(results)
    heads = ["method", "right", "F1", "retrievals / question", "new forward passes / question"]
    heads += [*(["alone"] if alone else []), f"won : lost against {base}"]
    lines = [_row(heads), "|" + "---|" * len(heads)]
    for name, outcomes in results.items():
        n = len(outcomes)
        paired = compare(outcomes, results[base])
        versus = "–" if name == base else f"{paired['wins']} : {paired['losses']} (p = {paired['p']:.2f})"
        cells = [
            name,
            f"{sum(o.right for o in outcomes)} of {n}",
            f"{sum(o.f1 for o in outcomes) / n:.3f}",
            f"{sum(o.retrievals for o in outcomes) / n:.2f}",
            f"{sum(o.forward_passes for o in outcomes) / n:.1f}",
            *([f"{sum(o.forward_passes_alone for o in outcomes) / n:.1f}"] if alone else []),
            versus,
        ]
        lines.append(_row(cells))
    return "\n".join(lines)


def shared_line(results: Mapping[str, Sequence[Outcome]]) -> str | None:
    """What sharing windows saves: the forward passes of all methods on a question, in fact and each alone; None where
    that was not counted."""
    if not _counted(results):
        return None
    every = [outcome for outcomes in results.values() for outcome in outcomes]
    questions = len(every) / len(results)
    fact, alone = (sum(o.forward_passes for o in every), sum(o.forward_passes_alone for o in every))
    share = f" ({1 - fact / alone:.0%} saved)" if alone else ""
    return (
        f"{len(results)} methods on one question: {fact / questions:.1f} forward passes through one cache, "
        f"{alone / questions:.1f} each alone{share}"
    )


def _counted(results: Mapping[str, Sequence[Outcome]]) -> bool:
    return all(o.forward_passes_alone is not None for outcomes in results.values() for o in outcomes)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
