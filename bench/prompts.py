"""Prompts of a wanted length, made of the corpus, behind which the model has enough to say."""

from collections.abc import Iterable
from dataclasses import replace

from dragin_core import Explainer
from dragin_core.decoding import WindowDecoder
from dragin_core.language_model import CausalLM
from dragin_core.prompts import Prompt, build_prompt
from dragin_core.window import Window

QUESTIONS = (
    "Tell me everything you know about the history of the city of Rome, from its beginning to today.",
    "Explain in detail how the human heart works, what its parts are and what each of them does.",
    "Describe the life of Napoleon Bonaparte year by year, in as many sentences as you can.",
    "How did the First World War begin, how was it fought, and how did it end? Tell the whole story.",
    "Write a long text about the planets of the Solar System, one paragraph for each.",
)


def decode(lm: CausalLM, prompt: Prompt, tokens: int) -> Window:
    """A window with all its signals, from an empty KV cache."""
    lm.open_cache([])  # takes what the last window left, and drops it
    decoder = WindowDecoder(lm, prompt, tokens)
    for _ in decoder.steps():
        pass
    return decoder.window()


def short_prompts(explainer: Explainer) -> Iterable[Prompt]:
    """A question each, without passages."""
    for question in QUESTIONS:
        yield build_prompt(explainer.lm, question)


def long_prompts(explainer: Explainer, tokens: int) -> Iterable[Prompt]:
    """A question each, behind passages until the prompt has ``tokens`` tokens or just fewer."""
    for question in QUESTIONS:
        passages = []
        prompt = build_prompt(explainer.lm, question)
        for passage in explainer.corpus.passages[::97]:
            words = passage.text.split()
            longer = build_prompt(explainer.lm, question, [*passages, passage])
            while len(longer.token_ids) > tokens and words:
                words = words[: -max(1, (len(longer.token_ids) - tokens) // 2)]
                cut = replace(passage, text=" ".join(words))
                longer = build_prompt(explainer.lm, question, [*passages, cut])
            if len(longer.token_ids) > tokens:
                break
            prompt, passages = longer, [*passages, passage]
        yield prompt


def talkative(lm: CausalLM, prompts: Iterable[Prompt], tokens: int) -> Prompt:
    """The first prompt behind which the model writes ``tokens`` tokens without ending sooner; else the best of them."""
    best, most = None, -1
    for prompt in prompts:
        written = len(decode(lm, prompt, tokens).generated_ids)
        if written > most:
            best, most = prompt, written
        if written == tokens:
            break
    return best
