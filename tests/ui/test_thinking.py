"""What a model thinks, on the stage alone (no server): dimmed, told, and no part of the answer."""

from copy import deepcopy

from tiny import tiny_explainer, tokenizer

from dragin_core import Settings

QUESTION = "Where did Ada Lovelace live?"
REPLY = "<think>\nPerhaps Rome.\n</think>\n\nIt was there that Ada lived, near Paris."
READ = REPLY.replace("near Paris", "in London")


def test_thoughts_are_dimmed_told_in_the_card_and_not_in_the_answer(stage):
    explainer = tiny_explainer(
        {"external knowledge": READ, QUESTION: REPLY},
        [("Ada", "Ada Lovelace lived in London.")],
        spells=deepcopy(tokenizer()),
    )
    trace = explainer.run(QUESTION, Settings(theta=0.0, max_retrievals=1, max_new_tokens=80)).to_dict()
    stage.show(trace)
    first, second = (event for event in trace["events"] if event["type"] == "window")
    thoughts = [unit for unit in first["units"] if unit["reason"] == "thinking"]
    assert stage.locator(".round").first.locator(".tok.thinking").count() == len(thoughts) > 5
    rome = stage.locator(".round").first.locator(".tok", has_text="Rome")
    assert rome.get_attribute("aria-label") == "Rome, thinking, not scored"
    rome.click()
    stage.locator(".card", has_text="This is thinking, not the answer").wait_for()
    assert "Rome" in " ".join(stage.locator(".kept.thinking").all_inner_texts())
    assert "that" in stage.locator(".kept:not(.thinking)").all_inner_texts()
    assert "Rome" in second["kept_text"]
    for text in stage.locator(".answer-text").all_inner_texts():
        assert text.startswith("It was there")


def test_a_budget_spent_on_thinking_is_told(stage):
    trace = tiny_explainer({QUESTION: REPLY}).run(QUESTION, Settings(max_new_tokens=5)).to_dict()
    stage.show(trace)
    assert "was spent on thinking" in stage.locator(".panel.answer").inner_text()
    assert "still thinking" in stage.locator(".timeline").inner_text()
