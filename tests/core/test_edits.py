"""What if: a run with edits is the run that the same edits give from nothing, and no run knows of another."""

import json
import math
import random
import re

import pytest
from tiny import tiny_explainer

from dragin_core import Explainer, Settings
from dragin_core.edits import (
    AskInstead,
    FireAt,
    Ignore,
    PassageChoice,
    UsePassages,
    WritePrompt,
    edit_from,
    edits_from,
)
from dragin_core.engine import Engine
from dragin_core.errors import InputError
from dragin_core.events import AnswerCut, Decided, PassagesRetrieved, QueryFormulated, Run, WindowDecoded
from dragin_core.trace_file import read_trace, trace_text

QUESTION = "Which bridge did the old engineer of Lyon build in 1889? 🙂"
OPENS = "The old engineer drew plans. He"
REPLIES = {
    "by hand": OPENS + " wrote by hand of a Roman aqueduct near Nîmes, and of its three arches. It stands.",
    "1889 a tower": OPENS + " raised a tower in Paris in 1889, then a bridge over the Douro. The bridge is iron 🙂.",
    "Porto": OPENS + " built the Maria Pia bridge in Porto. It was new in 1877.",
    "1889": OPENS + " built the Garabit viaduct over the Truyère. Later came 🙂 a bridge in Porto. It was old.",
    "": "Nothing was asked, so nothing is said of bridges.",
}
PASSAGES = [
    ("Garabit", "The Garabit viaduct was built by Gustave Eiffel."),
    ("Porto", "A bridge in Porto over the river Douro."),
    ("Lyon", "An old engineer of Lyon drew plans of arches."),
    ("Tower", "In 1889 a tower was raised."),
    ("Roman", "A Roman aqueduct near Nîmes has three arches."),
]
SETTINGS = {
    "paper": ({}, 90),
    "literal": ({"variant": "literal"}, 30),
    "released code": ({"variant": "official", "switches": {"template": "paper"}}, 30),
    "sentences": ({"switches": {"decide": "window", "cut": "sentence", "query_hits": "sentence"}}, 20),
    "words": ({"switches": {"unit": "word", "later": "from_self"}}, 15),
    "read again": ({"switches": {"query_text": "reencoded"}}, 10),
    "FLARE": ({"method": "flare"}, 10),
    "sentence by sentence": ({"method": "fs-rag"}, 10),
    "so many tokens": ({"method": "fl-rag", "every": 6}, 10),
    "up front": ({"method": "sr-rag"}, 10),
}
WORDS = ["bridge", "Porto", "1889", "tower", "arches", "Roman", "engineer", "nothing", "by hand", "<|im_end|>", "🙂"]


@pytest.fixture(scope="module")
def model():
    return tiny_explainer(REPLIES, PASSAGES)


@pytest.fixture(scope="module")
def other():
    """The same model apart, for runs from nothing."""
    return tiny_explainer(REPLIES, PASSAGES)


def ended(explainer: Explainer, run: Run) -> Run:
    while not run.finished:
        *_, event = explainer.advance(run)
        run = run.then(event)
    return run


def from_nothing(explainer: Explainer, run: Run) -> Run:
    """The run anew, with no window and no key-value cache remembered."""
    explainer.engine = Engine(explainer.lm, explainer.engine.retriever)
    explainer.lm.open_cache([0])
    return ended(explainer, explainer.start(run.question, run.settings, run.edits))


UNCOMPARED = {"counts", "cached", "heads", "max_attention_at", "from", "from_attention", "elsewhere", "top"}


def assert_alike(one, two, where="trace"):
    """Equal, but for floats (within 1e-4) and what tells how it was computed."""
    if isinstance(one, dict):
        assert one.keys() == two.keys(), where
        for name in one.keys() - UNCOMPARED:
            assert_alike(one[name], two[name], f"{where}.{name}")
    elif isinstance(one, list):
        assert len(one) == len(two), where
        for index, pair in enumerate(zip(one, two, strict=True)):
            assert_alike(*pair, f"{where}[{index}]")
    elif isinstance(one, float) and isinstance(two, float | int):
        assert math.isclose(one, two, rel_tol=1e-4, abs_tol=1e-4), where
    else:
        assert one == two, where


def document(explainer: Explainer, run: Run) -> dict:
    return explainer.trace(run).to_dict()


def some_text(rng: random.Random, words: int) -> str:
    return " ".join(["what", *rng.choices(WORDS, k=words)])


def some_edit(rng: random.Random, run: Run):
    """An event and an edit of a kind that can stand there; it may still be refused."""
    at = rng.choice([k for k, event in enumerate(run.events) if fitting(event, k, rng)])
    return at, fitting(run.events[at], at, rng)


def fitting(event, at: int, rng: random.Random):
    match event:
        case WindowDecoded() if at == 0:
            return WritePrompt(changed_prompt(event.window.prompt, rng))
        case Decided():
            return Ignore() if event.retrieve and rng.random() < 0.4 else FireAt(rng.randrange(30))
        case QueryFormulated():
            return AskInstead(some_text(rng, 3))
        case PassagesRetrieved():
            kept = [PassageChoice(hit.passage.id) for hit in event.hits if rng.random() < 0.6]
            own = [PassageChoice(None, rng.choice(["", "Of mine"]), some_text(rng, 6)) for _ in range(rng.randrange(3))]
            return UsePassages(tuple(rng.sample([*kept, *own], len(kept) + len(own))))
        case AnswerCut():
            return WritePrompt(changed_prompt(event.prompt, rng))
    return None


def changed_prompt(prompt, rng: random.Random) -> str:
    own = prompt.text[: len(prompt.text) - len(prompt.kept_text)]
    word = rng.choice(["bridge", "Please", "engineer", "Garabit", "assistant", QUESTION])
    return own.replace(word, some_text(rng, 1)) if rng.random() < 0.9 else some_text(rng, 9)


@pytest.mark.parametrize("name", SETTINGS)
def test_random_edits_in_sequence_equal_runs_from_nothing(model, other, name):
    changes, count = SETTINGS[name]
    rng = random.Random(name)
    settings = Settings(**{"theta": 0.2, "max_new_tokens": 48, "max_retrievals": 3, **changes})
    runs = [ended(model, model.start(QUESTION, settings))]
    told = [trace_text(document(model, runs[0]))]
    made, refused, kinds = 0, 0, set()
    while made < count:
        k = rng.randrange(max(0, len(runs) - 8), len(runs)) if rng.random() < 0.8 else 0
        at, edit = some_edit(rng, runs[k])
        assert edit_from(json.loads(json.dumps(edit.to_dict()))) == edit
        try:
            branch = ended(model, model.edited(runs[k], at, edit))
        except InputError as error:
            assert re.fullmatch(r"[^\n]{10,300}\.", str(error))
            refused += 1
            assert refused < 10 * count
            continue
        made, kinds = made + 1, kinds | {edit.kind}
        assert branch.events[:at] == runs[k].events[:at]
        assert trace_text(document(model, runs[k])) == told[k]
        found, anew = document(model, branch), document(other, from_nothing(other, branch))
        assert_alike(found, anew)
        assert [index for index, event in enumerate(found["events"]) if event.get("edited")] == [
            index for index, _ in branch.edits
        ]
        assert edits_from(found["edits"]) == branch.edits
        text = trace_text(found)
        assert trace_text(read_trace(text)) == text
        runs.append(branch)
        told.append(text)
    assert [trace_text(document(model, run)) for run in runs] == told
    assert kinds >= ({"fire"} if settings.timing == "rind" else set()) | {"ignore", "ask", "passages", "prompt"}
