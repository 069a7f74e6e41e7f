"""The recorded runs: they need no model, each says what to look at, and a dial moved over one follows as ever."""

import json

import pytest

from visuals.stories import entries, names, story
from visuals.texts import texts


def open_story(visitor, number: int) -> str:
    """Choose the recorded run at this place; its name."""
    name = names()[number]
    visitor.page.click("#story input")
    visitor.page.locator("[role=option]").nth(number).click()
    visitor.wait("name => draginStage.state.payload.recorded === name", name)
    return name


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry["name"])
def test_every_recorded_run_has_a_title_and_says_what_to_look_at(entry):
    assert entry["name"] in names()
    for part in ("title", "look"):
        assert len(texts()[f"story.{entry['name']}.{part}"]) > 10


def test_the_runs_teach_what_their_titles_say():
    def facts(name):
        trace = story(name)
        right = [alias.lower() for alias in trace["gold"]]
        said = [trace["answer_without_retrieval"], trace["answer"]]
        return trace["counts"]["retrievals"], *[a and any(alias in a.lower() for alias in right) for a in said]

    found = [facts(name) for name in names()]
    assert found == [
        (1, False, True),
        (0, True, True),
        (1, None, False),
        (1, True, False),
        (0, False, False),
        (1, True, False),
        (2, False, True),
        (1, False, True),
    ]


def test_choosing_one_shows_it_with_its_controls_and_asks_no_model(visitor):
    page = visitor.page
    for number in (3, 7):
        name = open_story(visitor, number)
        trace = story(name)
        visitor.wait("q => document.querySelector('#question textarea').value === q", trace["question"])
        visitor.wait(
            "theta => Number(document.querySelector('#dial-theta input[type=number]').value) === theta",
            trace["settings"]["theta"],
        )
        assert page.evaluate("() => draginStage.state.theta") == trace["settings"]["theta"]
        assert texts()[f"story.{name}.look"] in visitor.text(".look")
        assert page.locator(".badge.wait", has_text="preview").count() == 0
    assert page.locator(".badge.variant").inner_text() == "variant official"
    assert visitor.calls == []
    assert not visitor.problems


def test_bars_are_drawn_to_the_scale_of_what_is_shown(visitor):
    """Scores of the released code are of another kind; behind them the paper's must not be drawn flat."""
    at_first = visitor.page.evaluate("() => draginStage.state.scale")
    open_story(visitor, 7)
    assert visitor.page.evaluate("() => draginStage.state.scale") > at_first
    open_story(visitor, 0)
    assert visitor.page.evaluate("() => draginStage.state.scale") == at_first


def test_a_dial_moved_over_a_recorded_run_follows_its_question(visitor):
    visitor.ready()
    trace = story(open_story(visitor, 3))
    visitor.set_dial("theta", 0.5)
    visitor.settings_followed(theta=0.5)
    now = visitor.trace()
    assert now["question"] == trace["question"]
    assert now["counts"]["retrievals"] == 0
    assert json.dumps(now["answer"]) == json.dumps(trace["answer_without_retrieval"])
    assert visitor.page.locator(".look").count() == 0


def test_a_recorded_run_takes_the_place_of_one_that_is_being_written(visitor):
    visitor.ready().type_question("Who was the first person to walk on the Moon and when did that happen?")
    visitor.press("run")
    visitor.wait("() => draginStage.state.live")
    name = open_story(visitor, 1)
    visitor.page.wait_for_timeout(1500)  # tokens that were under way have arrived by then
    assert visitor.page.evaluate("() => draginStage.state.payload.recorded") == name
