import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragin_core.words import Word, find_words, is_stop_word, settled_until, stop_words, word_of_each


def texts(text):
    return [word.text for word in find_words(text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("O'Neil's co-discoverer", ["O'Neil's", "co-discoverer"]),
        ("8,849 m or 228.19.", ["8,849", "m", "or", "228.19"]),
        ("the U.S. (1905)--then", ["the", "U.S", "1905", "then"]),
        ("tab\tnew\nline  two", ["tab", "new", "line", "two"]),
        ("snake_case x=1", ["snake", "case", "x", "1"]),
        ("爱因斯坦 in 1905年", ["爱", "因", "斯", "坦", "in", "1905", "年"]),
        ("ไทย", ["ไ", "ท", "ย"]),
        ("한국 מים", ["한국", "מים"]),
        ("e\u0301tude naïve", ["e\u0301tude", "naïve"]),
        ("👩\u200d🔬 🙂 — … ?!", []),
    ],
)
def test_words_are_whole(text, words):
    assert texts(text) == words


def test_stop_words_are_spacys():
    assert len(stop_words("en")) == 326
    assert all(map(is_stop_word, ("The", "first", "name", "three", "’s")))
    assert not is_stop_word("Guernica")


def test_unknown_language_is_said():
    with pytest.raises(ValueError, match="no stop words"):
        stop_words("xx-none")


@given(st.text())
def test_words_lie_in_the_text_and_never_overlap(text):
    end = 0
    for word in find_words(text):
        assert text[word.start : word.end] == word.text
        assert word.start >= end
        end = word.end


@given(st.text(), st.text())
def test_settled_words_stay_whatever_follows(text, more):
    settled = settled_until(text)
    before = [w for w in find_words(text) if w.end <= settled]
    assert find_words(text + more)[: len(before)] == before


@pytest.mark.parametrize(
    ("text", "settled"), [("an", 0), ("an ", 3), ("8,", 0), ("8, ", 3), ("end.", 0), ("end. ", 5), ("", 0), ("a b", 2)]
)
def test_the_last_word_stays_open_while_it_can_grow(text, settled):
    assert settled_until(text) == settled


def test_tokens_belong_to_the_word_they_have_characters_in():
    words = [Word("Guernica", 1, 9), Word("by", 10, 12)]
    spans = [(0, 3), (3, 6), (6, 9), (9, 12), (12, 13), (13, 13)]
    assert word_of_each(spans, words) == [0, 0, 0, 1, -1, -1]


def test_later_pieces_of_one_character_belong_where_it_does():
    words = [Word("爱", 0, 1), Word("a", 2, 3)]
    assert word_of_each([(0, 1), (0, 1), (0, 1), (1, 3)], words) == [0, 0, 0, 1]


def test_tokens_without_characters_belong_to_no_word_wherever_they_stand():
    words = [Word("爱", 0, 1), Word("ab", 2, 4)]
    assert word_of_each([(0, 1), (1, 1), (0, 1), (1, 3), (3, 3), (3, 4)], words) == [0, -1, 0, 1, -1, 1]


@pytest.mark.parametrize(
    ("stop", "content"),
    [
        ("的", "爱"),
        ("の", "ネ"),
        ("и", "париж"),
        ("Και", "Αθήνα"),
        ("في", "القاهرة"),
        ("של", "ירושלים"),
        ("और", "दिल्ली"),
        ("하", "서울"),
        ("the", "1905"),
    ],
)
def test_the_list_is_that_of_the_script(stop, content):
    assert is_stop_word(stop)
    assert not is_stop_word(content)


@given(st.text(alphabet=st.characters(max_codepoint=0x24F)))
def test_in_latin_letters_the_list_is_english(text):
    assert [is_stop_word(w) for w in texts(text)] == [is_stop_word(w, "en") for w in texts(text)]
