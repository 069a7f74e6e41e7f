"""The list of a visitor's runs: a value, a tree of branches, bounded; one list knows nothing of another."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from tiny import tiny_explainer

from dragin_core import Settings
from dragin_core.edits import AskInstead, FireAt
from dragin_core.errors import InputError
from dragin_core.events import Decided, QueryFormulated
from visuals.handlers import Handlers
from visuals.loader import Models
from visuals.runs import MOST_RUNS, Runs, shown_list
from visuals.session import Session

QUESTION = "Which bridge did the engineer of Lyon build?"
REPLY = "The engineer drew plans. He built the Garabit viaduct."


@pytest.fixture(scope="module")
def model():
    return tiny_explainer({QUESTION: REPLY}, [("Garabit", "The Garabit viaduct was built."), ("Lyon", "Of Lyon.")])


def ended(model, run):
    while not run.finished:
        *_, event = model.advance(run)
        run = run.then(event)
    return run


def at(run, kind) -> int:
    return next(k for k, event in enumerate(run.events) if isinstance(event, kind))


def test_a_run_goes_on_with_the_model_that_made_it_whatever_is_chosen(model):
    models = Models(["one", "another"], corpus="not-there.jsonl")  # so neither loads
    models.loader("another").wait(60)
    models.loader("one").wait(60)
    models.loader("one").explainer = model
    run = ended(model, model.start(QUESTION, Settings(theta=0.2)))
    steps = Handlers(models).model("another", run)
    with pytest.raises(StopIteration) as told:
        next(steps)
    assert told.value.value is model
    assert models.name_of(run) == "one"
    assert "did not load" in list(Handlers(models).model("another"))[-1][2]["text"]


def test_another_model_is_another_run_and_names_the_branch(model):
    first = ended(model, model.start(QUESTION, Settings(theta=0.2)))
    other = replace(first, model="/models/tiny")
    runs = Runs().noted(Session(run=first, line="a"), "").noted(Session(run=other, line="b", parent="a"), "")
    assert [entry.name for entry in runs.entries] == ["DRAGIN, θ 0.2", "model tiny → tiny"]


def test_branches_are_named_after_what_changed_and_stand_under_their_parent(model):
    handlers = Handlers(SimpleNamespace(explainer=model))
    first = ended(model, model.start(QUESTION, Settings(theta=0.2)))
    runs = Runs().noted(Session(run=first, line="a"), "Garabit")
    fired = ended(model, model.edited(first, at(first, Decided), FireAt(1)))
    runs = runs.noted(Session(run=fired, line="b", parent="a"), "")
    asks = ended(model, model.edited(fired, at(fired, QueryFormulated), AskInstead("=a viaduct <b>")))
    runs = runs.noted(Session(run=asks, line="c", parent="b"), "")
    moved = ended(model, model.start(QUESTION, Settings(theta=0.1, top_n=3)))
    runs = runs.noted(Session(run=moved, line="d", parent="a"), "Eiffel")
    shown = json.loads(shown_list(runs, handlers))["runs"]
    assert [(run["name"], run["depth"]) for run in shown] == [
        ("DRAGIN, θ 0.2", 0),
        ("fire at “engineer”", 1),
        ("ask “=a viaduct <b>”", 2),
        ("θ 0.2 → 0.1, n 12 → 3", 1),
    ]
    assert [run["right"] for run in shown] == [True, None, None, False]
    assert [run["current"] for run in shown] == [False, False, False, True]
    again = runs.noted(Session(run=first, line="e", parent="d"), "Garabit")
    assert (len(again.entries), again.current) == (4, "a")
    without = runs.without("b")
    assert [(entry.id, entry.parent) for entry in without.entries] == [("a", None), ("c", "a"), ("d", "a")]
    assert len(runs.entries) == 4
    assert runs.named("b", " <i> ").get("b").name == "<i>"
    for bad in ("", " ", None, "x" * 81):
        with pytest.raises(InputError):
            runs.named("b", bad)


def test_a_run_that_goes_on_stays_one_entry_and_the_list_is_bounded(model):
    run, runs = model.start(QUESTION, Settings(theta=0.2)), Runs()
    while not run.finished:
        *_, event = model.advance(run)
        run = run.then(event)
        runs = runs.noted(Session(run=run, line="a"), "")
        assert [len(entry.run.events) for entry in runs.entries] == [len(run.events)]
    left = []
    for n in range(1, MOST_RUNS + 3):
        branch = ended(model, model.start(QUESTION, Settings(theta=0.2, top_n=n, max_new_tokens=8)))
        runs, gone = runs.noted(Session(run=branch, line=str(n), parent="a"), "").bounded()
        left += [gone.id] if gone else []
        assert len(runs.entries) <= MOST_RUNS
    assert left == ["1", "2", "3"]
    assert runs.get("a")
    line = Runs()
    for n in range(1, MOST_RUNS + 2):
        branch = model.start(QUESTION, Settings(theta=0.2, top_n=n)).then(run.events[0])
        line, gone = line.noted(Session(run=branch, line=str(n), parent=str(n - 1)), "").bounded()
    assert gone.id == "1"
    assert [entry.parent for entry in line.entries[:2]] == [None, "2"]
