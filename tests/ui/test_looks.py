"""Dark and light, narrow and wide, reduced motion: read off the rendered page."""

from pathlib import Path

import pytest

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


@pytest.mark.parametrize("width", [360, 768, 1920])
def test_nothing_overflows_sideways(ran, width):
    visitor = ran(QUESTION, theta=0.3, options={"viewport": {"width": width, "height": 800}})
    assert visitor.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert visitor.page.evaluate(OVERFLOWING) == []


def test_motion_is_reduced_where_asked(ran):
    visitor = ran(QUESTION, theta=0.3, options={"reduced_motion": "reduce"})
    moving = "() => getComputedStyle(document.querySelector('.tok .bar')).transitionDuration"
    assert visitor.page.evaluate(moving) == "0s"


def test_controls_and_tokens_have_names(ran):
    visitor = ran(QUESTION, theta=0.3)
    assert visitor.page.evaluate(NAMELESS) == []
    assert "no later token yet" in visitor.page.locator(".tok.pending").first.get_attribute("aria-label")
