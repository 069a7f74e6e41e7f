"""Analysis and BM25, against values worked out by hand and a second computation."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragin_core import packaged
from dragin_core.retrieval import RETRIEVERS, BM25Retriever, Corpus, Passage, from_summaries
from dragin_core.retrieval.analysis import Term, analyse, fold
from dragin_core.words import is_stop_word


def terms(text: str) -> list[str]:
    return [term.text for term in analyse(text)]


def corpus(*texts: str) -> Corpus:
    return Corpus("test", tuple(Passage(f"p{i}", "", text) for i, text in enumerate(texts)))


# --- analysis --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who painted Guernica?", ["painted", "guernica"]),
        ("GUERNICA", ["guernica"]),
        ("the of and", []),
        ("", []),
        ("… — ?!", []),
        ("co-discoverer", ["co", "discoverer"]),
        ("mother-in-law", ["mother", "law"]),
        ("O’Neil's O'Neil", ["o", "neil", "o", "neil"]),
        ("Picasso’s PICASSO'S", ["picasso", "picasso"]),
        ("It isn't, he'd, they're", []),
        ("8,849 metres, 228.19 km, 3.5-inch", ["8,849", "metres", "228.19", "km", "3.5", "inch"]),
        ("in 1937.", ["1937"]),
        ("the U.S. and the U.S.A.", ["us", "usa"]),
        ("tell us", ["tell"]),
        ("J.R.R. Tolkien", ["jrr", "tolkien"]),
        ("Node.js end.Next", ["node", "js", "end"]),
        ("Gödel Godel GÖDEL Go\u0308del", ["godel"] * 4),
        ("Straße STRASSE", ["strasse"] * 2),
        ("İstanbul", ["istanbul"]),
        ("ﬁre", ["fire"]),
        ("爱情", ["爱", "情"]),
        ("がく", ["が", "く"]),
        ("हिन्दी", ["हिन्दी"]),
        ("한국", ["한국"]),
        ("\u037a", []),
        ("a 🙂 b", ["b"]),
    ],
)
def test_terms(text, expected):
    assert terms(text) == expected


def test_offsets_are_those_of_the_source():
    text = "The U.S. co-discoverer, Gödel’s 8,849"
    assert analyse(text) == [
        Term("us", 4, 7),
        Term("co", 9, 11),
        Term("discoverer", 12, 22),
        Term("godel", 24, 29),
        Term("8,849", 32, 37),
    ]


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("aZé'’-.,1 sS")), max_size=80))
def test_any_text_gives_terms_in_order_that_are_what_was_written(text):
    found = analyse(text)
    previous = 0
    for term in found:
        assert previous <= term.start < term.end <= len(text)
        previous = term.end
        written = text[term.start : term.end]
        assert term.text and term.text in (fold(written), fold(written.replace(".", "")))
        assert not is_stop_word(written, "en")
    assert analyse(text) == found


@given(st.text(max_size=40))
def test_fold_is_stable(text):
    assert fold(fold(text)) == fold(text)


# --- scores ----------------------------------------------------------------------------------------------------------


def test_scores_by_hand():
    """Lengths 3, 2, 1 (average 2), k1 1.2, b 0.75."""
    retriever = BM25Retriever(corpus("apple banana apple", "banana cherry", "cherry"))
    rare, common = math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)
    apple = rare * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))
    banana = common * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / 2)), common * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 2))
    hits = retriever.search("An apple, a banana?", 5)
    assert [hit.passage.id for hit in hits] == ["p0", "p1"]
    assert hits[0].terms == pytest.approx({"apple": apple, "banana": banana[0]}, abs=1e-12)
    assert hits[1].terms == pytest.approx({"banana": banana[1]}, abs=1e-12)
    assert hits[0].score == pytest.approx(apple + banana[0], abs=1e-12)


def test_a_term_of_every_passage_still_counts_for_a_passage():
    hits = BM25Retriever(corpus("apple", "apple pear", "apple plum")).search("apple", 3)
    assert len(hits) == 3
    assert hits[0].score == pytest.approx(math.log(1 + 0.5 / 3.5) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / 5)))


def test_title_is_searched_and_counts_as_text():
    retriever = BM25Retriever(Corpus("c", (Passage("1", "Guernica", "A painting."), Passage("2", "", "A painting."))))
    assert [hit.passage.id for hit in retriever.search("guernica", 3)] == ["1"]


def test_ties_by_corpus_order_and_k_is_a_limit():
    retriever = BM25Retriever(corpus("apple one", "pear", "apple two", "apple six"))
    assert [hit.passage.id for hit in retriever.search("apple", 2)] == ["p0", "p2"]
    assert [hit.passage.id for hit in retriever.search("apple", 10_000)] == ["p0", "p2", "p3"]
    assert retriever.search("apple", 0) == []


def test_one_text_under_two_titles_is_found_once():
    retriever = BM25Retriever(Corpus("c", (Passage("1", "A", "apple"), Passage("2", "B", "apple"))))
    assert [hit.passage.id for hit in retriever.search("apple", 3)] == ["1"]


@pytest.mark.parametrize("query", ["", "   ", "?!", "the of", "zebra", "🙂"])
def test_nothing_found(query):
    assert BM25Retriever(corpus("apple", "")).search(query, 3) == []


def test_a_repeated_word_counts_as_often_as_it_is_asked():
    retriever = BM25Retriever(corpus("apple pear", "plum"))
    once, twice = retriever.search("apple", 1)[0], retriever.search("apple Apple", 1)[0]
    assert twice.score == pytest.approx(2 * once.score)
    assert list(twice.terms) == ["apple"]


def test_remembered_results_cannot_be_spoilt():
    retriever = BM25Retriever(corpus("apple", "plum"))
    first = retriever.search("apple", 1)
    first[0].terms.clear()
    first.clear()
    again = retriever.search("an APPLE", 1)
    assert again[0].terms and retriever._remembered.cache_info().hits == 1


VOCABULARY = ["apple", "banana", "cherry", "u.s.", "co-op", "Gödel", "8,849", "the"]
DOCUMENTS = st.lists(st.lists(st.sampled_from(VOCABULARY), max_size=8).map(" ".join), min_size=1, max_size=8)


@given(DOCUMENTS, st.lists(st.sampled_from([*VOCABULARY, "zebra"]), max_size=6).map(" ".join), st.integers(1, 9))
def test_against_a_second_computation(texts, query, k):
    source = corpus(*[f"{text} anchor{i}" for i, text in enumerate(texts)])
    hits = BM25Retriever(source).search(query, k)
    documents = [terms(p.text) for p in source.passages]
    average = np.mean([len(d) for d in documents])
    expected = []
    for document in documents:
        counts, score = Counter(document), 0.0
        for term in terms(query):
            df = sum(term in d for d in documents)
            idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
            score += idf * counts[term] * 2.2 / (counts[term] + 1.2 * (0.25 + 0.75 * len(document) / average))
        expected.append(score)
    assert [h.score for h in hits] == pytest.approx(sorted((s for s in expected if s > 0), reverse=True)[:k], abs=1e-9)
    for hit in hits:
        assert hit.score == pytest.approx(expected[source.passages.index(hit.passage)], abs=1e-9)
        assert abs(sum(hit.terms.values()) - hit.score) < 1e-9
        assert all(value > 0 for value in hit.terms.values())


# --- the packaged passages -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wikipedia() -> BM25Retriever:
    return RETRIEVERS["bm25"](from_summaries(packaged.corpus_path(), "packaged"))


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("Who painted Guernica?", "Guernica (Picasso)#1"),
        ("Which element has the atomic number 79?", "Gold#1"),
        ("author of Pride and Prejudice", "Pride and Prejudice#1"),
        ("Godel incompleteness theorems", "Gödel's incompleteness theorems#1"),
        ("James Watson Crick DNA co-discoverer", "James Watson#1"),
        ("Tchaikovsky ballet swan", "Swan Lake#1"),
    ],
)
def test_real_queries_find_their_article(wikipedia, query, best):
    hits = wikipedia.search(query, 3)
    assert hits[0].passage.id == best
    assert len(hits) == 3 and [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


def test_a_long_and_hostile_query(wikipedia):
    query = "Guernica <img src=x onerror=1> ${1+1} {{x}} \0 \ud800 " + "painted " * 400
    assert wikipedia.search(query, 3)[0].terms
