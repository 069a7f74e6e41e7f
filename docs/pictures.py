"""Take the pictures of README and docs anew: ``python docs/pictures.py`` (Chromium and requirements-dev.txt).

They show recorded runs, and the packaged model's own text where two variants read the same answer.
"""

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path
from time import sleep

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import sync_playwright  # noqa: E402

from dragin_core import Explainer, Settings  # noqa: E402
from dragin_core.events import Run, WindowDecoded  # noqa: E402
from dragin_core.timing import TIMINGS  # noqa: E402
from visuals.explore import plot_parts  # noqa: E402
from visuals.payload import payload  # noqa: E402
from visuals.scripts import STAGE_SCRIPTS, script, shared  # noqa: E402
from visuals.texts import ASSETS  # noqa: E402

PORT = 7893
QUESTION = "Who invented the stethoscope?"
READINGS = {
    "Paper: tokens, at the moment, θ 0.2": Settings(theta=0.2, max_new_tokens=32),
    "Released code: words, by sentences, θ 1.2": Settings(variant="official", theta=1.2, max_new_tokens=32),
}
HIDDEN = ".panel:not(.when), .timeline, .player, .stage-head, .present-bar, .card, .tools, .take, .term.ask"
ALONE = (
    f"main {{ max-width: 1180px }} {HIDDEN} {{ display: none !important }} "
    ".grid { grid-template-columns: 1fr !important } "
    "main > h2 { margin: 14px 0 6px !important; font-weight: 650 !important }"
)
READY = "() => document.querySelector('#model-line.ready') && document.querySelector('.rounds .tok')"


def same_answer() -> dict[str, dict]:
    """One window of the packaged model, read under both variants: a name and a payload each."""
    explainer = Explainer.load()
    first = next(iter(READINGS.values()))
    *_, decoded = explainer.advance(explainer.start(QUESTION, first))
    found = {}
    for name, settings in READINGS.items():
        window, _ = explainer.engine.prepared(decoded.window, settings)
        run = Run(QUESTION, settings, (WindowDecoded(1, window), TIMINGS["rind"](window, settings)))
        found[name] = payload(explainer.trace(run).to_dict())
    return found


def two_readings(browser) -> None:
    """The same answer under both variants, one above the other."""
    page = browser.new_page(viewport={"width": 1240, "height": 600})
    page.set_content("<main class='dragin'></main>")
    for name in ("stage.css", "signals.css"):
        page.add_style_tag(path=ASSETS / name)
    page.add_style_tag(content=f"body {{ font-family: system-ui, sans-serif; margin: 20px }} {ALONE}")
    page.add_script_tag(
        content=shared() + plot_parts() + script(*(n for n in STAGE_SCRIPTS if not n.startswith("gradio")))
    )
    for name, shown in same_answer().items():
        page.evaluate(
            """([name, shown]) => {
                const main = document.querySelector('main');
                const stage = document.createElement('div');
                main.append(Object.assign(document.createElement('h2'), { textContent: name }), stage);
                mountStage(stage).show(shown);
            }""",
            [name, json.loads(json.dumps(shown))],
        )
    page.wait_for_timeout(500)
    page.locator("main").screenshot(path=ROOT / "docs" / "paper-and-code.png")
    page.close()


def whole_page(browser, address: str, name: str, width: int, scheme: str) -> None:
    """The page as it opens, from top to end."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_function(
        "() => document.querySelector('#model-line.ready') && document.querySelector('.rounds .tok')"
    )
    page.locator("[data-name=signals]").scroll_into_view_if_needed()
    page.wait_for_function("() => document.querySelector('.plot .main-svg')")
    page.evaluate("() => scrollTo(0, 0)")
    page.wait_for_timeout(500)
    page.screenshot(path=ROOT / "docs" / f"page-{name}.png", full_page=True)
    page.close()


def main() -> None:
    server = subprocess.Popen([sys.executable, "app.py", "--port", str(PORT)], cwd=ROOT, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{PORT}"
    try:
        while server.poll() is None:
            try:
                urllib.request.urlopen(address, timeout=5).close()
                break
            except OSError:
                sleep(0.3)
        with sync_playwright() as playwright:
            executable = (
                os.environ.get("PLAYWRIGHT_CHROMIUM")
                or shutil.which("chromium")
                or shutil.which("chromium-headless-shell")
            )
            browser = playwright.chromium.launch(executable_path=executable, args=["--headless", "--no-sandbox"])
            whole_page(browser, address, "light", 1400, "light")
            whole_page(browser, address, "dark", 1400, "dark")
            whole_page(browser, address, "phone", 360, "light")
            whole_page(browser, address, "phone-dark", 360, "dark")
            two_readings(browser)
    finally:
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main()
