"""Every edge case of the method's table has its tests, by name."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
METHOD = ROOT.parent / "shared" / "METHOD.md"

CASES = {
    "model writes nothing, or EOS at once": ["test_the_model_that_says_nothing_gives_an_empty_answer_with_the_reason"],
    "every token is a stop word / punctuation": ["test_a_text_of_stop_words_and_punctuation_never_fires_and_says_so"],
    "θ = 0": ["test_theta_zero_is_bounded", "test_theta_zero_is_bounded_and_the_page_says_so"],
    "no new evidence": ["test_no_new_evidence_is_no_retrieval_and_the_search_goes_on"],
    "query has no word left": ["test_an_empty_query_retrieves_nothing"],
    "no passage scores above 0": ["test_no_passage_above_zero_leaves_the_prompt_as_it_is"],
    "fewer than k passages": ["test_fewer_passages_than_asked_are_not_padded"],
    "duplicate passages": ["test_a_passage_that_stands_twice_in_the_corpus_stands_once_in_the_prompt"],
    "prompt longer than the model's context": [
        "test_passages_that_do_not_fit_are_dropped_from_the_last_then_demonstrations"
    ],
    'model starts a new "Question:" turn': ["test_a_new_question_turn_ends_the_answer_before_it"],
    "−inf logits, fp16 weights": [
        "test_a_token_that_cannot_come_adds_nothing_to_entropy",
        "test_half_precision_gives_numbers",
    ],
    "NaN/inf from the model": [
        "test_logits_that_are_no_numbers_are_said",
        "test_numbers_that_are_none_are_refused_by_name_and_dtype",
    ],
    "byte-level pieces": [
        "test_characters_of_several_tokens_stay_whole_and_white_space_is_kept",
        "test_pieces_of_one_character_belong_together",
    ],
    "newline, leading space, tabs": [
        "test_characters_of_several_tokens_stay_whole_and_white_space_is_kept",
        "test_spaces_and_line_ends_are_shown_on_demand",
    ],
    "`<think>` sections": [
        "test_what_a_model_thinks_is_shown_apart_and_is_no_part_of_the_answer",
        "test_thoughts_neither_fire_nor_enter_a_query_and_are_kept",
    ],
    "models without attention": ["test_models_that_cannot_be_explained_are_refused_with_the_reason"],
    "hybrids": ["test_the_way_the_layer_and_the_window_are_told"],
    "sliding window": ["test_words_outside_the_window_are_told_apart_from_words_of_no_weight"],
    "grouped-query attention": ["test_rows_and_logits_are_eagers_in_one_pass_and_token_by_token"],
    "attention sink": ["test_without_the_sink_the_rest_sums_to_one"],
    "passages don't hold the answer": ["test_an_expected_answer_judges_both_answers"],
}


def test_the_table_is_the_methods():
    if not METHOD.is_file():
        pytest.skip("the method's text is not beside this project")
    section = METHOD.read_text(encoding="utf-8").split("\n## 6.")[1].split("\n## 7.")[0]
    rows = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("|")][2:]
    assert [next((case for case in CASES if row.startswith(case)), row) for row in rows] == list(CASES)


@pytest.mark.parametrize("case", CASES)
def test_each_case_has_its_tests(case):
    defined = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert set(CASES[case]) <= defined
