"""The variant ``official`` against recorded windows of the released code."""

import json
import os
from functools import lru_cache
from pathlib import Path

import pytest

from dragin_core import Settings

RECORDS = (
    Path(os.environ.get("DRAGIN_SHARED") or Path(__file__).parents[2].parent / "shared") / "data/official_windows.json"
)
OFFICIAL = Settings(variant="official")
WINDOWS = json.loads(RECORDS.read_text(encoding="utf-8"))["windows"] if RECORDS.is_file() else []

pytestmark = pytest.mark.skipif(not WINDOWS, reason=f"no conformance records at {RECORDS}")


@pytest.fixture(scope="module", params=["generated", "given"])
def decoded(request, explainer):
    """Per record its window, written by the model or read as it is given."""

    @lru_cache
    def decode(number):
        record = WINDOWS[number]
        return explainer.decode(
            record["prompt"],
            OFFICIAL.but(max_new_tokens=record["max_new_tokens"]),
            raw=True,
            question=record["question"],
            answer_so_far=record["answer_so_far"],
            text=record["text"] if request.param == "given" else None,
        )

    return decode


@pytest.mark.parametrize("number", range(len(WINDOWS)))
def test_text_words_and_numbers_of_a_record_are_reproduced(explainer, decoded, number):
    record, found = WINDOWS[number], explainer.score_window(decoded(number), OFFICIAL)
    assert found["text"] == "".join(unit["text"] for unit in found["units"]) == record["text"]
    assert [unit["text"].strip() for unit in found["units"]] == record["words"]
    assert [unit["max_attention"] for unit in found["units"]] == pytest.approx(record["attention"], abs=1e-3)
    assert [unit["entropy"] for unit in found["units"]] == pytest.approx(record["entropy"], abs=1e-3)


@pytest.mark.parametrize("number", range(len(WINDOWS)))
def test_decisions_of_a_record_are_reproduced_at_every_threshold(explainer, decoded, number):
    for expected in WINDOWS[number]["decisions"]:
        found = explainer.score_window(decoded(number), OFFICIAL.but(theta=expected["theta"]))["decision"]
        for key in ("retrieve", "kept_text", "sentence_words", "flags"):
            assert found[key] == expected[key]


@pytest.mark.parametrize("number", range(len(WINDOWS)))
def test_queries_of_a_record_are_reproduced(explainer, decoded, number):
    for expected in WINDOWS[number]["decisions"]:
        for n, query in expected["queries"].items():
            settings = OFFICIAL.but(theta=expected["theta"], top_n=int(n))
            assert explainer.score_window(decoded(number), settings)["query"]["text"] == query
