"""The bench's parts work and say true things; how fast anything is is no business of a test."""

import math
import mmap

import pytest
from tiny import tiny_explainer

from bench import decoding, lens, memory, redecide, startup
from bench.__main__ import parser
from bench.prompts import decode, long_prompts, short_prompts, talkative
from bench.report import spread, table
from dragin_core import Settings


def test_a_table_is_markdown():
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_a_spread_is_the_median_with_its_range():
    assert spread([3.0, 1.0, 2.0], ".1f") == "2.0 (1.0–3.0)"


def test_a_ratio_of_one_is_as_fast_as_plain():
    pairs = decoding.Pairs("", 1, 8, ours=[2.0, 4.0], plain=[2.0, 2.0])
    assert pairs.ratios == [1.0, 0.5]
    assert "0.750 (0.500–1.000)" in decoding.section([pairs])


def test_long_prompts_are_as_long_as_asked(explainer):
    lengths = [len(prompt.token_ids) for prompt in long_prompts(explainer, 400)]
    assert all(390 <= length <= 400 for length in lengths)


def test_both_write_the_same_tokens_and_each_starts_from_nothing(explainer):
    lm = explainer.lm
    model = decoding.plain_model(lm.model.config._name_or_path, lm.dtype)
    prompt = talkative(lm, short_prompts(explainer), 3)
    before = lm.forward_passes
    first, second = decode(lm, prompt, 3), decode(lm, prompt, 3)
    assert lm.forward_passes - before == 2 * 4  # the prompt and each token, the last one too
    assert first.generated_ids == second.generated_ids
    assert lm.open_cache(prompt.token_ids)[1] == len(prompt.token_ids) - 1  # what the second left
    found = decoding.compare(lm, model, "short", prompt, 3, pairs=2)
    assert found.new_tokens == 3
    assert len(found.ours) == len(found.plain) == 2
    assert all(math.isfinite(ratio) and ratio > 0 for ratio in found.ratios)


def test_different_tokens_are_no_comparison(explainer, monkeypatch):
    prompt = next(iter(short_prompts(explainer)))
    monkeypatch.setattr(decoding, "generate", lambda model, prompt, tokens: [7] * tokens)
    with pytest.raises(ValueError, match="other tokens"):
        decoding.compare(explainer.lm, None, "short", prompt, 2, pairs=1)


def test_memory_counts_what_a_window_takes():
    memory.forget_peak()
    before, _ = memory.resident()
    with mmap.mmap(-1, 64 * memory.MIB) as block:  # fresh pages: what an allocator has kept does not blur it
        for page in range(0, len(block), mmap.PAGESIZE):
            block[page] = 1
    _, peak = memory.resident()
    assert 60 < (peak - before) / memory.MIB < 80


def test_another_theta_decides_on_the_known_window():
    explainer = tiny_explainer({"zebras": " The zebra lives in the quiet hills of Samarkand."})
    run = redecide.talkative_run(explainer, 64, ["Where do zebras live?"])
    passes = explainer.lm.forward_passes
    first, later = redecide.redecisions(explainer, run, [0.0, 1e9], [1, 5])
    assert len(later) == 4
    assert explainer.lm.forward_passes == passes
    assert redecide.redecide(explainer, redecide.changed(run, theta=0.0))[1]
    assert redecide.redecide(explainer, redecide.changed(run, theta=1e9))[1] is None
    assert redecide.changed(run, theta=0.1).settings == Settings(theta=0.1, max_new_tokens=64)
    assert first > 0


def test_a_second_run_costs_new_branches_only():
    passages = [("Zebra", "The zebra lives in Samarkand."), ("Hills", "Quiet hills.")]
    explainer = tiny_explainer({"": " The zebra lives in the quiet hills of Samarkand."}, passages)
    low, high = redecide.second_runs(explainer, "Where does the zebra live?", [0.0, 1e9])
    assert low["after"]["forward_passes"] == low["alone"]["forward_passes"] > 0
    assert high["after"]["forward_passes"] == 0 < high["alone"]["forward_passes"]
    assert low["again"]["forward_passes"] == high["again"]["forward_passes"] == 0


def test_a_page_that_ends_at_once_is_told():
    with pytest.raises(RuntimeError, match="no page came: broken"):
        startup.measure("print('broken', end='')", until_ready=False)


def test_an_empty_page_is_seen():
    program = "import http.server as h, sys; h.HTTPServer(('127.0.0.1', int(sys.argv[1])), h.SimpleHTTPRequestHandler)"
    found = startup.measure(f"{program}.serve_forever()", until_ready=False)
    assert found.page > 0
    assert found.ready is None


def test_parts_can_be_named():
    assert parser().parse_args([]).parts == []
    assert parser().parse_args(["memory", "--quick"]).parts == ["memory"]
    with pytest.raises(SystemExit):
        parser().parse_args(["nothing"])


def test_all_thresholds_are_measured_from_nothing():
    passages = [("Zebra", "The zebra lives in Samarkand."), ("Hills", "Quiet hills.")]
    explainer = tiny_explainer({"": " The zebra lives in the quiet hills of Samarkand."}, passages)
    settings = Settings(max_new_tokens=16)
    first, again = (lens.look(explainer, "Where does the zebra live?", settings) for _ in range(2))
    assert (first.passes, first.one_passes) == (again.passes, again.one_passes)
    assert first.segments >= first.answers >= 1
    assert first.first_seconds <= first.last_seconds
    assert f"{first.ratio:.1f} ({first.ratio:.1f}–{first.ratio:.1f})" in lens.section([first], settings)
