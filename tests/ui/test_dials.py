"""θ and n at the speed of the hand: the browser answers at once, the server follows when the hand lets go."""

import pytest
from visitor import link_to

QUESTION = "Who painted Guernica?"


@pytest.fixture
def shown(ran):
    """A finished run at θ 0.3 and n 12, with one retrieval at most."""
    return ran(QUESTION, theta=0.3, n=12, retrievals=1)


def test_dragging_theta_recolours_without_the_server_and_follows_on_release(shown):
    before = shown.trace()
    calls = len(shown.calls)

    def at_the_far_end():
        shown.wait("() => draginStage.state.theta > 1.7")
        shown.wait("() => document.querySelector('.round.changed')")
        assert shown.count(".round:first-child .tok.fires") == 0
        assert len(shown.calls) == calls
        assert shown.trace() == before
        if shown.count(".round") > 1:
            assert "not followed yet" in shown.texts(".round-head")[1]

    shown.drag("theta", 0.9, at_the_far_end)
    shown.wait("() => draginStage.state.payload.trace.settings.theta > 1.7")
    shown.wait("() => !document.querySelector('.round.changed, .round.later')")
    trace = shown.finished(QUESTION)
    assert len(shown.calls) > calls
    assert trace["counts"]["retrievals"] == 0
    assert trace["counts"]["forward_passes"] == 0, "the window was known"


def test_n_assembles_the_query_at_once_and_follows(shown):
    shown.page.locator(".step.when button").first.click()
    entry = shown.page.locator("#dial-n input[type=number]")
    entry.fill("1")
    shown.wait("() => document.querySelectorAll('.query .chip').length === 1")
    assert shown.count(".row-words .word.top") == 1
    entry.press("Enter")
    shown.settings_followed(top_n=1)


def test_keys_on_a_dial_follow_too(shown):
    slider = shown.page.locator("#dial-theta input[type=range]")
    slider.focus()
    slider.press("End")
    shown.settings_followed(theta=2)


def test_a_branch_goes_as_far_as_the_shown_run_went(visit):
    visitor = visit(link_to(QUESTION, theta=0.3)).came(QUESTION)
    visitor.press("step")
    visitor.wait("q => draginStage.state.payload.trace.question === q && !draginStage.state.payload.recorded", QUESTION)
    visitor.wait_events(1)
    visitor.press("step")
    visitor.wait_events(2)
    visitor.set_dial("theta", 0.05)
    visitor.wait("() => draginStage.state.payload.trace.settings.theta === 0.05")
    visitor.wait_events(2)


@pytest.mark.parametrize(("dial", "typed", "used"), [("theta", "-1", 0), ("k", "10000", 10), ("n", "0", 1)])
def test_an_entry_out_of_bounds_is_told(shown, dial, typed, used):
    shown.set_dial(dial, typed)
    assert f"is {typed}: give a number" in shown.notice("give a number")
    assert float(shown.page.input_value(f"#dial-{dial} input[type=number]")) == used


def test_an_emptied_entry_is_told_and_put_back(shown):
    shown.set_dial("theta", "")
    assert "empty" in shown.notice("give a number")
    assert float(shown.page.input_value("#dial-theta input[type=number]")) == 0.3


def test_passages_and_length_branch_off(shown):
    shown.set_dial("k", 1)
    shown.settings_followed(top_k=1)
    assert all(len(event["items"]) <= 1 for event in shown.trace()["events"] if event["type"] == "passages")
    shown.set_dial("length", 8)
    shown.settings_followed(max_new_tokens=8)
    assert len(shown.trace()["events"][0]["units"]) <= 8


def test_moving_theta_repaints_and_does_not_rebuild(shown):
    """What makes a move cheap: the tokens' nodes stay the same."""
    kept = shown.page.evaluate(
        """async () => {
          const node = document.querySelector('.tok');
          draginStage.set({ theta: 0.9 });
          await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
          return node === document.querySelector('.tok');
        }"""
    )
    assert kept
