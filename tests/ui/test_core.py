"""The browser's method (assets/js/core.js) against the engine's, on windows of a tiny model with real attention."""

import json
from pathlib import Path

import pytest

from dragin_core import Settings

ASSETS = Path(__file__).resolve().parents[2] / "assets"
QUESTION = "Which bridge did the old engineer of Lyon build in 1889?"
REPLY = "The old engineer of Lyon built the Garabit viaduct over the Truyère, and later a second bridge in Porto."
THETAS = (0.0, 0.05, 0.2, 0.5, 0.9, 1.4, 2.0, 3.0, 5.0)


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


def test_a_word_outside_the_sliding_window_weighs_nothing_and_is_marked(core, runs):
    events = runs(0.05, 2)["events"]
    window, index = events[0], events[1]["index"]
    kept = [k for k, w in enumerate(core.evaluate("([w, i]) => queryOf(w, i, 2).words", [window, index])) if w["kept"]]
    window["rows"]["weights"][index][kept[0]] = None
    words = core.evaluate("([w, i]) => queryOf(w, i, 2).words", [window, index])
    assert (words[kept[0]]["weight"], words[kept[0]]["outside"], words[kept[0]]["kept"]) == (0, True, False)
    assert not words[kept[1]]["outside"] and words[kept[1]]["kept"]
    names = ("dom.js", "view_attention.js")
    for source in [(ASSETS / "js" / name).read_text(encoding="utf-8") for name in names]:
        core.add_script_tag(content=source)
    core.evaluate("texts => { globalThis.TEXTS = texts; }", json.loads((ASSETS / "texts.en.json").read_text("utf-8")))
    node = core.evaluate(
        "word => { const n = wordNode(word, 1); return [n.className, n.title, n.querySelectorAll('.bar').length]; }",
        words[kept[0]],
    )
    assert "outside" in node[0] and "window" in node[1] and node[2] == 0


def test_characters_beyond_16_bits_are_counted_as_the_trace_counts_them(core, scripted):
    asked, reply = "Who drew the 🙂 of Lyon?", "The 👩\u200d🔬 old 🙂 engineer of Lyon 𝒜 built the Garabit viaduct."
    window = scripted({asked: reply}).run(asked, Settings(theta=99)).to_dict()["events"][0]
    text = window["kept_text"] + window["text"]
    spans = [unit["word"] for unit in window["units"] if unit["word"]]
    words = core.evaluate("([text, spans]) => spans.map(span => part(text, ...span))", [text, spans])
    assert words == [text[start:end] for start, end in spans]
    assert "engineer" in words
    sections = [[s["start"], s["end"]] for s in window["prompt"]["sections"]]
    shown = core.evaluate(
        "([text, spans]) => spans.map(span => part(text, ...span))", [window["prompt"]["text"], sections]
    )
    assert asked in shown
    early = core.evaluate("trace => traceUntil(trace, 1, 5).answer", {"events": [window], "answer": text})
    assert early == "".join(unit["text"] for unit in window["units"][:5])
