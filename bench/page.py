"""What the page costs a browser: script per move of θ over long answers, and the first view of a recorded trace."""

import json
import os
import shutil
import subprocess
import sys
import time
from typing import Any

from .report import spread, table
from .startup import ROOT, answers, free_port

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu"]
PATIENCE_MS = 120_000

# Callbacks of a frame run in the order they were asked for, so the first and the last frame the stage's own redraw.
MOVES = """async thetas => {
  const spent = [];
  for (const theta of thetas) {
    spent.push(await new Promise(done => {
      let began;
      requestAnimationFrame(() => { began = performance.now(); });
      draginStage.set({ theta });
      requestAnimationFrame(() => done(performance.now() - began));
    }));
  }
  return spent;
}"""
SHOWN = "() => Boolean(document.querySelector('.dragin .tok'))"
OURS = """() => performance.getEntriesByType('navigation')[0].decodedBodySize
  + performance.getEntriesByType('resource').filter(entry => entry.name.includes('theme.css'))
      .reduce((sum, entry) => sum + entry.decodedBodySize, 0)"""
PAINT = """() => performance.getEntriesByName('first-contentful-paint')[0].startTime
  - performance.getEntriesByType('navigation')[0].responseStart"""


def long_trace(trace: dict[str, Any], tokens: int) -> dict[str, Any]:
    """A trace whose first window is as long as wanted: a recorded one's, repeated; nothing follows it."""
    window = next(event for event in trace["events"] if event["type"] == "window")
    units, text = [], ""
    while len(units) < tokens:
        shift, place = len(text), len(units)
        for unit in window["units"][: tokens - len(units)]:
            moved = {"start": unit["start"] + shift, "end": unit["end"] + shift, "pending": False}
            moved["max_attention_at"] = [[moment + place, value] for moment, value in unit["max_attention_at"]]
            moved["word"] = [end + shift for end in unit["word"]] if unit["word"] else None
            moved["from"] = None if unit["from"] is None else unit["from"] + place
            units.append(unit | moved)
        text += window["text"]
    weights = [window["rows"]["weights"][k % len(window["units"])] for k in range(tokens)]
    rows = {"words": window["rows"]["words"], "weights": weights}
    long = {**window, "units": units, "text": text, "rows": rows, "stop": "budget"}
    return {**trace, "events": [long], "answer": text, "answer_without_retrieval": text}


def moves(page, trace: dict[str, Any], count: int) -> list[float]:
    """Milliseconds of script for each of many moves of θ over a trace."""
    payload = {"trace": trace, "facts": {"events": [{} for _ in trace["events"]], "gold": []}, "live": False}
    page.evaluate("payload => draginStage.show(payload)", payload)
    return page.evaluate(MOVES, [0.02 + 1.5 * k / count for k in range(count)])


def section(quick: bool) -> str:
    """The report's part on the page, or why there is none.

    Raises:
        RuntimeError: the page did not come.
    """
    browser_path = (
        os.environ.get("PLAYWRIGHT_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-headless-shell")
    )
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        browser_path = None
    if browser_path is None:
        return "## Page\n\nNot measured: it needs Chromium and the packages of requirements-dev.txt."
    trace = json.loads(next(iter(sorted((ROOT / "assets" / "traces").glob("*.json")))).read_text(encoding="utf-8"))
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "app.py", "--port", str(port)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for(port, process)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
            return report(browser, f"http://127.0.0.1:{port}", trace, quick)
    finally:
        process.terminate()
        process.wait(30)


def wait_for(port: int, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not answers(port):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the page did not come")
        time.sleep(0.1)


def report(browser, address: str, trace: dict[str, Any], quick: bool) -> str:
    views = [first_view(browser, address) for _ in range(2 if quick else 6)][1:]
    page = browser.new_page()
    page.goto(address)
    page.wait_for_function("() => document.querySelector('#model-line.ready, #model-line.error')", timeout=PATIENCE_MS)
    rows = []
    for tokens in (256, 2000):
        spent = moves(page, long_trace(trace, tokens), 10 if quick else 60)
        rows.append([f"{tokens:,}", spread(spent, ".1f")])
    kilobytes = sum(size for _, _, size in views) / len(views) / 1000
    return "\n\n".join(
        [
            "## Page",
            table(["tokens of the answer", "ms of script a move of θ"], rows),
            table(
                ["first view of the recorded trace", "median (range)"],
                [
                    ["seconds from the server's answer to the skyline", spread([s for s, _, _ in views], ".2f")],
                    ["seconds to the first paint", spread([p for _, p, _ in views], ".2f")],
                    ["kB of ours before it (the page's own data, scripts and styles)", f"{kilobytes:.0f}"],
                ],
            ),
        ]
    )


def first_view(browser, address: str) -> tuple[float, float, float]:
    """Seconds to the skyline and to the first paint, and bytes of ours by then, where nothing is cached."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(address, wait_until="commit")
    page.wait_for_function(SHOWN, timeout=PATIENCE_MS)
    seconds = page.evaluate("() => performance.now() - performance.getEntriesByType('navigation')[0].responseStart")
    paint = page.evaluate(PAINT)
    ours = page.evaluate(OURS)
    context.close()
    return seconds / 1000, paint / 1000, ours
