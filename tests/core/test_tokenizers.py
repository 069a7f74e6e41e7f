"""Words from offsets, with every kind of tokenizer: what is shown, and which token belongs to which word."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import tiny_llama
from tokenizers_zoo import KINDS, LOSSLESS, zoo

from dragin_core.decoding import WindowDecoder
from dragin_core.detokenizer import Detokenizer, special_ids
from dragin_core.language_model import PART, CausalLM
from dragin_core.prompts import build_prompt
from dragin_core.words import find_words, word_of_each

TEXTS = {
    "lines": "One.\nTwo.\n\nThree:\n\n\n- four",
    "spaces": "  leading, inner   and trailing  ",
    "tabs": "a\tb\t\tc\r\nd",
    "code": "def f(x):\n    return [x**2, {'k': -1}]  # why?\n",
    "numbers": "8,849 m, 1.000.000 or 228.19; 1905-06, 100000000",
    "hyphens": "co-discoverer -- well-known - x-",
    "apostrophes": "O'Neil's isn’t rock 'n' roll’",
    "emoji": "👩\u200d🔬 👍🏽 🇫🇷 🙂🙂 ☺\ufe0f!",
    "marks": "e\u0301tude nai\u0308ve Zalgo\u0316\u0317\u0318",
    "cjk": "爱因斯坦在1905年发表了《相对论》。アインシュタインは 아인슈타인",
    "thai": "ประเทศไทยมีเมืองหลวงคือกรุงเทพฯ",
    "rtl": "القاهرة هي عاصمة مصر، 1952. ירושלים היא בירת ישראל",
    "devanagari": "भारत की राजधानी नई दिल्ली है।",
    "mixed": "Paris (巴黎) é 🙂 <b>&amp;</b> ${1+1}\n\tक्ष ไทย x",
    "empty": "",
    "newline": "\n",
}
QUESTION = "Who was Aung San Suu Kyi's co-author, 爱因斯坦 or O’Neil (8,849)?"
words_of_people = st.text(
    alphabet=st.one_of(st.characters(exclude_categories=("Cs",)), st.sampled_from(" \n\t'’-.,爱ไ🙂é"))
)
every_kind = pytest.mark.parametrize("kind", KINDS)


def ids_of(kind, text):
    return zoo(kind)(text, add_special_tokens=False)["input_ids"]


def read(kind, ids, prompt="Answer:"):
    detokenizer = Detokenizer(zoo(kind), ids_of(kind, prompt))
    for token_id in ids:
        detokenizer.push(token_id)
        assert "\ufffd" not in detokenizer.text
    return detokenizer


def decoded_behind(kind, ids, prompt="Answer:"):
    """What the tokenizer itself says these tokens spell behind a prompt."""
    before = ids_of(kind, prompt)
    spelling = [i for i in ids if i not in special_ids(zoo(kind))]
    whole, start = (zoo(kind).decode(x, clean_up_tokenization_spaces=False) for x in ([*before, *spelling], before))
    assert whole.startswith(start)
    return whole[len(start) :]


def check_cover(detokenizer):
    """The spans cover the text in order, without gap or overlap, and lie within the characters they are part of."""
    end = 0
    for start, stop in detokenizer.spans:
        assert start == end <= stop
        end = stop
    assert end == len(detokenizer.text)
    for (start, stop), (first, last) in zip(detokenizer.spans, detokenizer.characters, strict=True):
        assert first <= start <= stop <= last or (start == stop == first == last)
    starts = [first for first, last in detokenizer.characters if first < last]
    assert starts == sorted(starts)


def check_words(detokenizer):
    """A token belongs to a word that it has characters in, to none if it has none, and every word is reached."""
    words = find_words(detokenizer.text)
    owners = word_of_each(detokenizer.characters, words)
    for (start, end), owner in zip(detokenizer.characters, owners, strict=True):
        touched = [k for k, word in enumerate(words) if start < end and start < word.end and word.start < end]
        assert owner == (touched[0] if touched else -1)
    for word in words:
        assert any(start < word.end and word.start < end for start, end in detokenizer.characters)


@every_kind
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_text_is_what_the_tokenizer_decodes_and_the_spans_cover_it(kind, text):
    ids = ids_of(kind, text)
    detokenizer = read(kind, ids)
    assert detokenizer.text == decoded_behind(kind, ids)
    check_cover(detokenizer)
    check_words(detokenizer)


@pytest.mark.parametrize("kind", LOSSLESS)
@given(words_of_people)
@settings(max_examples=60, deadline=None)
def test_any_text_comes_back_whole(kind, text):
    ids = ids_of(kind, text)
    detokenizer = read(kind, ids)
    assert detokenizer.text == decoded_behind(kind, ids).replace("\ufffd", "")
    check_cover(detokenizer)
    check_words(detokenizer)


@every_kind
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_tokens_at_all_give_text_without_broken_characters(kind, data):
    ids = data.draw(st.lists(st.integers(0, len(zoo(kind)) - 1), max_size=24))
    detokenizer = read(kind, ids)
    check_cover(detokenizer)
    check_words(detokenizer)


@every_kind
@given(words_of_people)
@settings(max_examples=25, deadline=None)
def test_what_is_shown_once_stays(kind, text):
    detokenizer, before = Detokenizer(zoo(kind), ids_of(kind, "Answer:")), ""
    for token_id in ids_of(kind, text):
        detokenizer.push(token_id)
        assert detokenizer.text.startswith(before)
        before = detokenizer.text


@every_kind
@given(words_of_people, words_of_people)
@settings(max_examples=40, deadline=None)
def test_what_is_settled_belongs_to_the_same_word_whatever_follows(kind, text, more):
    detokenizer = read(kind, ids_of(kind, text))
    count = detokenizer.settled
    first = owners(detokenizer)[:count]
    for token_id in ids_of(kind, more):
        detokenizer.push(token_id)
    assert owners(detokenizer)[:count] == first


def owners(detokenizer):
    words = find_words(detokenizer.text)
    return [words[w].text if w >= 0 else None for w in word_of_each(detokenizer.characters, words)]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "wordpiece"])
@pytest.mark.parametrize("character", ["🙂", "𝔄", "\u1000", "ก"])
def test_pieces_of_one_character_belong_together(kind, character):
    ids = ids_of(kind, f"a {character} b")
    detokenizer = read(kind, ids)
    place = detokenizer.text.index(character)
    pieces = [k for k, (a, b) in enumerate(detokenizer.characters) if a <= place < b]
    assert pieces == list(range(pieces[0], pieces[-1] + 1))
    assert [detokenizer.spans[k] for k in pieces[1:]] == [(place + 1, place + 1)] * (len(pieces) - 1)
    assert len({owner for k, owner in enumerate(owners(detokenizer)) if k in pieces}) == 1


def test_a_token_may_end_one_character_and_begin_the_next():
    detokenizer = read("crossing", ids_of("crossing", "爱爱b"))
    assert any(b - a == 2 for a, b in detokenizer.characters)
    assert detokenizer.text == "爱爱b"
    assert owners(detokenizer)[-1] == "b"


def test_characters_of_tokens_that_overlap_are_never_lost():
    text = "爱爱爱爱爱爱 ไทยไทยไทย 🙂🙂🙂"
    assert read("crossing", ids_of("crossing", text)).text == text


@pytest.mark.parametrize(
    "kind", ["sentencepiece-bpe", "metaspace-bpe", "unigram", "byte-level", "tiktoken", "crossing"]
)
def test_special_tokens_and_broken_bytes_in_the_middle_belong_to_no_word(kind):
    tokenizer = zoo(kind)
    first_byte = next(i for i in range(len(tokenizer)) if tokenizer.convert_ids_to_tokens(i) in ("<0xF0>", "ð"))
    ids = [*ids_of(kind, "Paris"), tokenizer.eos_token_id, first_byte, *ids_of(kind, "London")]
    detokenizer = read(kind, ids)
    odd = len(ids_of(kind, "Paris"))
    assert "\ufffd" not in detokenizer.text
    assert "London" in detokenizer.text
    assert owners(detokenizer)[odd : odd + 2] == [None, None]
    check_cover(detokenizer)


@pytest.mark.parametrize("kind", ["sentencepiece-bpe", "unigram", "byte-level"])
def test_a_special_token_between_the_pieces_of_a_character_does_no_harm(kind):
    pieces = ids_of(kind, "🙂")[-4:]
    ids = [*pieces[:2], zoo(kind).eos_token_id, *pieces[2:], *ids_of(kind, "b")]
    detokenizer = read(kind, ids)
    assert "🙂" in detokenizer.text
    assert owners(detokenizer)[2] is None
    check_cover(detokenizer)


def test_tokens_the_vocabulary_marks_as_special_spell_nothing():
    tokenizer = zoo("tiktoken")
    marker = tokenizer.convert_tokens_to_ids("<|turn|>")
    assert marker not in tokenizer.all_special_ids
    detokenizer = read("tiktoken", [*ids_of("tiktoken", "Yes"), marker, *ids_of("tiktoken", " no")])
    assert detokenizer.text == "Yes no"


# Behind a prompt


@pytest.fixture(scope="module", params=KINDS)
def lm(request):
    return CausalLM(tiny_llama(vocab_size=1024), zoo(request.param), request.param)


def test_the_tokens_of_a_question_are_those_with_characters_in_it(lm):
    prompt = build_prompt(lm, QUESTION)
    words, section = find_words(QUESTION), next(s for s in prompt.sections if s.kind == "question")
    assert prompt.text[section.start : section.end] == QUESTION
    assert len(prompt.spans) == len(prompt.token_ids)
    for k, word in enumerate(words):
        mine = [p for p, owner in prompt.question_tokens if owner == k]
        assert mine or word.text in "爱因斯坦"  # one token may hold several of these, and belongs to the first
        spans = [(a - section.start, b - section.start) for a, b in (prompt.spans[p] for p in mine)]
        assert all(a < word.end and word.start < b for a, b in spans)
    assert list(prompt.token_ids).count(lm.tokenizer.bos_token_id) == (lm.name != "byte-level")


@pytest.mark.parametrize("text", [TEXTS["lines"], TEXTS["mixed"], TEXTS["apostrophes"]])
def test_text_given_behind_a_prompt_is_shown_as_it_was_given(lm, text):
    if lm.name not in LOSSLESS:
        pytest.skip("the tokenizer itself loses white space")
    ids = lm.encode_after(lm.encode("Answer:").token_ids, text)
    assert read(lm.name, ids).text == text


def test_single_tokens_are_shown_as_they_stand_in_a_text(lm):
    text = "a well known co-author ate 🙂 in Paris"
    shown = [lm.token_text(i) for i in ids_of(lm.name, text)]
    assert "\ufffd" not in "".join(shown)
    if lm.name in LOSSLESS:
        assert "".join(shown).replace(PART, "").split() == text.replace("🙂", "").split()


def test_kept_tokens_carry_their_text_and_words_on(lm):
    ids = lm.encode("Paris was 8,849 爱 good").token_ids
    prompt = build_prompt(lm, QUESTION, kept_ids=ids)
    assert prompt.kept_ids == tuple(ids)
    assert prompt.token_ids[-len(ids) :] == tuple(ids)
    assert prompt.text.endswith(prompt.kept_text)
    if lm.name != "wordpiece":  # it cuts numbers apart
        assert [w.text for w in find_words(prompt.kept_text)] == ["Paris", "was", "8,849", "爱", "good"]


def test_special_text_of_people_is_plain_characters(lm):
    for marker in sorted(special_ids(lm.tokenizer)):
        spelled = lm.tokenizer.convert_ids_to_tokens(marker)
        prompt = build_prompt(lm, f"Who is {spelled} Ada?")
        if marker != lm.tokenizer.unk_token_id:
            once = marker == lm.tokenizer.bos_token_id and lm.name != "byte-level"
            assert prompt.token_ids.count(marker) == int(once)
        assert all(0 <= a <= b <= len(prompt.text) for a, b in prompt.spans)


# Where the model begins a turn of its own


@pytest.mark.parametrize("text", ["In London.\nQuestion: Who?", "In London.\n\nQuestion: Who?", "Question: Who?"])
def test_the_text_in_front_of_a_new_turn_is_kept_to_its_last_character(lm, text):
    detokenizer = read(lm.name, lm.encode(text).token_ids)
    before, start = detokenizer.text, detokenizer.new_turn
    if lm.name == "wordpiece":
        assert start is None  # it writes no line breaks
        return
    if lm.name in LOSSLESS and text.startswith("In"):
        assert before[:start].strip() == "In London."
    count = detokenizer.end_at(start)
    assert detokenizer.text == before[:start]
    assert count == len(detokenizer.spans) == len(detokenizer.characters)
    check_cover(detokenizer)


def test_tokens_that_hold_a_full_stop_and_the_line_break_of_a_turn_stay():
    text = "In London.\nQuestion: Who?"
    ids = ids_of("tiktoken", text)
    assert any(zoo("tiktoken").decode([i]) == ".\n" for i in ids)
    detokenizer = read("tiktoken", ids)
    count = detokenizer.end_at(detokenizer.new_turn)
    assert detokenizer.text == "In London."
    assert zoo("tiktoken").decode(ids[:count]) == "In London.\n"


def test_models_of_any_tokenizer_decode_a_window(lm):
    torch.manual_seed(0)
    decoder = WindowDecoder(lm, build_prompt(lm, QUESTION), 12)
    for _ in decoder.steps():
        pass
    window = decoder.window()
    assert "".join(window.answer[a:b] for a, b in window.spans) == window.answer
    assert len(window.owners) == len(window) == len(window.signals)
