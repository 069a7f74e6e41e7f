"""Decoding with every signal against ``generate`` of transformers: the same tokens, in alternating pairs."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import torch
from transformers import AutoModelForCausalLM
from transformers.utils import logging as transformers_logging

from dragin_core.language_model import CausalLM
from dragin_core.prompts import Prompt
from dragin_core.reading import read
from dragin_core.settings import Settings

from .prompts import decode
from .report import spread, table


@dataclass(frozen=True)
class Pairs:
    """Seconds of each pair, ours and plain, for the same new tokens behind the same prompt."""

    name: str
    prompt_tokens: int
    new_tokens: int
    ours: list[float]
    plain: list[float]

    @property
    def ratios(self) -> list[float]:
        """Tokens a second, ours over plain, pair by pair."""
        return [p / o for o, p in zip(self.ours, self.plain, strict=True)]


def plain_model(source: str, dtype: torch.dtype):
    """A checkpoint as transformers loads it: a fresh instance with sdpa attention."""
    transformers_logging.disable_progress_bar()
    return AutoModelForCausalLM.from_pretrained(source, dtype=dtype, attn_implementation="sdpa").eval()


def generate(model, prompt: Prompt, tokens: int) -> list[int]:
    """Greedy, prompt and all, from nothing."""
    ids = torch.tensor([prompt.token_ids], device=model.device)
    with torch.inference_mode():
        out = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=tokens)
    return out[0, ids.shape[1] :].tolist()


def compare(
    lm: CausalLM, model, name: str, prompt: Prompt, tokens: int, pairs: int, on_pair: Callable[[str], None] = print
) -> Pairs:
    """Time both in pairs, each first in every other pair, after a warm-up of both.

    Raises:
        ValueError: the two write different tokens, so their times say nothing.
    """
    window = decode(lm, prompt, tokens)
    theirs = generate(model, prompt, tokens)
    written = list(window.generated_ids)
    if theirs[: len(written)] != written or set(theirs[len(written) :]) - lm.end_ids:
        raise ValueError(f"{name}: generate writes other tokens than the decoder, {theirs} and {written}")
    tokens, switches = len(written), Settings().effective
    found = Pairs(name, len(prompt.token_ids), tokens, [], [])
    for number in range(pairs):
        for ours in (True, False) if number % 2 else (False, True):
            started = time.perf_counter()
            if ours:
                read(decode(lm, prompt, tokens), switches).scores  # noqa: B018 - entropies, a_max, RIND of every moment
            else:
                generate(model, prompt, tokens)
            (found.ours if ours else found.plain).append(time.perf_counter() - started)
        on_pair(f"{name}, pair {number + 1} of {pairs}: ratio {found.ratios[-1]:.3f}")
    return found


def section(every: list[Pairs]) -> str:
    """The report's part on speed."""
    rows = [
        [
            p.name,
            f"{p.prompt_tokens:,}",
            str(p.new_tokens),
            f"{p.new_tokens / median(p.plain):.1f}",
            f"{p.new_tokens / median(p.ours):.1f}",
            spread(p.ratios, ".3f"),
        ]
        for p in every
    ]
    return "\n\n".join(
        [
            "## Decoding with all signals against plain `generate`",
            table(
                ["prompt", "prompt tokens", "new tokens", "plain, tokens/s", "with signals, tokens/s", "ratio"],
                rows,
            ),
            f"Ratio: median of {len(every[0].ours)} pairs (smallest–largest); 1 is as fast as plain. Both read the "
            "whole prompt and write the same tokens. The signals take one forward pass more: the last token is read "
            "too, so that its attention row exists.",
        ]
    )
