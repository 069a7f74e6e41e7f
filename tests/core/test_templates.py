"""Chat templates of every kind: what they put around a question, and what a model thinks before it answers."""

from copy import deepcopy

import pytest
from tiny import summary, tiny_explainer, tiny_llama, tokenizer
from tokenizers_zoo import zoo

from dragin_core import ModelError, Settings, thinking
from dragin_core.chat import render
from dragin_core.events import AnswerCut, Decided, PassagesRetrieved, QueryFormulated, WindowDecoded
from dragin_core.language_model import CausalLM
from dragin_core.prompts import build_prompt, given_prompt, user_parts

QUESTION = "Where did Ada Lovelace live?"
MEMORY = "Ada Lovelace lived quietly near Paris all her life."
READ = "Ada Lovelace lived quietly in London."
PASSAGES = [("Ada Lovelace", "Ada Lovelace lived in London and wrote about the Analytical Engine.")]
LOW = Settings(theta=0.0, top_n=4)
CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
OPENS = CHATML.replace("assistant\n' }}", "assistant\n<think>\n' }}")


def speaking(template, base=tokenizer):
    """A tokenizer with a template of its own."""
    spells = deepcopy(base())
    spells.chat_template = template
    return spells


def model(template, base=tokenizer):
    return CausalLM(tiny_llama(), speaking(template, base), "tiny")


def kinds(prompt):
    return [(section.kind, prompt.text[section.start : section.end]) for section in prompt.sections]


def events(run, kind):
    return [event for event in run.events if isinstance(event, kind)]


# The beginning


@pytest.mark.parametrize("adds", [True, False], ids=["tokenizer adds", "tokenizer does not"])
@pytest.mark.parametrize("writes", [True, False], ids=["template writes", "template does not"])
def test_the_first_token_is_there_once_if_anyone_wants_it(adds, writes):
    template = ("{{ bos_token }}" if writes else "") + "[Q] {{ messages[0].content }} [A]"
    lm = model(template, lambda: zoo("tiktoken" if adds else "byte-level"))
    prompt = build_prompt(lm, QUESTION)
    bos = lm.tokenizer.bos_token_id
    assert list(prompt.token_ids).count(bos) == int(adds or writes)
    assert (prompt.token_ids[0] == bos) == (adds or writes)
    assert len(prompt.spans) == len(prompt.token_ids)


@pytest.mark.parametrize("kind", ["sentencepiece-bpe", "metaspace-bpe", "unigram", "tiktoken"])
def test_a_plain_prompt_has_its_first_token_once(kind):
    lm = model(None, lambda: zoo(kind))
    ids = build_prompt(lm, QUESTION).token_ids
    assert ids[0] == lm.tokenizer.bos_token_id
    assert ids.count(lm.tokenizer.bos_token_id) == 1


# The person's turn


def test_a_default_system_prompt_is_kept_and_is_template():
    system = "You are a careful Analyst. Ada Lovelace lived in Rome."
    explainer = tiny_explainer(
        {"external knowledge": READ, QUESTION: MEMORY},
        PASSAGES,
        spells=speaking("{{ '<|im_start|>system\n" + system + "<|im_end|>\n' }}" + CHATML),
    )
    trace = explainer.run(QUESTION, LOW)
    sections = kinds(trace.run.events[0].window.prompt)
    assert sections[0] == ("template", f"<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\n")
    assert sections[-1] == ("template", "<|im_end|>\n<|im_start|>assistant\n")
    queries = events(trace.run, QueryFormulated)
    assert queries
    assert not {"Analyst", "careful", "Rome"} & {c.text for query in queries for c in query.candidates}
    assert trace.environment["template"] == "chat"


def test_templates_that_know_no_system_role_and_refuse_a_turn_begun_are_used():
    refuses = (
        "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
        "{% if messages[-1].role != 'user' %}{{ raise_exception('ends with the user') }}{% endif %}"
    )
    read, memory = "It was there that Ada lived, in London.", "It was there that Ada lived, near Paris."
    explainer = tiny_explainer(
        {"external knowledge": read, QUESTION: memory}, PASSAGES, spells=speaking(refuses + CHATML)
    )
    run = explainer.run(QUESTION, LOW.but(max_retrievals=1)).run
    cut, first = events(run, AnswerCut)[0], events(run, WindowDecoded)[0].window
    assert cut.kept_ids == first.generated_ids[: len(cut.kept_ids)] != ()
    assert cut.prompt.token_ids[-len(cut.kept_ids) :] == cut.kept_ids
    assert cut.kept_text == "It was there that"
    assert kinds(cut.prompt)[-2:] == [("template", "<|im_end|>\n<|im_start|>assistant\n"), ("answer", cut.kept_text)]
    assert run.answer == read


@pytest.mark.parametrize(
    "template",
    [
        "{{ raise_exception('this model wants a picture') }}",
        "{{ messages[1].content }}",
        "{{ 1 // 0 }}",
        "{{ messages[0].content + 1 }}",
        "{{ nothing.at.all }}",
        "{% for m in messages %}",
        "{{ messages[0]['content']['text'] | length + missing() }}",
    ],
)
def test_a_template_that_fails_is_one_sentence_that_names_the_model(template):
    for prompt in (lambda lm: build_prompt(lm, QUESTION), lambda lm: given_prompt(lm, QUESTION, raw=False)):
        with pytest.raises(ModelError, match=r"The chat template of tiny cannot be used") as error:
            prompt(model(template))
        assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    "change", ["| upper", "| replace('?', '')", "| tojson", "| e", "[:20]", ".split('Question')[0]"]
)
def test_a_template_that_changes_the_text_is_refused(change):
    with pytest.raises(ModelError, match="changes the user's text"):
        build_prompt(model("<|im_start|>{{ messages[0].content " + change + " }}<|im_end|>"), "Who is <Ada> & “Bo”?")


def test_a_template_that_never_writes_the_text_is_refused():
    with pytest.raises(ModelError, match="changes the user's text"):
        build_prompt(model("Hello."), QUESTION)


def test_a_template_that_strips_is_used_and_told_apart_from_one_that_changes():
    lm = model("<|im_start|>{{ messages[0].content | trim }}<|im_end|>")
    assert ("question", QUESTION) in kinds(build_prompt(lm, QUESTION))
    with pytest.raises(ModelError, match="drops the white space around"):
        given_prompt(lm, f"{QUESTION}\n", raw=False)


def test_the_text_is_found_where_the_template_puts_it():
    content = "".join(text for _, text in user_parts(QUESTION, ()))
    lm = model("System: when asked '" + content + "' think.\n[Q] {{ messages[0].content }} [A]")
    turn = render(lm, content)
    assert turn.text[: turn.start].endswith("[Q] ")
    assert turn.text[turn.end :] == " [A]"
    prompt = build_prompt(lm, QUESTION)
    assert [text for kind, text in kinds(prompt) if kind == "question"] == [QUESTION]
    assert all(prompt.spans[p][1] > turn.start for p, _ in prompt.question_tokens)


def test_where_a_template_repeats_the_text_the_last_place_counts():
    prompt = build_prompt(model("First: {{ messages[0].content }}\nAgain: {{ messages[0].content }}\n>"), QUESTION)
    assert kinds(prompt)[0][0] == "template"
    assert kinds(prompt)[0][1].count(QUESTION) == 1
    assert kinds(prompt)[-1] == ("template", "\n>")


def test_a_template_that_begins_with_the_text_is_still_a_template():
    assert kinds(build_prompt(model("{{ messages[0].content }}\n<|assistant|>"), QUESTION))[-1] == (
        "template",
        "\n<|assistant|>",
    )


# Which template


@pytest.mark.parametrize(
    "named",
    [
        {"default": CHATML, "tool_use": "{{ raise_exception('tools') }}"},
        [{"name": "tool_use", "template": "tools"}, {"name": "default", "template": CHATML}],
    ],
    ids=["dict", "list"],
)
def test_of_several_templates_the_default_is_used(named):
    several, one = build_prompt(model(named), QUESTION), build_prompt(model(CHATML), QUESTION)
    assert (several.text, several.token_ids) == (one.text, one.token_ids)


def test_several_templates_without_a_default_are_no_reason_for_plain_text():
    with pytest.raises(ModelError, match="chat templates of tiny are named rag, tool_use, and none is the default"):
        build_prompt(model({"tool_use": CHATML, "rag": CHATML}), QUESTION)


@pytest.mark.parametrize("template", [None, {}, []])
def test_a_model_without_a_template_reads_plain_text(template):
    explainer = tiny_explainer(
        {"external knowledge": f" {READ}", QUESTION: f" {MEMORY}"},
        PASSAGES,
        spells=speaking(template),
        opening="\nAnswer:",
    )
    trace = explainer.run(QUESTION, LOW.but(max_retrievals=1))
    first, second = (e.window.prompt for e in events(trace.run, WindowDecoded)[:2])
    assert first.text == f"Please answer the question.\nQuestion: {QUESTION}\nAnswer:"
    assert kinds(first)[-1] == ("instruction", "\nAnswer:")
    assert second.text.endswith(f"\nAnswer:{second.kept_text}")
    assert trace.answer == f" {READ}"
    assert trace.environment["template"] == "plain"


# The end of an answer


def ends(template):
    spells = speaking(template)
    spells.eos_token = "<|endoftext|>"
    return CausalLM(tiny_llama(eos_token_id=0), spells, "tiny").end_ids


def test_the_mark_the_template_puts_behind_an_answer_ends_it():
    assert ends(CHATML) == {0, 2}
    assert ends("{% for m in messages %}{{ m.role + ': ' + m.content + '\n' }}{% endfor %}") == {0}
    assert ends("{% if messages[-1].role != 'user' %}{{ raise_exception('no') }}{% endif %}" + CHATML) == {0}
    assert ends(None) == {0}


# Thinking

THOUGHT = "Ada Lovelace? Perhaps Rome, or Vienna.\nQuestion: is it Rome?\n"


def marked_special():
    spells = deepcopy(tokenizer())
    spells.add_tokens(["<think>", "</think>"], special_tokens=True)
    return spells


WAYS = {
    "plain marks": (CHATML, tokenizer, "<think>\n"),
    "special marks": (CHATML, marked_special, "<think>"),
    "opened by the template": (OPENS, tokenizer, ""),
    "opened by the template, special marks": (OPENS, marked_special, ""),
}


def thinker(way, replies, **more):
    template, base, begin = WAYS[way]
    opening = "<|im_start|>assistant\n" + ("<think>\n" if template is OPENS else "")
    written = {key: begin + reply for key, reply in replies.items()}
    return tiny_explainer(written, PASSAGES, spells=speaking(template, base), opening=opening, **more)


REPLIES = {
    "external knowledge": f"{THOUGHT}</think>\n\n{READ}",
    QUESTION: f"{THOUGHT}</think>\n\n{MEMORY}",
}
every_way = pytest.mark.parametrize("way", WAYS)


@every_way
def test_what_a_model_thinks_is_shown_apart_and_is_no_part_of_the_answer(way):
    trace = thinker(way, REPLIES).run(QUESTION, Settings(theta=99, max_new_tokens=120)).to_dict()
    window = trace["events"][0]
    assert trace["answer"] == trace["answer_without_retrieval"] == window["answer"] == MEMORY
    assert "Vienna" in window["text"]
    assert "".join(unit["text"] for unit in window["units"]) == window["text"]
    start = window["text"].index(MEMORY)
    for unit in window["units"]:
        assert (unit["reason"] == "thinking") == (unit["end"] <= start)
        if unit["reason"] == "thinking":
            assert (unit["semantic"], unit["word"]) == (0, None)
            assert not unit["rind"]
    assert trace["counts"]["decoded_tokens"] >= len(window["units"])
    assert not {"Rome", "Vienna"} & {word["text"] for word in window["rows"]["words"]}


@every_way
def test_thoughts_neither_fire_nor_enter_a_query_and_are_kept(way):
    run = thinker(way, REPLIES).run(QUESTION, LOW.but(max_new_tokens=120, max_retrievals=1)).run
    window, cut = events(run, WindowDecoded)[0].window, events(run, AnswerCut)[0]
    fired = [d.index for d in events(run, Decided) if d.retrieve]
    assert fired
    assert all(window.reasons[index] == "content" for index in fired[:1])
    assert not {"Rome", "Vienna"} & {c.text for q in events(run, QueryFormulated) for c in q.candidates}
    assert cut.kept_ids == window.generated_ids[: len(cut.kept_ids)]
    assert THOUGHT in cut.kept_text
    assert run.answer == READ or run.answer.startswith(cut.prompt.kept_said)
    assert "Vienna" not in run.answer


@every_way
@pytest.mark.parametrize("variant", ["paper", "literal", "official"])
def test_no_variant_takes_words_from_thoughts(way, variant):
    run = thinker(way, REPLIES).run(QUESTION, Settings(variant=variant, theta=0.0, max_new_tokens=60)).run
    assert not {"Rome", "Vienna"} & {c.text.strip(",.?") for q in events(run, QueryFormulated) for c in q.candidates}
    assert "Vienna" not in run.answer


@every_way
@pytest.mark.parametrize("theta", [0.0, 0.3, 0.8])
def test_with_thoughts_exploring_and_stopping_when_it_fires_decide_the_same(way, theta):
    settings = Settings(theta=theta, max_new_tokens=120)
    explored = thinker(way, REPLIES).run(QUESTION, settings).run
    stopped = thinker(way, REPLIES, explore=False).run(QUESTION, settings).run
    for kind in (Decided, QueryFormulated, PassagesRetrieved):
        assert [summary(e) for e in events(stopped, kind)] == [summary(e) for e in events(explored, kind)]
    assert stopped.answer == explored.answer


@every_way
def test_a_budget_spent_on_thinking_is_an_empty_answer_that_says_so(way):
    trace = thinker(way, REPLIES).run(QUESTION, LOW.but(max_new_tokens=12))
    assert trace.answer == ""
    assert trace.run.last.reason == "still thinking"
    assert trace.counts["decoded_tokens"] == len(trace.run.window.generated_ids) == 12
    assert trace.counts["retrievals"] == 0


@every_way
def test_a_model_that_ends_while_it_thinks_gives_an_empty_answer(way):
    trace = thinker(way, {QUESTION: "Ada?"}).run(QUESTION, LOW)
    assert (trace.answer, trace.run.last.reason) == ("", "empty answer")


def test_a_template_that_closes_the_thinking_leaves_nothing_open():
    closed = OPENS.replace("<think>\n", "<think>\n\n</think>\n\n")
    explainer = tiny_explainer({QUESTION: MEMORY}, spells=speaking(closed), opening="</think>\n\n")
    assert explainer.run(QUESTION, Settings(theta=99)).answer == MEMORY


@pytest.mark.parametrize(
    ("text", "opened", "said"),
    [
        ("a <think>b</think>\n c", False, "a c"),
        ("b</think>\n\nc", True, "c"),
        ("b</think>c", False, "bc"),
        ("<think>a<think>b</think>c", False, "c"),
        ("<think>a</think>b<think>c</think> d", False, "bd"),
        ("a<think>b", False, "a"),
        ("a <thinking> b", False, "a <thinking> b"),
        ("", True, ""),
    ],
)
def test_sections(text, opened, said):
    assert thinking.without(text, thinking.sections(text, (), opened)) == said


def test_what_follows_never_moves_a_thought():
    text = "a <think>b c</think> d </think> e <think> f"
    whole = [any(a <= k < b for a, b in thinking.sections(text)) for k in range(len(text))]
    for end in range(len(text) + 1):
        now = thinking.sections(text[:end])
        mark = text.rfind("<", 0, end)
        sure = mark if mark >= 0 and ">" not in text[mark:end] else end  # a mark that is being written is not one yet
        assert [any(a <= k < b for a, b in now) for k in range(sure)] == whole[:sure]
