"""Seconds from the start of ``app.py`` to the page and to a model that answers."""

import http.client
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from .report import spread, table

ROOT = Path(__file__).parents[1]
READY = "bench: model ready"
POLL_SECONDS = 0.02
PATIENCE_SECONDS = 300

# Both run in a fresh interpreter, from the project's folder. The first is app.py with one line said when it is ready.
PAGE = f"""
import runpy, sys, threading
from visuals.loader import ModelLoader
plain_start = ModelLoader.start
def start(loader):
    def tell():
        loader.wait({PATIENCE_SECONDS})
        print({READY!r}, loader.status.state, flush=True)
    threading.Thread(target=tell, daemon=True).start()
    return plain_start(loader)
ModelLoader.start = start
sys.argv = ["app.py", "--port", sys.argv[1]]
sys.path.insert(0, "")
runpy.run_path("app.py", run_name="__main__")
"""
EMPTY = """
import sys, gradio
with gradio.Blocks(analytics_enabled=False) as page:
    gradio.HTML("nothing")
page.launch(server_name="127.0.0.1", server_port=int(sys.argv[1]), ssr_mode=False)
"""


@dataclass(frozen=True)
class Start:
    """Seconds from the process's start to the first answer 200 and to a ready model (None: it has no model)."""

    page: float
    ready: float | None = None


def measure(program: str, until_ready: bool) -> Start:
    """Start a program that serves the port it is given, and stop it again.

    Raises:
        RuntimeError: it ended, took too long, or its model failed to load.
    """
    port = free_port()
    command = [sys.executable, "-c", program, str(port)]
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        while not answers(port):
            if process.poll() is not None or time.perf_counter() - started > PATIENCE_SECONDS:
                raise RuntimeError(f"no page came: {process.stdout.read() if process.poll() is not None else 'time'}")
            time.sleep(POLL_SECONDS)
        page = time.perf_counter() - started
        if not until_ready:
            return Start(page)
        for line in process.stdout:
            if line.startswith(READY):
                if "ready" not in line.removeprefix(READY):
                    raise RuntimeError(f"the model did not load: {line}")
                return Start(page, time.perf_counter() - started)
        raise RuntimeError("the page ended before the model was ready")
    finally:
        process.terminate()
        process.wait(30)


def answers(port: int) -> bool:
    """Whether a page comes."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def section(runs: int) -> str:
    """The report's part on starting. The first start of each, which reads files from disk, is not counted."""
    empty, full = [], []
    for number in range(runs + (runs > 1)):
        first, second = measure(EMPTY, until_ready=False), measure(PAGE, until_ready=True)
        if number or runs == 1:
            empty.append(first)
            full.append(second)
    rows = [
        ["an empty Gradio page", spread([s.page for s in empty], ".1f"), "–"],
        ["this page", spread([s.page for s in full], ".1f"), spread([s.ready for s in full], ".1f")],
        [
            "ratio",
            spread([b.page / a.page for a, b in zip(empty, full, strict=True)], ".2f"),
            spread([b.ready / a.page for a, b in zip(empty, full, strict=True)], ".2f"),
        ],
    ]
    return "\n\n".join(
        [
            "## Starting",
            table(["", "seconds to the page", "seconds to a ready model"], rows),
            f"{runs} {'start' if runs == 1 else 'starts'}, model and passages on disk already.",
        ]
    )
