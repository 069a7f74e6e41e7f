"""Dark and light, narrow and wide, reduced motion: read off the rendered page."""

from pathlib import Path

import pytest
from conftest import run_by_link

QUESTION = "Who painted Guernica?"
CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")

OVERFLOWING = """() => [...document.querySelectorAll('.dragin .panel *')]
  .filter(node => !node.closest('.sr-only')
    && node.getBoundingClientRect().right > node.closest('.panel').getBoundingClientRect().right + 1)
  .map(node => node.className)"""

NAMELESS = """() => [...document.querySelectorAll(
    '.dragin button, .dragin input, #actions button, #dials input, #question textarea')]
  .filter(node => !(node.getAttribute('aria-label') || node.textContent.trim() || node.labels?.length))
  .map(node => node.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_contrast_is_aa_in_both_themes(ran, scheme):
    visitor = ran(QUESTION, theta=0.3, options={"color_scheme": scheme, "reduced_motion": "reduce"})
    assert visitor.page.evaluate("() => document.body.classList.contains('dark')") == (scheme == "dark")
    assert visitor.page.evaluate(CONTRAST) == []
    moving = "() => getComputedStyle(document.querySelector('.tok .bar')).transitionDuration"
    assert visitor.page.evaluate(moving) == "0s", "motion is reduced where asked"


@pytest.fixture(scope="module")
def lasting(lasting_visit):
    return run_by_link(lasting_visit, QUESTION, theta=0.3)


@pytest.mark.parametrize("width", [360, 768, 1920])
def test_nothing_overflows_sideways(lasting, width):
    visitor = lasting
    visitor.page.set_viewport_size({"width": width, "height": 800})
    visitor.page.locator(".plot-frame").scroll_into_view_if_needed()  # where it is drawn anew for the width
    visitor.wait(f"() => ({OVERFLOWING})().length === 0")
    assert visitor.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_controls_and_tokens_have_names(lasting):
    visitor = lasting
    assert visitor.page.evaluate(NAMELESS) == []
    assert "no later token yet" in visitor.page.locator(".tok.pending").first.get_attribute("aria-label")
