"""FLARE explained: probabilities under its two thresholds where RIND has a score, on the same text."""

import pytest
from tiny import tiny_explainer

from dragin_core import Settings

QUESTION = "Where did Ada live?"
MEMORY = "Ada lived near Paris. She wrote about engines."
CHANCES = {"near": 0.3, "Paris": 0.7, "engines": 0.81}
PASSAGES = [("Paris", "People lived in Paris on the Seine."), ("Zebra", "Zebras graze.")]


@pytest.fixture(scope="module")
def explainer():
    """A model whose probabilities are known."""
    return tiny_explainer({QUESTION: MEMORY}, PASSAGES, chances=CHANCES)


def token(stage, text: str):
    return stage.locator(".round").first.locator(".tok", has_text=text).first


def card(stage, text: str) -> tuple[list[str], str]:
    """The numbers of the first formula of a token's card, and all the card says."""
    token(stage, text).click()
    stage.locator(".card .token-name", has_text=text).wait_for()
    numbers = stage.locator(".card .formula").first.locator("b").all_inner_texts()
    said = " ".join(stage.locator(".card").inner_text().split())
    token(stage, text).click()
    return numbers, said


def test_flares_bars_are_doubts_under_its_threshold_and_its_mask_strikes_words(stage, explainer):
    stage.show(explainer.run(QUESTION, Settings(method="flare", max_new_tokens=32)).to_dict())
    assert stage.input_value(".panel.when select") == "doubt"
    assert "1 − p 0.20" in stage.locator(".theta-tag").first.text_content()
    over = stage.locator(".round").first.locator(".tok.over .txt").all_inner_texts()
    assert over == ["near", "Paris"], "engines has 0.81"
    assert "fires" in token(stage, "near").get_attribute("class")
    assert "doubt 70%" in token(stage, "near").get_attribute("aria-label")
    numbers, said = card(stage, "near")
    assert numbers == ["0.300", "0.700", "0.20"]
    assert "→unsure" in said.replace(" ", "")
    assert "below 0.40, so FLARE’s query leaves it out" in said
    assert "not below 0.40" in card(stage, "Paris")[1]
    assert [text.strip() for text in stage.locator(".doubt-sentence .masked").all_inner_texts()] == ["near"]
    assert stage.locator(".query .chip").all_inner_texts() == ["Ada lived Paris."]


def test_either_trigger_can_be_held_against_the_same_text(stage, explainer):
    stage.show(explainer.run(QUESTION, Settings(theta=50, max_new_tokens=32)).to_dict())
    assert stage.input_value(".panel.when select") == "rind"
    before = [unit["rind"] for unit in stage.evaluate("mounted.state.payload.trace.events[0].units")]
    stage.locator(".panel.when select").select_option("doubt")
    stage.wait_for_function("() => document.querySelectorAll('.tok.over').length === 2")
    assert stage.locator(".tok.fires").count() == 0
    assert "This run does not decide by it." in card(stage, "near")[1]
    stage.locator(".panel.when select").select_option("rind")
    stage.wait_for_function("() => !document.querySelector('.tok.over')")
    assert [unit["rind"] for unit in stage.evaluate("mounted.state.payload.trace.events[0].units")] == before


def test_the_released_rule_holds_the_mean_against_its_limit(stage, explainer):
    settings = Settings(method="flare", flare_rule="released", max_new_tokens=32)
    trace = explainer.run(QUESTION, settings).to_dict()
    stage.show(trace)
    first, end = trace["events"][1]["sentence"]
    doubts = [1 - unit["probability"] for unit in trace["events"][0]["units"][first:end]]
    numbers, said = card(stage, "near")
    assert numbers[2:] == [f"{sum(doubts) / len(doubts):.3f}", "0.08"]
    assert "mean over its sentence" in said
    assert trace["events"][1]["score"] == pytest.approx(sum(doubts) / len(doubts), abs=1e-6)
