"""Figures are frames: axes, traces and colours by name, without data; plotly.js comes from the installed package."""

import json
import re

from visuals.explore import plot_parts
from visuals.figures import PLOTLY_JS, figures
from visuals.texts import ASSETS

STYLES = (ASSETS / "stage.css").read_text(encoding="utf-8")


def test_the_signals_figure_has_its_traces_and_shares_the_scores_axis():
    figure = json.loads(json.dumps(figures()))["signals"]
    traces = {trace["name"]: trace for trace in figure["data"]}
    assert list(traces) == ["rind", "entropy", "attention", "scores"], "view_signals.js fills them in this order"
    assert [trace["type"] for trace in traces.values()] == ["bar", "scatter", "scatter", "histogram"]
    assert traces["scores"]["orientation"] == "h"
    assert traces["scores"].get("yaxis", "y") == traces["rind"].get("yaxis", "y")
    assert not any({"x", "y"} & set(trace) for trace in traces.values())


def test_every_colour_is_a_variable_of_the_stylesheet():
    names = set(re.findall(r"var\((--[a-z-]+)\)", json.dumps(figures())))
    assert {"--when", "--ink"} <= names
    assert all(f"{name}: light-dark(" in STYLES for name in names)
    assert not re.search(r"#[0-9a-f]{3,6}\b", json.dumps(figures())), "a fixed colour is wrong in one of the themes"


def test_plotly_js_is_the_installed_packages_and_not_in_the_page():
    assert PLOTLY_JS.is_file()
    parts = plot_parts()
    assert PLOTLY_JS.name in parts
    assert len(parts) < 10_000
    assert not list(ASSETS.rglob("plotly*"))
