"""Reading passages from files, good and bad."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragin_core import packaged
from dragin_core.errors import InputError
from dragin_core.retrieval import BM25Retriever, Corpus, Passage, from_summaries, load_corpus


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def words(count: int) -> str:
    return " ".join(f"w{i}" for i in range(count))


# --- layouts ---------------------------------------------------------------------------------------------------------


def test_jsonl_with_ids_and_titles(tmp_path):
    lines = '{"id": "a", "title": "T", "text": "One."}\n\n{"id": 7, "text": "Two."}\n{"title": "U", "text": "Three."}\n'
    corpus = load_corpus(write(tmp_path / "c.jsonl", lines))
    assert corpus.passages == (Passage("a", "T", "One."), Passage("7", "", "Two."), Passage("U#1", "U", "Three."))
    assert corpus.name == "c.jsonl"
    assert len(corpus) == 3


def test_json_list_and_summaries_are_both_read(tmp_path):
    listed = load_corpus(write(tmp_path / "list.json", '[{"text": "One."}, {"text": "Two.", "title": null}]'))
    assert [p.text for p in listed.passages] == ["One.", "Two."]
    summaries = write(
        tmp_path / "s.json", '{"Guernica": {"title": "Guernica", "extract": "A painting.", "topic": "Arts"}}'
    )
    assert load_corpus(summaries).passages == (Passage("Guernica#1", "Guernica", "A painting."),)
    assert from_summaries(summaries, "mine").name == "mine"


def test_tsv_as_dpr_writes_it(tmp_path):
    content = 'id\ttext\ttitle\r\n1\t"He said ""no"" twice."\tAaron\r\n2\tSome "quoted" words.\tAaron\r\n'
    passages = load_corpus(write(tmp_path / "c.tsv", content)).passages
    assert passages == (Passage("1", "Aaron", 'He said "no" twice.'), Passage("2", "Aaron", 'Some "quoted" words.'))


def test_tsv_columns_may_stand_in_any_order_and_be_fewer(tmp_path):
    passages = load_corpus(write(tmp_path / "c.TSV", "Title\tText\nT\tA text.\n")).passages
    assert passages == (Passage("T#1", "T", "A text."),)


def test_txt_paragraphs_between_blank_lines(tmp_path):
    content = "\n\nFirst line\nsecond line.\n \t\n\n\nNext paragraph.\n"
    passages = load_corpus(write(tmp_path / "c.txt", content)).passages
    assert passages == (
        Passage("passage#1", "", "First line\nsecond line."),
        Passage("passage#2", "", "Next paragraph."),
    )


def test_byte_order_mark_and_line_endings(tmp_path):
    assert load_corpus(write(tmp_path / "a.txt", "\ufeffOne.\r\n\r\nTwo.".encode())).passages[0].text == "One."
    assert len(load_corpus(write(tmp_path / "b.txt", b"One.\r\rTwo."))) == 2
    assert load_corpus(write(tmp_path / "c.jsonl", '\ufeff{"text": "a\u2028b"}')).passages[0].text == "a\u2028b"


def test_blank_entries_are_left_out(tmp_path):
    content = '{"text": "  "}\n{"text": "One."}\n{"title": "T", "text": ""}\n'
    assert [p.text for p in load_corpus(write(tmp_path / "c.jsonl", content)).passages] == ["One."]


# --- pieces, ids, duplicates -----------------------------------------------------------------------------------------


def test_long_texts_are_split_into_hundred_words(tmp_path):
    content = json.dumps({"title": "T", "text": words(250)}) + "\n" + json.dumps({"id": "x", "text": words(101)})
    passages = load_corpus(write(tmp_path / "c.jsonl", content)).passages
    assert [(p.id, len(p.text.split())) for p in passages] == [
        ("T#1", 100),
        ("T#2", 100),
        ("T#3", 50),
        ("x#1", 100),
        ("x#2", 1),
    ]


def test_pieces_are_slices_of_the_text(tmp_path):
    text = "  " + "a \t b\n".join(str(i) for i in range(150)) + " end. "
    passages = load_corpus(write(tmp_path / "c.jsonl", json.dumps({"text": text}))).passages
    assert len(passages) > 1
    assert all(p.text in text and p.text == p.text.strip() for p in passages)
    assert " ".join(p.text for p in passages).split() == text.split()


def test_text_without_spaces_is_split_too(tmp_path):
    text = "".join(chr(0x4E00 + i) for i in range(2500))
    passages = load_corpus(write(tmp_path / "c.txt", text)).passages
    assert [len(p.text) for p in passages] == [1000, 1000, 500]
    assert "".join(p.text for p in passages) == text


def test_same_title_and_text_is_kept_once_in_its_first_place():
    one, two, three = Passage("1", "T", "x"), Passage("2", "T", "y"), Passage("3", "T", "x")
    assert Corpus("c", (one, two, three, Passage("4", "U", "x"))).passages == (one, two, Passage("4", "U", "x"))


def test_ids_are_unique_whatever_the_file_says(tmp_path):
    records = [
        ("a", "", "1"),
        ("a", "", "2"),
        ("a#1", "", "3"),
        (None, "a", "4"),
        (None, "", "5"),
        (None, "passage", "6"),
    ]
    lines = "\n".join(json.dumps({"id": i, "title": t, "text": x}) for i, t, x in records)
    passages = load_corpus(write(tmp_path / "c.jsonl", lines)).passages
    assert len({p.id for p in passages}) == len(passages) == 6
    assert passages[0].id == "a"


def test_sha256_is_of_the_passages_alone(tmp_path):
    text = load_corpus(write(tmp_path / "a.jsonl", '{"id": "1", "title": "T", "text": "x"}'))
    same = load_corpus(write(tmp_path / "b.tsv", "id\ttitle\ttext\n1\tT\tx"))
    other = load_corpus(write(tmp_path / "c.tsv", "id\ttitle\ttext\n1\tTx\t."))
    assert text.sha256 == same.sha256 != other.sha256
    assert re.fullmatch("[0-9a-f]{64}", text.sha256)


@given(st.lists(st.text(), max_size=5), st.text())
def test_any_strings_in_jsonl_become_passages_or_one_sentence(tmp_path_factory, texts, title):
    path = tmp_path_factory.mktemp("any") / "c.jsonl"
    write(path, "\n".join(json.dumps({"title": title, "text": text}) for text in texts))
    try:
        corpus = load_corpus(path)
    except InputError:
        assert not any(text.strip() for text in texts)
    else:
        assert " ".join(p.text for p in corpus.passages).split() or not texts
        assert len({p.id for p in corpus.passages}) == len(corpus)


def test_lone_surrogates_are_replaced(tmp_path):
    corpus = load_corpus(write(tmp_path / "c.jsonl", r'{"id": "\ud800", "title": "\udfff", "text": "a \ud83d b"}'))
    assert corpus.passages == (Passage("?", "?", "a ? b"),)
    assert len(corpus.sha256) == 64


# --- bad files -------------------------------------------------------------------------------------------------------

BAD = {
    "empty.txt": (b"", "empty"),
    "blank.txt": (" \n\t\n\u00a0".encode(), "holds no text"),
    "blank.jsonl": (b'{"text": " "}\n{"text": ""}', "holds no text"),
    "none.json": (b"[]", "holds no text"),
    "header.tsv": (b"id\ttext\ttitle\n", "holds no text"),
    "picture.txt": (b"\x89PNG\r\n\x1a\n\0\0\0", "binary"),
    "latin.txt": ("one\nGödel".encode("latin-1"), "not in UTF-8 (line 2)"),
    "utf16.txt": ("Gödel".encode("utf-16"), "not in UTF-8"),
    "odd.csv": (b"id,text\n1,x", ".jsonl, .json, .tsv, .txt"),
    "noending": (b"text", ".jsonl, .json, .tsv, .txt"),
    "broken.jsonl": (b'{"text": "x"}\n{"text": "y"', "line 2 should be JSON"),
    "list.jsonl": (b'[{"text": "x"}]', 'line 1 should be an object with a "text"'),
    "number.jsonl": (b'{"text": "x"}\n\n{"text": 3}', 'line 3 should be an object with a "text"'),
    "notext.jsonl": (b'{"title": "x"}', 'line 1 should be an object with a "text"'),
    "title.jsonl": (b'{"text": "x", "title": 3}', "line 1 should be a title that is a string"),
    "id.jsonl": (b'{"text": "x", "id": [1]}', "line 1 should be an id that is a string or a whole number"),
    "deep.jsonl": (b"[" * 100_000, "line 1 should be"),
    "digits.jsonl": (b'{"id": ' + b"9" * 5000 + b', "text": "x"}', "line 1 should be"),
    "broken.json": (b'[\n{"text": "x"},\n]', "line 3 should be JSON"),
    "scalar.json": (b"3", "a list of objects"),
    "item.json": (b'[{"text": "x"}, "y"]', "item 2 should be an object"),
    "object.json": (b'{"text": "x"}', 'item 1 should be a title with an object that has an "extract"'),
    "noheader.tsv": (b"1\tSome text\tTitle\n", "line 1 should be the header"),
    "twice.tsv": (b"text\ttext\nx\ty\n", "line 1 should be the header"),
    "columns.tsv": (b"id\ttext\ttitle\n1\tx\ty\n2\tx\n", "line 3 should be 3 columns with tabs between, not 2"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_in_one_sentence(tmp_path, name):
    content, expected = BAD[name]
    path = write(tmp_path / name, content)
    with pytest.raises(InputError) as caught:
        load_corpus(path)
    message = str(caught.value)
    assert expected in message
    assert str(path) in message
    assert message.endswith(".") and "\n" not in message and not re.search(r"\. [A-Z]", message)


def test_missing_folder_and_odd_paths(tmp_path):
    for path, expected in [
        (tmp_path / "missing.jsonl", "does not exist"),
        (tmp_path / "missing.jsonl" / "deeper.txt", "does not exist"),
        (tmp_path, "is a folder"),
        (tmp_path / ("x" * 5000), "cannot be read"),
        (Path("a\0b.txt"), "zero character"),
        (Path("/dev/null"), "no regular file"),
    ]:
        with pytest.raises(InputError, match=expected):
            load_corpus(path)
    below_a_file = write(tmp_path / "file.txt", "x") / "inner.txt"
    with pytest.raises(InputError, match="cannot be read"):
        load_corpus(below_a_file)


def test_a_file_too_large_for_memory_is_refused(tmp_path):
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate(300_000_000)
    with pytest.raises(InputError, match="has 300 MB: give at most 200 MB"):
        load_corpus(path)


@pytest.mark.parametrize("texts", [[], ["…", "!?"], ["the", "of and"]])
def test_a_corpus_without_a_term_never_reaches_rank_bm25(texts):
    passages = tuple(Passage(str(i), "", text) for i, text in enumerate(texts))
    with pytest.raises(InputError, match="no word to search for"):
        BM25Retriever(Corpus("blank", passages))


# --- the packaged passages -------------------------------------------------------------------------------------------


def test_packaged_summaries():
    corpus = from_summaries(packaged.corpus_path(), "packaged")
    assert len(corpus) == 12_324
    assert max(len(p.text.split()) for p in corpus.passages) == 100
    guernica = next(p for p in corpus.passages if p.id == "Guernica (Picasso)#1")
    assert guernica.title == "Guernica (Picasso)" and guernica.text.startswith("Guernica is a large 1937 oil painting")
