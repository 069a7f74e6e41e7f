"""Record the traces that the page shows before a model is there: ``python -m visuals.record`` (or ``make traces``).

Each entry of ``assets/recorded.json`` is run on the packaged model and passages and written to ``assets/traces``.
"""

import json
import sys

from dragin_core import Explainer, Settings

from .stories import TRACES, entries, path_of


def main() -> int:
    """Run every entry and write its trace; traces of entries that are gone are removed."""
    explainer = Explainer.load()
    TRACES.mkdir(exist_ok=True)
    for path in TRACES.glob("*.json"):
        if path not in [path_of(entry["name"]) for entry in entries()]:
            path.unlink()
    for entry in entries():
        trace = explainer.run(entry["question"], Settings(**entry.get("settings", {}))).to_dict()
        trace["gold"] = entry.get("gold", [])
        text = json.dumps(trace, ensure_ascii=False, separators=(",", ":"))
        path_of(entry["name"]).write_text(text, encoding="utf-8")
        print(f"{entry['name']}: {trace['counts']['retrievals']} retrievals, {len(text) // 1000} kB: {trace['answer']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
