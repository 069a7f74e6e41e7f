"""Scores and decisions of a run as CSV. No cell is read as a formula by a spreadsheet."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def scores_csv(trace: Mapping[str, Any]) -> str:
    """One row a unit: round, index, text, H, a_max, s, RIND and whether it fired. Numbers as in the trace."""
    rows, fired = [], fired_units(trace)
    for at, event in enumerate(trace["events"]):
        for index, unit in enumerate(event.get("units", [])):
            values = [unit[key] for key in ("text", "entropy", "max_attention", "semantic", "rind")]
            rows.append([event["round"], index, *values, int((at, index) in fired)])
    return table(["round", "index", "text", "H", "a_max", "s", "RIND", "fired"], rows)


def decisions_csv(trace: Mapping[str, Any]) -> str:
    """One row a decision: round, whether it retrieves, unit, moment, score, why, the query sent and what was found."""
    rows, number, window = [], 0, None
    for event in trace["events"]:
        if event["type"] == "window":
            number, window = event["round"], event
        elif event["type"] == "decision":
            index = event["index"]
            token = window["units"][index]["text"] if window and index is not None else ""
            values = [event[key] for key in ("index", "moment", "score", "reason")]
            rows.append([number, int(event["retrieve"]), token, *values, int(bool(event.get("edited"))), "", "", ""])
        elif event["type"] == "query" and rows:
            rows[-1][8] = event["sent"]
        elif event["type"] == "passages" and rows:
            rows[-1][9], rows[-1][10] = event["evidence"], " | ".join(item["title"] for item in event["items"])
    names = [
        "round",
        "retrieve",
        "text",
        "index",
        "moment",
        "score",
        "reason",
        "by hand",
        "query",
        "evidence",
        "passages",
    ]
    return table(names, rows)


def fired_units(trace: Mapping[str, Any]) -> set[tuple[int, int]]:
    """(index of the window's event, unit) of every decision to retrieve."""
    found, window = set(), -1
    for at, event in enumerate(trace["events"]):
        window = at if event["type"] == "window" else window
        if event["type"] == "decision" and event["retrieve"] and event["index"] is not None:
            found.add((window, event["index"]))
    return found


def table(names: Sequence[str], rows: Sequence[Sequence]) -> str:
    """CSV in which no text is read as a formula: one that begins as such gets an apostrophe in front."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows([[safe_cell(cell) for cell in row] for row in rows])
    return out.getvalue()


def safe_cell(cell: Any) -> Any:
    """A text that a spreadsheet takes as text."""
    return f"'{cell}" if isinstance(cell, str) and cell.lstrip(" ").startswith(FORMULA) else cell


TABLES = {"scores": scores_csv, "decisions": decisions_csv}
