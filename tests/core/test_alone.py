"""What a run would have cost alone is what it costs on an engine that knows nothing."""

from collections import Counter

import pytest
from test_methods import OTHERS, QUESTION, fresh
from tiny import tiny_explainer

from dragin_core import Settings
from dragin_core.alone import cost_alone
from dragin_core.engine import Progress
from dragin_core.methods import METHODS

MEMORY = "Ada lived near Paris. She wrote about engines. Then she rested for long."
READ = "Ada lived in London. She wrote about engines. Question: Who else?"
PASSAGES = [("Ada", "Ada lived in London."), ("Engines", "Somebody wrote about engines."), *OTHERS]
CHANCES = {"Paris": 0.3, "engines": 0.5, "London": 0.35}


@pytest.fixture(scope="module")
def writer():
    return tiny_explainer({"external knowledge": READ, QUESTION: MEMORY}, PASSAGES, chances=CHANCES)


def exact(counts):
    return {name: value for name, value in counts.items() if name not in ("seconds", "cached_windows")}


@pytest.mark.parametrize("variant", ["paper", "literal", "official"])
def test_the_cost_alone_is_that_of_a_fresh_engine(writer, variant):
    template = {"template": "paper"} if variant == "official" else {}  # the model answers a chat prompt only
    settings = Settings(variant=variant, switches=template, theta=0.1, top_k=1, every=5, max_retrievals=3)
    shared = fresh(writer)
    for name in [*METHODS, *METHODS]:
        trace = shared.run(QUESTION, settings.but(method=name))
        alone = fresh(writer).run(QUESTION, settings.but(method=name))
        assert exact(trace.counts_alone) == exact(alone.counts) == exact(alone.counts_alone)
    assert trace.counts["forward_passes"] == 0, "the second time everything is known"
    assert trace.counts_alone["seconds"] > trace.counts["seconds"]


def test_six_methods_through_one_cache_decode_every_key_once(writer, monkeypatch):
    shared, written = fresh(writer), Counter()
    put = shared.engine._windows.put
    monkeypatch.setattr(shared.engine._windows, "put", lambda key, window: (written.update([key]), put(key, window)))
    traces = [shared.run(QUESTION, Settings(method=name, every=5, top_k=1, theta=0.1)) for name in METHODS]
    assert len(written) > 3
    assert set(written.values()) == {1}
    alone = sum(trace.counts_alone["forward_passes"] for trace in traces)
    assert sum(trace.counts["forward_passes"] for trace in traces) < alone


def test_a_window_that_is_being_written_costs_what_there_is_of_it(writer):
    explainer = fresh(writer)
    run = explainer.start(QUESTION, Settings(theta=5))
    partial = [item.window for item in explainer.advance(run) if isinstance(item, Progress)][2]
    cost = cost_alone(run.then(partial))
    assert (cost.decoded_tokens, cost.forward_passes) == (partial.decoded_tokens, partial.window.cost.forward_passes)
    assert cost.decoded_tokens > 0
