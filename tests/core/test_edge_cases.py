"""Edge cases, each on a tiny model that writes what the case needs."""

import pytest
import torch
from tiny import Scripted, tiny_llama, tokenizer
from tokenizers_zoo import zoo

from dragin_core import Explainer, InputError, ModelError, Settings
from dragin_core.events import AnswerCut, Decided, PassagesRetrieved, QueryFormulated, WindowDecoded
from dragin_core.language_model import CausalLM
from dragin_core.prompts import build_prompt
from dragin_core.retrieval import Corpus, Passage

QUESTION = "Where did Ada Lovelace live?"
MEMORY = "Ada Lovelace lived quietly near Paris all her life."
READ = "Ada Lovelace lived quietly in London."
PASSAGES = [
    ("Ada Lovelace", "Ada Lovelace lived in London and wrote about the Analytical Engine."),
    ("Paris", "Paris is the capital of France."),
    ("London", "London is the capital of England."),
    ("Blank", "Nothing else is here."),
]
LOW = Settings(theta=0.0, top_n=3)


def kinds(run):
    return [type(event) for event in run.events]


def events(run, kind):
    return [event for event in run.events if isinstance(event, kind)]


def test_the_model_that_says_nothing_gives_an_empty_answer_with_the_reason(scripted):
    trace = scripted({QUESTION: ""}).run(QUESTION, LOW)
    assert trace.answer == ""
    assert [e.reason for e in events(trace.run, Decided)] == ["nothing written"]
    assert trace.run.last.reason == "empty answer"


def test_a_text_of_stop_words_and_punctuation_never_fires_and_says_so(scripted):
    trace = scripted({QUESTION: "It was then, and there it was."}).run(QUESTION, LOW)
    assert trace.counts["retrievals"] == 0
    assert events(trace.run, Decided)[0].reason == "no content word"


def test_theta_zero_is_bounded(scripted):
    explainer = scripted({QUESTION: MEMORY}, PASSAGES)
    trace = explainer.run(QUESTION, LOW.but(max_retrievals=1))
    assert trace.counts["retrievals"] == 1
    assert events(trace.run, Decided)[-1].reason == "max retrievals"
    assert explainer.run(QUESTION, LOW.but(max_retrievals=0)).counts["retrievals"] == 0


def test_no_new_evidence_is_no_retrieval_and_the_search_goes_on(scripted):
    trace = scripted({"external knowledge": READ, QUESTION: MEMORY}, PASSAGES[:1]).run(QUESTION, LOW)
    found = [e.evidence for e in events(trace.run, PassagesRetrieved)]
    assert found[0] == "new"
    assert set(found[1:]) == {"same"}
    assert trace.counts["retrievals"] == 1
    second = [e for e in events(trace.run, Decided) if e.retrieve][1:]
    moments = [e.moment for e in second]
    assert moments == sorted(set(moments))
    assert list(second[-1].flags) == [e.index for e in second[:-1]]
    assert trace.run.finished


def test_no_passage_above_zero_leaves_the_prompt_as_it_is(scripted):
    trace = scripted({QUESTION: MEMORY}, [("Zebra", "Zebras graze.")]).run(QUESTION, LOW)
    assert {e.evidence for e in events(trace.run, PassagesRetrieved)} == {"none"}
    assert trace.counts["retrievals"] == 0
    assert not events(trace.run, AnswerCut)
    assert trace.answer == MEMORY


def test_an_empty_query_retrieves_nothing(scripted):
    trace = scripted({"Where?": "Yes London yes."}, PASSAGES).run("Where?", LOW)
    first = events(trace.run, QueryFormulated)[0], events(trace.run, PassagesRetrieved)[0]
    assert first[0].text == ""
    assert (first[1].evidence, first[1].reason) == ("none", "empty query")


def test_fewer_passages_than_asked_are_not_padded(scripted):
    trace = scripted({"external knowledge": READ, QUESTION: MEMORY}, PASSAGES[:2]).run(QUESTION, LOW.but(top_k=20))
    prompt = events(trace.run, AnswerCut)[0].prompt
    assert [s.kind for s in prompt.sections].count("passage") <= 2
    assert "[3]" not in prompt.text


def test_a_passage_that_stands_twice_in_the_corpus_stands_once_in_the_prompt(scripted):
    twice = [PASSAGES[0], ("Lovelace", PASSAGES[0][1]), *PASSAGES]
    trace = scripted({"external knowledge": READ, QUESTION: MEMORY}, twice).run(QUESTION, LOW)
    prompt = events(trace.run, AnswerCut)[0].prompt
    assert prompt.text.count(PASSAGES[0][1]) == 1


def test_the_cut_is_at_the_start_of_the_triggers_whole_word(scripted):
    trace = scripted({"external knowledge": READ, QUESTION: MEMORY}, PASSAGES).run(QUESTION, LOW)
    decided, cut = events(trace.run, Decided)[0], events(trace.run, AnswerCut)[0]
    window = events(trace.run, WindowDecoded)[0].window
    word = window.answer_words[window.owners[decided.index]]
    assert window.answer[len(cut.kept_text) :].lstrip().startswith(word.text)
    assert cut.kept_ids == window.generated_ids[: len(cut.kept_ids)]


def test_passages_that_do_not_fit_are_dropped_from_the_last_then_demonstrations(scripted):
    lm = scripted({}).lm
    passages = [Passage(str(k), f"Title {k}", "word " * 90) for k in range(3)]
    needed = len(build_prompt(lm, QUESTION, passages, budget=20).token_ids) + 20
    lm.model.config.max_position_embeddings = needed - 1
    prompt = build_prompt(lm, QUESTION, passages, budget=20)
    assert len(prompt.token_ids) + 20 < needed
    assert prompt.dropped == ("passage [3] Title 2",)
    assert prompt.passages == tuple(passages[:2])
    lm.model.config.max_position_embeddings = 80
    both = build_prompt(lm, QUESTION, passages, shots=1, budget=20)
    assert both.dropped == ("passage [3] Title 2", "passage [2] Title 1", "passage [1] Title 0", "demonstration 1")
    lm.model.config.max_position_embeddings = 30
    with pytest.raises(InputError, match="ask a shorter question"):
        build_prompt(lm, QUESTION, passages, budget=20)


def test_a_new_question_turn_ends_the_answer_before_it(scripted):
    trace = scripted({QUESTION: "In London.\nQuestion: Who asked?"}).run(QUESTION, Settings(theta=99))
    assert trace.answer == "In London."
    assert trace.run.last.reason == "question"
    assert len(trace.run.window) == len(trace.run.window.generated_ids) == 3


def test_a_chinese_answer_is_read_with_chinese_stop_words(scripted):
    window = scripted({"谁": "毕加索在巴黎画的。"}).run("谁画了《格尔尼卡》?", Settings(theta=99)).run.window
    reasons = {window.answer_words[w].text: r for w, r in zip(window.owners, window.reasons, strict=True) if w >= 0}
    assert reasons["的"] == reasons["在"] == "stop word"
    assert reasons["画"] == reasons["毕"] == "content"
    assert [window.is_stop(word) for word in window.question_words][:2] == [True, False]


@pytest.mark.parametrize("break_", ["\n", "\n\n"])
def test_a_full_stop_that_shares_a_token_with_the_line_break_of_a_turn_stays(scripted, break_):
    spells = zoo("tiktoken")
    explainer = scripted(
        {QUESTION: f" In London.{break_}Question: Who?"}, spells=spells, opening="Answer:", explore=False
    )
    trace = explainer.run(QUESTION, Settings(theta=99))
    window = trace.run.window
    assert trace.answer == f" In London.{break_[1:]}"
    assert trace.run.last.reason == "question"
    assert spells.decode(window.generated_ids[-1]) == f".{break_}"
    unit = trace.to_dict()["events"][0]["units"][-1]
    assert unit["text"] == f".{break_[1:]}"
    assert unit["token_ids"] == [window.generated_ids[-1]]


def test_the_budget_and_the_context_end_an_answer(scripted):
    explainer = scripted({QUESTION: MEMORY})
    trace = explainer.run(QUESTION, Settings(theta=99, max_new_tokens=4))
    assert trace.run.last.reason == "budget"
    assert len(trace.run.window.generated_ids) == 4
    explainer.lm.model.config.max_position_embeddings = len(trace.run.window.prompt.token_ids) + 3
    assert explainer.run(QUESTION, Settings(theta=99, max_new_tokens=20)).run.last.reason == "context"


@pytest.mark.parametrize("reply", ["Café 爱因斯坦 🙂 👩\u200d🔬 ok", "tab\there\n\n  two  spaces", "הוא גר ב Paris é"])
def test_characters_of_several_tokens_stay_whole_and_white_space_is_kept(scripted, reply):
    explainer = scripted({QUESTION: reply})
    trace = explainer.run(QUESTION, Settings(theta=99)).to_dict()
    window = trace["events"][0]
    assert trace["answer"] == reply
    assert "".join(u["text"] for u in window["units"]) == reply
    assert "\ufffd" not in "".join(u["text"] for u in window["units"])
    cut = explainer.run(QUESTION, Settings(theta=99, max_new_tokens=5)).answer
    assert reply.startswith(cut)


def test_logits_that_are_no_numbers_are_said(scripted):
    explainer = scripted({QUESTION: "London"})
    with torch.no_grad():
        explainer.lm.model.lm_head.weight[7] = torch.nan
    with pytest.raises(ModelError, match="tiny in float32 gave logits that are not numbers"):
        explainer.run(QUESTION, LOW)


def test_half_precision_gives_finite_numbers():
    model = tiny_llama().to(torch.bfloat16)
    model.__class__ = Scripted
    model.replies = {QUESTION: MEMORY}
    corpus = Corpus("tiny", (Passage("1", "Paris", "Paris is a city."),))
    window = Explainer(CausalLM(model, tokenizer(), "tiny"), corpus).run(QUESTION, Settings(theta=99)).run.window
    assert window.answer == MEMORY
    assert all(0 < e < 20 for e in window.signals.entropy)


def test_no_round_is_scored_twice(scripted):
    trace = scripted({"external knowledge": READ, QUESTION: MEMORY}, PASSAGES).run(QUESTION, LOW).to_dict()
    second = [e for e in trace["events"] if e["type"] == "window"][1]
    assert second["kept_text"] + second["text"] == READ
    assert "".join(u["text"] for u in second["units"]) == second["text"]
