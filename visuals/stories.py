"""Recorded runs, each of which shows one thing; they need no model. Made by ``python -m visuals.record``."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import gradio as gr

from dragin_core.settings import Settings

from .texts import ASSETS, text

ENTRIES = ASSETS / "recorded.json"
TRACES = ASSETS / "traces"


def entries() -> list[dict[str, Any]]:
    """What is recorded: ``{"name", "question", "gold": [aliases], "settings": {}}``, in the order they are told."""
    return json.loads(ENTRIES.read_text(encoding="utf-8"))


def names() -> list[str]:
    """The names of the runs whose trace is there."""
    return [entry["name"] for entry in entries() if path_of(entry["name"]).is_file()]


def path_of(name: str) -> Path:
    return TRACES / f"{name}.json"


@lru_cache
def story(name: str) -> dict[str, Any]:
    """A recorded ``dragin-trace/1`` document, with the expected answer as ``gold``.

    Raises:
        KeyError: there is no such run.
    """
    if name not in names():
        raise KeyError(name)
    return json.loads(path_of(name).read_text(encoding="utf-8"))


def settings_of(name: str) -> Settings:
    """The settings it was run with."""
    return Settings.from_dict(story(name)["settings"])


def story_chooser(value: str | None) -> gr.Dropdown:
    """The chooser of recorded runs."""
    choices = [(text(f"story.{name}.title"), name) for name in names()]
    return gr.Dropdown(
        choices, value=value, label=text("story.label"), elem_id="story", filterable=False, min_width=160
    )
