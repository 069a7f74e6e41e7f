"""Rows head by head and what goes elsewhere, as the trace keeps them, against the window's own arrays."""

import base64

import numpy as np
import pytest

from dragin_core import Settings
from dragin_core.events import WindowDecoded
from dragin_core.heads import MOST_BYTES, SCALE, pack_heads
from dragin_core.trace import event_dict

QUESTION = "Which bridge did the old engineer of Lyon build in 1889?"
REPLY = "The old engineer of Lyon built the Garabit viaduct over the Truyère, and later a second bridge in Porto."


def unpacked(heads: dict, lengths: list[int]) -> list[np.ndarray]:
    """Per unit float [words, heads], written from the format's words."""
    numbers = np.frombuffer(base64.b64decode(heads["data"]), dtype="<u2") / heads["scale"]
    ends = np.cumsum([length * heads["count"] for length in lengths])
    assert ends[-1] == len(numbers)
    return [part.reshape(-1, heads["count"]) for part in np.split(numbers, ends[:-1])]


@pytest.fixture
def decoded(scripted):
    """The first event of a run of the tiny model with real attention."""
    explainer = scripted({QUESTION: REPLY}, [("Garabit", "The Garabit viaduct was built by Gustave Eiffel.")])
    run = explainer.start(QUESTION, Settings(theta=0.05, max_new_tokens=32))
    *_, event = explainer.advance(run)
    return event


@pytest.mark.parametrize("variant", ["paper", "official"])
def test_the_packed_rows_are_the_windows_within_a_step(decoded, variant):
    rows = event_dict(decoded, Settings(variant=variant).effective)["rows"]
    lengths = [len(row) for row in rows["weights"]]
    found = unpacked(rows["heads"], lengths)
    assert sum(lengths) > 100
    for unit, (heads, mean) in enumerate(zip(found, rows["weights"], strict=True)):
        assert heads.mean(axis=1) == pytest.approx(np.array(mean), abs=1 / SCALE)
        if variant == "paper":
            exact = decoded.window.head_word_weights[:, unit, : lengths[unit]].T
            assert np.abs(heads - exact).max(initial=0) <= 1 / SCALE
    assert max(np.ptp(heads, axis=1).max(initial=0) for heads in found) > 0.01, "the heads differ"


def test_a_window_that_is_being_written_has_no_heads(decoded):
    partial = WindowDecoded(**{**vars(decoded), "partial": True})
    rows = event_dict(partial, Settings().effective)["rows"]
    assert "heads" not in rows
    assert rows["weights"]


def test_a_block_that_is_too_large_is_left_out():
    words = MOST_BYTES // (2 * 8 * 4) + 1
    assert pack_heads(np.zeros((8, 4, words)), [words] * 4)["data"] is None
    assert pack_heads(np.zeros((8, 4, 9)), [9] * 4)["data"]


def test_lengths_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="one for each row"):
        pack_heads(np.zeros((2, 3, 4)), [1, 2])


def test_words_and_what_goes_elsewhere_make_up_at_most_the_whole_row(decoded):
    rows = event_dict(decoded, Settings().effective)["rows"]
    signals, prompt = decoded.window.signals, decoded.window.prompt
    kinds = {s.kind for s in prompt.sections}
    assert "passage" not in kinds and {"instruction", "question"} <= kinds
    for unit, weights in enumerate(rows["weights"][:-1]):
        parts = {name: values[unit] for name, values in rows["elsewhere"].items()}
        assert parts["first"] == pytest.approx(signals.prompt_row[unit, 0], abs=1e-4)
        assert parts["passages"] == 0
        assert 0 < sum(weights) + sum(parts.values()) <= 1 + 1e-3


def test_a_packaged_window_of_64_tokens_stays_small(explainer):
    """What a page is sent with each redraw."""
    settings = Settings(max_new_tokens=64, method="wo-rag")
    window = explainer.run("Who invented the stethoscope?", settings).to_dict()["events"][0]
    assert len(window["units"]) > 50
    assert len(window["rows"]["heads"]["data"]) < 100_000
