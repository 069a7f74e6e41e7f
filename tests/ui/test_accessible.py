"""axe-core over the whole page, no rule switched off, in both themes."""

import pytest
from axe_playwright_python.sync_playwright import Axe

GRADIOS_OWN: set[tuple[str, str]] = set()  # (rule, target) of faults in Gradio's markup that a theme cannot mend


def faults(page) -> list[tuple[str, str]]:
    found = Axe().run(page).response["violations"]
    return [
        (v["id"], str(node["target"])) for v in found if v["impact"] in ("serious", "critical") for node in v["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1400])
def test_axe_finds_nothing_serious(visit, scheme, width):
    visitor = visit(color_scheme=scheme, reduced_motion="reduce", viewport={"width": width, "height": 900})
    page = visitor.page
    visitor.wait("() => document.querySelector('.rounds .tok')")
    assert set(faults(page)) <= GRADIOS_OWN
    page.locator(".tok").nth(3).click()
    page.locator(".switch-panel summary").click()
    page.locator(".parameter-panel summary").click()
    page.check(".row-tools input >> nth=0")
    page.click(".player-first")
    assert set(faults(page)) <= GRADIOS_OWN
    page.locator("[data-name=signals]").scroll_into_view_if_needed()
    visitor.wait("() => document.querySelector('.plot .main-svg')")
    assert set(faults(page)) <= GRADIOS_OWN
    page.click(".tour-start")
    page.locator(".card .term").first.focus()
    page.keyboard.press("Enter")
    assert set(faults(page)) <= GRADIOS_OWN
    page.click(".glossary-foot button >> nth=0")
    visitor.wait("() => document.activeElement.id === 'word-entropy'")
    assert set(faults(page)) <= GRADIOS_OWN
    page.get_by_role("tab", name="Explore").click()
    page.click(".present-start")
    page.keyboard.press("End")
    assert set(faults(page)) <= GRADIOS_OWN
