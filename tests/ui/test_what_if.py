"""What if: the shown run, with one thing in it changed by hand."""

HOSTILE = "<img src=x onerror=\"window.hacked = 1\"> ${1+1} {{x}} 'Guernica' by hand"


def edited(visitor, *events: int) -> None:
    """Until the shown run has ended and exactly these events are marked as edited."""
    visitor.wait(
        """wanted => { const p = draginStage.state.payload; const e = p.trace.events;
            return !p.live && e.at(-1)?.type === 'finished'
                && String(e.flatMap((x, i) => x.edited ? [i] : [])) === String(wanted) }""",
        list(events),
    )


def place(trace: dict, kind: str) -> int:
    return next(k for k, event in enumerate(trace["events"]) if event["type"] == kind)


def test_a_passage_is_left_out_and_one_is_written(begun):
    visitor, before = begun, begun.trace()
    at = place(before, "passages")
    box = visitor.page.locator(".passage input[type=checkbox]").first
    box.focus()
    visitor.page.keyboard.press("Space")
    visitor.wait("() => document.querySelectorAll('.passage.left-out').length === 1")
    assert visitor.page.evaluate("() => document.activeElement.checked") is False
    found = len(before["events"][at]["items"])
    for number in range(1, found):
        visitor.page.locator(".passage input[type=checkbox]").nth(number).click()
    visitor.wait("found => document.querySelectorAll('.passage.left-out').length === found", found)
    visitor.page.get_by_role("button", name="Add a passage").click()
    fields = visitor.page.locator(".passage-fields")
    fields.locator("input").fill("By me")
    fields.locator("textarea").fill(HOSTILE)
    visitor.page.locator(".tok").nth(2).hover()
    assert fields.locator("textarea").input_value() == HOSTILE
    visitor.page.get_by_role("button", name="Go on with these").click()
    edited(visitor, at)
    after = visitor.trace()
    old, new = before["events"][at]["items"], after["events"][at]["items"]
    assert [item["text"] for item in new] == [HOSTILE]
    assert HOSTILE in after["events"][at + 1]["prompt"]["text"]
    assert old[0]["text"] not in after["events"][at + 1]["prompt"]["text"]
    assert after["events"][at + 2]["text"] != before["events"][at + 2]["text"]
    visitor.page.locator(".step.with button").first.click()
    assert HOSTILE in visitor.text(".panel.with")
    assert "by hand" in visitor.text(".panel.with")
    assert "by hand" in visitor.texts(".step.with")[0]
    assert HOSTILE in visitor.text(".prompt-columns")
    assert visitor.page.evaluate("() => window.hacked") is None
    assert visitor.problems == []


def test_another_query_another_token_and_no_trigger_at_all(begun):
    visitor, before = begun, begun.trace()
    at = place(before, "query")
    visitor.page.locator(".query .edit-button").click()
    field = visitor.page.locator(".query textarea")
    field.fill(HOSTILE)
    visitor.page.locator(".query").get_by_role("button", name="Ask").click()
    edited(visitor, at)
    assert visitor.trace()["events"][at]["sent"] == HOSTILE
    visitor.page.locator(".step.what button").first.click()
    visitor.wait("text => document.querySelector('.query').innerText.includes(text)", HOSTILE)
    assert visitor.page.evaluate("() => window.hacked") is None

    trigger = before["events"][at - 1]["index"]
    token = next(k for k in (trigger - 1, trigger - 2, trigger + 1) if k >= 0)
    visitor.page.locator(f'.tok[data-round="0"][data-unit="{token}"]').click()
    visitor.page.locator(".card").get_by_role("button", name="Fire here").click()
    edited(visitor, at - 1)
    fired = visitor.trace()["events"][at - 1]
    assert (fired["retrieve"], fired["index"], fired["reason"]) == (True, token, "by hand")
    assert "by hand" in visitor.text(".card")

    visitor.set_dial("theta", 0.31)
    visitor.notice("1 of 1 edits kept")
    visitor.settings_followed(theta=0.31)
    assert visitor.trace()["events"][at - 1]["index"] == token

    visitor.set_dial("theta", 0.3)
    visitor.settings_followed(theta=0.3)
    visitor.press("run")
    edited(visitor)
    visitor.page.locator(f'.tok[data-round="0"][data-unit="{trigger}"]').click()
    visitor.page.locator(".card").get_by_role("button", name="Ignore this trigger").click()
    edited(visitor, at - 1)
    ignored, following = visitor.trace()["events"][at - 1 : at + 1]
    assert (ignored["retrieve"], ignored["index"], following["type"]) == (False, trigger, "decision")
    assert "ignored by hand" in visitor.texts(".round-head")[0]
    assert visitor.page.get_by_text("It was ignored by hand").count() == 1
    events = len(visitor.kinds())
    visitor.press("back")
    visitor.wait_events(events - 1)
    assert visitor.problems == []


def test_a_recorded_run_is_edited_after_it_was_made_anew(visitor):
    visitor.ready()
    before = visitor.trace()
    at = place(before, "cut")
    visitor.page.locator(".prompt-column").nth(1).get_by_role("button", name="Edit the prompt").click()
    field = visitor.page.locator(".prompt-column textarea")
    field.fill(field.input_value().replace("Please answer", "Say <b>no</b> and answer"))
    visitor.page.get_by_role("button", name="Write on behind this").click()
    edited(visitor, at)
    after = visitor.trace()
    assert after["edits"][0]["kind"] == "prompt"
    assert "Say <b>no</b> and answer" in after["events"][at]["prompt"]["text"]
    assert after["events"][at]["kept_text"] == before["events"][at]["kept_text"]
    assert after["events"][0]["text"] == before["events"][0]["text"]
    assert visitor.problems == []
