"""The prompt: instructions, passages, question and the answer so far (paper, section 3.3 and appendix A)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .chat import render, template_of
from .detokenizer import Detokenizer
from .errors import InputError
from .language_model import CausalLM, Encoded
from .retrieval import Passage
from .thinking import Span, without
from .words import Word, find_words, word_of_each

EXEMPLARS = Path(__file__).parents[1] / "assets" / "exemplars.json"
Part = tuple[str, str]  # kind, text
WORDINGS = {  # by template: in front of passages, behind them, and instead of both where there are none
    "paper": (
        "Below are the external knowledge references:\n\n",
        "\nPlease answer the question based on the external knowledge:\nQuestion: ",
        "Please answer the question.\nQuestion: ",
    ),
    "official": ("Context:\n", "Answer in the same format as before.\nQuestion: ", "Question: "),
}


@dataclass(frozen=True)
class Section:
    """A part of the prompt's text: template, instruction, demonstration, passage, question or answer."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Prompt:
    """What the model is given.

    Attributes:
        sections: cover ``text`` without gaps.
        token_ids: the prompt's own tokens, then ``kept_ids`` as they were decoded, never encoded anew.
        question_tokens: (position in ``token_ids``, index of the question's word) for each token of a question word.
        kept_spans: per kept token the characters in ``kept_text`` that begin in it.
        kept_characters: per kept token all characters it has bytes in.
        kept_thinking: the sections of ``kept_text`` in which the model thinks.
        opens_thinking: the template has the answer begin with thinking.
        spans: per token of the prompt's own its half-open characters in ``text``; a special token has none.
        passages: those that fitted; ``dropped`` says in words what did not.
    """

    text: str
    sections: tuple[Section, ...]
    token_ids: tuple[int, ...]
    question: str
    question_tokens: tuple[tuple[int, int], ...]
    kept_ids: tuple[int, ...] = ()
    kept_text: str = ""
    kept_spans: tuple[Span, ...] = ()
    kept_characters: tuple[Span, ...] = ()
    kept_thinking: tuple[Span, ...] = ()
    opens_thinking: bool = False
    spans: tuple[Span, ...] = ()
    passages: tuple[Passage, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def kept_positions(self) -> range:
        """Positions of the kept answer tokens in ``token_ids``."""
        return range(len(self.token_ids) - len(self.kept_ids), len(self.token_ids))

    @property
    def kept_said(self) -> str:
        """The kept answer without what the model thinks."""
        return without(self.kept_text, self.kept_thinking)


def passage_text(passage: Passage) -> str:
    """The passage as the prompt shows it: its title in front where the text does not hold it."""
    if not passage.title or passage.title.casefold() in passage.text.casefold():
        return passage.text
    return f"{passage.title}: {passage.text}"


@lru_cache
def demonstrations() -> tuple[str, ...]:
    """The worked examples that ``shots`` puts in front, as text."""
    items = json.loads(EXEMPLARS.read_text(encoding="utf-8"))
    return tuple(f"Question: {i['question']}\nAnswer: {i['reasoning']} So the answer is {i['answer']}." for i in items)


def user_parts(question: str, passages: Sequence[Passage], shots: int = 0, template: str = "paper") -> list[Part]:
    """The user's turn as parts; joined they are its text. ``template``: the switch."""
    parts: list[Part] = []
    for text in demonstrations()[:shots] if shots else ():
        parts += [("demonstration", text), ("instruction", "\n")]
    before, after, without = WORDINGS[template]
    if passages:
        parts.append(("instruction", before))
        for number, passage in enumerate(passages, 1):
            parts += [("passage", f"[{number}] {passage_text(passage)}"), ("instruction", "\n")]
        parts.append(("instruction", after))
    else:
        parts.append(("instruction", without))
    return [*parts, ("question", question)]


def build_prompt(
    lm: CausalLM,
    question: str,
    passages: Sequence[Passage] = (),
    kept_ids: Sequence[int] = (),
    *,
    shots: int = 0,
    budget: int = 1,
    template: str = "paper",
) -> Prompt:
    """The prompt for the next window. What does not fit the model's context is dropped: passages from the last, then
    demonstrations from the last; never the question or the answer so far.

    Args:
        budget: new tokens that shall fit behind the prompt.
        template: "paper", or "official", which is plain text whatever the model.

    Raises:
        InputError: question and answer so far alone are too long for the model.
    """
    passages, dropped = list(passages), []
    while True:
        prompt = _assemble(lm, question, passages, kept_ids, shots, tuple(dropped), template)
        if len(prompt.token_ids) + budget <= lm.context_limit:
            return prompt
        if passages:
            dropped.append(f"passage [{len(passages)}] {passages.pop().title}".rstrip())
        elif shots:
            dropped.append(f"demonstration {shots}")
            shots -= 1
        elif len(prompt.token_ids) < lm.context_limit:
            return prompt
        else:
            raise InputError(
                f"Question and answer so far take {len(prompt.token_ids)} tokens, more than the {lm.context_limit} "
                f"that {lm.name} can read: ask a shorter question."
            )


def _assemble(lm: CausalLM, question, passages, kept_ids, shots, dropped, template) -> Prompt:
    parts = user_parts(question, passages, shots, template)
    content = "".join(text for _, text in parts)
    chat, opens_thinking = template == "paper" and template_of(lm) is not None, False
    if chat:
        turn = render(lm, content)
        text, at, opens_thinking = turn.text, turn.start, turn.opens_thinking
        encoded = _with_bos(lm, lm.encode(text, user=(at, turn.end)))
    else:
        text, at = content + "\nAnswer:", 0
        encoded = lm.encode(text, user=(0, len(content)), add_special=True)
    return _prompt(
        lm,
        text,
        at,
        parts,
        encoded,
        question,
        kept_ids,
        tail="template" if chat else "instruction",
        opens_thinking=opens_thinking,
        passages=tuple(passages),
        dropped=dropped,
    )


def _with_bos(lm: CausalLM, encoded: Encoded) -> Encoded:
    """BOS once: added where the tokenizer would add it and the template did not write it."""
    bos = lm.tokenizer.bos_token_id
    adds = bos is not None and lm.tokenizer("a", add_special_tokens=True)["input_ids"][0] == bos
    if not adds or encoded.token_ids[:1] == [bos]:
        return encoded
    return Encoded([bos, *encoded.token_ids], [(0, 0), *encoded.spans])


def _prompt(lm, text, at, parts, encoded, question, kept_ids, *, tail, opens_thinking=False, **more) -> Prompt:
    sections, cursor, question_start = [], at, at
    if at:
        sections.append(Section("template", 0, at))
    for kind, part in parts:
        sections.append(Section(kind, cursor, cursor + len(part)))
        question_start = cursor if kind == "question" else question_start
        cursor += len(part)
    if cursor < len(text):
        sections.append(Section(tail, cursor, len(text)))
    kept = Detokenizer(lm.tokenizer, encoded.token_ids, opens_thinking)
    for token_id in kept_ids:
        kept.push(token_id)
    if kept.text:
        sections.append(Section("answer", len(text), len(text) + len(kept.text)))
    return Prompt(
        text=text + kept.text,
        sections=tuple(sections),
        token_ids=(*encoded.token_ids, *kept_ids),
        question=question,
        question_tokens=_tokens_of_words(encoded, find_words(question), question_start),
        kept_ids=tuple(kept_ids),
        kept_text=kept.text,
        kept_spans=tuple(kept.spans),
        kept_characters=tuple(kept.characters),
        kept_thinking=kept.thinking,
        opens_thinking=opens_thinking,
        spans=tuple(encoded.spans),
        **more,
    )


def _tokens_of_words(encoded: Encoded, words: list[Word], shift: int) -> tuple[tuple[int, int], ...]:
    moved = [Word(w.text, w.start + shift, w.end + shift) for w in words]
    owners = word_of_each(encoded.spans, moved)
    return tuple((position, owner) for position, owner in enumerate(owners) if owner >= 0)


def rewritten(lm: CausalLM, prompt: Prompt, text: str) -> Prompt:
    """A prompt with another text in front of the answer so far, whose token ids stay.

    The template's own beginning and end are read as they were where ``text`` still has them; role markers anywhere else
    are plain characters. What is left of the passages, demonstrations and question is told as before, the rest is
    instruction.

    Raises:
        InputError: it is too long for the model, or changes how the answer so far reads.
    """
    own = prompt.text[: len(prompt.text) - len(prompt.kept_text)]
    chat = any(section.kind == "template" for section in prompt.sections)
    first, tail = prompt.sections[0], next(s for s in reversed(prompt.sections) if s.kind != "answer")
    front = own[: first.end] if first.kind == "template" else ""
    back = own[tail.start :] if tail.kind == "template" else ""
    at = len(front) if text.startswith(front) else 0
    end = len(text) - (len(back) if text[at:].endswith(back) else 0)
    if chat:
        encoded = _with_bos(lm, lm.encode(text, user=(at, end)))
    else:
        encoded = lm.encode(text, user=(0, len(text)), add_special=True)
    parts, passages, question = _retold(prompt, text[at:end])
    found = _prompt(
        lm,
        text,
        at,
        parts,
        encoded,
        question,
        prompt.kept_ids,
        tail="template",
        opens_thinking=prompt.opens_thinking and end < len(text),
        passages=passages,
        dropped=prompt.dropped,
    )
    if len(found.token_ids) >= lm.context_limit:
        raise InputError(
            f"The prompt takes {len(found.token_ids)} tokens, and {lm.name} reads {lm.context_limit}: shorten it."
        )
    if (found.kept_text, found.kept_thinking) != (prompt.kept_text, prompt.kept_thinking):
        raise InputError("Behind this prompt the answer so far would read otherwise: leave the prompt's end as it was.")
    return found


def _retold(prompt: Prompt, turn: str) -> tuple[list[Part], tuple[Passage, ...], str]:
    """A changed turn in parts, the passages that it still holds whole and in order, and the question if it holds it."""
    parts, passages, question, at = [], [], "", 0
    told = iter(prompt.passages)
    for section in prompt.sections:
        passage = next(told, None) if section.kind == "passage" else None
        text = prompt.text[section.start : section.end]
        if section.kind not in ("passage", "demonstration", "question") or not text:
            continue
        start = turn.rfind(text) if section.kind == "question" else turn.find(text, at)
        if start < at:
            continue
        parts += [("instruction", turn[at:start]), (section.kind, text)]
        at = start + len(text)
        passages += [passage] if passage else []
        question = text if section.kind == "question" else question
    parts.append(("instruction", turn[at:]))
    return [part for part in parts if part[1]], tuple(passages), question


def given_prompt(lm: CausalLM, text: str, *, raw: bool, question: str = "", answer_so_far: str = "") -> Prompt:
    """A prompt that a person wrote, for :meth:`Explainer.score`.

    Args:
        raw: plain text with the tokenizer's default special tokens; else the text is the user's turn of the template.
        question: a part of ``text`` (its last occurrence) whose words may enter a query.
        answer_so_far: what the answer begins with; where ``raw`` text already ends with it, it is not added again.

    Raises:
        InputError: the prompt is blank, too long, or does not hold the question.
    """
    if not text.strip():
        raise InputError("The prompt is empty: give a file with text.")
    if question and question not in text:
        raise InputError("The question does not occur in the prompt: give it as the prompt writes it.")
    if raw and answer_so_far and text.endswith(answer_so_far):
        text = text[: -len(answer_so_far)]
    start = text.rfind(question) if question else len(text)
    parts = [("instruction", text[:start]), ("question", question), ("instruction", text[start + len(question) :])]
    chat, opens_thinking = not raw and template_of(lm) is not None, False
    if chat:
        turn = render(lm, text)
        full, at, opens_thinking = turn.text, turn.start, turn.opens_thinking
        whole = _with_bos(lm, lm.encode(full + answer_so_far, user=(at, turn.end)))
    else:
        full, at = text, 0
        whole = lm.encode(full + answer_so_far, user=(0, len(full + answer_so_far)), add_special=True)
    cut = next((k for k, (a, b) in enumerate(whole.spans) if b > len(full)), len(whole.spans))
    encoded = Encoded(whole.token_ids[:cut], whole.spans[:cut])
    prompt = _prompt(
        lm,
        full,
        at,
        [p for p in parts if p[1] or p[0] == "question"],
        encoded,
        question,
        whole.token_ids[cut:],
        tail="template" if chat else "instruction",
        opens_thinking=opens_thinking,
    )
    if len(prompt.token_ids) >= lm.context_limit:
        raise InputError(
            f"The prompt takes {len(prompt.token_ids)} tokens, and {lm.name} reads {lm.context_limit}: shorten it."
        )
    return prompt
