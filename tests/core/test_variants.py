"""The variants as whole runs, every single switch on a real window, and the comparison of two settings."""

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from test_switches import VALID

from dragin_core import InputError, Settings, sentences
from dragin_core.candidates import attention_row
from dragin_core.compare import path, told
from dragin_core.context import hit_units, prompt_context
from dragin_core.events import AnswerCut, Decided, PassagesRetrieved, WindowDecoded
from dragin_core.prompts import build_prompt
from dragin_core.reading import read
from dragin_core.retrieval import Passage
from dragin_core.rind import find_trigger, scores_by_moment
from dragin_core.sentences import share_out
from dragin_core.signals import growing_maximum
from dragin_core.words import spaced_words

QUESTION = "Where did Ada Lovelace live?"
MEMORY = "Ada Lovelace lived near Paris. She liked horses. So the answer is Paris."
READ = "Ada Lovelace lived in London. She wrote about engines. So the answer is London."
AFTER = "Ada Lovelace lived in London. So the answer is London."
PASSAGES = [
    ("Ada Lovelace", "Ada Lovelace lived in London and wrote about the Analytical Engine."),
    ("Paris", "Paris is the capital of France."),
]
OFFICIAL = Settings(variant="official", theta=0.0, top_n=5)
CHAT = OFFICIAL.but(switches={"template": "paper"})  # the scripted model answers a chat prompt only


def events(run, kind):
    return [event for event in run.events if isinstance(event, kind)]


@lru_cache
def real_window(explainer):
    prompt = (
        "Answer briefly.\nQuestion: Which patent office did Albert Einstein work at in 1903?\nAnswer: Einstein moved."
    )
    return explainer.decode(
        prompt,
        Settings(max_new_tokens=24),
        raw=True,
        question="Which patent office did Albert Einstein work at in 1903?",
        answer_so_far=" Einstein moved.",
    )


# Runs


def test_official_keeps_one_unchecked_sentence_drops_the_passages_and_stops_at_the_answer(scripted):
    trace = scripted({"external knowledge": READ, QUESTION: MEMORY}, PASSAGES).run(QUESTION, CHAT.but(max_retrievals=1))
    run = trace.run
    first, second, third = events(run, WindowDecoded)[:3]
    assert first.window.prompt.passages == third.window.prompt.passages == ()
    assert second.window.prompt.passages
    assert [d.reason for d in events(run, Decided)][1] == "kept unchecked"
    assert events(run, AnswerCut)[1].kept_text == "Ada Lovelace lived in London."
    assert third.window.prompt.kept_text == "Ada Lovelace lived in London."
    assert run.finished
    assert trace.answer.startswith("Ada Lovelace lived in London.")
    assert trace.run.last.reason == "eos"  # an empty last window keeps the answer so far
    assert trace.counts["retrievals"] == 1


def test_official_stops_when_the_answer_is_given_in_the_unchecked_sentence(scripted):
    given = "So the answer is London. More text follows here."
    trace = scripted({"external knowledge": given, QUESTION: MEMORY}, PASSAGES).run(QUESTION, CHAT)
    assert trace.run.last.reason == "answer given"
    assert trace.answer == "So the answer is London."


def test_official_stops_when_a_round_adds_nothing(scripted):
    trace = scripted({"external knowledge": "", QUESTION: MEMORY}, PASSAGES).run(QUESTION, CHAT)
    assert trace.run.last.reason in ("eos", "no growth", "empty answer")
    assert trace.answer == ""


def test_official_goes_on_after_a_window_that_only_spent_its_budget(scripted):
    settings = CHAT.but(theta=99, max_new_tokens=6)
    trace = scripted({QUESTION: MEMORY}, PASSAGES).run(QUESTION, settings)
    assert [len(e.window.generated_ids) for e in events(trace.run, WindowDecoded)][:2] == [6, 6]
    assert trace.run.last.reason in ("budget", "answer given")
    assert len(trace.run.latest(AnswerCut).kept_ids) >= 6


def test_official_drops_the_flagged_sentence_and_queries_with_words_of_all_its_hits(scripted):
    run = scripted({"external knowledge": READ, QUESTION: MEMORY}, PASSAGES).run(QUESTION, CHAT).run
    decided, cut = events(run, Decided)[0], events(run, AnswerCut)[0]
    assert decided.sentence == (0, 5)
    assert set(decided.flags) <= {0, 1}
    assert cut.kept_text == ""


def test_known_passages_count_again_where_the_switch_says_so(scripted):
    replies = {"external knowledge": READ, QUESTION: MEMORY}
    settings = Settings(theta=0.0, top_n=3, max_retrievals=3)
    skipping = scripted(replies, PASSAGES[:1]).run(QUESTION, settings)
    again = scripted(replies, PASSAGES[:1]).run(QUESTION, settings.but(switches={"repeat_evidence": "retrieve"}))
    assert skipping.counts["retrievals"] == 1
    assert again.counts["retrievals"] == 3
    assert "same" in [e.evidence for e in events(again.run, PassagesRetrieved)]
    assert again.to_dict()["settings"]["switches"] == {"repeat_evidence": "retrieve"}


def test_the_official_prompt_is_plain_text(scripted):
    lm = scripted({}).lm
    prompt = build_prompt(lm, "Who?", [Passage("1", "A", "A text."), Passage("2", "B", "B text.")], template="official")
    assert prompt.text == (
        "Context:\n[1] A text.\n[2] B text.\nAnswer in the same format as before.\nQuestion: Who?\nAnswer:"
    )
    assert build_prompt(lm, "Who?", template="official").text == "Question: Who?\nAnswer:"


def test_literal_cuts_before_the_token_and_searches_the_passages_too(scripted):
    settings = Settings(variant="literal", theta=0.0, top_n=30, max_retrievals=2)
    run = scripted({"external knowledge": READ, QUESTION: MEMORY}, PASSAGES).run(QUESTION, settings).run
    decided, cut = events(run, Decided)[0], events(run, AnswerCut)[0]
    assert cut.kept_ids == events(run, WindowDecoded)[0].window.generated_ids[: decided.index]
    places = {c.where for e in run.events if hasattr(e, "candidates") for c in e.candidates}
    assert "passage" in places


# Every switch alone on a real window


@pytest.mark.parametrize(("variant", "name", "value"), VALID)
def test_every_single_switch_computes_on_a_real_window(explainer, variant, name, value):
    settings = Settings(variant=variant, theta=0.05, switches={name: value})
    found = explainer.score_window(real_window(explainer), settings)
    assert found["decision"]["retrieve"]
    assert found["query"]["text"]
    assert "".join(unit["text"] for unit in found["units"]) == found["text"]
    for unit in found["units"]:
        assert unit["pending"] or unit["rind"] is not None
        assert unit["entropy"] is not None
    places = {"question": "Which patent office did Albert Einstein work at in 1903?"}
    places["answer"] = real_window(explainer).answer
    for word in found["query"]["words"]:
        assert word["where"] in places
        text = places[word["where"]][word["start"] : word["end"]]
        assert "".join(text.split()) == "".join(word["text"].split())


@pytest.mark.parametrize("variant", ["paper", "literal", "official"])
def test_attention_over_the_words_sums_to_at_most_1(explainer, variant):
    settings = Settings(variant=variant, theta=0.05)
    window, _ = explainer.engine.prepared(real_window(explainer), settings)
    reading = read(window, settings.effective)
    for unit in range(len(reading)):
        decided = Decided(True, "", unit, sentence=(unit, unit + 1) if variant == "official" else None, flags=(1,))
        assert hit_units(reading, decided) == [unit]
        context = prompt_context(reading, decided)
        for kind in ("trigger", "previous"):
            row = attention_row(context, kind)
            assert row[[p for w in context.words for p in w.positions]].sum() <= 1 + 1e-5
            assert np.isfinite(row).all()


# Comparing


def test_a_comparison_says_which_switch_changes_what(explainer):
    window, theta = real_window(explainer), 0.4
    document = explainer.compare(window, Settings(theta=theta), Settings(variant="official", theta=theta))
    assert {step["switch"] for step in document["steps"]} | set(document["only_in_a_run"]) == {
        name for name, _ in path(Settings(), Settings(variant="official"))
    }
    assert document["steps"][0]["switch"] == "unit"
    assert any("scores" in step["changes"] for step in document["steps"])
    assert document["decision"]["to"] == {
        key: explainer.score_window(window, Settings(variant="official", theta=theta))["decision"][key]
        for key in document["decision"]["to"]
    }
    assert "paper → official" in told(document)
    back = explainer.compare(window, Settings(variant="official", theta=theta), Settings(theta=theta))
    assert back["decision"] == {"from": document["decision"]["to"], "to": document["decision"]["from"]}


def test_nothing_changes_between_equal_settings(explainer):
    document = explainer.compare(real_window(explainer), Settings(), Settings())
    assert (document["steps"], document["changes"], document["units"]) == ([], [], [])


def test_every_step_between_two_variants_makes_sense():
    for ours, theirs in (("paper", "official"), ("official", "literal"), ("literal", "paper")):
        steps = list(path(Settings(variant=ours), Settings(variant=theirs)))
        assert steps[-1][1].effective == Settings(variant=theirs).effective


def test_a_comparison_of_something_else_than_two_variants_is_refused(tmp_path, capfd):
    from dragin_core.cli import main

    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Who?", encoding="utf-8")
    for pair in ("paper", "paper,magic", "paper,literal,official"):
        assert main(["score", "--prompt-file", str(prompt), "--compare", pair]) == 2
    assert main(["score", "--prompt-file", str(prompt), "--set", "unit"]) == 2
    assert main(["score", "--prompt-file", str(prompt), "--set", "cut=sentence"]) == 2
    assert "decide=window" in capfd.readouterr().err


# Properties

BLOCKS = st.integers(1, 9).flatmap(
    lambda n: st.lists(st.floats(0, 1, width=32), min_size=2 * n * n, max_size=2 * n * n).map(
        lambda values: np.tril(np.array(values, dtype=np.float32).reshape(2, n, n))
    )
)


@given(BLOCKS, st.booleans(), st.randoms())
def test_scores_are_numbers_and_a_higher_threshold_never_fires_earlier(block, from_self, random):
    n = block.shape[1]
    entropy = np.array([random.random() * 5 for _ in range(n)])
    semantic = np.array([float(random.random() < 0.7) for _ in range(n)])
    scores = scores_by_moment(entropy, growing_maximum(block, from_self), semantic)
    assert np.isfinite(scores).all()
    triggers = [find_trigger(scores, theta) for theta in np.linspace(0, 5, 25)]
    moments = [t.moment if t else n for t in triggers]
    assert moments == sorted(moments)


@given(st.lists(st.text(alphabet="ab .\n", min_size=1, max_size=4), min_size=1))
def test_space_bounded_words_partition_the_pieces(pieces):
    text, spans = "".join(pieces), []
    for piece in pieces:
        spans.append((spans[-1][1] if spans else 0, (spans[-1][1] if spans else 0) + len(piece)))
    groups = spaced_words(text, spans)
    assert [k for group in groups for k in group] == list(range(len(pieces)))
    assert all(pieces[group[0]][0] in " \n" for group in groups[1:])
    assert not any(pieces[k][0] in " \n" for group in groups for k in group[1:])


def test_the_gap_between_pieces_counts_where_offsets_leave_it_out():
    assert spaced_words("a bc d", [(0, 1), (2, 3), (3, 4), (5, 6)]) == [range(0, 1), range(1, 3), range(3, 4)]
    assert spaced_words("", []) == []


@hypothesis_settings(max_examples=50)
@given(st.lists(st.sampled_from(["a.", "b", "c", "", "d."]), max_size=8), st.lists(st.sampled_from(["a.", "b c", "x"])))
def test_sentences_take_words_in_order_and_each_at_most_once(words, texts):
    ranges = share_out(words, texts)
    assert len(ranges) == len(texts)
    assert [r[0] for r in ranges] == [0, *(r[1] for r in ranges[:-1])][: len(ranges)]
    assert not ranges or ranges[-1][1] == len(words)


def test_a_sentence_without_an_end_takes_nothing():
    assert share_out(["One", "two.", "Three."], ["One two.", "Nowhere", "Three."]) == [(0, 2), (2, 2), (2, 3)]


def test_bad_switches_name_what_would_do():
    with pytest.raises(InputError, match="set decide=window or cut=word or cut=token"):
        Settings(switches={"cut": "sentence"})


@pytest.fixture
def no_pipeline(monkeypatch):
    """As on a machine without an English pipeline."""
    for each in (sentences.pipeline, sentences.analyse):
        each.cache_clear()
    monkeypatch.setattr(sentences, "PIPELINES", ("no_such_pipeline",))
    yield
    for each in (sentences.pipeline, sentences.analyse):
        each.cache_clear()


def test_without_an_english_pipeline_sentences_end_at_full_stops_and_it_is_said(explainer, no_pipeline):
    found = sentences.analyse("He lived in Bern. He wrote.")
    assert found.sentences == ("He lived in Bern.", "He wrote.")
    assert found.content == ("lived", "Bern", "wrote")
    document = explainer.score_window(real_window(explainer), Settings(variant="official", theta=0.05))
    assert document["mends"][0].startswith("No English pipeline is installed")
