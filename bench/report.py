"""Numbers as Markdown."""

from collections.abc import Sequence
from statistics import median


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def spread(values: Sequence[float], form: str) -> str:
    """Median with the range behind it: "0.981 (0.970–0.990)"."""
    return f"{median(values):{form}} ({min(values):{form}}–{max(values):{form}})"
