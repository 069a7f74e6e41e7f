"""The runs of this visit: listed as a tree, named after what changed, renamed, reopened, deleted."""

from test_what_if import edited, place

NAME = '<img src=x onerror="window.hacked = 1"> ${1+1}'


def listed(visitor, count: int) -> list[str]:
    visitor.wait("count => document.querySelectorAll('#runs .run').length === count", count)
    return visitor.texts("#runs .run-name")


def test_runs_are_listed_named_renamed_opened_and_deleted(begun, visit):
    visitor, before = begun, begun.trace()
    names = listed(visitor, 1)
    assert names == ["DRAGIN, θ 0.3"]
    at = place(before, "passages")
    visitor.page.locator(".passage input[type=checkbox]").first.click()
    visitor.page.get_by_role("button", name="Go on with these").click()
    edited(visitor, at)
    after = visitor.trace()
    assert listed(visitor, 2)[1] == f"passages by hand: {len(before['events'][at]['items']) - 1}"
    visitor.set_dial("theta", 0.31)
    visitor.notice("edits kept")
    visitor.settings_followed(theta=0.31)
    assert "θ 0.3 → 0.31" in listed(visitor, 3)[2]
    depths = visitor.page.eval_on_selector_all("#runs .run", "all => all.map(n => n.style.getPropertyValue('--depth'))")
    assert depths == ["0", "1", "2"]
    assert "right" in visitor.texts("#runs .run")[0] or "wrong" in visitor.texts("#runs .run")[0]

    second = visitor.page.locator("#runs .run").nth(1)
    second.locator("[data-run=rename]").focus()
    visitor.page.keyboard.press("Enter")
    visitor.page.locator(".run-rename input").fill(NAME)
    visitor.page.keyboard.press("Enter")
    visitor.wait("name => [...document.querySelectorAll('#runs .run-name')].some(n => n.textContent === name)", NAME)
    second.locator("[data-run=open]").click()
    visitor.wait(
        "text => draginStage.state.payload.trace.answer === text && draginStage.state.theta === 0.3", after["answer"]
    )
    edited(visitor, at)
    visitor.wait("() => document.querySelector('#dial-theta input[type=number]').value === '0.3'")
    assert visitor.count("#runs .run.current") == 1
    second.locator("[data-run=delete]").click()
    assert listed(visitor, 2)[0] == "DRAGIN, θ 0.3"
    depths = visitor.page.eval_on_selector_all("#runs .run", "all => all.map(n => n.style.getPropertyValue('--depth'))")
    assert depths == ["0", "1"]
    with visitor.page.expect_download() as download:
        visitor.page.click("#share-scores")
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    assert lines[0] == "round,index,text,H,a_max,s,RIND,fired"
    assert len(lines) > 10
    assert visitor.page.evaluate("() => window.hacked") is None
    assert visitor.problems == []
    other = visit().page
    assert other.locator("#runs section").is_hidden()
    assert other.locator("#runs .run").count() == 0
    assert before["question"] in visitor.text("#runs")
