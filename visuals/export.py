"""One run as one HTML file that works from a disk: the same views, θ and n, no server, no network.

    python -m visuals.export TRACE.json --out PAGE.html

The file holds styles, scripts, texts and the run. The run is data: JSON in which no ``<`` is left, read with
``JSON.parse`` and written with ``textContent``; a policy in the file lets no script run but its own, known by its hash,
and nothing be fetched.
"""

import re
import sys
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from dragin_core.arguments import Parser
from dragin_core.errors import InputError
from dragin_core.trace_file import load_trace

from .payload import payload
from .scripts import SHARED, STAGE_SCRIPTS, constants, script, script_data
from .texts import ASSETS, lessons, text, texts

MOST_BYTES = 2_000_000  # beyond, the attention rows of single heads are left out
STYLES = ("stage.css", "signals.css", "edits.css", "learn.css", "present.css", "export.css")
# the plot needs plotly.js, which is 4.8 MB: its panel says so instead
REPLACED = {"view_signals.js": "export_signals.js"}
OWN = [REPLACED.get(name, name) for name in STAGE_SCRIPTS if not name.startswith("gradio")]
SCRIPTS = (*SHARED, *OWN, "glossary.js", "export_page.js")


def page_of(shown: Mapping[str, Any]) -> str:
    """The page of a payload (:func:`visuals.payload.payload`) as HTML."""
    page = _page(shown)
    return page if len(page.encode()) <= MOST_BYTES else _page(without_heads(shown))


def without_heads(shown: Mapping[str, Any]) -> dict[str, Any]:
    """A payload without the rows of single heads; the page then says that they were left out."""

    def bare(event: Mapping[str, Any]) -> Mapping[str, Any]:
        heads = event.get("rows", {}).get("heads")
        return event if heads is None else {**event, "rows": {**event["rows"], "heads": {**heads, "data": None}}}

    trace = shown["trace"]
    return {**shown, "trace": {**trace, "events": [bare(event) for event in trace["events"]]}}


def _page(shown: Mapping[str, Any]) -> str:
    styles = "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in STYLES)
    whole = _script()
    policy = (
        f"default-src 'none'; script-src 'sha256-{b64encode(sha256(whole.encode()).digest()).decode()}'; "
        "style-src 'unsafe-inline'; img-src blob:; base-uri 'none'; form-action 'none'"
    )
    title = " · ".join(filter(None, [shown["trace"]["question"].strip()[:120], text("title")]))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="DRAGIN, token by token">
<title>{escape(title)}</title>
<style>{styles}</style>
</head>
<body>
<div class="dragin export"><noscript>{escape(text("export.noscript"))}</noscript></div>
<script type="application/json" id="payload">{script_data({**shown, "opened": None})}</script>
<script>{whole}</script>
</body>
</html>
"""


def _script() -> str:
    """All scripts as one, with the texts before them; what is said of the model is said for a page that has none."""
    own = {name.removeprefix("export."): said for name, said in texts().items() if name.startswith("export.")}
    given = constants(TEXTS={**texts(), **own}, GLOSSARY=lessons()["glossary"])
    whole = given + script(*SCRIPTS)
    if re.search("</script|<!--", whole, re.IGNORECASE):
        raise ValueError("a script of assets/js holds </script or <!--: it cannot stand in a page")
    return whole


def parser() -> Parser:
    """The command line."""
    found = Parser(prog="python -m visuals.export", description="A trace as one HTML file that needs no server.")
    found.add_argument("trace", type=Path, help="a dragin-trace/1 file")
    found.add_argument("--out", type=Path, required=True, help="the HTML file to write")
    return found


def main(arguments: list[str] | None = None) -> int:
    """Write the page. Returns the exit code: 2 for bad input, told in one line on stderr."""
    try:
        options = parser().parse_args(arguments)
        trace = load_trace(options.trace)
        page = page_of(payload(trace, trace.get("gold", [])))
        try:
            options.out.write_text(page, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{options.out} cannot be written: {error.strerror}.") from error
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{options.out}: {len(page.encode()) // 1000} kB", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
