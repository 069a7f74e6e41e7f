"""The lens: every distinct run over θ and n is the run from nothing, and costs the model little."""

import math

import numpy as np
import pytest
from tiny import summary, tiny_explainer

from dragin_core import Explainer, InputError, Settings
from dragin_core.engine import Engine, Progress
from dragin_core.events import WindowDecoded
from dragin_core.lens import LOWEST_THETA, ROUNDING, Lens, Segment, partition, rounded

QUESTION = "Who built the old lighthouse near Dover?"
BEGIN = "The old lighthouse near Dover was built by a famous mason"
REPLIES = {
    "granite quarry": f"{BEGIN} named Harold. He brought granite from a quarry in Cornwall.",
    "copper lamps": f"{BEGIN} named Edith, who lit copper lamps. Ships saw them from Calais.",
    "Dover": f"{BEGIN} named Godfrey in the valley. His brother Walter drew the plans at home.",
}
PASSAGES = [
    ("Harold", "Harold was a mason near Dover with a granite quarry."),
    ("Edith", "Edith built a lighthouse and its copper lamps."),
    ("Godfrey", "Godfrey had a brother, Walter, who drew plans."),
    ("Calais", "Ships from Calais see the old lighthouse."),
    ("Valley", "A valley near home, famous for plans."),
]
SETTINGS = Settings(max_new_tokens=30, top_k=1, top_n=4)
VARIANTS = [
    {},
    {"variant": "literal"},
    {"variant": "official"},
    {"switches": {"decide": "window", "scale": "sentence"}},
    {"max_retrievals": 1},
    {"max_retrievals": 0},
]


@pytest.fixture(scope="module")
def tiny():
    return tiny_explainer(REPLIES, PASSAGES)


def looked(found) -> list[Segment]:
    """The segments, in the order in which they were found."""
    return [item for item in found if isinstance(item, Segment)]


def what_happened(run) -> list:
    """Decisions, queries, passages, cuts and the answer, whatever was written behind a trigger."""
    events = [summary(event) for event in run.events if not isinstance(event, WindowDecoded)]
    return [*events, run.answer, run.retrievals]


def fresh(explainer: Explainer) -> Explainer:
    """The same model with nothing known, which explores windows to their end."""
    return Explainer(explainer.lm, explainer.corpus)


def holding(segments: list[Segment], value: float) -> Segment:
    (found,) = [s for s in segments if s.low <= value < s.high]
    return found


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
def test_at_any_theta_the_lens_has_the_run_from_nothing(tiny, changes):
    settings = SETTINGS.but(**changes)
    segments = looked(Lens(tiny.engine, QUESTION, settings).over_theta())
    assert segments[0].low <= settings.theta < segments[0].high
    ordered = sorted(segments, key=lambda s: s.low)
    assert [s.high for s in ordered[:-1]] == [s.low for s in ordered[1:]], "no gap, and none twice"
    assert ordered[0].low <= LOWEST_THETA
    assert ordered[-1].high == math.inf
    other, random = fresh(tiny), np.random.default_rng(7)
    top = 1.2 * ordered[-1].low + 0.01
    thetas = [*random.uniform(LOWEST_THETA, max(top, 0.1), 20), *(1.0001 * s.low for s in ordered[1:3])]
    for theta in map(float, thetas):
        wanted = other.run(QUESTION, settings.but(theta=theta)).run
        assert what_happened(holding(segments, theta).run) == what_happened(wanted), theta


def test_some_thresholds_of_the_tiny_model_do_something(tiny):
    segments = looked(Lens(tiny.engine, QUESTION, SETTINGS).over_theta())
    assert {s.retrievals for s in segments} >= {0, 1, 2}
    assert len({s.answer for s in segments}) > 2
    for segment in segments:
        assert segment.low <= segment.run.settings.theta < segment.high
        assert segment.decisions >= 1


@pytest.mark.parametrize("changes", VARIANTS[:3], ids=str)
def test_at_any_n_the_lens_has_the_run_from_nothing(tiny, changes):
    settings = SETTINGS.but(theta=0.3, **changes)
    segments = looked(Lens(tiny.engine, QUESTION, settings).over_n(20))
    assert segments[0].low <= settings.top_n <= segments[0].high
    assert sorted(n for s in segments for n in range(s.low, s.high + 1)) == list(range(1, 21))
    other = fresh(tiny)
    for n in range(1, 21):
        (found,) = [s for s in segments if s.low <= n <= s.high]
        wanted = other.run(QUESTION, settings.but(top_n=n)).run
        assert what_happened(found.run) == what_happened(wanted), n
        assert found.run.settings.top_n in range(found.low, found.high + 1)


def test_it_stops_at_any_token_and_what_was_written_is_not_written_again(tiny):
    lens = Lens(fresh(tiny).engine, QUESTION, SETTINGS)
    found = lens.over_theta()
    assert isinstance(next(found), Progress)
    found.close()
    every = looked(lens.over_theta())
    before = tiny.lm.forward_passes
    again = looked(lens.over_theta())
    assert tiny.lm.forward_passes == before
    assert [what_happened(s.run) for s in again] == [what_happened(s.run) for s in every]
    assert [s.low for s in again] == pytest.approx([s.low for s in every], rel=ROUNDING)


def test_other_timings_are_refused(tiny):
    with pytest.raises(InputError, match="set when=rind"):
        Lens(tiny.engine, QUESTION, Settings(method="flare"))


def test_a_window_left_where_it_fired_is_gone_on_with(tiny):
    """Both kinds of engine share what is begun: an explored run reads it in one pass and writes the rest."""
    settings = SETTINGS.but(theta=LOWEST_THETA)
    low = Engine(tiny.lm, tiny.engine.retriever)
    (*_, left) = low.sparing().advance(tiny.start(QUESTION, settings))
    assert left.window.stop == "fired"
    before = tiny.lm.forward_passes
    (*_, whole) = low.advance(tiny.start(QUESTION, settings))
    assert whole.window.generated_ids[: len(left.window.generated_ids)] == left.window.generated_ids
    assert whole.decoded_tokens == len(whole.window.generated_ids) - len(left.window.generated_ids)
    assert tiny.lm.forward_passes - before == whole.forward_passes <= whole.decoded_tokens + 1


@pytest.mark.parametrize(("low", "high", "theta"), [(0.214, 0.287, 0.22), (0.83, math.inf, 1), (0.1, 0.2, 0.1)])
def test_a_round_threshold_of_an_interval(tiny, low, high, theta):
    assert rounded(tiny.start(QUESTION), low, high).settings.theta == theta


def test_a_place_from_which_on_something_holds():
    assert [partition(0, 9, lambda k, at=at: k >= at) for at in (0, 4, 9, 12)] == [0, 4, 9, 9]


def test_the_packaged_model_answers_for_every_theta_within_ten_runs(explainer):
    question, settings = "Who discovered the dwarf planet Ceres?", Settings(max_new_tokens=48)
    lm = explainer.lm
    before = lm.forward_passes
    other = fresh(explainer)
    other.run(question, settings)
    one, before = lm.forward_passes - before, lm.forward_passes
    segments = looked(Lens(Engine(lm, explainer.engine.retriever), question, settings).over_theta())
    assert lm.forward_passes - before <= 10 * one
    random = np.random.default_rng(3)
    for theta in map(float, random.uniform(LOWEST_THETA, max(s.low for s in segments), 3)):
        wanted = other.run(question, settings.but(theta=theta)).run
        assert what_happened(holding(segments, theta).run) == what_happened(wanted), theta
