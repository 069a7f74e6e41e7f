"""The lens and the difference view in a real browser."""

from test_accessible import faults

QUESTION = "Who invented the stethoscope?"
COLUMNS = "() => document.querySelectorAll('.lens-column').length"
FOUND_ALL = "() => document.querySelector('#lens-start').hidden"
RIGHT = "Laennec"
FIRST_SEEN = """() => new MutationObserver((_, observer) => {
  const columns = [...document.querySelectorAll('.lens-column')];
  if (!columns.length) return;
  observer.disconnect();
  const told = columns.map(node => node.getAttribute('aria-label'));
  window.firstSeen = [document.querySelector('.lens-status').textContent, told,
    document.querySelectorAll('.lens-gap').length];
}).observe(document.querySelector('.lens-chart'), { childList: true })"""


def told(column) -> str:
    """What a column says of itself: its answer behind the colon."""
    return column.get_attribute("aria-label").split(": ", 1)[1]


def test_the_lens_fills_in_and_a_click_leads_to_the_answer_it_promised(ran):
    visitor = ran(QUESTION, length=24, gold=RIGHT)
    page = visitor.page
    assert page.locator(".lens-body").is_hidden()
    page.click("#lens-start")
    visitor.wait(f"() => ({COLUMNS})() > 1")
    assert " of about " in visitor.text(".lens-status") or page.locator("#lens-start").is_hidden()
    visitor.wait(FOUND_ALL)
    count = visitor.count(".lens-column")
    assert visitor.text(".lens-status").startswith(f"{count} runs in all")
    columns = page.locator(".lens-column")
    answers = {told(columns.nth(k)) for k in range(count)}
    assert len(answers) == visitor.count(".lens-answers li") > 1
    assert visitor.count(".lens-answers .badge.right, .lens-answers .badge.wrong") == len(answers)
    theta = visitor.trace()["settings"]["theta"]
    (present,) = page.locator(".lens-column[aria-selected=true]").all()
    assert told(present) == visitor.trace()["answer"].strip()

    other = next(k for k in range(count) if told(columns.nth(k)) != told(present))
    promised = told(columns.nth(other))
    columns.nth(other).hover()
    visitor.wait("() => document.querySelector('.lens-column.active')")
    columns.nth(other).locator(".lens-hit").click(force=True)
    visitor.wait(
        """([theta, question]) => { const p = draginStage.state.payload; return !p.live && p.trace.question === question
            && p.trace.settings.theta !== theta && p.trace.events.at(-1)?.type === 'finished' }""",
        [theta, QUESTION],
    )
    assert visitor.trace()["answer"].strip() == promised
    assert told(page.locator(".lens-column[aria-selected=true]")) == promised
    assert float(page.input_value("#dial-theta input[type=number]")) == visitor.trace()["settings"]["theta"]

    assert faults(page) == []
    page.focus(".lens-chart")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute(".lens-chart", "aria-activedescendant") == f"lens-option-{count - 2}"
    promised = told(columns.nth(count - 2))
    page.keyboard.press("Enter")
    visitor.wait(
        """promised => { const p = draginStage.state.payload; return !p.live && p.trace.answer.trim() === promised
            && p.trace.events.at(-1)?.type === 'finished' }""",
        promised,
    )
    visitor.type_question("Who wrote Hamlet?")
    visitor.press("run")
    visitor.wait("() => document.querySelector('.lens-status').textContent.includes('another question')")
    assert visitor.problems == []


def test_the_lens_stops_when_told_or_when_a_run_begins_and_keeps_what_it_found(visit):
    visitor = visit(viewport={"width": 360, "height": 800}).ready()
    page = visitor.page
    page.click("[data-over=top_n]")
    page.click("#lens-start")
    visitor.wait(f"() => ({COLUMNS})() > 1")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.click("#lens-start")
    assert visitor.text(".lens-status").startswith("Stopped with")
    kept = visitor.count(".lens-column")
    assert kept > 1
    page.click("[data-over=theta]")
    assert visitor.count(".lens-column") == 0
    page.evaluate(FIRST_SEEN)
    page.click("#lens-start")
    visitor.wait("() => window.firstSeen")
    status, columns, gaps = page.evaluate("() => window.firstSeen")
    assert status == "1 run known: the one that is shown. The model writes what it needs of it: 0 tokens written."
    assert [line.split(": ", 1)[1] for line in columns] == [visitor.trace()["answer"].strip()]
    assert gaps > 0, "what is not known yet is hatched"
    visitor.wait(f"() => ({COLUMNS})() > 1")
    visitor.press("run")
    visitor.finished(visitor.trace()["question"])
    assert visitor.text(".lens-status").startswith("Stopped with")
    assert visitor.count(".lens-column") > 1
    assert visitor.problems == []


def test_paper_against_official_names_the_switch_that_changes_the_decision(ran):
    visitor = ran(QUESTION, theta=0.3, length=24)
    page = visitor.page
    page.select_option("#difference-against", "official")
    page.click("#difference-start")
    visitor.wait("() => document.querySelector('.difference-steps li')")
    steps = {
        node.get_attribute("data-switch"): node.inner_text() for node in page.locator(".difference-steps li").all()
    }
    assert "unit" in steps
    changing = [name for name, line in steps.items() if "changes the decision" in line]
    assert "decide" in changing
    assert "moment → window" in steps["decide"]
    assert visitor.count(".difference-unit") > 3
    assert "changes" in visitor.texts(".difference-pair .badge")
    assert faults(page) == []
    page.select_option("#difference-against", "one")
    page.select_option("#difference-switch", "cut")
    page.select_option("#difference-value", "sentence")
    page.click("#difference-start")
    visitor.wait("() => document.querySelector('.difference .error')?.textContent.includes('set decide=window')")
    assert visitor.problems == []


def test_hostile_text_in_the_lens_and_the_difference_view_stays_text(ran):
    visitor = ran("Who painted <img src=x onerror=alert(1)> ${1+1} {{x}}?", length=8)
    visitor.page.click("#lens-start")
    visitor.wait(FOUND_ALL)
    visitor.page.click("#difference-start")
    visitor.wait("() => document.querySelector('.difference-steps li')")
    assert visitor.count("#lens img, #difference img") == 0
    assert visitor.problems == []
