"""Presentation: one view at a time by keys, in the order of the run, in the same frame."""

VIEW = "() => document.querySelector('.dragin.presenting')?.dataset.view"
FRAME = """() => { const shown = [...document.querySelectorAll('.presenting .panel')].filter(n => n.checkVisibility());
  const box = shown[0].getBoundingClientRect();
  return [shown.length, ...[box.left, box.top, box.right, box.bottom].map(Math.round)] }"""
STORY = ["question", "when", "card", "what", "with", "prompt", "when", "card", "answer"]


def test_keys_tell_the_story_one_view_at_a_time(visit):
    visitor = visit(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    page = visitor.page
    page.focus("#question textarea")
    page.keyboard.type("p")
    assert page.evaluate(VIEW) is None
    page.focus(".present-start")
    page.keyboard.press("p")
    seen, frames = [], set()
    for key in ["ArrowRight"] * 4 + [" "] * 5:
        page.wait_for_selector(f".presenting[data-view={STORY[len(seen)]}]")
        assert page.evaluate("() => innerWidth === document.documentElement.scrollWidth")
        seen.append(page.evaluate(VIEW))
        frames.add(tuple(page.evaluate(FRAME)))
        page.keyboard.press(key)
    assert seen == STORY
    assert len(frames) == 1, "no view jumps"
    assert next(iter(frames))[0] == 1
    assert page.locator(".present-stops [aria-current]").count() == 1
    assert page.evaluate("() => parseFloat(getComputedStyle(document.querySelector('.answer-text')).fontSize)") > 24
    page.keyboard.press("Home")
    page.wait_for_selector(".presenting[data-view=question]")
    assert "stethoscope" in page.inner_text(".question-view")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".presenting[data-view=card]")
    page.locator(".present-stops button").nth(3).click()
    page.wait_for_selector(".presenting[data-view=what]")
    assert page.inner_text(".presenting .query .chips").startswith("invented")
    page.keyboard.press("Escape")
    page.wait_for_selector(".dragin:not(.presenting)")
    assert "present-start" in page.evaluate("() => document.activeElement.className")
    assert page.evaluate("() => draginStage.state.upto") is None
    assert page.locator("[inert]").count() == 0
    assert visitor.problems == []
