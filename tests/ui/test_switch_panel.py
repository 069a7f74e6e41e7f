"""Variants, switches and presets on the page, and what it says of runs under them."""

import pytest

from dragin_core.presets import PRESETS
from dragin_core.switches import SWITCHES, preset

QUESTION = "Who invented the stethoscope?"
FOLLOWED = """([variant, switches]) => { const p = draginStage.state.payload; const s = p.trace.settings;
    return !p.live && !p.recorded && s.variant === variant && JSON.stringify(s.switches) === JSON.stringify(switches)
      && p.trace.events.at(-1)?.type === 'finished' }"""


def choose(visitor, variant="paper", **switches):
    """Choose a variant, then single switches, and wait until the run shown was made under them."""
    visitor.page.select_option("#variant", variant)
    if switches and visitor.page.locator(".switch-panel details").get_attribute("open") is None:
        visitor.page.click(".switch-panel summary")
    for name, value in switches.items():
        visitor.page.select_option(f"#switch-{name}", value)
    visitor.wait(FOLLOWED, [variant, switches])
    return visitor.trace()


@pytest.fixture
def shown(ran):
    """A short finished run of the paper's variant."""
    return ran(QUESTION, theta=0.3, length=32)


def test_there_is_one_control_per_switch_with_its_values_and_what_it_changes(visitor):
    assert visitor.page.locator(".switch-panel details").get_attribute("open") is None
    visitor.page.click(".switch-panel summary")
    assert visitor.texts(".switch code") == list(SWITCHES)
    for name, switch in SWITCHES.items():
        control = visitor.page.locator(f"#switch-{name}")
        assert control.locator("option").all_inner_texts() == list(switch.values)
        assert control.input_value() == str(switch.paper)
        assert visitor.text(f"#switch-{name}-help") == switch.changes
        assert control.get_attribute("aria-describedby").split()[0] == f"switch-{name}-help"
        assert len(visitor.text(f"label[for=switch-{name}]")) > len(name)


def test_official_shows_words_flags_the_sentence_that_goes_and_mends(shown):
    trace = choose(shown, "official")
    for name, value in preset("official").items():
        assert shown.page.input_value(f"#switch-{name}") == str(value)
    assert "variant official" in shown.text(".shown-run")
    assert shown.problems == []
    window, decision = trace["events"][0], trace["events"][1]
    assert decision["retrieve"], "θ 0.3 was chosen so that it fires"
    assert any(len(unit["token_ids"]) > 1 for unit in window["units"])
    first = ".round:first-child"
    assert shown.count(f"{first} .tok") == len(window["units"])
    assert shown.count(f"{first} .tok.flagged") == sum(decision["flags"]) - 1
    assert shown.count(f"{first} .sentence") == len(window["sentences"])
    kept = {"calm", "pending", "undefined"}
    states = shown.page.evaluate(
        "() => [...document.querySelectorAll('.round:first-child .tok')].map(tok => tok.classList[1])"
    )
    start = decision["sentence"][0]
    assert kept.isdisjoint(states[start:])
    assert kept.issuperset(states[:start])
    assert [line.removeprefix("Mended: ") for line in shown.texts(f"{first} .mends li")] == decision["mends"]
    assert "kept unchecked" in shown.texts(".round-head")[1]
    query = next(event for event in trace["events"] if event["type"] == "query")
    shown.page.locator(".step.what button").first.click()
    shown.wait(
        "text => [...document.querySelectorAll('.chip')].map(c => c.textContent).join(' ') === text", query["text"]
    )
    assert [line.removeprefix("Mended: ") for line in shown.texts(".query .mends li")] == query["mends"]


def test_the_formula_of_a_scaled_score_multiplies_out(shown):
    trace = choose(shown, "official")
    index = trace["events"][1]["index"]
    unit = trace["events"][0]["units"][index]
    shown.page.locator(".round:first-child .tok").nth(index).click()
    shown.wait("() => document.querySelector('.card .badge')")
    numbers = [float(text) for text in shown.texts(".card .formula .cell b")]
    assert len(numbers) == 6
    assert numbers[2] == pytest.approx(unit["scale"], abs=0.006)
    assert numbers[0] * numbers[1] * numbers[2] * numbers[3] == pytest.approx(numbers[4], rel=0.02)
    assert numbers[4] == pytest.approx(unit["rind"], abs=0.001)


def test_one_switch_follows_and_is_marked_and_the_variant_sets_it_back(shown):
    choose(shown, unit="word")
    assert shown.text("#switch-unit-mark") == "≠ the variant has token"
    assert "1 differs" in shown.text(".switch-panel summary")
    assert "unit=word" in shown.text(".shown-run")
    choose(shown, "literal")
    assert shown.page.input_value("#switch-unit") == "token"
    assert shown.count(".switch.differs") == 0


def test_a_refused_combination_is_one_sentence_and_loses_nothing(shown):
    before = shown.trace()
    shown.page.click(".switch-panel summary")
    shown.page.select_option("#switch-cut", "sentence")
    line = shown.notice("cut=sentence makes no sense with decide=moment")
    assert "set decide=window" in line
    assert shown.trace() == before
    assert shown.page.input_value("#switch-cut") == "sentence"
    shown.page.select_option("#switch-decide", "window")
    shown.wait(FOLLOWED, ["paper", {"decide": "window", "cut": "sentence"}])
    assert shown.text("#notice-line") == ""


def test_a_number_that_is_none_is_refused(shown):
    before = shown.trace()
    shown.page.click(".switch-panel summary")
    entry = shown.page.locator("#switch-query_limit")
    entry.fill("<img src=x onerror=alert(1)>"[:8])
    entry.press("Enter")
    shown.notice("query_limit is")
    assert shown.trace() == before
    assert shown.count("#notice-line img") == 0


def test_theta_is_previewed_by_sentences_and_a_query_only_the_engine_can_make_is_not_guessed(shown):
    choose(shown, "official")
    shown.page.locator("#dial-theta input[type=number]").fill("2")
    shown.wait("() => document.querySelector('.round.changed')")
    shown.page.locator(".round:first-child .tok").nth(2).hover()
    shown.wait("() => document.querySelector('.query').textContent.includes('No preview')")
    assert shown.count(".query .chip") == 0


def choose_preset(visitor, label):
    visitor.page.click("#preset input")
    visitor.page.get_by_role("option", name=label).click()


def test_a_preset_fills_the_dials_and_says_what_it_is(visitor):
    visitor.ready()
    numbers = PRESETS["llama2-13b/strategyqa"]
    choose_preset(visitor, "Llama2-13b-chat / StrategyQA")
    visitor.settings_followed(**numbers.settings())
    for dial, value in zip(("theta", "n", "k", "length", "shots"), numbers.settings().values(), strict=True):
        assert float(visitor.page.input_value(f"#dial-{dial} input[type=number]")) == value
    note = visitor.text("#preset-note")
    assert "does not carry over" in note
    assert f"θ {numbers.released_theta} instead of {numbers.theta}" in note
    assert f"{numbers.released_shots} demonstrations instead of {numbers.shots}" in note
    prompt = visitor.trace()["events"][0]["prompt"]
    assert sum(section["kind"] == "demonstration" for section in prompt["sections"]) == numbers.shots
    visitor.set_dial("theta", 0.5)
    visitor.wait("() => document.querySelector('#preset input').value.startsWith('none')")
    visitor.wait("() => !document.querySelector('#preset-note').textContent")


def test_hostile_text_is_inert_in_the_new_places(shown):
    choose(shown, "official")
    hostile = "<img src=x onerror=alert(1)> ${1+1} {{x}}"
    shown.page.evaluate(
        """hostile => {
          const payload = structuredClone(draginStage.state.payload);
          payload.trace.settings.variant = hostile;
          payload.trace.settings.switches = { [hostile]: hostile };
          for (const event of payload.trace.events) {
            if (event.mends) event.mends = [hostile];
            if (event.type === 'decision') event.reason += hostile;
            if (event.type === 'query') { event.sent = hostile; for (const word of event.words) word.text += hostile; }
          }
          draginStage.show(payload);
        }""",
        hostile,
    )
    shown.page.locator(".step.what button").first.click()
    for selector in (".shown-run", ".round .mends", ".attention", ".query .mends", ".query .sent"):
        assert hostile in shown.page.locator(selector).first.text_content()
    assert shown.count(".dragin img") == 0
    assert shown.problems == []


@pytest.mark.parametrize("width", [360, 768])
def test_the_panel_fits_a_phone_and_works_by_keyboard(visit, width):
    visitor = visit(viewport={"width": width, "height": 800})
    visitor.page.focus("#variant")
    visitor.page.keyboard.press("Tab")
    assert visitor.page.evaluate("() => document.activeElement.dataset.term") == "variant"
    visitor.page.keyboard.press("Tab")
    visitor.page.keyboard.press("Enter")
    assert visitor.page.locator(".switch-panel details").get_attribute("open") == ""
    visitor.page.keyboard.press("Tab")
    assert visitor.page.evaluate("() => document.activeElement.id") == "switch-unit"
    assert visitor.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
