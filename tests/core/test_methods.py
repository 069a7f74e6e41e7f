"""The methods on models that write what is known by hand: which retrievals, with which queries, in which order."""

import json
from collections import Counter
from copy import copy

import numpy as np
import pytest
import torch
from tiny import tiny_explainer

from dragin_core import InputError, Settings
from dragin_core.engine import Engine
from dragin_core.events import AnswerCut, Decided, PassagesRetrieved, QueryFormulated, WindowDecoded
from dragin_core.methods import METHODS, WHAT, WHEN
from dragin_core.query import QUERIES
from dragin_core.timing import TIMINGS

QUESTION = "Where did Ada live?"
MEMORY = "Ada lived near Paris. She wrote about engines. Then she rested for long."
ADA = ("Ada", "Ada was a countess.")
PARIS = ("Paris", "People lived near Paris on the Seine.")
ENGINES = ("Engines", "Somebody wrote about engines.")
OTHERS = [("Zebra", "Zebras graze."), ("Whale", "Whales swim."), ("Lion", "Lions roar.")]
PASSAGES = [ADA, PARIS, ENGINES, *OTHERS]
PAIRS = [(when, what) for when, each in WHEN.items() for what in WHAT if each.within or what == "question"]


def events(trace, kind):
    return [event for event in trace.run.events if isinstance(event, kind)]


def queries(trace):
    return [event.text for event in events(trace, QueryFormulated)]


def evidence(trace):
    return [event.evidence for event in events(trace, PassagesRetrieved)]


def kept(trace):
    return [event.kept_text for event in events(trace, AnswerCut)]


def titles(trace):
    """Of the passages in the prompt of each window."""
    return [[p.title for p in event.window.prompt.passages] for event in events(trace, WindowDecoded)]


# FL-RAG: after every so many tokens. "Ada" is two tokens, a full stop one.


def test_fl_rag_asks_the_question_then_the_last_tokens(scripted):
    trace = scripted({QUESTION: MEMORY}, PASSAGES).run(QUESTION, Settings(method="fl-rag", every=5, top_k=1))
    assert queries(trace) == [
        QUESTION,
        "Ada lived near Paris",
        ". She wrote about engines",
        ". Then she rested for",
    ]
    assert evidence(trace) == ["new", "new", "new", "none"]
    assert kept(trace) == ["Ada lived near Paris", "Ada lived near Paris. She wrote about engines"]
    assert titles(trace) == [["Ada"], ["Paris"], ["Engines"]]
    assert trace.answer == MEMORY
    assert trace.counts["retrievals"] == 3


def test_the_same_evidence_passes_a_place_over_and_the_next_one_is_in_the_same_window(scripted):
    trace = scripted({QUESTION: MEMORY}, [ADA, *OTHERS]).run(QUESTION, Settings(method="fl-rag", every=5, top_k=1))
    assert evidence(trace) == ["new", "same", "none", "none"]
    assert [(d.retrieve, d.keeps) for d in events(trace, Decided)] == [
        (True, None),
        (True, 5),
        (True, 10),
        (True, 15),
        (False, None),
    ]
    assert len(events(trace, WindowDecoded)) == 1
    assert events(trace, Decided)[-1].reason == "the answer ends first"


def test_no_place_is_at_the_end_of_the_answer(scripted):
    explainer = scripted({QUESTION: MEMORY}, PASSAGES)
    tokens = len(explainer.run(QUESTION, Settings(method="wo-rag")).run.window)
    assert queries(explainer.run(QUESTION, Settings(method="fl-rag", every=tokens))) == [QUESTION]
    assert len(queries(explainer.run(QUESTION, Settings(method="fl-rag", every=tokens - 1)))) == 2


def test_a_place_never_parts_a_character(scripted):
    reply = "爱因斯坦🙂住过é。"
    explainer = scripted({QUESTION: reply}, [ADA, *OTHERS])
    trace = explainer.run(QUESTION, Settings(method="fl-rag", every=1))
    window = trace.run.window
    places = [d.keeps for d in events(trace, Decided) if d.keeps]
    assert places == sorted(set(places))
    assert [window.cut_at(k)[1] for k in places] == [reply[:k] for k in range(1, len(reply))]
    assert all(len(window.cut_at(k)[0]) == k for k in places)


# FS-RAG: after each sentence


def test_fs_rag_asks_the_question_then_each_sentence_that_another_follows(scripted):
    trace = scripted({QUESTION: MEMORY}, PASSAGES).run(QUESTION, Settings(method="fs-rag", top_k=1))
    assert queries(trace) == [QUESTION, "Ada lived near Paris.", "She wrote about engines."]
    assert evidence(trace) == ["new", "new", "new"]
    assert kept(trace) == ["Ada lived near Paris.", "Ada lived near Paris. She wrote about engines."]
    assert titles(trace) == [["Ada"], ["Paris"], ["Engines"]]
    assert trace.answer == MEMORY


@pytest.mark.parametrize(("most", "asked"), [(0, 0), (1, 1), (2, 2)])
@pytest.mark.parametrize("method", ["fs-rag", "fl-rag"])
def test_retrievals_are_bounded_the_one_up_front_among_them(scripted, method, most, asked):
    settings = Settings(method=method, every=5, top_k=1, max_retrievals=most)
    trace = scripted({QUESTION: MEMORY}, PASSAGES).run(QUESTION, settings)
    assert trace.counts["retrievals"] == len(queries(trace)) == asked
    assert events(trace, Decided)[-1].reason == "max retrievals"


def test_what_the_model_thinks_is_neither_counted_nor_asked(scripted):
    explainer = scripted({QUESTION: f"<think>One two three. Four five six.</think>{MEMORY}"}, PASSAGES)
    asked = queries(explainer.run(QUESTION, Settings(method="fs-rag", top_k=1)))
    assert asked == [QUESTION, "Ada lived near Paris.", "She wrote about engines."]
    asked = queries(explainer.run(QUESTION, Settings(method="fl-rag", every=5, top_k=1)))
    assert asked[1] == "Ada lived near Paris"
    asked = queries(explainer.run(QUESTION, Settings(when="sentence", what="full-context", top_k=1)))
    assert asked[1] == f"{QUESTION} Ada lived near Paris."


# FLARE: where a sentence is unsure. Tokens that are not named have the probability 0.95.

CHANCES = {"near": 0.3, "Paris": 0.7, "London": 0.2, "engines": 0.79}
LONDON = ("Ada Lovelace", "Ada lived in London, not in Paris.")
READ = "Ada lived in London. She wrote about engines. Then she rested for long."
READ_TWICE = "Ada lived in London. She wrote about looms. Then she rested for long."
REPLIES = {ENGINES[1]: READ_TWICE, LONDON[1]: READ, QUESTION: MEMORY}


@pytest.fixture
def unsure(scripted):
    return scripted(REPLIES, [LONDON, ENGINES, *OTHERS], chances=CHANCES)


def test_flare_asks_with_the_sentence_ahead_and_has_it_written_anew(unsure):
    trace = unsure.run(QUESTION, Settings(method="flare", top_k=1))
    assert queries(trace) == ["Ada lived Paris.", "She wrote about engines."]
    assert kept(trace) == ["", "Ada lived in London."]
    assert titles(trace) == [[], ["Ada Lovelace"], ["Engines"]]
    assert trace.answer == READ_TWICE
    assert trace.answer_without_retrieval == MEMORY


def test_what_flare_had_written_anew_is_kept_however_unsure_and_the_next_sentence_is_looked_at(unsure):
    trace = unsure.run(QUESTION, Settings(method="flare", top_k=1))
    second = events(trace, WindowDecoded)[1].window
    assert second.signals.probability[: len(second.sentence_tokens[0])].min() == pytest.approx(0.2, abs=1e-3)
    decided = events(trace, Decided)
    assert [d.reason for d in decided] == ["unsure sentence", "unsure sentence", "never unsure"]
    assert [d.score for d in decided[:2]] == pytest.approx([0.3, 0.79], abs=1e-3)
    assert [(d.index, d.keeps) for d in decided[:2]] == [(3, 0), (9, 6)]  # at "near"; at "engines", before "She"
    assert decided[0].flags == (0, 0, 0, 1, 1, 0)


@pytest.mark.parametrize(
    ("settings", "asked"),
    [
        ({"flare_threshold": 0.75}, ["Ada lived Paris."]),
        ({"flare_threshold": 0.25}, []),
        ({"flare_mask": 0.2}, ["Ada lived near Paris.", "She wrote about engines."]),
        ({"flare_mask": 0.75}, ["Ada lived .", "She wrote about engines."]),
        ({"max_retrievals": 1}, ["Ada lived Paris."]),
    ],
)
def test_flares_threshold_says_when_and_its_mask_says_what(unsure, settings, asked):
    assert queries(unsure.run(QUESTION, Settings(method="flare", top_k=1, **settings))) == asked


def test_flare_passes_an_unsure_sentence_over_whose_query_brings_nothing(scripted):
    trace = scripted({QUESTION: MEMORY}, [ENGINES, *OTHERS], chances=CHANCES).run(QUESTION, Settings(method="flare"))
    assert evidence(trace) == ["none", "new"]
    assert kept(trace) == ["Ada lived near Paris."]


def test_a_query_of_which_the_mask_leaves_nothing_is_empty(scripted):
    explainer = scripted({QUESTION: "Paris"}, PASSAGES, chances={"Paris": 0.3})
    trace = explainer.run(QUESTION, Settings(method="flare"))
    assert queries(trace) == [""]
    assert [e.reason for e in events(trace, PassagesRetrieved)] == ["empty query"]
    assert trace.answer == "Paris"


def test_the_released_codes_flare_takes_the_mean_doubt_of_a_sentence(unsure):
    released = Settings(method="flare", flare_rule="released", top_k=1)
    trace = unsure.run(QUESTION, released)
    # doubts of the second sentence: 0.05 four times and 0.21, on average 0.082; of the last one 0.05
    assert queries(trace) == ["Ada lived .", "She wrote about ."]
    assert [d.score for d in events(trace, Decided)[:2]] == pytest.approx([(4 * 0.05 + 0.7 + 0.3) / 6, 0.082], abs=1e-3)
    assert queries(unsure.run(QUESTION, released.but(flare_doubt=0.09))) == ["Ada lived ."]


def test_the_probability_is_the_chosen_tokens_and_a_given_texts_own(scripted):
    explainer = scripted({QUESTION: MEMORY}, chances=CHANCES)
    signals = explainer.run(QUESTION, Settings(method="wo-rag")).run.window.signals
    assert signals.probability == pytest.approx(signals.top_probabilities[:, 0], abs=1e-6)
    window = explainer.decode(QUESTION, Settings(), text="Ada lived in Rome.")
    ids = [*window.prompt.token_ids, *window.generated_ids]
    with torch.inference_mode():
        p = explainer.lm.model(torch.tensor([ids])).logits[0].double().softmax(-1).numpy()
    first = len(window.prompt.token_ids)
    wanted = [p[k - 1, ids[k]] for k in range(first, len(ids))]
    assert window.signals.probability == pytest.approx(wanted, abs=1e-4)
    assert (np.array(wanted) < window.signals.top_probabilities[:, 0]).any()
    units = explainer.score_window(window, Settings())["units"]
    assert [unit["probability"] for unit in units] == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize(
    ("method", "stays", "asked"),
    [
        ("fl-rag", "Ada lived near Paris", "Ada lived near Paris"),
        ("fs-rag", "Ada lived near Paris.", "Ada lived near Paris."),
        ("flare", "", "Ada lived Paris."),
    ],
)
def test_one_window_is_scored_under_every_method(scripted, method, stays, asked):
    explainer = scripted({QUESTION: MEMORY}, chances=CHANCES)
    found = explainer.score(QUESTION, Settings(method=method, every=5), question=QUESTION)
    assert found["decision"]["retrieve"]
    assert found["decision"]["kept_text"] == stays
    assert found["query"]["sent"] == asked


# Any timing with any query


@pytest.mark.parametrize(
    ("what", "asked"),
    [
        ("question", QUESTION),
        ("last-sentence", "Ada lived near Paris."),
        ("last-tokens", "She wrote about"),
        ("full-context", f"{QUESTION} Ada lived near Paris. She wrote about"),
        ("flare-mask", "She about engines."),
    ],
)
def test_each_query_where_rind_fires(scripted, what, asked):
    explainer = scripted({QUESTION: MEMORY}, chances={"wrote": 0.3})
    settings = Settings(what=what, every=3)
    window = explainer.run(QUESTION, settings.but(theta=99)).run.window
    fires = Decided(True, "above threshold", index=9, moment=10)  # at "engines", while the full stop is written
    assert QUERIES[what](QUESTION, window, fires, settings, explainer.engine.passes).sent == asked


@pytest.mark.parametrize("what", ["last-sentence", "last-tokens", "full-context"])
def test_where_nothing_is_written_yet_the_question_is_asked(scripted, what):
    explainer = scripted({QUESTION: MEMORY}, PASSAGES)
    assert queries(explainer.run(QUESTION, Settings(theta=0, what=what, max_retrievals=1)))[0] == QUESTION


def test_qfs_asks_with_what_the_last_token_before_the_place_attends_to(scripted):
    trace = scripted({QUESTION: MEMORY}, PASSAGES).run(QUESTION, Settings(when="sentence", what="qfs", top_n=2))
    assert queries(trace)[0] == QUESTION
    later = events(trace, QueryFormulated)[1:]
    assert later
    assert all(len([c for c in query.candidates if c.kept]) == 2 for query in later)
    assert {c.text for c in later[0].candidates} <= {"Ada", "live", "lived", "near", "Paris"}


def fresh(explainer, explore=True):
    """The same model and passages, no window known."""
    new = copy(explainer)
    new.engine = Engine(explainer.lm, explainer.engine.retriever, explore)
    return new


def told(trace):
    kinds = Decided, QueryFormulated, PassagesRetrieved, AnswerCut
    found = [event for event in trace.run.events if isinstance(event, kinds)]
    return [(e.kept_ids, e.kept_text) if isinstance(e, AnswerCut) else parts(e) for e in found]


def parts(event):
    match event:
        case Decided():
            return event.retrieve, event.reason, event.index, event.moment, event.keeps, event.sentence, event.flags
        case QueryFormulated():
            return event.text, event.sent
        case PassagesRetrieved():
            return event.evidence, [hit.passage.id for hit in event.hits]


@pytest.fixture(scope="module")
def writer():
    """One explainer for many tests; each makes an engine of its own."""
    return tiny_explainer(REPLIES, [LONDON, ENGINES, PARIS, *OTHERS], chances=CHANCES)


@pytest.mark.parametrize(("when", "what"), PAIRS)
def test_any_pair_ends_is_bounded_and_stopping_decides_as_exploring_does(writer, when, what):
    settings = Settings(when=when, what=what, every=4, theta=0.2, top_k=1, top_n=3, max_retrievals=2)
    explored, stopped = (fresh(writer, explore).run(QUESTION, settings) for explore in (True, False))
    assert told(stopped) == told(explored)
    assert stopped.answer == explored.answer
    assert explored.answer
    assert explored.counts["retrievals"] <= 2
    up_front = isinstance(explored.run.events[0], Decided)
    assert up_front == WHEN[when].before_first
    assert not up_front or queries(explored)[0] == QUESTION
    document = explored.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False))["settings"]["when"] == when
    assert Settings.from_dict(document["settings"]) == settings


@pytest.mark.parametrize("variant", ["literal", "official"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_runs_under_every_variant(scripted, method, variant):
    explainer = scripted({"London": READ, "": MEMORY}, [LONDON, *PASSAGES], chances=CHANCES, opening="\nAnswer:")
    if variant == "literal":
        explainer = scripted(REPLIES, [LONDON, *PASSAGES], chances=CHANCES)
    trace = explainer.run(QUESTION, Settings(method=method, variant=variant, every=5, theta=0.5))
    assert trace.answer.startswith("Ada lived")
    assert trace.counts["retrievals"] <= 5
    assert trace.to_dict()["events"][-1]["type"] == "finished"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"when": "once", "what": "qfs"}, "what=qfs makes no sense with when=once"),
        ({"method": "wo-rag", "what": "last-tokens"}, "what=last-tokens makes no sense with when=never"),
        ({"when": "often"}, "when 'often' is unknown: choose one of never, once, every"),
        ({"what": "answer"}, "what 'answer' is unknown: choose one of question, last-sentence"),
        ({"every": 0}, "every is 0: give a whole number from 1"),
        ({"flare_threshold": 1.1}, "flare_threshold is 1.1: give a number from 0 to 1"),
        ({"flare_mask": "low"}, "flare_mask is 'low': give a number from 0 to 1"),
        ({"flare_doubt": -1}, "flare_doubt is -1: give a number from 0 to 1"),
        ({"flare_rule": "own"}, "flare_rule 'own' is unknown: choose one of paper, released"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(settings, said):
    with pytest.raises(InputError) as error:
        Settings(**settings)
    assert said in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_the_names_are_those_that_have_code():
    assert list(TIMINGS) == list(WHEN)
    assert list(QUERIES) == list(WHAT)
    assert {m.when for m in METHODS.values()} == set(WHEN)
    assert {m.what for m in METHODS.values()} == {"question", "last-sentence", "last-tokens", "flare-mask", "qfs"}


# Windows that methods share


def test_six_methods_on_one_question_write_no_window_twice(writer):
    explainer = fresh(writer)
    settings = {name: Settings(method=name, every=5, top_k=1, theta=0.2) for name in METHODS}
    before, shared = explainer.lm.forward_passes, {}
    for name in METHODS:
        shared[name] = explainer.run(QUESTION, settings[name])
    passes = explainer.lm.forward_passes - before
    windows = [event for trace in shared.values() for event in events(trace, WindowDecoded)]
    written = Counter(event.window.prompt.token_ids for event in windows if not event.cached)
    assert max(written.values()) == 1
    assert set(written) == {event.window.prompt.token_ids for event in windows}
    assert passes == sum(event.forward_passes for event in windows)
    assert all(event.forward_passes == 0 for event in windows if event.cached)
    alone = 0
    for name, each in settings.items():
        trace = fresh(explainer).run(QUESTION, each)
        assert told(trace) == told(shared[name])
        alone += trace.counts["forward_passes"]
    assert passes < alone
