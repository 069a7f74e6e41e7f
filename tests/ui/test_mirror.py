"""The browser's method under other switches against the engine's: right, or it says that only the engine can tell."""

import json
import math
from dataclasses import asdict
from functools import lru_cache

import pytest

from dragin_core import Settings
from dragin_core.lens import Segment
from visuals.texts import ASSETS

QUESTION = "Which bridge did the old engineer of Lyon build in 1889?"
REPLY = "The old engineer drew plans. He built the Garabit viaduct over the Truyère. Later came a bridge in Porto."
PASSAGES = [("Garabit", "The Garabit viaduct was built by Gustave Eiffel."), ("Porto", "A bridge in Porto.")]
THETAS = (0.0, 0.2, 0.9, 2.0, 5.0)
BY_SENTENCE = {"decide": "window", "cut": "sentence"}
SETTINGS = {
    "paper": ("paper", {}),
    "literal": ("literal", {}),
    "official": ("official", {"template": "paper"}),  # the scripted model answers a chat prompt only
    "from self": ("paper", {"later": "from_self"}),
    "words": ("paper", {"unit": "word", "cut": "token"}),
    "any word": ("paper", {"query_stopwords": "keep"}),
    "alone": ("paper", {"attention_over": "answer_alone"}),
    "by sentence": ("paper", BY_SENTENCE),
    "by sentence, scaled": ("paper", {**BY_SENTENCE, "scale": "sentence", "query_hits": "sentence"}),
    "read again": ("paper", {"query_text": "reencoded"}),
    "row before": ("paper", {"query_row": "previous"}),
    "tokens counted": ("paper", {"query_unit": "token"}),
    "known passages": ("paper", {"repeat_evidence": "retrieve", "query_scope": "+passages"}),
}


@pytest.fixture(scope="module")
def model():
    """One tiny model for all runs, so that its windows are known."""
    from tiny import tiny_explainer

    return tiny_explainer({QUESTION: REPLY}, PASSAGES)


@pytest.fixture(scope="module", params=SETTINGS)
def run(request, model):
    """A function of θ and n that runs the question: (trace, effective switches)."""
    variant, switches = SETTINGS[request.param]

    @lru_cache
    def run(theta: float, n: int = 5) -> tuple[dict, dict]:
        settings = Settings(
            variant=variant, switches=switches, theta=theta, top_n=n, max_new_tokens=40, max_retrievals=2
        )
        trace = json.loads(json.dumps(model.run(QUESTION, settings).to_dict()))
        return trace, asdict(settings.effective)

    return run


def preview(core, trace, theta, n, switches):
    return core.evaluate(
        "([trace, theta, n, switches]) => previewOf(trace, theta, n, switches)", [trace, theta, n, switches]
    )


def decision_of(trace):
    return next(event for event in trace["events"] if event["type"] == "decision")


def test_at_its_own_settings_a_run_is_followed_throughout(core, run):
    for theta in THETAS:
        trace, switches = run(theta)
        assert {view["status"] for view in preview(core, trace, theta, 5, switches)} == {"followed"}
        beside = theta and theta + 1e-7
        assert {view["status"] for view in preview(core, trace, beside, 5, switches)} == {"followed"}


def test_the_first_trigger_at_another_theta_is_the_engines(core, run):
    trace, switches = run(0.2)
    fired = set()
    for theta in THETAS:
        decision = decision_of(run(theta)[0])
        found = preview(core, trace, theta, 5, switches)[0]
        first = found["passed"][0] if found["passed"] else (found["trigger"] or {}).get("index")
        assert first == decision["index"]
        fired.add(first)
    assert fired - {None}, "no θ fired: the test would show nothing"


def test_a_query_shown_for_another_n_is_the_engines_or_none(core, run):
    trace, switches = run(0.2)
    told = 0
    for n in (1, 5, 50):
        other = next(event for event in run(0.2, n)[0]["events"] if event["type"] == "query")
        found = core.evaluate(
            """([trace, n, switches]) => {
              const [round] = previewOf(trace, 0.2, n, switches);
              const index = round.groups[0].decision.index;
              return queryFor(round, index, n, trace.settings, switches)?.text ?? null;
            }""",
            [trace, n, switches],
        )
        assert found in (None, other["text"])
        told += found is not None
    assert told == (1 if switches["query_unit"] == "token" else 3)


def test_what_only_the_engine_can_tell_is_marked_so(core, run):
    trace, switches = run(0.2)
    first = preview(core, trace, 0.2, 1, switches)[0]
    expected = "unknown" if switches["query_unit"] == "token" else "query"
    assert (first["status"], first["why"]) == ("changed", expected)


def test_the_cut_begins_where_the_engine_cut(core, run):
    trace, switches = run(0.2)
    windows = [event for event in trace["events"] if event["type"] == "window"]
    cuts = [event for event in trace["events"] if event["type"] == "cut"]
    views = preview(core, trace, 0.2, 5, switches)
    assert cuts
    for window, cut, view in zip(windows, cuts, views, strict=False):
        assert view["cutFrom"] == len(cut["kept_text"]) - len(window["kept_text"])
        if view["trigger"]:
            guess = core.evaluate(
                "([w, trigger, switches]) => cutAt(w, trigger, switches)", [window, view["trigger"], switches]
            )
            assert window["text"][: view["cutFrom"]].rstrip() == window["text"][:guess].rstrip()


@pytest.mark.parametrize("over", ["theta", "top_n"])
def test_the_run_that_is_shown_is_the_lenss_first_or_none(core, run, model, over):
    core.add_script_tag(path=ASSETS / "js" / "lens_shown.js")
    told = []
    for theta in (0.2, 0.9):
        trace, switches = run(theta)
        shown = {"trace": trace, "facts": {"switches": switches, "right": None}}
        found = core.evaluate("([shown, over]) => foundAtOnce(shown, over)", [shown, over])
        lens = model.lens(QUESTION, Settings.from_dict(trace["settings"]))
        looked = lens.over_theta() if over == "theta" else lens.over_n()
        first = next(item for item in looked if isinstance(item, Segment))
        looked.close()
        if found:
            (segment,) = found["segments"]
            high = math.inf if segment["high"] is None else segment["high"]
            assert (segment["low"], high) == pytest.approx((first.low, first.high), rel=1e-4)
            assert segment["value"] == trace["settings"][over]
            for name in ("retrievals", "decisions", "queries"):
                assert segment[name] == getattr(first, name)
            assert segment["answer"] == first.answer.strip()
        told.append(bool(found))
    assert any(told) or (over == "top_n" and switches["query_unit"] == "token")
