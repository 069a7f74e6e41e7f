"""The browser's method (assets/js/core.js) against the engine's, on windows of a tiny model with real attention."""

import json
from pathlib import Path

import pytest

from dragin_core import Settings

SOURCE = (Path(__file__).resolve().parents[2] / "assets" / "js" / "core.js").read_text(encoding="utf-8")
QUESTION = "Which bridge did the old engineer of Lyon build in 1889?"
REPLY = "The old engineer of Lyon built the Garabit viaduct over the Truyère, and later a second bridge in Porto."
THETAS = (0.0, 0.05, 0.2, 0.5, 0.9, 1.4, 2.0, 3.0, 5.0)


@pytest.fixture
def core(browser):
    """A blank page with the functions of core.js."""
    page = browser.new_page()
    page.add_script_tag(content=SOURCE)
    yield page
    page.close()


@pytest.fixture
def runs(scripted):
    """Traces of one question at several θ and n, over passages that bring new evidence."""
    passages = [("Garabit", "The Garabit viaduct was built by Gustave Eiffel."), ("Porto", "A bridge in Porto.")]
    explainer = scripted({QUESTION: REPLY}, passages)

    def run(theta: float, n: int) -> dict:
        trace = explainer.run(QUESTION, Settings(theta=theta, top_n=n, max_new_tokens=48))
        return json.loads(json.dumps(trace.to_dict()))

    return run


def test_triggers_equal_the_engines_at_every_theta(core, runs):
    window = runs(1.0, 5)["events"][0]
    fired = set()
    for theta in THETAS:
        decision = runs(theta, 5)["events"][1]
        found = core.evaluate("([units, theta]) => decide(units, theta)", [window["units"], theta])
        assert (found is not None) == decision["retrieve"]
        if found:
            assert (found["index"], found["moment"]) == (decision["index"], decision["moment"])
            assert found["score"] == pytest.approx(decision["score"], abs=1e-5)
            fired.add(found["index"])
    assert fired, "no θ fired: the test would show nothing"


def test_queries_equal_the_engines_at_every_n(core, runs):
    seen = set()
    for n in (1, 2, 5, 12, 50):
        events = runs(0.05, n)["events"]
        text = core.evaluate("([w, index, n]) => queryOf(w, index, n).text", [events[0], events[1]["index"], n])
        assert text == events[2]["text"]
        seen.add(text)
    assert len(seen) > 1


def test_a_theta_that_decides_the_same_is_followed_throughout(core, runs):
    """Over all rounds, passed-over triggers included: a hair's breadth beside the run's θ nothing changes."""
    for theta in THETAS[1:]:
        trace = runs(theta, 5)
        states = core.evaluate(
            "([trace, theta]) => previewOf(trace, theta, 5).map(r => r.status)", [trace, theta + 1e-6]
        )
        assert set(states) == {"followed"}


def test_another_theta_marks_the_round_it_changes_and_all_after_it(core, runs):
    trace = runs(0.05, 5)
    states = core.evaluate("trace => previewOf(trace, 1e9, 5).map(r => r.status)", trace)
    assert states[0] == "changed"
    assert set(states[1:]) <= {"later"}


def test_another_n_marks_what_lies_behind_the_query(core, runs):
    trace = runs(0.05, 5)
    rounds = core.evaluate("trace => previewOf(trace, 0.05, 1).map(r => [r.status, r.why])", trace)
    assert rounds[0] == ["changed", "query"]


def test_a_run_watched_again_has_the_numbers_of_that_moment_and_gives_no_answer_away(core, runs):
    trace = runs(0.2, 12)
    whole = trace["events"][0]["units"]
    seen = core.evaluate("trace => [2, 5, 12].map(count => traceUntil(trace, 1, count))", trace)
    for early, count in zip(seen, (2, 5, 12), strict=True):
        (window,) = early["events"]
        assert early["answer"] == "".join(unit["text"] for unit in whole[:count]) == window["text"]
        assert early["answer_without_retrieval"] is None
        assert window["partial"] and window["units"][-1]["pending"]
        for i, unit in enumerate(window["units"]):
            grown = [value for moment, value in whole[i]["max_attention_at"] if moment < count]
            assert unit["max_attention"] == (grown[-1] if grown else None)
            assert unit["rind"] == (whole[i]["entropy"] * grown[-1] * whole[i]["semantic"] if grown else None)
    assert core.evaluate("trace => traceUntil(trace, trace.events.length)", trace) == trace


def test_a_window_watched_again_is_written_up_to_the_moment_it_fires(core, runs):
    trace = runs(0.2, 12)
    decision = trace["events"][1]
    assert decision["retrieve"]
    assert core.evaluate("trace => tokensBefore(trace.events, 0)", trace) == decision["moment"] + 1
    assert core.evaluate("trace => tokensBefore(trace.events.slice(0, 1), 0)", trace) == len(
        trace["events"][0]["units"]
    )
