"""Learn: the tour by keyboard alone, the words behind the labels, what is easily misread."""

import json

import pytest

from visuals.stories import names
from visuals.texts import lessons

TOUR = lessons()["tour"]
GLOSSARY = {entry["key"]: entry for entry in lessons()["glossary"]}
FOCUSED = """() => { const n = document.activeElement;
  return [n.dataset.tour, n.textContent, n.className, n.closest('[id]')?.id] }"""
BOXES = """() => ['.spot-ring', '.spot-panel'].map(name => {
  const box = document.querySelector(name).getBoundingClientRect();
  return [box.left, box.top, box.right, box.bottom] })"""
FRAMED = """() => { const ring = document.querySelector('.spot-ring'), box = ring.getBoundingClientRect();
  const part = document.querySelector('.panel.when .round .sky').getBoundingClientRect();
  return !ring.hidden && box.height > 50 && part.bottom > 0 && box.top >= 0 && box.bottom <= innerHeight }"""
FORGETS = """for (const name of ['getItem', 'setItem']) { const own = Storage.prototype[name];
  Storage.prototype[name] = function (key, ...rest) {
    if (key === 'dragin-tour') throw new DOMException('denied', 'SecurityError');
    return own.call(this, key, ...rest); } }"""


class Traveller:
    """Someone on the tour who has no mouse."""

    def __init__(self, visitor):
        self.visitor = visitor
        self.page = visitor.page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def start(self) -> None:
        self.page.focus(".tour-start")
        self.press("Enter")
        self.page.wait_for_selector(".spot-panel")

    def tab_to(self, *wanted: str) -> None:
        """Press Tab until the focus is on a button with one of these names (data-tour, or its text)."""
        for _ in range(60):
            self.press("Tab")
            if set(self.page.evaluate(FOCUSED)) & set(wanted):
                return
        raise AssertionError(f"Tab does not reach {wanted}: {self.page.evaluate(FOCUSED)}")

    def go_there(self) -> None:
        self.tab_to("go")
        self.press("Enter")

    def at(self, key: str) -> None:
        title = next(step["title"] for step in TOUR if step["key"] == key)
        self.visitor.wait("title => document.querySelector('.spot-title')?.textContent === title", title)

    def done(self) -> None:
        self.visitor.wait("() => document.querySelector('.spot-sign').textContent.includes('✓')")

    def next(self) -> None:
        self.done()
        self.tab_to("skip")
        self.press("Enter")

    def kept(self) -> dict:
        return json.loads(self.page.evaluate("() => localStorage.getItem('dragin-tour')"))


STOP_WORD = (
    "() => { const s = draginStage.state; return s.payload.trace.events[0].units[s.hovered.unit].semantic === 0 }"
)
CUT = "() => { const s = draginStage.state; return s.payload.trace.events[s.upto - 1]?.type === 'cut' }"


def press_until(traveller: Traveller, key: str, holds: str, most: int) -> None:
    """Press a key until a JavaScript expression holds."""
    for _ in range(most):
        traveller.press(key)
        if traveller.page.evaluate(holds):
            return
    raise AssertionError(holds)


def choose(traveller: Traveller, key: str) -> None:
    step = next(step for step in TOUR if step["key"] == key)
    traveller.tab_to(next(choice["text"] for choice in step["choices"] if choice.get("right")))
    traveller.press("Enter")


def test_the_tour_is_finished_by_keyboard_and_goes_on_where_it_was_left(visit):
    visitor = visit(reduced_motion="reduce")
    tour, page = Traveller(visitor), visitor.page
    tour.start()
    tour.at("bars")
    tour.go_there()
    tour.next()
    tour.at("factors")
    tour.go_there()
    tour.press("Enter")
    page.wait_for_selector(".glossary:popover-open")
    tour.press("Escape")
    assert page.is_visible(".spot-panel")
    tour.next()
    tour.at("stop")
    tour.press("Escape")
    assert not page.is_visible(".spot-panel")
    assert "tour-start" in page.evaluate("() => document.activeElement.className")
    page.reload()
    visitor.wait("() => document.querySelector('.tour-start') && draginStage.state.payload")
    tour.start()
    tour.at("stop")
    tour.go_there()
    press_until(tour, "ArrowLeft", STOP_WORD, 6)
    tour.next()
    tour.at("pending")
    tour.go_there()
    tour.press("End")
    tour.next()
    tour.at("query")
    before = page.text_content(".spot-echo")
    tour.go_there()
    tour.press("Control+A", "3")
    visitor.wait("before => document.querySelector('.spot-echo').textContent !== before", before)
    tour.next()
    tour.at("player")
    visitor.settings_followed(top_n=3)
    tour.go_there()
    tour.press("Enter")
    tour.tab_to("player-next")
    press_until(tour, "Enter", CUT, 8)
    tour.next()
    tour.at("prompt")
    choose(tour, "prompt")
    tour.next()
    tour.at("theta")
    tour.go_there()
    tour.press("Control+A", "2")
    tour.next()
    tour.at("worse")
    visitor.wait("() => draginStage.state.payload.recorded === '6-made-worse'")
    choose(tour, "worse")
    tour.next()
    tour.at("methods")
    tour.go_there()
    tour.press("ArrowDown", "ArrowDown", "Enter")
    tour.next()
    tour.at("variant")
    tour.go_there()
    tour.press("Enter")
    tour.next()
    tour.at("run")
    tour.go_there()
    tour.press("Enter")
    tour.next()
    assert not page.is_visible(".spot-panel")
    assert tour.kept() == {"at": 0, "done": [step["key"] for step in TOUR]}
    assert visitor.problems == []


def test_on_a_phone_no_panel_covers_its_target_and_nothing_need_be_kept(visit):
    visitor = visit(reduced_motion="reduce", viewport={"width": 360, "height": 740})
    page = visitor.page
    page.add_init_script(FORGETS)
    page.reload()
    visitor.wait("() => document.querySelector('.tour-start') && draginStage.state.payload")
    Traveller(visitor).start()
    for step in TOUR:
        Traveller(visitor).at(step["key"])
        visitor.wait("() => !document.querySelector('.spot-ring').hidden")
        ring, panel = page.evaluate(BOXES)
        assert ring[3] <= panel[1] or ring[1] >= panel[3], step["key"]
        assert panel[0] >= 0 and panel[2] <= 360 and panel[1] >= 0 and panel[3] <= 740, step["key"]
        page.keyboard.press("ArrowRight")
    assert not page.is_visible(".spot-panel")
    assert visitor.problems == []


def test_a_label_explains_itself_and_leads_to_learn(visitor):
    page = visitor.page
    page.locator(".tok").nth(4).click()
    page.locator(".card .term").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".glossary:popover-open")
    assert GLOSSARY["entropy"]["text"] in page.text_content(".glossary")
    assert GLOSSARY["entropy"]["formula"] in page.text_content(".glossary")
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.dataset.term") == "entropy"
    assert page.evaluate("() => draginStage.state.locked !== null"), "Escape shut the words alone"
    page.click("#dial-theta > .term")
    assert GLOSSARY["theta"]["text"] in page.text_content(".glossary")
    page.click(".glossary-foot button >> nth=0")
    visitor.wait("() => document.activeElement.id === 'word-theta'")
    page.click("[data-misread=hurt]")
    visitor.wait("() => draginStage.state.payload.recorded === '6-made-worse'")
    visitor.wait("() => !document.querySelector('.spot-ring').hidden")
    assert float(page.input_value("#dial-theta input[type=number]")) == 0.2
    page.keyboard.press("Escape")
    assert not page.is_visible(".spot-panel")
    assert visitor.problems == []


def test_the_tour_begun_on_its_tab_goes_to_the_skyline_and_asks_for_the_triggers_query(visitor):
    page = visitor.page
    page.get_by_role("tab", name="Learn").click()
    page.click(".learn [data-tour=start], .learn button >> nth=0")
    Traveller(visitor).at("bars")
    visitor.wait(FRAMED)
    page.locator(".tok.pending").first.click()
    query = next(event["text"] for event in visitor.trace()["events"] if event["type"] == "query")
    for _ in TOUR[: [step["key"] for step in TOUR].index("query")]:
        page.click(".spot-next")
    Traveller(visitor).at("query")
    visitor.wait("query => document.querySelector('.spot-echo').textContent.endsWith(query)", query)
    assert visitor.problems == []


def test_the_pending_token_is_shown_where_it_is_misread(visitor):
    page = visitor.page
    page.get_by_role("tab", name="Learn").click()
    page.click("[data-misread=pending]")
    visitor.wait(FRAMED)
    visitor.wait("() => document.querySelector('.tok.locked')?.classList.contains('pending')")
    assert "no later token" in page.text_content(".card")
    assert visitor.problems == []


def test_every_question_mark_at_a_dial_can_be_pressed(visitor):
    page = visitor.page
    for mark in page.locator("#dials .block > .term").all():
        mark.click()
        assert page.text_content(".glossary-term") == GLOSSARY[mark.get_attribute("data-term")]["term"]
        page.keyboard.press("Escape")
    assert page.locator("#dials .block > .term").count() == 7


def test_every_term_on_the_page_is_told(visitor):
    keys = visitor.page.evaluate("() => [...document.querySelectorAll('[data-term]')].map(node => node.dataset.term)")
    assert len(set(keys)) > 15
    assert set(keys) <= set(GLOSSARY)


@pytest.mark.parametrize("item", [*lessons()["misreadings"], *(step for step in TOUR if "story" in step)])
def test_what_is_shown_is_recorded(item):
    assert item["story"] in names()
