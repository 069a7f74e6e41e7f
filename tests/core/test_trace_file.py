"""Trace files: what was saved opens and saves to the same bytes; anything else is one sentence."""

import json
import subprocess
import sys

import pytest
from mutations import mutated
from tiny import tiny_explainer

from dragin_core import Progress, Settings
from dragin_core.errors import InputError
from dragin_core.trace import Trace
from dragin_core.trace_file import MOST_BYTES, load_trace, read_trace, trace_text
from visuals.payload import payload
from visuals.stories import names, path_of, story

QUESTION = "Which bridge did the old engineer of Lyon build in 1889? 🙂"
REPLY = "The old engineer drew plans. He built the Garabit viaduct over the Truyère. Later came 🙂 a bridge in Porto."
PASSAGES = [("Garabit", "The Garabit viaduct was built by Gustave Eiffel."), ("Porto", "A bridge in Porto.")]
MUTATIONS = 500
RUNS = {
    "paper": {},
    "never": {"method": "wo-rag"},
    "up front": {"method": "sr-rag"},
    "literal": {"variant": "literal"},
    "released code": {"variant": "official", "switches": {"template": "paper"}},
    "from self": {"switches": {"later": "from_self"}},
    "words": {"switches": {"unit": "word", "cut": "token"}},
    "read again": {"switches": {"query_text": "reencoded"}},
    "known passages": {"switches": {"repeat_evidence": "retrieve", "query_scope": "+passages"}},
}


@pytest.fixture(scope="module")
def model():
    return tiny_explainer({QUESTION: REPLY}, PASSAGES)


def refusal(text) -> str:
    """The sentence that a text is refused with."""
    with pytest.raises(InputError) as refused:
        read_trace(text)
    sentence = str(refused.value)
    assert sentence.startswith("This trace ")
    assert len(sentence.splitlines()) == 1
    assert len(sentence) < 400
    return sentence


def changed(change) -> str:
    """The first recorded run, with a change made to it."""
    trace = json.loads(path_of(names()[0]).read_text(encoding="utf-8"))
    change(trace)
    return json.dumps(trace)


@pytest.mark.parametrize("name", names())
def test_a_recorded_run_opens_and_saves_to_the_same_bytes(name):
    text = path_of(name).read_text(encoding="utf-8")
    assert trace_text(read_trace(text)) == text
    assert read_trace(text.encode()) == story(name)


@pytest.mark.parametrize("settings", RUNS.values(), ids=RUNS)
def test_every_run_opens_at_every_step_and_while_it_is_written(model, settings):
    run = model.start(QUESTION, Settings(**{"theta": 0.2, "max_new_tokens": 40, "max_retrievals": 2, **settings}))
    steps = 0
    while not run.finished:
        for item in model.advance(run):
            partial = isinstance(item, Progress)
            shown = run.then(item.window if partial else item)
            if not partial or len(item.window.window.signals.entropy) % 7 == 1:
                text = trace_text(model.trace(shown).to_dict())
                assert trace_text(read_trace(text)) == text
        run, steps = shown, steps + 1
    assert steps >= 3


def test_a_trace_saved_opened_by_a_second_process_and_saved_is_the_same_bytes(model, tmp_path):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    trace = model.run(QUESTION, Settings(theta=0.2, max_new_tokens=40))
    assert isinstance(trace, Trace)
    first.write_text(trace_text(trace.to_dict()), encoding="utf-8")
    program = (
        "import sys; from pathlib import Path; from dragin_core.trace_file import load_trace, trace_text;"
        "Path(sys.argv[2]).write_text(trace_text(load_trace(Path(sys.argv[1]))), encoding='utf-8')"
    )
    subprocess.run([sys.executable, "-c", program, str(first), str(second)], check=True, timeout=120)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("share", range(5))
def test_mutated_files_open_or_are_one_sentence(share):
    """Whatever opens can be drawn up for the page and saved; the browser's half is in tests/ui/test_share.py."""
    opened = 0
    for seed in range(share, MUTATIONS, 5):
        document = mutated(story(names()[seed % len(names())]), seed)
        text = json.dumps(document, ensure_ascii=False)
        try:
            trace = read_trace(text)
        except InputError:
            refusal(text)
            continue
        opened += 1
        assert trace_text(read_trace(trace_text(trace))) == trace_text(trace)
        assert payload(trace, trace.get("gold", []))["facts"]["events"]
    assert 0 < opened < MUTATIONS / 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON from line 1"),
        ("{", "not JSON from line 1"),
        ('{"format":', "not JSON"),
        ("[]", "no dragin-trace/1 document"),
        ("{}", "no dragin-trace/1 document"),
        ('{"format": "dragin-score/1"}', "its format is not dragin-trace/1"),
        ('{"format": "dragin-trace/1"}', "question is missing"),
        ('{"format": "dragin-trace/1", "question": NaN}', "no finite number"),
        ('{"format": "dragin-trace/1", "question": 1e999}', "not finite"),
        ('{"format": "dragin-trace/1", "question": ' + "9" * 5000 + "}", "no finite number"),
        ('{"format": "dragin-trace/1", "question": "\\ud83d"}', "half a character"),
        ('{"format": "dragin-trace/1", "x": ' + "[" * 100 + "]" * 100 + "}", "nested deeper than 32"),
        ("[" * 200_000, "nested deeper than 32"),
        (b"\xff\xfe{}", "UTF-8"),
        (" " * (MOST_BYTES + 1), "larger than 32 MB"),
    ],
    ids=lambda value: repr(value[:40]),
)
def test_what_is_no_trace_is_told_in_a_sentence(text, said):
    assert said in refusal(text)


def test_a_newer_version_says_so():
    sentence = refusal(changed(lambda trace: trace.update(format="dragin-trace/2")))
    assert sentence == (
        "This trace is of a newer format (dragin-trace/2) than this program reads (dragin-trace/1): "
        "open it in a newer one."
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t["events"][0]["units"][2].update(entropy="high"), "events[0].units[2].entropy is 'high', not a nu"),
        (lambda t: t["events"][0]["units"][2].update(text="other"), "events[0].units[2] does not stand at its offsets"),
        (lambda t: t["events"][0].update(text="other"), "events[0].text is not what its units say"),
        (lambda t: t["events"][0]["units"].pop(), "events[0].text is not what its units say"),
        (lambda t: t["events"][0]["rows"]["weights"].pop(), "events[0].rows.weights has"),
        (
            lambda t: t["events"][0]["rows"]["heads"].update(data="AAAA"),
            "events[0].rows.heads.data does not hold the 9",
        ),
        (lambda t: t["events"][1].update(index=999), "events[1].index is 999, but there are"),
        (lambda t: t["events"].pop(1), "events[1] is a query, which cannot come after a window"),
        (lambda t: t["events"].pop(2), "events[2] is a passages, which cannot come after a decision"),
        (
            lambda t: t["events"][1].update(retrieve=False),
            "events[2] is a query, which the decision before it rules out",
        ),
        (lambda t: t["events"][3]["items"][0]["marks"].append([5, 10**5, "x"]), "goes from 5 to 100000, but there are"),
        (
            lambda t: t["events"][4].update(kept_text="other"),
            "events[4].kept_text is no beginning of the answer so far",
        ),
        (lambda t: t["events"][3]["items"].extend(t["events"][3]["items"][:1] * 3000), "items has 3,003 entries, more"),
        (
            lambda t: t["events"][3].update(
                items=[{**t["events"][3]["items"][0], "text": "爱" * 10**6, "marks": []}] * 3
            ),
            "events[3] brings the passages to more than 2,000,000 characters",
        ),
        (lambda t: t["events"][0].update(type="song"), "events[0].type is 'song', not one of window, decision"),
        (lambda t: t["settings"].update(variant="mine"), "in its settings, variant 'mine' is unknown"),
        (lambda t: t["settings"].update(theta=-1), "settings.theta is -1, not a number from 0"),
        (lambda t: t.update(question="why " * 2000), "question has 8,000 characters, more than 2,000"),
        (lambda t: t.update(gold="Laennec"), "gold is 'Laennec', not a list"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_what_does_not_hold_together_is_told_with_its_place(change, said):
    assert said in refusal(changed(change))


def test_unknown_keys_are_kept():
    text = changed(lambda trace: (trace.update(more={"a": [1.5]}), trace["events"][0].update(new=None)))
    trace = read_trace(text)
    assert trace["more"] == {"a": [1.5]}
    assert json.loads(trace_text(trace)) == json.loads(text)


def test_a_file_that_is_not_there_is_a_sentence(tmp_path):
    with pytest.raises(InputError, match=r"The trace .*gone.json cannot be read: No such file"):
        load_trace(tmp_path / "gone.json")
