"""Watching a run again: the playhead, its captions, and that nothing of it asks the server."""

PLAYED = "() => !draginStage.state.playing && draginStage.state.upto === null"
STATE = "() => ({ upto: draginStage.state.upto, written: draginStage.state.written })"


def press(page, selector: str) -> None:
    """Click, and wait until what follows is drawn."""
    page.click(selector)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def caption(visitor) -> str:
    return visitor.text(".caption")


def steps(visitor) -> list[str]:
    """Per step of the timeline whether it lies ahead of the playhead."""
    return ["ahead" if "ahead" in (name or "") else "here" for name in classes(visitor, ".step")]


def classes(visitor, selector: str) -> list[str]:
    return visitor.page.locator(selector).evaluate_all("nodes => nodes.map(node => node.className)")


def test_playing_tells_every_step_writes_token_by_token_and_ends_as_it_began(visitor):
    page, before = visitor.page, len(visitor.calls)
    whole = page.inner_text(".rounds")
    page.evaluate("""() => {
        window.told = [], window.lengths = new Set();
        const note = () => {
            const said = document.querySelector('.caption').textContent;
            if (said !== told.at(-1)) told.push(said);
            const tokens = document.querySelectorAll('.round:last-child .tok').length;
            if (draginStage.state.written !== null) lengths.add(tokens);
        };
        new MutationObserver(note).observe(document.querySelector('.dragin'), { subtree: true, childList: true });
    }""")
    page.select_option(".player select", "4")
    page.click(".player-play")
    visitor.wait("() => draginStage.state.playing")
    visitor.wait(PLAYED)
    told = page.evaluate("() => told")
    openings = [sentence.split(":")[0].split(" ")[0] for sentence in told]
    assert [o for o in openings if o in ("When", "What", "With")][:3] == ["When", "What", "With"]
    assert any(sentence.startswith("The answer is cut") for sentence in told)
    assert page.evaluate("() => lengths.size") > 10
    assert page.inner_text(".rounds") == whole
    assert len(visitor.calls) == before
    assert not visitor.problems


def test_one_step_at_a_time_both_ways_and_to_the_ends(visitor):
    page, count = visitor.page, len(visitor.trace()["events"])
    press(page, ".player-first")
    assert page.evaluate(STATE) == {"upto": 1, "written": None}
    assert steps(visitor) == ["here"] + ["ahead"] * (count - 1)
    assert page.is_disabled(".player-back")
    assert "fires at" not in visitor.text(".round-head")
    press(page, ".player-next")
    assert "fires at" in visitor.text(".round-head")
    assert caption(visitor).startswith("When: “")
    press(page, ".player-next")
    press(page, ".player-back")
    assert page.evaluate(STATE)["upto"] == 2
    press(page, f".step:nth-child({count - 1}) button")
    assert page.evaluate(STATE)["upto"] == count - 1
    press(page, ".player-all")
    assert page.evaluate(STATE)["upto"] is None
    assert page.is_disabled(".player-next")
    assert "ahead" not in steps(visitor)


def test_the_answer_is_not_given_away_before_it_is_written(visitor):
    page, trace = visitor.page, visitor.trace()
    press(page, ".player-first")
    assert trace["answer"].split()[-1] not in visitor.text(".side.with")
    assert page.locator(".side.with .badge").count() == 0
    press(page, ".player-all")
    assert trace["answer"] in visitor.text(".side.with")


def test_without_motion_a_window_comes_whole(visit):
    visitor = visit(reduced_motion="reduce")
    visitor.page.select_option(".player select", "4")
    visitor.page.click(".player-play")
    visitor.wait("() => draginStage.state.upto === 1")
    assert visitor.page.evaluate(STATE)["written"] is None
    visitor.page.click(".player-play")
    assert not visitor.page.evaluate("() => draginStage.state.playing")


def test_a_new_run_is_shown_whole_while_a_replay_is_under_way(visitor):
    visitor.ready()
    press(visitor.page, ".player-first")
    visitor.run("What is the capital of Canada?")
    assert visitor.page.evaluate(STATE) == {"upto": None, "written": None}
    assert visitor.page.is_visible(".player")
