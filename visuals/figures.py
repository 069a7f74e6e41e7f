"""Figures of the page, built with plotly, drawn in the browser.

The server says once what a figure is: its axes, traces, template and hover texts, without any data. The arrays are
filled in by ``assets/js/view_signals.js`` from the trace that the browser holds anyway, so that θ, the round and the
focus redraw a figure without asking the server, and the zoom stays (``uirevision``). Colours are names of CSS
variables; the browser looks them up, which makes the figure right in light and dark.
"""

from pathlib import Path
from typing import Any

import plotly
import plotly.graph_objects as go

from .texts import text

PLOTLY_JS = (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").resolve()
INK, SOFT, RULE, PANEL, WHEN = (f"var(--{name})" for name in ("ink", "soft", "rule", "panel", "when"))
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
BARS_FROM = 0.4  # where the bars begin, as a share of the height; the lines lie below


def figures() -> dict[str, Any]:
    """All figures by name, JSON-ready."""
    return {"signals": signals_figure().to_plotly_json()}


def template() -> go.layout.Template:
    """The page's look: no frame, few lines, tabular and quiet."""
    axis = {
        "gridcolor": RULE,
        "linecolor": RULE,
        "zeroline": False,
        "tickfont": {"color": SOFT, "size": 12},
        "title": {"font": {"color": SOFT, "size": 12}, "standoff": 6},
        "automargin": False,
    }
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "color": INK, "size": 13},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "hoverlabel": {"bgcolor": PANEL, "bordercolor": RULE, "font": {"color": INK, "size": 13}},
            "xaxis": axis | {"showgrid": False},
            "yaxis": axis,
        }
    )


def signals_figure() -> go.Figure:
    """The signals of a round: RIND as bars, H and a_max as lines below them, all scores as a histogram beside them.

    Traces by name: ``rind`` (x: token, y: score, text: its mark, customdata: [token, score, state] as text),
    ``entropy`` and ``attention`` (x: token), and ``scores`` (y: the score of every content token of all rounds). The
    histogram shares the bars' axis, so that one line of θ runs through both.
    """
    figure = go.Figure(layout=_layout())
    figure.add_bar(
        name="rind",
        marker={"color": WHEN, "line": {"width": 0}},
        textposition="outside",
        textfont={"color": WHEN, "size": 13},
        hovertemplate="<b>%{customdata[0]}</b>: RIND %{customdata[1]}%{customdata[2]}<extra></extra>",
    )
    line = {"mode": "lines+markers", "connectgaps": False}
    figure.add_scatter(
        name="entropy",
        yaxis="y2",
        line={"color": INK, "width": 1.75},
        marker={"symbol": "circle", "size": 4},
        hovertemplate="H %{y:.2f}<extra></extra>",
        **line,
    )
    figure.add_scatter(
        name="attention",
        yaxis="y3",
        line={"color": WHEN, "width": 1.75, "dash": "dot"},
        marker={"symbol": "diamond", "size": 5},
        hovertemplate="a_max %{y:.3f}<extra></extra>",
        **line,
    )
    figure.add_histogram(
        name="scores", xaxis="x2", orientation="h", marker={"color": SOFT, "line": {"color": PANEL, "width": 1}}
    )
    figure.update_traces(hoverinfo="skip", selector={"name": "scores"})
    return figure


def _layout() -> dict[str, Any]:
    beside, bars = [0.84, 1], [BARS_FROM, 1]
    strip = {"domain": [0, BARS_FROM - 0.06], "nticks": 4, "rangemode": "tozero", "fixedrange": True}
    return {
        "template": template(),
        "showlegend": False,
        "bargap": 0.12,
        "margin": {"l": 52, "r": 10, "t": 38, "b": 66},
        "dragmode": "zoom",
        "hovermode": "x unified",
        "hoversubplots": "axis",
        "xaxis": {"domain": [0, 0.76], "anchor": "y2", "tickmode": "array", "tickangle": -90, "ticks": ""},
        "yaxis": {"domain": bars, "title": {"text": text("signals.axis.score")}, "nticks": 6},
        "yaxis2": strip | {"title": {"text": text("signals.axis.entropy")}},
        "yaxis3": strip
        | {
            "overlaying": "y2",
            "tickmode": "auto",
            "side": "right",
            "showgrid": False,
            "title": {"text": text("signals.axis.attention")},
            "tickfont": {"color": WHEN, "size": 12},
        },
        "xaxis2": {
            "domain": beside,
            "anchor": "y",
            "title": {"text": text("signals.axis.count")},
            "fixedrange": True,
            "nticks": 3,
            "rangemode": "tozero",
            "side": "top",
        },
    }
