"""Traces as files: what was saved opens again, whoever made it, and saves to the same bytes."""

import json
import math
import re
from pathlib import Path
from typing import Any

from .errors import InputError
from .settings import Settings
from .shapes import BIGGEST, require
from .trace import TRACE_FORMAT
from .trace_sense import check_sense
from .trace_shape import TRACE

MOST_BYTES = 32_000_000
MOST_DEPTH = 32
FAMILY, VERSION = TRACE_FORMAT.split("/")


def trace_text(trace: dict[str, Any]) -> str:
    """A trace as the text of its file: one line of JSON. Opened and saved again it is the same text."""
    return json.dumps(trace, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def read_trace(text: str | bytes) -> dict[str, Any]:
    """The document of a trace's text, as it is: keys that are not known stay.

    Raises:
        InputError: it is no trace, of another version, too large, or does not hold together; one sentence says what is
            wrong and where.
    """
    require(len(text) <= MOST_BYTES, f"it is larger than {MOST_BYTES // 1_000_000} MB")
    trace = _parsed(_decoded(text))
    require(isinstance(trace, dict) and "format" in trace, f"it is JSON, but no {TRACE_FORMAT} document")
    _check_format(trace["format"])
    _check_values(trace)
    TRACE(trace, "")
    check_sense(trace, _settings(trace["settings"]))
    return trace


def load_trace(path: Path) -> dict[str, Any]:
    """:func:`read_trace` of a file.

    Raises:
        InputError: as there, or the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"The trace {path} cannot be read: {error.strerror}.") from error
    return read_trace(text)


def _decoded(text: str | bytes) -> str:
    try:
        return text if isinstance(text, str) else text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("This trace cannot be opened: it is not a text in UTF-8.") from error


def _parsed(text: str) -> Any:
    def refuse(name: str) -> None:
        raise ValueError(f"{name} is no number")

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"This trace cannot be opened: it is not JSON from {place} on.") from error
    except RecursionError as error:
        raise InputError(f"This trace cannot be opened: it is nested deeper than {MOST_DEPTH} levels.") from error
    except ValueError as error:
        raise InputError("This trace cannot be opened: it holds something that is no finite number.") from error


def _check_format(found: Any) -> None:
    known = re.fullmatch(rf"{FAMILY}/([1-9][0-9]{{0,5}})", found) if isinstance(found, str) else None
    require(bool(known), f"its format is not {TRACE_FORMAT}")
    if known[1] != VERSION:
        raise InputError(
            f"This trace is of a newer format ({found}) than this program reads ({TRACE_FORMAT}): "
            "open it in a newer one."
        )


def _check_values(value: Any, depth: int = 0) -> None:
    """That everything, known or not, can be written again and read elsewhere."""
    require(depth <= MOST_DEPTH, f"it is nested deeper than {MOST_DEPTH} levels")
    if isinstance(value, dict):
        for name, inner in value.items():
            _check_values(name, depth)
            _check_values(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _check_values(inner, depth + 1)
    elif isinstance(value, str):
        require(not re.search("[\ud800-\udfff]", value), "it holds half a character")
    elif isinstance(value, float):
        require(math.isfinite(value), "it holds a number that is not finite")
    elif isinstance(value, int):
        require(abs(value) <= BIGGEST, "it holds a whole number of more than 53 bits")


def _settings(values: dict[str, Any]) -> Settings:
    try:
        return Settings.from_dict(values)
    except InputError as error:
        raise InputError(f"This trace cannot be opened: in its settings, {error}") from error
