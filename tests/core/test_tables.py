"""Scores and decisions as CSV: every unit and decision is there, and nothing in it is a formula."""

import csv
import io

import pytest
from tiny import tiny_explainer

from dragin_core import Settings
from visuals.stories import names, story
from visuals.tables import decisions_csv, safe_cell, scores_csv


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("name", names())
def test_the_tables_hold_every_unit_and_every_decision(name):
    trace = story(name)
    windows = [event for event in trace["events"] if event["type"] == "window"]
    scores = rows(scores_csv(trace))
    assert len(scores) == sum(len(window["units"]) for window in windows)
    first = windows[0]["units"][0]
    assert (scores[0]["text"].lstrip("'"), float(scores[0]["H"])) == (first["text"], first["entropy"])
    decisions = [event for event in trace["events"] if event["type"] == "decision"]
    told = rows(decisions_csv(trace))
    assert [row["reason"] for row in told] == [decision["reason"] for decision in decisions]
    sent = [event["sent"] for event in trace["events"] if event["type"] == "query"]
    assert [row["query"] for row in told if row["query"]] == sent
    fired = sum(decision["retrieve"] and decision["index"] is not None for decision in decisions)
    assert sum(row["fired"] == "1" for row in scores) == fired


def test_no_cell_is_a_formula():
    question = "=HYPERLINK(1) of Lyon?"
    explainer = tiny_explainer({question: '=1+1 "quoted", a bridge\n-2 @me +3'}, [("=title", "A bridge of Lyon.")])
    trace = explainer.run(question, Settings(theta=0.05)).to_dict()
    for text in (scores_csv(trace), decisions_csv(trace)):
        cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
        assert not [cell for cell in cells if cell.lstrip(" ")[:1] in tuple("=+@")]
        assert not [cell for cell in cells if cell.startswith("-") and not cell[1:2].isdigit()]
    assert any(row["text"] == "'=" for row in rows(scores_csv(trace)))
    assert safe_cell(-2.5) == -2.5
