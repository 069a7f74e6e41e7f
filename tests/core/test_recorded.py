"""Recorded traces are what the packaged model says, not what someone wrote."""

import json

import pytest

from dragin_core import Settings
from visuals.texts import ASSETS

ENTRIES = json.loads((ASSETS / "recorded.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["name"] for entry in ENTRIES])
def test_a_recorded_trace_is_what_a_run_gives_now(explainer, entry):
    recorded = json.loads((ASSETS / "traces" / f"{entry['name']}.json").read_text(encoding="utf-8"))
    now = explainer.run(entry["question"], Settings(**entry.get("settings", {}))).to_dict()
    assert Settings.from_dict(recorded["settings"]) == Settings.from_dict(now["settings"])
    assert recorded["answer"] == now["answer"]
    assert recorded["answer_without_retrieval"] == now["answer_without_retrieval"]
    assert [e["type"] for e in recorded["events"]] == [e["type"] for e in now["events"]]
    for then, today in zip(recorded["events"], now["events"], strict=True):
        for unit, same in zip(then.get("units", []), today.get("units", []), strict=True):
            assert unit["entropy"] == pytest.approx(same["entropy"], abs=1e-3)
            assert unit["max_attention"] == (same["max_attention"] and pytest.approx(same["max_attention"], abs=1e-3))


def test_every_recorded_trace_has_its_entry():
    assert {path.stem for path in (ASSETS / "traces").glob("*.json")} == {entry["name"] for entry in ENTRIES}
