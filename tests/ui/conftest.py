"""The real page in a real Chromium: one server for all tests, one browser context (one visitor) for each."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from visitor import Visitor, link_to

from visuals.explore import plot_parts
from visuals.payload import payload
from visuals.scripts import STAGE_SCRIPTS, script, shared
from visuals.texts import ASSETS

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SECONDS_TO_START = 120


def pytest_itemcollected(item):
    item.add_marker(pytest.mark.ui)


@pytest.fixture(scope="session")
def browser():
    """Chromium, or a skip that says why (with CI=true a failure)."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser")
    executable = os.environ.get("PLAYWRIGHT_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if executable is None:
        refuse("no Chromium found: install the system package chromium, or set PLAYWRIGHT_CHROMIUM")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield found
        found.close()


def refuse(reason: str):
    """Skip, or fail where a browser is owed."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def server(browser, tmp_path_factory):
    """The address of the page, started as a person starts it."""
    with started(tmp_path_factory.mktemp("server")) as address:
        yield address


@contextmanager
def started(folder: Path, *arguments: str):
    """The address of a page started with these arguments; its log is kept in the folder."""
    port = free_port()
    log = (folder / "log.txt").open("w+")
    command = [sys.executable, "app.py", "--port", str(port), *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_answers(address, process, log)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=30)
        log.close()


def wait_until_answers(address: str, process: subprocess.Popen, log) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except OSError:
            time.sleep(0.2)
    log.seek(0)
    pytest.fail(f"the page did not come up:\n{log.read()[-3000:]}")


@contextmanager
def visits(browser, server):
    """See :func:`visit`."""
    contexts = []

    def opened(link: str = "", **options) -> Visitor:
        context = browser.new_context(**{"viewport": {"width": 1400, "height": 900}, **options})
        contexts.append(context)
        return Visitor(context.new_page(), server + link)

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def visit(browser, server):
    """A function that opens the page, or a link to it, as a new visitor: keyword arguments are Playwright's for a
    context."""
    with visits(browser, server) as opened:
        yield opened


@pytest.fixture(scope="module")
def lasting_visit(browser, server):
    """As :func:`visit`, for visitors that several tests look at."""
    with visits(browser, server) as opened:
        yield opened


@pytest.fixture
def visitor(visit) -> Visitor:
    """One visitor on a wide screen."""
    return visit()


@pytest.fixture
def ran(visit):
    """A function that opens the page by a link to a question and settings, as :func:`visit` does, and runs it to its
    end. Dials set one by one would each branch off the recorded run first."""
    return lambda question, **more: run_by_link(visit, question, **more)


def run_by_link(visit, question: str, *, options: dict | None = None, **fields) -> Visitor:
    """See :func:`ran`; ``options`` are those of a visit."""
    visitor = visit(link_to(question, **fields), **(options or {})).came(question)
    visitor.press("run")
    visitor.finished(question)
    return visitor


@pytest.fixture
def begun(ran):
    """A run with a retrieval in it, its first round in focus."""
    visitor = ran("Who painted Guernica?", theta=0.3, length=32, gold="Picasso")
    visitor.wait("() => document.querySelector('#runs .run.current')")
    visitor.page.locator(".step.with button").first.click()
    visitor.drawn()
    return visitor


@pytest.fixture
def stage(browser):
    """A blank page with the stage on it; ``show(trace)`` draws a trace."""
    page = browser.new_page()
    page.set_content("<main class='dragin'></main>")
    page.add_style_tag(path=ASSETS / "stage.css")
    page.add_script_tag(
        content=shared() + plot_parts() + script(*(name for name in STAGE_SCRIPTS if not name.startswith("gradio")))
    )
    page.evaluate("window.mounted = mountStage(document.querySelector('main'))")
    page.show = lambda trace: page.evaluate("(shown) => mounted.show(shown)", json.loads(json.dumps(payload(trace))))
    yield page
    page.close()


@pytest.fixture
def core(browser):
    """A blank page with the functions of core.js."""
    page = browser.new_page()
    page.add_script_tag(path=ASSETS / "js" / "core.js")
    yield page
    page.close()
