"""Among the operator's models one is chosen: what it changes is told, a θ is suggested, and its runs are its own."""

import pytest
from conftest import started
from tiny import tiny_llama, tokenizer
from visitor import Visitor

QUESTION = "Who painted Guernica?"


@pytest.fixture
def offered(browser, tmp_path):
    """A visitor of a page that offers the packaged model and a tiny one."""
    folder = tmp_path / "tiny <b>model"
    tiny_llama().save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    with started(tmp_path, "--model", "packaged", "--model", str(folder)) as address:
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        yield Visitor(context.new_page(), address)
        context.close()


def choose(visitor: Visitor, place: int) -> None:
    """Choose a model by its place in the list, by keyboard."""
    visitor.page.focus("#model input")
    visitor.page.keyboard.press("ArrowDown")
    visitor.page.locator("#model [role=option], ul[role=listbox] [role=option]").nth(place).click()


def test_another_model_is_told_and_runs_what_is_shown(offered):
    offered.ready().set_dial("length", 8)
    offered.run(QUESTION)
    first = offered.trace()
    choose(offered, 1)
    offered.wait("() => document.querySelector('#preset-note').textContent.includes('What this model changes')")
    assert "layers 30 → 2" in offered.text("#preset-note")
    offered.wait("() => draginStage.state.payload.trace.environment.layers === 2 && !draginStage.state.live")
    offered.wait("() => draginStage.state.payload.trace.events.at(-1)?.type === 'finished'")
    other = offered.trace()
    assert other["question"] == first["question"]
    assert other["environment"]["model"] != first["environment"]["model"]
    assert "<b>model" in offered.text("#model-line")
    offered.page.click("#suggest")
    offered.wait("() => document.querySelector('#preset-note').textContent.includes('that can fire')")
    theta = float(offered.text("#preset-note").split("θ ")[1].split(":")[0])
    offered.settings_followed(theta=theta)
    assert f"θ {theta:g}" in offered.text("#preset-note")
    offered.page.locator("#runs .run").first.locator("[data-run=open]").click()
    offered.wait("() => draginStage.state.payload.trace.environment.layers === 30")
    offered.wait("() => document.querySelector('#model input').value.includes('packaged')")
    assert offered.trace()["answer"] == first["answer"]
    assert offered.problems == []
