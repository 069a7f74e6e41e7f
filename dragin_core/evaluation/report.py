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

    Windows that an earlier row wrote are not written again. Wins and losses are against wo-rag where it is there, else
    against the first row.
    """
    base = "wo-rag" if "wo-rag" in results else next(iter(results))
    lines = [
        f"| method | right | retrievals / question | new forward passes / question | won : lost against {base} |",
        "|---|---|---|---|---|",
    ]
    for name, outcomes in results.items():
        n = len(outcomes)
        paired = compare(outcomes, results[base])
        versus = "–" if name == base else f"{paired['wins']} : {paired['losses']} (p = {paired['p']:.2f})"
        lines.append(
            f"| {name} | {sum(o.right for o in outcomes)} of {n} | {sum(o.retrievals for o in outcomes) / n:.2f} "
            f"| {sum(o.forward_passes for o in outcomes) / n:.1f} | {versus} |"
        )
    return "\n".join(lines)
