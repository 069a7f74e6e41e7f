"""A visitor of the page: what a person does and sees, with waits on what is shown (never on time)."""

import os
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Page

PATIENCE = int(os.environ.get("UI_PATIENCE_MS", "180000"))  # a run on two busy cores

FINISHED = """question => {
  const shown = window.draginStage?.state.payload;
  return shown && !shown.recorded && !shown.live && shown.trace.question === question
    && shown.trace.events.at(-1)?.type === 'finished';
}"""


def link_to(question: str, **fields: Any) -> str:
    """The query of a link: ``fields`` are named as in :mod:`visuals.link`. Nothing runs before someone asks for it."""
    return "?" + urlencode({"q": question, **fields})


class Visitor:
    """One open page. ``problems`` collects script errors, ``calls`` the names of server calls."""

    def __init__(self, page: Page, address: str):
        self.page = page
        self.problems: list[str] = []
        self.calls: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._note)
        page.on("request", self._count)
        page.goto(address)
        page.wait_for_function("() => Boolean(window.draginStage?.state.payload)")

    def _note(self, line) -> None:
        """Errors of the console, but for Gradio's answer to a cancel before the server has named the event (422), or
        after it has ended meanwhile (500, a KeyError of Gradio's own)."""
        cancels = {"422": ("/cancel", "/reset"), "500": ("/cancel",)}
        late = any(code in line.text and line.location["url"].endswith(ends) for code, ends in cancels.items())
        if line.type == "error" and not late:
            self.problems.append(f"{line.text} {line.location['url']}")

    def _count(self, request) -> None:
        if "/queue/join" in request.url:
            self.calls.append(request.url)

    def wait(self, script: str, argument: Any = None) -> None:
        """Until a JavaScript expression holds."""
        self.page.wait_for_function(script, arg=argument)

    def ready(self) -> "Visitor":
        """Until the model has loaded."""
        self.wait("() => document.querySelector('#model-line.ready')")
        return self

    def type_question(self, question: str) -> None:
        self.page.fill("#question textarea", question)

    def press(self, name: str) -> None:
        """One of the buttons: run, step, back, stop, reset."""
        self.page.click(f"#do-{name}")

    def run(self, question: str) -> dict[str, Any]:
        """Ask a question and wait for the end; the trace."""
        self.type_question(question)
        self.press("run")
        return self.finished(question)

    def came(self, question: str) -> "Visitor":
        """Until a link has filled the controls, and the model has loaded."""
        self.ready().notice("From a link")
        self.wait("question => document.querySelector('#question textarea').value === question", question)
        self.drawn()  # the dials come with it
        return self

    def finished(self, question: str) -> dict[str, Any]:
        self.wait(FINISHED, question)
        return self.trace()

    def trace(self) -> dict[str, Any]:
        return self.page.evaluate("() => draginStage.state.payload.trace")

    def kinds(self) -> list[str]:
        """The kinds of the events shown."""
        return [event["type"] for event in self.trace()["events"]]

    def wait_events(self, count: int) -> None:
        self.wait(
            "count => { const p = draginStage.state.payload; return !p.live && p.trace.events.length === count }", count
        )

    def drawn(self) -> None:
        """Until what was asked for by now has been drawn."""
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def let_go(self) -> None:
        """Nothing hovered, locked or chosen, as before anyone looked."""
        self.page.mouse.move(0, 0)
        self.page.evaluate("() => draginStage.set({ locked: null, hovered: null, round: null, group: null })")

    def text(self, selector: str) -> str:
        return self.page.inner_text(selector)

    def texts(self, selector: str) -> list[str]:
        return self.page.locator(selector).all_inner_texts()

    def count(self, selector: str) -> int:
        return self.page.locator(selector).count()

    def notice(self, part: str) -> str:
        """Until the notice line says something with this in it."""
        self.wait("part => document.querySelector('#notice-line').textContent.includes(part)", part)
        return self.text("#notice-line")

    def set_dial(self, name: str, value: float) -> None:
        """Type a value into a dial and confirm it."""
        entry = self.page.locator(f"#dial-{name} input[type=number]")
        entry.fill(str(value))
        entry.press("Enter")

    def settings_followed(self, **settings: float) -> None:
        """Until the shown trace was run with these settings and is not being written."""
        self.wait(
            """wanted => { const p = draginStage.state.payload; return !p.live && !p.recorded
                && Object.entries(wanted).every(([k, v]) => p.trace.settings[k] === v)
                && p.trace.events.at(-1)?.type === 'finished' }""",
            settings,
        )

    def drag(self, name: str, share: float, meanwhile: Callable[[], None]) -> None:
        """Drag a dial to a share of its length; ``meanwhile`` runs before the button is let go."""
        slider = self.page.locator(f"#dial-{name} input[type=range]")
        box = slider.bounding_box()
        y = box["y"] + box["height"] / 2
        thumb = slider.evaluate("node => (node.value - node.min) / (node.max - node.min)")
        self.page.mouse.move(box["x"] + 8 + thumb * (box["width"] - 16), y)
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + 8 + share * (box["width"] - 16), y, steps=8)
        meanwhile()
        self.page.mouse.up()
