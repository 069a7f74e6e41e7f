"""Every family of models: what is captured is what eager attention computes, however the text is read."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pytest
import torch
import transformers as hf
from tiny import tokenizer
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS, causal_mask_function

from dragin_core import Explainer, ModelError, Settings
from dragin_core.attention import TAPPED
from dragin_core.decoding import WindowDecoder
from dragin_core.language_model import CausalLM
from dragin_core.passes import ShortPasses
from dragin_core.probe import NARROW
from dragin_core.prompts import given_prompt
from dragin_core.reading import read
from dragin_core.retrieval import Corpus, Passage
from dragin_core.trace import rows

WINDOW = 10  # shorter than every text below
LENGTH = 36
COMMON = {
    "vocab_size": 49152,
    "hidden_size": 32,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "max_position_embeddings": 256,
    "initializer_range": 0.3,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
FEED = {**COMMON, "intermediate_size": 48}
GROUPED = {**FEED, "num_key_value_heads": 2}
SLIDING = {**GROUPED, "sliding_window": WINDOW}
HEAD = {"head_dim": 8}
GPT = {"vocab_size": 49152, "n_embd": 32, "n_layer": 3, "n_head": 4, "initializer_range": 0.3}
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 8, "mamba_d_state": 8, "mamba_n_groups": 1}
LINEAR = {
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
}
EXPERTS = {"num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 16}
OWN_WAY = "does not go through the interface"
OWN_CACHE = "its cache cannot be used"


@dataclass(frozen=True)
class Family:
    """A tiny model of a family, and how it is to be read: ``layer`` is the last that attends."""

    config: hf.PreTrainedConfig
    layer: int = 3
    kind: str = "interface"
    notice: str | None = None
    window: int | None = None


FAMILIES = {
    "llama, grouped": lambda: Family(hf.LlamaConfig(**GROUPED, tie_word_embeddings=False)),
    "llama, tied": lambda: Family(hf.LlamaConfig(**GROUPED, tie_word_embeddings=True)),
    "multi-query": lambda: Family(hf.LlamaConfig(**FEED, num_key_value_heads=1)),
    "qwen2": lambda: Family(hf.Qwen2Config(**GROUPED)),
    "qwen3": lambda: Family(hf.Qwen3Config(**GROUPED, **HEAD)),
    "mistral": lambda: Family(hf.MistralConfig(**SLIDING), window=WINDOW),
    "phi3": lambda: Family(hf.Phi3Config(**SLIDING), window=WINDOW),
    "gemma2": lambda: Family(hf.Gemma2Config(**SLIDING, **HEAD, attn_logit_softcapping=2.0)),
    "gemma2, last layer sliding": lambda: Family(
        hf.Gemma2Config(**SLIDING, **HEAD, layer_types=["full_attention", "sliding_attention"] * 2), window=WINDOW
    ),
    "gemma3": lambda: Family(
        hf.Gemma3TextConfig(**SLIDING, **HEAD, layer_types=["full_attention"] + ["sliding_attention"] * 3),
        window=WINDOW,
    ),
    "gpt2": lambda: Family(hf.GPT2Config(**GPT), layer=2),
    "gpt-neox": lambda: Family(hf.GPTNeoXConfig(**FEED)),
    "falcon, alibi": lambda: Family(
        hf.FalconConfig(**COMMON, alibi=True, multi_query=False), kind="eager", notice=OWN_WAY
    ),
    "falcon, rotary": lambda: Family(
        hf.FalconConfig(**COMMON, new_decoder_architecture=True, num_kv_heads=2), kind="eager", notice=OWN_WAY
    ),
    "bloom, alibi": lambda: Family(
        hf.BloomConfig(vocab_size=49152, hidden_size=32, n_layer=3, n_head=4, initializer_range=0.3),
        layer=2,
        kind="eager",
        notice=OWN_WAY,
    ),
    "gpt-oss, sinks": lambda: Family(
        hf.GptOssConfig(
            **SLIDING,
            **HEAD,
            num_local_experts=4,
            num_experts_per_tok=2,
            layer_types=["full_attention", "sliding_attention"] * 2,
        ),
        window=WINDOW,
    ),
    "gpt, no cache": lambda: Family(
        hf.OpenAIGPTConfig(**GPT, n_positions=256), layer=2, kind="eager", notice=OWN_CACHE
    ),
    "jamba": lambda: Family(
        hf.JambaConfig(
            **GROUPED,
            attn_layer_period=2,
            attn_layer_offset=0,
            num_experts=2,
            use_mamba_kernels=False,
            mamba_d_state=8,
            mamba_dt_rank=4,
        ),
        layer=2,
    ),
    "granite hybrid": lambda: Family(
        hf.GraniteMoeHybridConfig(
            **GROUPED,
            **MAMBA,
            layer_types=["mamba", "attention", "mamba", "mamba"],
            num_local_experts=2,
            num_experts_per_tok=1,
            shared_intermediate_size=32,
        ),
        layer=1,
    ),
    "qwen3-next": lambda: Family(
        hf.Qwen3NextConfig(
            **GROUPED,
            **HEAD,
            **LINEAR,
            **EXPERTS,
            shared_expert_intermediate_size=16,
            layer_types=["linear_attention", "full_attention", "linear_attention", "linear_attention"],
        ),
        layer=1,
    ),
    "lfm2": lambda: Family(
        hf.Lfm2Config(**GROUPED, layer_types=["conv", "full_attention", "full_attention", "conv"]), layer=2
    ),
    "bamba": lambda: Family(hf.BambaConfig(**GROUPED, **MAMBA, attn_layer_indices=[2]), layer=2, notice=OWN_CACHE),
    "zamba2, one shared attention": lambda: Family(
        hf.Zamba2Config(
            **FEED,
            num_key_value_heads=4,
            hybrid_layer_ids=[1, 2],
            layers_block_type=["mamba", "hybrid", "hybrid", "mamba"],
            mamba_d_state=8,
            n_mamba_heads=8,
            mamba_headdim=8,
            mamba_ngroups=1,
        ),
        layer=2,
        notice=OWN_CACHE,
    ),
    "minimax": lambda: Family(
        hf.MiniMaxConfig(**GROUPED, **HEAD, num_local_experts=2, block_size=16), layer=2, notice=OWN_CACHE
    ),
}
STATEFUL = ("jamba", "granite hybrid", "qwen3-next", "lfm2")  # recurrent states and convolutions can't be cropped
QUICK = ("llama, grouped", "mistral", "gemma2", "falcon, alibi", "gpt-oss, sinks", "jamba", "lfm2", "bamba")


def build(family: Family, dtype=torch.float32, **options):
    torch.manual_seed(0)
    model = hf.AutoModelForCausalLM.from_config(family.config, dtype=dtype, **options).eval()
    for name, weight in model.named_parameters():
        if name.endswith("sinks"):
            torch.nn.init.normal_(weight)
    return model


@lru_cache
def loaded(name: str) -> tuple[Family, CausalLM, object]:
    """A family, its model as we read it, and the same weights in a model that was eager from the start."""
    family = FAMILIES[name]()
    lm = CausalLM(build(family), tokenizer(), "tiny")
    eager = build(FAMILIES[name](), attn_implementation="eager")
    eager.load_state_dict(lm.model.state_dict())
    return family, lm, eager


def whole(family: Family, eager, ids) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits [n, vocabulary] and rows [heads, n, n] of eager attention over a text, without any cache."""
    with torch.inference_mode():
        out = eager(torch.tensor([ids]), output_attentions=True, use_cache=False)
    every_layer = len(out.attentions) == len(eager.model.layers if hasattr(eager, "model") else out.attentions)
    given = [k for k, layer in enumerate(out.attentions) if layer is not None]
    return out.logits[0].float(), out.attentions[family.layer if every_layer else given[-1]][0].float()


def text(seed: int = 1, length: int = LENGTH) -> list[int]:
    return torch.randint(3, 49152, (length,), generator=torch.Generator().manual_seed(seed)).tolist()


def assert_equal(found, expected: tuple[torch.Tensor, torch.Tensor], start: int, end: int) -> None:
    """The last rows and logits of a pass that ended before position ``end`` are those from ``start`` on."""
    logits, weights = expected
    assert found.logits.shape[0] == found.rows.shape[1] == end - start
    assert torch.allclose(found.logits, logits[start:end], atol=5e-4)
    assert torch.allclose(found.rows, weights[:, start:end, :end], atol=1e-4)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_way_the_layer_and_the_window_are_told(name):
    family, lm, _ = loaded(name)
    capture = lm.capture
    assert (capture.kind, capture.layer, capture.sliding_window) == (family.kind, family.layer, family.window)
    assert (capture.notice is None) == (family.notice is None)
    assert family.notice is None or family.notice in capture.notice
    assert max(capture.difference.values()) < 1e-4
    assert lm.heads == 4
    assert getattr(lm.model.config, "sliding_window", None) == getattr(FAMILIES[name]().config, "sliding_window", None)


@pytest.mark.parametrize("name", FAMILIES)
def test_rows_and_logits_are_eagers_in_one_pass_and_token_by_token(name):
    family, lm, eager = loaded(name)
    ids = text()
    expected = whole(family, eager, ids)
    assert_equal(lm.run(ids, lm.capture.new_cache(), LENGTH), expected, 0, LENGTH)
    cache, ready = lm.open_cache(ids)
    assert ready == 0
    assert_equal(lm.run(ids[:15], cache, 3), expected, 12, 15)
    for k in range(15, LENGTH):
        assert_equal(lm.run(ids[k : k + 1], cache), expected, k, k + 1)
    lm.keep_cache(ids, cache)
    longer = [*ids, *text(2, 6)]
    cache, ready = lm.open_cache(longer)
    feed = len(longer) - ready
    assert_equal(lm.run(longer[ready:], cache, feed), whole(family, eager, longer), ready, len(longer))


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("length", [7, LENGTH])  # inside every window, and past it
def test_a_second_prompt_on_a_kept_cache_reads_as_if_alone(name, length):
    family, lm, eager = loaded(name)
    ids = text()[:length]
    cache, _ = lm.open_cache([0])
    lm.run(ids[:-2], cache)
    for k in ids[-2:]:
        lm.run([k], cache)
    lm.keep_cache(ids, cache)
    other = [*ids[: length - 3], *text(3, LENGTH - length + 8)]
    expected = whole(family, eager, other)
    cache, ready = lm.open_cache(other)
    forgets = name in STATEFUL or (getattr(lm.model.config, "sliding_window", None) and length >= WINDOW)
    assert ready == (0 if forgets else length - 3)
    assert_equal(lm.run(other[ready:], cache, 4), expected, len(other) - 4, len(other))
    more = text(4, 1)
    assert_equal(lm.run(more, cache), whole(family, eager, other + more), len(other), len(other) + 1)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_decoded_window_holds_eagers_numbers(name):
    family, lm, eager = loaded(name)
    for question in ("Who wrote the opera Carmen, and where was it first performed?", "Who wrote the opera Aida?"):
        prompt = given_prompt(lm, f"Question: {question}\nAnswer:", raw=True, question=question)
        decoder = WindowDecoder(lm, prompt, 14, stop_at_new_turn=False)
        for _ in decoder.steps():
            pass
        window, m = decoder.window(), len(prompt.token_ids)
        n = len(window)
        assert n == len(window.generated_ids) > 1
        logits, weights = whole(family, eager, [*prompt.token_ids, *window.generated_ids])
        spread = torch.log_softmax(logits[m - 1 : -1], -1)
        entropy = -(spread.exp() * spread).sum(-1).numpy()
        assert window.signals.entropy == pytest.approx(entropy, abs=1e-3)
        assert list(window.generated_ids) == logits[m - 1 : -1].argmax(-1).tolist()
        assert window.signals.block == pytest.approx(weights[:, m:, m:].numpy(), abs=1e-4)
        assert window.signals.prompt_row == pytest.approx(weights[:, m:, :m].mean(0).numpy(), abs=1e-4)


def test_what_goes_to_a_sink_goes_to_no_token():
    _, lm, _ = loaded("gpt-oss, sinks")
    sums = lm.run(text(), lm.capture.new_cache(), LENGTH).rows.sum(-1)
    assert (sums < 0.999).any()
    assert (sums <= 1 + 1e-5).all()


def test_a_mask_that_is_wrong_only_past_a_long_window_is_noticed(monkeypatch):
    """The window is far longer than the probe, and the mask forgets it."""
    right = ALL_MASK_ATTENTION_FUNCTIONS["sdpa"]

    def forgetful(*, mask_function, local_size=None, **more):
        return right(mask_function=causal_mask_function, **more)

    config = hf.MistralConfig(**{**SLIDING, "sliding_window": 200})
    assert CausalLM(build(Family(config)), tokenizer(), "tiny").capture.sliding_window == 200
    monkeypatch.setitem(ALL_MASK_ATTENTION_FUNCTIONS, TAPPED["sdpa"], forgetful)
    capture = CausalLM(build(Family(config)), tokenizer(), "tiny").capture
    assert capture.model.config._attn_implementation != TAPPED["sdpa"]
    assert config.sliding_window == 200 > NARROW


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", QUICK)
def test_half_precision_gives_numbers(name, dtype):
    family = FAMILIES[name]()
    lm = CausalLM(build(family, dtype), tokenizer(), "tiny")
    eager = build(FAMILIES[name](), dtype, attn_implementation="eager")
    eager.load_state_dict(lm.model.state_dict())
    assert lm.capture.kind == family.kind
    prompt = given_prompt(lm, "Question: Who wrote Carmen?\nAnswer:", raw=True)
    decoder = WindowDecoder(lm, prompt, 10, stop_at_new_turn=False)
    for _ in decoder.steps():
        pass
    window, m = decoder.window(), len(prompt.token_ids)
    signals = window.signals
    assert np.isfinite(signals.entropy).all() and (signals.entropy >= 0).all()
    assert (signals.entropy <= np.log(49152)).all()
    assert np.isfinite(signals.block).all() and np.isfinite(signals.prompt_row).all()
    _, weights = whole(family, eager, [*prompt.token_ids, *window.generated_ids])
    assert np.median(np.abs(signals.block - weights[:, m:, m:].numpy()).max(axis=(0, 2))) < 0.1


def test_a_token_that_cannot_come_adds_nothing_to_entropy():
    model = build(FAMILIES["llama, grouped"]())
    model.lm_head.register_forward_hook(lambda _, __, out: out.index_fill(-1, torch.arange(100, 200), float("-inf")))
    lm = CausalLM(model, tokenizer(), "tiny")
    assert lm.capture.kind == "interface"
    prompt = given_prompt(lm, "Who wrote Carmen?", raw=True)
    decoder = WindowDecoder(lm, prompt, 6, stop_at_new_turn=False)
    for _ in decoder.steps():
        pass
    assert np.isfinite(decoder.window().signals.entropy).all()


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_numbers_that_are_none_are_refused_by_name_and_dtype(wrong, dtype):
    model = build(FAMILIES["llama, grouped"](), dtype)
    switch = {"on": True}
    model.lm_head.register_forward_hook(
        lambda _, __, out: out.index_fill(-1, torch.tensor([7]), wrong) if switch["on"] else out
    )
    with pytest.raises(ModelError, match=f"tiny in {str(dtype)[6:]} gave logits that are not numbers"):
        CausalLM(model, tokenizer(), "tiny")
    switch["on"] = False
    lm = CausalLM(model, tokenizer(), "tiny")
    switch["on"] = True
    decoder = WindowDecoder(lm, given_prompt(lm, "Who wrote Carmen?", raw=True), 6)
    with pytest.raises(ModelError, match=f"tiny in {str(dtype)[6:]} gave logits that are not numbers"):
        list(decoder.steps())


def test_words_outside_the_window_are_told_apart_from_words_of_no_weight():
    _, lm, _ = loaded("mistral")
    question = "Who wrote the opera Carmen?"
    corpus = Corpus("tiny", (Passage("0", "Blank", "Nothing is here."),))
    explainer = Explainer(lm, corpus)
    assert explainer.environment["sliding_window"] == WINDOW
    assert explainer.environment["attention_layer"] == 4
    settings = Settings(max_new_tokens=12)
    window = explainer.decode(question, settings, raw=True, question=question, text=" Bizet wrote it in Paris, 1875")
    told = rows(read(window, settings.effective))
    m, ends = len(window.prompt.token_ids), {}
    for position, word in window.prompt.question_tokens:
        ends[word] = position
    for k, owner in enumerate(window.owners):
        if owner >= 0:
            ends[len(window.question_words) + owner] = m + k
    for token, row in enumerate(told["weights"]):
        assert [weight is None for weight in row] == [m + token - ends[w] >= WINDOW for w in range(len(row))]
        assert all(weight is None or weight > 0 for weight in row)
    assert None in told["weights"][-1] and None not in told["weights"][0]


def test_rows_alone_ask_for_the_logits_of_the_last_token_only():
    family, lm, eager = loaded("llama, grouped")
    ids = text()
    logits, weights = whole(family, eager, ids)
    found = lm.run(ids, lm.capture.new_cache(), LENGTH, rows_only=True)
    assert torch.allclose(found.logits, logits[-1:], atol=5e-4)
    assert torch.allclose(found.rows, weights, atol=1e-4)
    again = ShortPasses(lm).read_again("Who wrote Carmen?")
    assert again.rows.shape == (len(again.spans), len(again.spans))


@pytest.mark.parametrize("name", ["falcon, rotary", "granite hybrid", "gemma2"])
def test_models_load_from_a_folder(name, tmp_path):
    family, lm, _ = loaded(name)
    lm.model.save_pretrained(tmp_path)
    tokenizer().save_pretrained(tmp_path)
    capture = CausalLM.load(tmp_path).capture
    assert (capture.kind, capture.layer) == (family.kind, family.layer)
