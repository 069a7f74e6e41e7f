"""The tab Compare: methods side by side, one that fails beside good ones, stop, and a run taken to Explore."""

from test_accessible import GRADIOS_OWN, faults
from test_safety import HOSTILE, watch_dialogs
from visitor import link_to

from visuals.columns import column
from visuals.payload import payload
from visuals.scripts import script, shared
from visuals.stories import story

QUESTION = "Who invented the stethoscope?"
SETTLED = """() => { const c = window.draginCompare?.columns || [];
    return c.length && c.every(({ state }) => ['done', 'failed'].includes(state.name))
      && !document.querySelector('#compare-run').disabled }"""

POISONED = """hostile => {
  const columns = structuredClone(draginCompare.columns);
  for (const { payload, state } of columns) {
    if (state.error) state.error = hostile;
    if (!payload) continue;
    payload.trace.answer = hostile;
    for (const event of payload.trace.events) {
      if (event.type === 'query') event.sent = event.text = hostile;
      for (const item of event.items || []) item.title = item.text = hostile;
    }
  }
  columns[0].title = hostile;
  draginCompare.show(columns);
}"""


def open_tab(visitor, name="Compare"):
    visitor.page.get_by_role("tab", name=name).click()
    visitor.page.wait_for_selector("#compare-run")
    return visitor.page


def tick(page, *names):
    for box in page.locator(".compare-ways input").all():
        box.set_checked(box.get_attribute("value") in names)


def columns(page):
    return page.evaluate("() => draginCompare.columns")


def test_three_methods_side_by_side_and_one_is_taken_to_explore(visit):
    visitor = visit(link_to(QUESTION, gold="René Laennec; Laennec", length=32)).came(QUESTION)
    page = open_tab(visitor)
    assert page.input_value("#compare-question") == QUESTION
    assert "Laennec" in page.input_value("#compare-gold")
    tick(page, "wo-rag", "sr-rag", "dragin")
    page.click("#compare-run")
    visitor.wait(SETTLED)
    memory, once, dragin = columns(page)
    answers = [each["payload"]["trace"]["answer"].strip() for each in (memory, once, dragin)]
    assert len(set(answers)) == 3
    assert "Laennec" in answers[2]
    assert visitor.texts(".way .badge.right") == ["✓ right"]
    assert visitor.count(".way .badge.wrong") == 2
    assert dragin["payload"]["alone"]["forward_passes"] > dragin["payload"]["trace"]["counts"]["forward_passes"]
    costs = visitor.texts(".way:last-child .costs td")
    counts, alone = dragin["payload"]["trace"]["counts"], dragin["payload"]["alone"]
    assert costs[3:5] == [str(counts["decoded_tokens"]), str(alone["decoded_tokens"])]
    others = [text.lower() for text in visitor.texts(".way:last-child .other")]
    assert "laennec" in others
    assert not set(others) & set(answers[0].lower().split())
    mark = page.locator(".way:last-child .looked")
    query = next(event for event in dragin["payload"]["trace"]["events"] if event["type"] == "query")
    assert mark.get_attribute("aria-label") == f"Lookup 1, round 1: {query['text']}"
    mark.hover()
    assert page.locator(".way:last-child .tip").is_visible()
    mark.click()
    assert page.evaluate("() => document.activeElement.id") == "lookup-2-1"
    page.locator(".way:last-child .found summary").first.click()
    assert "Laennec" in page.locator(".way:last-child .found p").first.inner_text()
    page.click("[data-reference='2']")
    assert visitor.count(".way:last-child .other") == 0 < visitor.count(".way:first-child .other")
    assert set(faults(page)) <= GRADIOS_OWN
    assert visitor.count(".paper .paper-table") == 6
    page.select_option("#paper-measure", "em")
    assert "0.304" in visitor.texts(".paper .main .ours td")
    page.click("[data-open='2']")
    visitor.wait("() => document.querySelector('#stage')?.offsetParent && draginStage.state.payload.came")
    trace = visitor.finished(QUESTION)
    assert trace["answer"].strip() == answers[2] == visitor.text(".side.with .answer-text")
    assert page.input_value("#method input") == "DRAGIN"
    visitor.press("back")
    visitor.wait_events(len(trace["events"]) - 1)
    assert visitor.problems == []


def test_one_that_fails_stands_beside_a_good_one_and_a_hostile_question_is_text(visit):
    visitor = visit(link_to(QUESTION, length=8)).came(QUESTION)
    dialogs = watch_dialogs(visitor)
    page = open_tab(visitor)
    question = f"What is {HOSTILE}?"
    page.fill("#compare-question", question)
    page.fill("#compare-gold", HOSTILE)
    tick(page, "sr-rag")
    for when, what in (("never", "qfs"), ("every", "full-context")):
        page.select_option("#compare-when", when)
        page.select_option("#compare-what", what)
        page.click("#compare-add")
    page.click("#compare-run")
    visitor.wait(SETTLED)
    good, bad, other = columns(page)
    assert [each["state"]["name"] for each in (good, bad, other)] == ["done", "failed", "done"]
    assert visitor.text(".way.failed .line.error") == bad["state"]["error"]
    assert "what=qfs makes no sense with when=never" in bad["state"]["error"]
    assert page.locator(".way.failed [data-open]").is_disabled()
    assert HOSTILE in page.locator(".way").first.locator(".asked b").first.text_content()
    page.evaluate(POISONED, HOSTILE)
    for selector in (".way h3", ".way .answer-text", ".way .asked b", ".way .found summary", ".way .found p"):
        assert HOSTILE in page.locator(selector).first.text_content()
    assert HOSTILE in page.locator(".way.failed .line.error").text_content()
    assert visitor.count(".compare img, .compare script") == 0
    page.fill("#compare-question", " ")
    page.click("#compare-run")
    visitor.wait("() => document.querySelector('#compare-line').textContent.includes('question is empty')")
    assert dialogs == []
    assert visitor.problems == []


def test_stop_keeps_what_was_written(visit):
    visitor = visit(link_to(QUESTION, length=128)).came(QUESTION)
    page = open_tab(visitor)
    page.fill("#compare-question", "What is the history of the Eiffel Tower, and who built it?")
    tick(page, "wo-rag", "dragin")
    page.click("#compare-run")
    visitor.wait("() => draginCompare.columns[0]?.state.tokens >= 3")
    page.click("#compare-stop")
    visitor.wait("() => [...document.querySelectorAll('.way')].every(way => way.classList.contains('stopped'))")
    assert visitor.text(".way .answer-text")
    visitor.wait("() => !document.querySelector('#compare-run').disabled")
    tick(page, "wo-rag")
    page.fill("#compare-question", QUESTION)
    page.click("#compare-run")
    visitor.wait("() => draginCompare.columns.length === 1")
    visitor.wait("() => draginCompare.columns[0].state.name === 'done'")
    assert visitor.count(".way.done") == 1
    assert visitor.problems == []


def test_columns_draw_a_whole_payload_as_they_draw_the_slim_one(browser):
    page = browser.new_page()
    page.set_content("<main class='dragin'><div class='ways'></div><div class='ways'></div></main>")
    page.add_script_tag(content=shared() + script("view_columns.js"))
    whole = [payload(story(name), story(name)["gold"]) for name in ("2-leaves-alone", "7-two-hops")]
    done = {"name": "done"}
    html = page.evaluate(
        """([whole, slim]) => [...document.querySelectorAll('.ways')].map((root, i) => {
          viewColumns(root, i ? slim : whole, { reference: 0, opens: true });
          return root.innerHTML;
        })""",
        [
            [{"title": "a run", "payload": each, "state": done} for each in whole],
            [column("a run", done, each) for each in whole],
        ],
    )
    assert html[0] == html[1]
    assert page.locator(".ways >> nth=1").locator(".looked").all_inner_texts() == ["▲1", "▲2"]
    page.close()


def test_the_matrix_fills_in_shows_its_queries_and_stops(visit):
    visitor = visit(link_to(QUESTION, length=8, k=1)).came(QUESTION)
    page = open_tab(visitor)
    page.fill("#compare-question", QUESTION)
    page.click("#matrix-run")
    visitor.wait("() => document.querySelector('#matrix-line').textContent.includes('Every cell')")
    assert visitor.count(".cells td button") == 24
    page.locator("[data-pair='every × question']").hover()
    assert f"“{QUESTION}”" in visitor.text(".matrix-story")
    page.focus("[data-pair='rind × qfs']")
    assert visitor.text(".matrix-story").startswith("rind × qfs")
    assert "0 forward passes in fact" in " ".join(
        page.evaluate(
            "() => [...document.querySelectorAll('[data-pair]')].map(n => (n.focus(), "
            "document.querySelector('.matrix-story').textContent))"
        )
    )
    visitor.wait("() => !document.querySelector('#matrix-run').disabled")
    page.select_option("#matrix-questions", "3")
    assert "24 pairs × 3 questions: 72 runs" in visitor.text("#matrix-cost")
    page.click("#matrix-run")
    visitor.wait("() => document.querySelectorAll('.cells td button').length === 2")
    page.click("#matrix-stop")
    visitor.wait("() => !document.querySelector('#matrix-run').disabled")
    asked = [cell.split("of ")[1][0] for cell in visitor.texts(".cells td button") if "of " in cell]
    assert len(asked) >= 2 and sum(map(int, asked)) < 72
    assert visitor.problems == []
