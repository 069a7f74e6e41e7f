"""Which models can be read, and what is said of those that cannot."""

import pytest
import torch
from tiny import tiny_llama, tokenizer
from transformers import (
    BertConfig,
    BertLMHeadModel,
    GPT2Config,
    GPT2LMHeadModel,
    MambaConfig,
    MambaForCausalLM,
    RwkvConfig,
    RwkvForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)

from dragin_core import ModelError
from dragin_core.language_model import CausalLM


def saved(model, folder):
    model.save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder


SMALL = {"vocab_size": 49152, "hidden_size": 32, "num_hidden_layers": 2}
REFUSED = {
    "mamba": (lambda: MambaForCausalLM(MambaConfig(**SMALL)), "has no attention"),
    "rwkv": (lambda: RwkvForCausalLM(RwkvConfig(**SMALL, attention_hidden_size=32)), "has no attention"),
    "bert": (
        lambda: BertLMHeadModel(BertConfig(**SMALL, num_attention_heads=2, intermediate_size=32)),
        "no causal language model",
    ),
    "t5": (
        lambda: T5ForConditionalGeneration(T5Config(vocab_size=49152, d_model=32, d_ff=32, num_layers=1, num_heads=2)),
        "encoder-decoder",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_models_that_cannot_be_explained_are_refused_with_the_reason(kind, tmp_path):
    make, reason = REFUSED[kind]
    folder = saved(make(), tmp_path)
    with pytest.raises(ModelError, match=reason) as error:
        CausalLM.load(folder)
    assert len(str(error.value).splitlines()) == 1


def test_missing_and_empty_folders_are_one_sentence(tmp_path):
    for path in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(ModelError) as error:
            CausalLM.load(path)
        assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    "make", [tiny_llama, lambda: GPT2LMHeadModel(GPT2Config(vocab_size=49152, n_embd=32, n_layer=2, n_head=2))]
)
def test_captured_rows_and_logits_equal_eagers(make):
    lm = CausalLM(make().eval(), tokenizer(), "tiny")
    assert lm.capture.kind == "interface"
    assert max(lm.capture.difference.values()) < 1e-4
    ids = torch.randint(0, 49152, (60,), generator=torch.Generator().manual_seed(1)).tolist()
    cache, ready = lm.open_cache(ids)
    assert ready == 0
    ours = lm.run(ids, cache, kept=20)
    lm.model.set_attn_implementation("eager")
    with torch.inference_mode():
        out = lm.model(torch.tensor([ids]), output_attentions=True)
    assert torch.allclose(ours.rows, out.attentions[-1][0, :, -20:], atol=1e-5)
    assert torch.allclose(ours.logits, out.logits[0, -20:], atol=1e-4)


def test_a_kept_cache_serves_the_longest_shared_prefix():
    lm = CausalLM(tiny_llama(), tokenizer(), "tiny")
    ids = list(range(100, 140))
    fresh, _ = lm.open_cache(ids)
    whole = lm.run(ids, fresh)
    lm.keep_cache(ids, fresh)
    other = [*ids[:25], 7, 8, 9]
    cache, ready = lm.open_cache(other)
    assert ready == 25
    reused = lm.run(other[ready:], cache)
    from transformers import DynamicCache

    anew = lm.run(other, DynamicCache(config=lm.model.config))
    assert torch.allclose(reused.logits, anew.logits, atol=1e-4)
    assert torch.allclose(reused.rows, anew.rows, atol=1e-5)
    assert whole.rows.sum(-1) == pytest.approx(1, abs=1e-5)
    assert lm.open_cache(other)[1] == 0  # handed out, so nobody else gets it
