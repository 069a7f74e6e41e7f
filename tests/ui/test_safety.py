"""Hostile text stays text, bad input is one sentence, nothing is lost."""

from pathlib import Path

import pytest

HOSTILE = "<img src=x onerror=alert(1)> ${1+1} {{x}} </script> \u202edesrever"

POISON = Path(__file__).with_name("poison.js").read_text(encoding="utf-8")


def watch_dialogs(visitor) -> list[str]:
    seen = []
    visitor.page.on("dialog", lambda dialog: (seen.append(dialog.message), dialog.dismiss()))
    return seen


def test_hostile_text_is_inert_wherever_it_stands(ran):
    visitor = ran("Who painted Guernica?", theta=0.3)
    dialogs = watch_dialogs(visitor)
    visitor.page.evaluate(POISON, HOSTILE)
    for kind in (".step.when", ".step.what", ".step.with", ".step.rewrite", ".step.stop"):
        visitor.page.locator(f"{kind} button").first.click()
    visitor.page.locator(".tok").nth(2).click()
    for selector in (
        ".shown-run",
        ".rounds",
        ".card",
        ".attention",
        ".passage .title",
        ".passage p",
        ".prompt-columns",
        ".gold",
        ".answers",
    ):
        assert (
            "<img src=x onerror=alert(1)> ${1+1} {{x}} </script>" in visitor.page.locator(selector).first.text_content()
        )
    assert visitor.count(".dragin img, .dragin script") == 0
    assert dialogs == []
    assert visitor.problems == []


def test_a_hostile_question_and_expected_answer_run_like_any_other(visitor):
    dialogs = watch_dialogs(visitor)
    visitor.ready().set_dial("length", 8)
    visitor.page.fill("#gold input, #gold textarea", HOSTILE)
    question = f"What is {HOSTILE}?"
    visitor.run(question)
    assert question in visitor.page.locator(".shown-run").text_content()
    assert HOSTILE.split(";")[0].strip() in visitor.page.locator(".gold").text_content()
    assert visitor.count("img, .dragin script") == 0
    assert dialogs == []


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("", "question is empty"),
        ("   ", "question is empty"),
        ("?!… 🙂", "no word in it"),
        ("why " * 5000, "characters"),
    ],
)
def test_a_bad_question_is_one_sentence_and_loses_nothing(visitor, question, sentence):
    visitor.ready().run("Who painted Guernica?")
    before = visitor.trace()
    visitor.type_question(question)
    for button in ("run", "step"):
        visitor.press(button)
        line = visitor.notice(sentence)
        assert len(line.splitlines()) == 1
        assert visitor.page.get_attribute("#notice-line", "role") == "alert"
        assert visitor.trace() == before
    assert visitor.page.input_value("#question textarea") == question


def test_chinese_and_emoji_are_shown_as_they_are(ran):
    question = "谁画了《格尔尼卡》？ 🙂 Who painted it?"
    visitor = ran(question, length=16)
    assert question in visitor.text(".shown-run")
    assert "�" not in visitor.text(".rounds")
