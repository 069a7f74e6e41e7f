"""The command line, run as its users run it."""

import json
import os
import subprocess
import sys
from contextlib import suppress

import pytest

from dragin_core.cli import main


def command(*arguments, **more):
    return subprocess.run(
        [sys.executable, "-m", "dragin_core", *arguments], capture_output=True, text=True, timeout=300, **more
    )


@pytest.fixture(scope="module")
def run_json():
    return command("run", "Who painted Guernica?", "--theta", "0.3", "--gold", "Pablo Picasso", "--json")


def test_json_is_one_document_on_stdout_with_every_kind_of_event(run_json):
    assert run_json.returncode == 0
    trace = json.loads(run_json.stdout)
    assert trace["format"] == "dragin-trace/1"
    assert {e["type"] for e in trace["events"]} == {"window", "decision", "query", "passages", "cut", "finished"}
    assert trace["settings"]["theta"] == 0.3
    assert "Loading" in run_json.stderr


BAD = {
    "blank": ["run", "  "],
    "too long": ["run", "x" * 20_000],
    "punctuation": ["run", "?!"],
    "negative theta": ["run", "Who?", "--theta", "-1"],
    "theta not a number": ["run", "Who?", "--theta", "nan"],
    "theta text": ["run", "Who?", "--theta", "high"],
    "theta infinite": ["run", "Who?", "--theta", "inf"],
    "no words": ["run", "Who?", "--top-n", "0"],
    "too many words": ["run", "Who?", "--top-n", "10000"],
    "half a passage": ["run", "Who?", "--top-k", "1.5"],
    "too many passages": ["run", "Who?", "--top-k", "10000"],
    "unknown method": ["run", "Who?", "--method", "magic"],
    "unknown timing": ["run", "Who?", "--when", "often"],
    "unknown query": ["run", "Who?", "--what", "magic"],
    "a query that is never asked": ["run", "Who?", "--when", "once", "--what", "qfs"],
    "a query without a method's use": ["run", "Who?", "--method", "wo-rag", "--what", "last-tokens"],
    "more than certain": ["run", "Who?", "--flare-threshold", "2"],
    "no token": ["run", "Who?", "--every", "0"],
    "unknown rule": ["run", "Who?", "--flare-rule", "magic"],
    "unknown variant": ["run", "Who?", "--variant", "magic"],
    "unknown option": ["run", "Who?", "--magic"],
    "no command": [],
    "missing model": ["run", "Who?", "--model", "./no-such-model"],
    "missing corpus": ["run", "Who?", "--corpus", "no-such-corpus.jsonl"],
    "missing prompt": ["score", "--prompt-file", "no-such-prompt.txt"],
    "missing questions": ["evaluate", "no-such-questions.jsonl", "--out", "out"],
    "falling range": ["sweep", "Who?", "--theta", "2:1:3", "--out", "out.csv"],
    "endless range": ["sweep", "Who?", "--theta", "0:1:100000000", "--out", "out.csv"],
    "missing sweep file": ["sweep", "no-such-questions.jsonl", "--out", "out.csv"],
    "sweep out": ["sweep", "Who?", "--out", "no-such-folder/out.csv"],
    "out is a file": ["evaluate", "assets/questions.jsonl", "--out", "README.md"],
    "limit": ["evaluate", "assets/questions.jsonl", "--out", "out", "--limit", "0"],
    "json where there is none": ["sweep", "Who?", "--out", "out.csv", "--json"],
    "no range": ["sweep", "Who?", "--theta", "0.1", "--out", "out.csv"],
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line_and_exit_2(case, tmp_path, capfd):
    assert main(BAD[case]) == 2
    out, err = capfd.readouterr()
    errors = [line for line in err.splitlines() if line.startswith("error: ")]
    assert out == ""
    assert len(errors) == 1
    assert "Traceback" not in err
    assert errors[0].endswith(".")


def test_a_bad_call_exits_2():
    assert command("run", "").returncode == 2


def test_score_over_own_and_over_given_text(tmp_path, capfd):
    prompt, text = tmp_path / "prompt.txt", tmp_path / "text.txt"
    shot = "Question: Who wrote Hamlet?\nAnswer: Hamlet was written by William Shakespeare.\n"
    prompt.write_text(f"{shot}Question: Who painted Guernica?\nAnswer:", encoding="utf-8")
    shared = ["score", "--prompt-file", str(prompt), "--raw-prompt", "--question", "Who painted Guernica?", "--json"]
    own = json.loads(command(*shared, "--max-new-tokens", "12", "--theta", "0.1").stdout)
    assert own["format"] == "dragin-score/1"
    assert "".join(u["text"] for u in own["units"]) == own["text"]
    text.write_text(own["text"], encoding="utf-8")
    assert main([*shared, "--theta", "0.1", "--text-file", str(text)]) == 0
    given = json.loads(capfd.readouterr().out)
    assert given["generated_token_ids"] == own["generated_token_ids"]
    for ours, theirs in zip(own["units"], given["units"], strict=True):
        assert ours["entropy"] == pytest.approx(theirs["entropy"], abs=1e-4)
        assert ours["max_attention"] == (theirs["max_attention"] and pytest.approx(theirs["max_attention"], abs=1e-4))
    assert own["decision"] == given["decision"] | {"score": own["decision"]["score"]}
    assert own["query"]["text"] == given["query"]["text"]


def test_whoever_reads_the_output_may_stop(monkeypatch, capfd):
    read, write = os.pipe()
    os.close(read)
    gone = os.fdopen(write, "w")
    monkeypatch.setattr(sys, "stdout", gone)
    assert main(["doctor", "--json"]) == 1
    with suppress(BrokenPipeError):
        gone.close()
    assert "Traceback" not in capfd.readouterr().err


def test_doctor_says_what_runs_here(capfd):
    facts = json.loads(command("doctor", "--json").stdout)
    assert (facts["attention_layer"], facts["layers"], facts["heads"]) == (30, 30, 9)
    assert facts["capture"] == "interface"
    assert facts["probe"]["rows"] < 1e-4
    assert facts["kv_cache"] and facts["sliding_window"] is None and facts["notice"] is None
    assert main(["doctor"]) == 0
    told = capfd.readouterr().out.splitlines()
    assert {"capture: interface", "attention_layer: 30", "sliding_window: none", "notice: none"} <= set(told)
