"""One focus: hover previews, click locks, arrows walk, Escape unlocks; by keyboard alone too."""

import pytest
from conftest import run_by_link

QUESTION = "Who painted Guernica?"


@pytest.fixture(scope="module")
def lasting(lasting_visit):
    return run_by_link(lasting_visit, QUESTION, theta=0.3)


@pytest.fixture
def shown(lasting):
    """A finished run, which these tests only look at."""
    lasting.let_go()
    return lasting


def name_of(shown, unit: int) -> str:
    """How the card names a unit of round 1."""
    return f"“{shown.trace()['events'][0]['units'][unit]['text'].strip()}”"


def wait_card(shown, unit: int) -> None:
    shown.wait("name => document.querySelector('.token-name')?.textContent === name", name_of(shown, unit))


def test_hover_previews_and_click_locks(shown):
    token = shown.page.locator('[data-round="0"][data-unit="1"]')
    token.hover()
    wait_card(shown, 1)
    token.click()
    shown.wait("() => document.querySelector('.tok.locked')?.dataset.unit === '1'")
    shown.page.locator('[data-round="0"][data-unit="4"]').hover()
    wait_card(shown, 1)
    shown.page.keyboard.press("Escape")
    shown.wait("() => !document.querySelector('.tok.locked')")


def test_the_card_holds_the_formula_with_live_numbers(shown):
    trace = shown.trace()
    decision = next(event for event in trace["events"] if event["type"] == "decision" and event["retrieve"])
    unit = trace["events"][0]["units"][decision["index"]]
    shown.page.locator(f'[data-round="0"][data-unit="{decision["index"]}"]').click()
    wait_card(shown, decision["index"])
    formula = " ".join(shown.text(".formula").split())
    for part in (f"{unit['entropy']:.2f}", f"{unit['max_attention']:.3f}", f"{unit['rind']:.3f}", "θ 0.30", "retrieve"):
        assert part in formula
    assert f"{decision['score']:.3f} > θ 0.30" in shown.text(".card .moment")
    assert shown.count(".alt") == 5
    assert "stay quiet" in shown.text(".card")


def test_a_stop_word_and_the_pending_token_say_why_they_cannot_fire(shown):
    units = shown.trace()["events"][0]["units"]
    stop = next(i for i, unit in enumerate(units) if unit["reason"] == "stop word")
    shown.page.locator(f'[data-round="0"][data-unit="{stop}"]').click()
    shown.wait("() => document.querySelector('.card').textContent.includes('stop word cannot fire')")
    assert shown.count(f'[data-round="0"][data-unit="{len(units) - 1}"].pending') == 1
    shown.page.locator(f'[data-round="0"][data-unit="{len(units) - 1}"]').click()
    shown.wait("() => document.querySelector('.formula').textContent.includes('pending')")


def test_the_row_and_the_query_follow_the_locked_token(shown):
    units = shown.trace()["events"][0]["units"]
    target = next(i for i, unit in enumerate(units) if i > 8 and unit["reason"] == "content")
    shown.page.locator(f'[data-round="0"][data-unit="{target}"]').click()
    wait_card(shown, target)
    assert "looks back at" in shown.text(".row-name")
    assert "would be" in shown.text(".query")
    weights = shown.trace()["events"][0]["rows"]["weights"][target]
    assert shown.count(".row-words .word") == len(weights)


def test_everything_works_by_keyboard_alone(visitor):
    visitor.ready()
    page = visitor.page
    page.focus("#question textarea")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    visitor.finished(QUESTION)
    page.focus('.round:first-child .tok[tabindex="0"]')
    page.keyboard.press("Home")
    visitor.wait("() => document.activeElement.dataset.unit === '0'")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    visitor.wait("() => document.activeElement.dataset.unit === '2'")
    wait_card(visitor, 2)
    page.keyboard.press("Enter")
    visitor.wait("() => document.querySelector('.tok.locked')?.dataset.unit === '2'")
    page.keyboard.press("ArrowRight")
    visitor.wait("() => document.querySelector('.tok.locked')?.dataset.unit === '3'")
    page.keyboard.press("Escape")
    visitor.wait("() => !document.querySelector('.tok.locked')")
    assert visitor.count('.round:first-child .tok[tabindex="0"]') == 1
    page.focus(".timeline button")
    page.keyboard.press("Enter")
    assert visitor.page.evaluate("() => document.activeElement.closest('.timeline') !== null")


def test_the_timeline_jumps_to_its_panels_and_rounds(shown):
    shown.page.locator(".step.with button").first.click()
    passages = next(event for event in shown.trace()["events"] if event["type"] == "passages")
    shown.wait(
        """titles => JSON.stringify([...document.querySelectorAll('.passage .title')].map(n => n.textContent))
            === JSON.stringify(titles)""",
        [item["title"] for item in passages["items"]],
    )
    assert shown.count(".step.with.here") >= 1


def test_spaces_and_line_ends_are_shown_on_demand(shown):
    shown.page.check(".toggles label:has-text('show spaces') input")
    shown.wait("() => document.querySelector('.gap.special')?.textContent.includes('·')")
    shown.page.uncheck(".toggles label:has-text('show spaces') input")
    shown.wait("() => !document.querySelector('.gap.special')")


def test_whole_words_stand_together_with_their_highest_score(shown):
    page, units = shown.page, shown.trace()["events"][0]["units"]
    pieces = page.locator(".round:first-child .tok").all_inner_texts()
    page.check(".toggles label:has-text('whole words') input")
    shown.wait("count => document.querySelectorAll('.round:first-child .tok').length < count", len(pieces))
    spans = page.locator(".round:first-child .tok").evaluate_all(
        "nodes => nodes.map(n => [n.dataset.first, n.dataset.last, n.dataset.unit].map(Number))"
    )
    assert [k for first, last, _ in spans for k in range(first, last + 1)] == list(range(len(units)))
    assert any(last > first for first, last, _ in spans)
    for first, last, best in spans:
        assert len({tuple(units[k]["word"] or (k,)) for k in range(first, last + 1)}) == 1
        assert units[best]["rind"] == max((units[k]["rind"] or 0 for k in range(first, last + 1)), default=0) or (
            first == last
        )
    page.locator(".round:first-child .tok").first.focus()
    for _ in spans[1:]:
        page.keyboard.press("ArrowRight")
    assert page.evaluate("() => Number(document.activeElement.dataset.last)") == len(units) - 1
    page.uncheck(".toggles label:has-text('whole words') input")
    shown.wait("count => document.querySelectorAll('.round:first-child .tok').length === count", len(pieces))


def test_the_prompt_says_how_much_of_the_models_context_it_takes(visitor):
    trace = visitor.trace()
    tokens, limit = len(trace["events"][0]["prompt"]["token_ids"]), trace["environment"]["context_limit"]
    assert f"{tokens} of the {limit:,} tokens" in visitor.text(".prompt-column .lab")
