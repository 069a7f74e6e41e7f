import numpy as np
import pytest
import torch

from dragin_core.decoding import measure
from dragin_core.qfs import Candidate, keep_top, query_text
from dragin_core.rind import Trigger, find_trigger, scores_by_moment
from dragin_core.signals import Signals


def signals(block, entropy=(1.0, 2.0, 3.0)):
    block = np.asarray(block, dtype=np.float32)
    n = block.shape[1]
    return Signals(
        entropy=np.asarray(entropy),
        top_ids=np.zeros((n, 5), dtype=int),
        probability=np.ones(n),
        top_probabilities=np.zeros((n, 5)),
        block=block,
        focus=np.zeros((len(block), n, 0)),
        prompt_row=np.zeros((n, 1)),
    )


BLOCK = [
    [[0.9, 0, 0], [0.2, 0.5, 0], [0.4, 0.1, 0.3]],
    [[0.8, 0, 0], [0.6, 0.1, 0], [0.1, 0.3, 0.2]],
]


def test_a_max_is_the_mean_over_heads_of_each_heads_maximum_over_later_tokens():
    found = signals(BLOCK)
    # token 0: at moment 1 (0.2 + 0.6)/2; at moment 2 head 0 rises to 0.4, head 1 keeps 0.6
    assert found.a_max_by_moment[:, 0] == pytest.approx([0, 0.4, 0.5])
    assert found.a_max_by_moment[:, 1] == pytest.approx([0, 0, 0.2])
    assert found.a_max[:2] == pytest.approx([0.5, 0.2])
    assert np.isnan(found.a_max[2])  # the last token is pending


def test_head_means_would_give_another_a_max():
    assert signals(BLOCK).mean_block[:, 0].max() != pytest.approx(0.5)


def test_a_tokens_own_attention_never_counts():
    assert signals(BLOCK).a_max_by_moment.diagonal() == pytest.approx([0, 0, 0])


def test_taking_tokens_leaves_the_others_rows_out():
    assert signals(BLOCK).take(np.array([0, 2])).a_max_by_moment[1] == pytest.approx([0.25, 0])


def test_entropy_is_in_nats_and_zero_probability_adds_nothing():
    assert measure(torch.zeros(4), 0).entropy == pytest.approx(np.log(4))
    assert measure(torch.tensor([0.0, 0.0, -torch.inf, -torch.inf]), 0).entropy == pytest.approx(np.log(2))
    assert measure(torch.tensor([0.0, -torch.inf]), 0).entropy == 0


def test_the_five_likeliest_come_best_first():
    _, chosen, ids, probabilities = measure(torch.tensor([0.0, 5.0, 1.0, 2.0, 3.0, 4.0]), 2)
    assert ids.tolist() == [1, 5, 4, 3, 2]
    assert chosen == pytest.approx(np.exp(1) / sum(np.exp(k) for k in range(6)))
    assert probabilities[0] == pytest.approx(np.exp(5) / sum(np.exp(k) for k in range(6)))


SCORES = scores_by_moment(np.array([1.0, 2.0, 3.0]), signals(BLOCK).a_max_by_moment, np.array([1.0, 1.0, 1.0]))


def test_score_is_entropy_times_attention_times_semantic():
    assert SCORES[2] == pytest.approx([0.5, 0.4, 0])
    muted = scores_by_moment(np.array([1.0, 2.0, 3.0]), signals(BLOCK).a_max_by_moment, np.array([0.0, 1.0, 1.0]))
    assert muted[2] == pytest.approx([0, 0.4, 0])


def test_the_trigger_is_the_earliest_moment_then_the_leftmost_token():
    assert find_trigger(SCORES, 0.39) == Trigger(0, 1, pytest.approx(0.4))
    assert find_trigger(SCORES, 0.45) == Trigger(0, 2, pytest.approx(0.5))
    assert find_trigger(SCORES, SCORES.max()) is None  # above, not at


def test_a_passed_over_token_is_not_looked_at_again_and_the_search_goes_on_after_its_moment():
    assert find_trigger(SCORES, 0.35, after=1, passed=[0]) == Trigger(1, 2, pytest.approx(0.4))
    assert find_trigger(SCORES, 0.35, after=2, passed=[0]) is None


def test_undecided_moments_are_left_alone():
    assert find_trigger(SCORES, 0.45, until=2) is None


def test_raising_theta_never_fires_at_an_earlier_moment():
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = 12
        block = np.tril(rng.random((3, n, n)))
        scores = scores_by_moment(rng.random(n) * 4, signals(block, rng.random(n)).a_max_by_moment, np.ones(n))
        moments = [t.moment if (t := find_trigger(scores, theta)) else n for theta in np.linspace(0, 4, 40)]
        assert moments == sorted(moments)


def candidate(text, weight, index):
    return Candidate(text, 0, len(text), "question", weight, index)


def test_the_heaviest_words_come_in_reading_order_ties_to_the_earlier():
    kept = keep_top([candidate(*c) for c in (("b", 0.1, 0), ("a", 0.3, 1), ("c", 0.1, 2), ("d", 0.2, 3))], 3)
    assert [c.text for c in kept if c.kept] == ["b", "a", "d"]
    assert query_text(kept) == "b a d"


def test_a_word_kept_twice_is_written_once():
    kept = keep_top([candidate("Einstein", 0.2, 0), candidate("Bern", 0.3, 1), candidate("einstein", 0.1, 2)], 3)
    assert query_text(kept) == "Einstein Bern"


def test_wrong_shapes_are_said():
    with pytest.raises(ValueError, match="shapes differ"):
        scores_by_moment(np.ones(2), np.ones((3, 3)), np.ones(3))
