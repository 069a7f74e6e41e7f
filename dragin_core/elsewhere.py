"""Where the rest of an attention row goes: the words of question and answer never take all of it."""

import numpy as np

from .prompts import Prompt


def elsewhere(prompt: Prompt, prompt_row: np.ndarray) -> dict[str, np.ndarray]:
    """What each token pays to the parts of the prompt that hold no candidate word.

    Args:
        prompt_row: float [tokens, p], attention of each generated token to every prompt token, mean over heads.

    Returns:
        float [tokens] each: ``first`` (the very first token, usually an attention sink), ``passages``, and ``prompt``
        (template, instructions, demonstrations). What then lacks to 1, beside the words, is the token's own word and
        punctuation.
    """
    kinds = np.array([_kind(prompt, position) for position in range(prompt_row.shape[1])], dtype="<U16")
    kinds[[position for position, _ in prompt.question_tokens]] = "question"  # a piece may begin in front of it
    first = np.arange(len(kinds)) == 0
    passages = (kinds == "passage") & ~first
    rest = np.isin(kinds, ("template", "instruction", "demonstration")) & ~first
    return {name: prompt_row @ part for name, part in (("first", first), ("passages", passages), ("prompt", rest))}


def _kind(prompt: Prompt, position: int) -> str:
    """The kind of section a prompt token ends in; a special token belongs to the template."""
    if position >= len(prompt.spans):
        return "answer"
    start, end = prompt.spans[position]
    if start == end:
        return "template"
    return next((s.kind for s in prompt.sections if s.start < end <= s.end), "template")
