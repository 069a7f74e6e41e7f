import json

import pytest

from dragin_core import InputError, Settings
from dragin_core.evaluation import (
    Outcome,
    compare,
    evaluate,
    f1,
    is_right,
    load_questions,
    normalise,
    shared_line,
    summary_table,
)
from dragin_core.evaluation.run import evaluate_to_file
from dragin_core.prompts import EXEMPLARS

QUESTIONS = EXEMPLARS.parent / "questions.jsonl"


@pytest.mark.parametrize(
    ("answer", "aliases", "right"),
    [
        ("It was painted by Pablo Picasso.", ["Picasso"], True),
        ("It rises to 8,849 m.", ["8849", "8,849"], True),
        ("the Pacific", ["The Pacific Ocean", "Pacific"], True),
        ("Parisian", ["Paris"], False),
        ("", ["Paris"], False),
        ("anything", ["", "the"], False),
        ("ST. PETERSBURG", ["St Petersburg"], True),
        ("毕加索画的", ["毕加索"], True),
        ("Einstein's office", ["Einstein"], True),
    ],
)
def test_right_means_a_normalised_alias_stands_in_the_answer(answer, aliases, right):
    assert is_right(answer, aliases) is right


def test_normalising_drops_case_punctuation_and_articles():
    assert normalise("  The “U.S.”, a\tland! ") == "u s land"


def test_the_projects_own_questions_are_sound():
    questions = load_questions(QUESTIONS)
    assert len(questions) >= 80
    assert len({q.id for q in questions}) == len(questions)
    assert {q.hops for q in questions} == {1, 2}
    assert {q.level for q in questions} == {"easy", "hard"}
    for question in questions:
        assert question.answers
        assert not is_right(question.question, question.answers)


@pytest.mark.parametrize(
    "content",
    [
        '{"question": "Who?", "answers": "Picasso"}',
        '{"question": " ", "answers": ["a"]}',
        "",
        "{}",
        '{"question": "Who?"}',
        "[1]",
        "not json",
        '{"question": "a", "answers": 3}',
    ],
)
def test_question_files_of_another_form_are_refused(tmp_path, content):
    path = tmp_path / "questions.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError):
        load_questions(path)


def outcome(name, right, retrievals=1):
    return Outcome(name, name, "", right, retrievals, 0, 10, 0.0, ())


def test_wins_and_losses_are_paired():
    ours = [outcome("a", True), outcome("b", True), outcome("c", False), outcome("d", True)]
    theirs = [outcome("d", False), outcome("c", True), outcome("b", True), outcome("a", False)]
    assert compare(ours, theirs) == {"wins": 2, "losses": 1, "p": 1.0}
    assert compare(ours[:1] * 5, theirs[3:] * 5)["p"] == pytest.approx(2 / 32)


def test_the_table_counts():
    table = summary_table({"wo-rag": [outcome("a", False, 0)], "dragin": [outcome("a", True, 3)]})
    assert "| wo-rag | 0 of 1 | 0.000 | 0.00 | 10.0 | – |" in table
    assert "| dragin | 1 of 1 | 0.000 | 3.00 | 10.0 | 1 : 0 (p = 1.00) |" in table
    assert shared_line({"wo-rag": [outcome("a", False)]}) is None


def test_what_sharing_saves_is_told_where_it_was_counted(scripted):
    question = load_questions(QUESTIONS)[0]
    explainer = scripted({question.question: f"It is {question.answers[0]} indeed."})
    results = {name: list(evaluate(explainer, [question], Settings(method=name))) for name in ("wo-rag", "dragin")}
    alone = [results[name][0].forward_passes_alone for name in results]
    assert alone[0] == alone[1] == results["wo-rag"][0].forward_passes > results["dragin"][0].forward_passes == 0
    assert shared_line(results) == (
        f"2 methods on one question: {alone[0]:.1f} forward passes through one cache, {2 * alone[0]:.1f} each alone "
        "(50% saved)"
    )
    assert f"| dragin | 1 of 1 | 0.400 | 0.00 | 0.0 | {alone[0]:.1f} | 0 : 0 (p = 1.00) |" in summary_table(results)


@pytest.mark.parametrize(
    ("answer", "aliases", "score"),
    [
        ("Pablo Picasso", ["Picasso", "Pablo Picasso"], 1.0),
        ("the painter Picasso", ["Picasso"], 2 / 3),
        ("Paris Paris", ["Paris"], 2 / 3),
        ("nobody", ["Picasso"], 0.0),
        ("", ["Picasso"], 0.0),
        ("毕加索画", ["毕加索"], 6 / 7),
    ],
)
def test_f1_counts_shared_words_against_the_closest_alias(answer, aliases, score):
    assert f1(answer, aliases) == pytest.approx(score)


def test_outcomes_are_kept_and_resumed(scripted, tmp_path):
    question = load_questions(QUESTIONS)[0]
    explainer = scripted({question.question: f"It is {question.answers[0]} indeed."})
    settings, path, seen = Settings(method="wo-rag"), tmp_path / "wo-rag.jsonl", []
    first = evaluate_to_file(explainer, [question], settings, path, False, seen.append)
    assert first[0].right
    head, line = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(head)["settings"]["method"] == "wo-rag"
    assert json.loads(line)["answer"] == f"It is {question.answers[0]} indeed."
    path.write_text(f"{head}\n{line}\n" + line[: len(line) // 2], encoding="utf-8")  # killed while writing
    before = explainer.lm.forward_passes
    again = evaluate_to_file(explainer, [question], settings, path, True, seen.append)
    assert again == first
    assert explainer.lm.forward_passes == before
    assert next(evaluate(explainer, [question], settings)).right
    with pytest.raises(InputError, match="other settings"):
        evaluate_to_file(explainer, [question], settings.but(top_k=1), path, True, seen.append)
