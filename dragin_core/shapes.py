"""What a value that comes from outside must look like: small checks that are put together to larger ones.

A check takes a value and where it stands, and raises :class:`InputError` with one sentence if it is not what is due.
Keys that a record does not name are let through.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from .errors import InputError

Check = Callable[[Any, str], None]
SHOWN = 40  # characters of a wrong value that are shown
BIGGEST = 2**53  # a whole number beyond is not exact in every reader of JSON


def require(holds: bool, sentence: str) -> None:
    """Raises: InputError with this sentence, where a condition does not hold."""
    if not holds:
        raise InputError(f"This trace cannot be opened: {sentence}.")


def due(holds: bool, value: Any, where: str, expected: str) -> None:
    """Raises: InputError that shows a value and says what it should have been."""
    if not holds:
        told = repr(value[:SHOWN] if isinstance(value, str) else value)
        told = told if len(told) <= SHOWN else f"{told[:SHOWN]}…"
        require(False, f"{where} is {told}, not {expected}")


def text(most: int) -> Check:
    """A string of at most ``most`` characters."""

    def check(value: Any, where: str) -> None:
        due(isinstance(value, str), value, where, "a text")
        require(len(value) <= most, f"{where} has {len(value):,} characters, more than {most:,}")

    return check


def whole(low: int, high: int) -> Check:
    """A whole number within bounds, both included."""

    def check(value: Any, where: str) -> None:
        right = type(value) is int and low <= value <= high
        due(right, value, where, f"a whole number from {low} to {high}")

    return check


def number(low: float = -1e9, high: float = 1e9) -> Check:
    """A finite number within bounds, both included."""

    def check(value: Any, where: str) -> None:
        right = type(value) in (int, float) and math.isfinite(value) and low <= value <= high
        due(right, value, where, f"a number from {low:g} to {high:g}")

    return check


def flag(value: Any, where: str) -> None:
    """True or false."""
    due(isinstance(value, bool), value, where, "true or false")


def one_of(*names: str) -> Check:
    """One of some words."""

    def check(value: Any, where: str) -> None:
        due(isinstance(value, str) and value in names, value, where, f"one of {', '.join(names)}")

    return check


def or_none(inner: Check) -> Check:
    """What another check lets through, or null."""

    def check(value: Any, where: str) -> None:
        if value is not None:
            inner(value, where)

    return check


def listed(inner: Check, most: int) -> Check:
    """A list of at most ``most`` values that pass another check."""

    def check(value: Any, where: str) -> None:
        due(isinstance(value, list), value, where, "a list")
        require(len(value) <= most, f"{where} has {len(value):,} entries, more than {most:,}")
        for index, each in enumerate(value):
            inner(each, f"{where}[{index}]")

    return check


def row(*inner: Check) -> Check:
    """A list of exactly as many values as there are checks."""

    def check(value: Any, where: str) -> None:
        right = isinstance(value, list) and len(value) == len(inner)
        due(right, value, where, f"a list of {len(inner)}")
        for index, (each, checked) in enumerate(zip(value, inner, strict=True)):
            checked(each, f"{where}[{index}]")

    return check


def named(inner: Check, most: int) -> Check:
    """A mapping of at most ``most`` names to values that pass another check."""

    def check(value: Any, where: str) -> None:
        due(isinstance(value, dict), value, where, "an object")
        require(len(value) <= most, f"{where} has {len(value):,} entries, more than {most:,}")
        for name, each in value.items():
            inner(each, f"{where}[{name[:SHOWN]!r}]")

    return check


def record(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with these keys; others are not looked at."""

    def check(value: Any, where: str) -> None:
        due(isinstance(value, dict), value, where or "the document", "an object")
        prefix = f"{where}." if where else ""
        for name, inner in required.items():
            require(name in value, f"{prefix}{name} is missing")
            inner(value[name], f"{prefix}{name}")
        for name, inner in (optional or {}).items():
            if name in value:
                inner(value[name], f"{prefix}{name}")

    return check
