"""The page's texts, one file a language."""

import json
from functools import cache
from pathlib import Path
from typing import Any

ASSETS = Path(__file__).resolve().parent.parent / "assets"


@cache
def texts(language: str = "en") -> dict[str, str]:
    """All texts of a language, by key."""
    return json.loads((ASSETS / f"texts.{language}.json").read_text(encoding="utf-8"))


@cache
def lessons(language: str = "en") -> dict[str, Any]:
    """``glossary``, ``tour``, ``misreadings`` and ``questions`` of a language, in the order they are told."""
    return json.loads((ASSETS / f"learn.{language}.json").read_text(encoding="utf-8"))


def text(key: str, **values: Any) -> str:
    """One text with its {names} filled in; values are inserted as they are, never read as a format."""
    found = texts()[key]
    for name, value in values.items():
        found = found.replace("{" + name + "}", str(value))
    return found
