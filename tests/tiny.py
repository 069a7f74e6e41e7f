"""Tiny, randomly initialised models that write what a test wants, with real attention and a real tokenizer."""

from functools import lru_cache
from typing import ClassVar

import torch
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

from dragin_core import Explainer, packaged
from dragin_core.events import AnswerCut, Decided, PassagesRetrieved, QueryFormulated
from dragin_core.language_model import CausalLM
from dragin_core.retrieval import Corpus, Passage


@lru_cache
def tokenizer():
    """The packaged model's tokenizer."""
    return AutoTokenizer.from_pretrained(packaged.model_dir())


def tiny_llama(**changes) -> LlamaForCausalLM:
    """Two layers, four query heads on two key heads, random weights."""
    torch.manual_seed(0)
    config = LlamaConfig(
        **{
            "vocab_size": 49152,
            "hidden_size": 32,
            "intermediate_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": 2048,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "initializer_range": 0.5,
            **changes,
        }
    )
    return LlamaForCausalLM(config).eval()


class Scripted(LlamaForCausalLM):
    """Writes the tokens of ``script`` after whatever prompt holds ``script[prompt]``'s key, then EOS.

    The logits of the scripted token are raised over the random ones, so entropies stay those of a real distribution.
    With ``chances`` a token has that probability exactly, and one that is not named there has ``SURE``.
    """

    SURE = 0.95

    replies: ClassVar[dict[str, str]] = {}
    chances: ClassVar[dict[str, float] | None] = None
    boost = 3.0
    end = 2
    opening = "<|im_start|>assistant\n"  # what a prompt ends with
    spells = staticmethod(tokenizer)

    def forward(self, input_ids=None, cache=None, **kwargs):
        before = cache.get_seq_length() if cache is not None else 0
        out = super().forward(input_ids=input_ids, cache=cache, **kwargs)
        seen = [*getattr(cache, "seen", [])[:before], *input_ids[0].tolist()]
        if cache is not None:
            cache.seen = seen  # there may be several caches at work
        positions = range(len(seen) - out.logits.shape[1], len(seen))
        for column, position in enumerate(positions):
            row = out.logits[0, column]
            token_id = self._next(seen[: position + 1])
            if self.chances is None:
                row[token_id] = row.max() + self.boost
            else:
                chance = self.chances.get(self.spells().decode([token_id]).strip(), self.SURE)
                row[token_id] = -torch.inf
                row[token_id] = row.logsumexp(0) + torch.logit(torch.tensor(chance))
        return out

    def _next(self, seen: list[int]) -> int:
        spells = self.spells()
        opening = spells(self.opening, add_special_tokens=False)["input_ids"]
        starts = [k for k in range(len(seen)) if seen[k : k + len(opening)] == opening]
        if not starts:
            return self.end
        prompt, said = spells.decode(seen[: starts[0]]), seen[starts[0] + len(opening) :]
        for key, reply in self.replies.items():
            if key in prompt:
                ids = spells(reply, add_special_tokens=False)["input_ids"] if reply else []
                return ids[len(said)] if ids[: len(said)] == said and len(said) < len(ids) else self.end
        return self.end


def tiny_explainer(
    replies: dict[str, str],
    passages: list[tuple[str, str]] = (("Blank", "Nothing is here."),),
    *,
    spells=None,
    opening: str = Scripted.opening,
    explore: bool = True,
    chances: dict[str, float] | None = None,
):
    """An explainer on a tiny model.

    Args:
        replies: a text that the prompt must hold → the answer the model writes, from its beginning.
        passages: (title, text) pairs of the corpus.
        spells: another tokenizer than the packaged one.
        opening: what a prompt ends with, where it is rendered by another template.
        chances: the probability of tokens, by their text without the white space around it.
    """
    spells = spells or tokenizer()
    model = tiny_llama(vocab_size=max(49152, len(spells)))
    model.__class__ = Scripted
    model.replies, model.opening, model.spells, model.chances = replies, opening, lambda: spells, chances
    corpus = Corpus("tiny", tuple(Passage(str(k), title, text) for k, (title, text) in enumerate(passages)))
    return Explainer(CausalLM(model, spells, "tiny"), corpus, explore)


def summary(event):
    """What of an event must be equal however it came about."""
    match event:
        case Decided():
            return event.retrieve, event.index, event.moment, event.reason, event.flags
        case QueryFormulated():
            return event.text
        case PassagesRetrieved():
            return event.evidence, [hit.passage.id for hit in event.hits]
        case AnswerCut():
            return event.kept_ids
