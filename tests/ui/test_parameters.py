"""When, what and the methods' parameters on the page."""

import math

QUESTION = "Who invented the stethoscope?"
RUN_WITH = """wanted => { const p = draginStage.state.payload; return !p.live && !p.recorded
    && Object.entries(wanted).every(([k, v]) => p.trace.settings[k] === v)
    && p.trace.events.at(-1)?.type === 'finished' }"""


def choose_method(visitor, label):
    visitor.page.click("#method input")
    visitor.page.get_by_role("option", name=label).click()


def shown(visitor):
    return visitor.page.evaluate(
        "() => [...document.querySelectorAll('[data-parameter]')].filter(n => !n.hidden).map(n => n.dataset.parameter)"
    )


def test_parameters_are_shown_where_they_matter_and_followed(ran):
    visitor = ran(QUESTION, length=24)
    page = visitor.page
    page.click(".parameter-panel summary")
    assert shown(visitor) == ["when", "what", "max_retrievals"]
    choose_method(visitor, "FL-RAG")
    visitor.wait(RUN_WITH, {"method": "fl-rag", "every": 25})
    assert shown(visitor) == ["when", "what", "every", "max_retrievals"]
    assert page.get_attribute("#dial-theta", "data-idle") == "not used by this method"
    page.fill("#parameter-every", "6")
    page.press("#parameter-every", "Enter")
    visitor.wait(RUN_WITH, {"method": "fl-rag", "every": 6})
    assert visitor.text("#parameter-every-mark") == "≠ usually 25"
    page.select_option("#parameter-what", "full-context")
    visitor.wait(RUN_WITH, {"every": 6, "what": "full-context"})
    assert "× full-context" in page.locator(".side .lab").nth(1).inner_text() or visitor.count(".side.method")
    page.fill("#parameter-every", "no")
    page.press("#parameter-every", "Enter")
    visitor.notice("every is 'no': give a whole number from 1 to 1024.")
    choose_method(visitor, "SR-RAG")
    visitor.wait(RUN_WITH, {"method": "sr-rag", "what": None, "every": 25})
    page.select_option("#parameter-what", "qfs")
    visitor.notice("what=qfs makes no sense with when=once")
    choose_method(visitor, "FLARE (unsure sentence)")
    visitor.wait(RUN_WITH, {"method": "flare", "what": None})
    assert shown(visitor) == ["when", "what", "flare_rule", "flare_threshold", "flare_mask", "max_retrievals"]
    page.select_option("#parameter-flare_rule", "released")
    visitor.wait(RUN_WITH, {"flare_rule": "released"})
    assert shown(visitor) == ["when", "what", "flare_rule", "flare_doubt", "max_retrievals"]
    assert visitor.problems == []


def test_the_theta_dial_reaches_as_far_as_the_scores(ran):
    visitor = ran(QUESTION, theta=2, length=24, variant="official")
    scores = [unit["rind"] or 0 for e in visitor.trace()["events"] if e["type"] == "window" for unit in e["units"]]
    assert max(scores) > 2
    end = str(math.ceil(max(scores)))
    visitor.wait("end => document.querySelector('#dial-theta input[type=number]').max === end", end)
    visitor.set_dial("theta", 2.5)
    visitor.wait(RUN_WITH, {"theta": 2.5})
    assert visitor.problems == []
