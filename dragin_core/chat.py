"""A model's own chat template: the text it puts around a person's turn, up to where the answer begins."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import ModelError
from .thinking import opens

if TYPE_CHECKING:
    from .language_model import CausalLM

_PLACE = "\ue000the-turn-of-the-person\ue000"  # no template holds it


@dataclass(frozen=True)
class Turn:
    """A person's turn inside its template.

    Attributes:
        text: all of it, the opening of the answer's turn included; ``text[start:end]`` is what the person wrote.
        opens_thinking: the template leaves a thinking section open for the model to close.
    """

    text: str
    start: int
    end: int
    opens_thinking: bool


def template_of(lm: "CausalLM") -> str | None:
    """The model's template, the one named "default" where there are several; None for a model without.

    Raises:
        ModelError: there are several, and none is named so.
    """
    given: Any = lm.tokenizer.chat_template
    if isinstance(given, list | tuple):
        given = {item["name"]: item["template"] for item in given}
    if not isinstance(given, dict) or not given:
        return given or None
    if "default" not in given:
        raise ModelError(
            f"The chat templates of {lm.name} are named {', '.join(sorted(given))}, and none is the default: "
            'name one "default" in its tokenizer\'s files.'
        )
    return given["default"]


def render(lm: "CausalLM", content: str) -> Turn:
    """The template around ``content``, which is found where the template puts a person's text (the last time, if it
    repeats it), never by what it says: a default system prompt may hold the same words.

    The answer's turn is opened by the template and goes on with token ids, so no template is asked to render a turn
    that has begun already, nor one of a system that it may not know.

    Raises:
        ModelError: the template fails, or changes what the person wrote.
    """
    text, frame = (_apply(lm, [{"role": "user", "content": c}]) for c in (content, _PLACE))
    _, place, after = frame.rpartition(_PLACE)
    end = len(text) - len(after)
    start = end - len(content)
    if place and start >= 0 and text[start:] == content + after:
        return Turn(text, start, end, opens(after))
    if place and text.endswith(content.strip() + after):
        raise ModelError(f"The chat template of {lm.name} drops the white space around a text: leave it out.")
    raise ModelError(f"The chat template of {lm.name} changes the user's text: the question cannot be found in it.")


def end_of_turn(lm: "CausalLM") -> int | None:
    """The special token that the template puts right behind an answer; None where it puts none, or takes no answer.

    A model writes it where it has said all, whether or not its configuration calls it an end token.
    """
    if template_of(lm) is None:
        return None
    turns = [{"role": "user", "content": _PLACE}, {"role": "assistant", "content": _PLACE}]
    try:
        _, place, after = _apply(lm, turns, opened=False).rpartition(_PLACE)
    except ModelError:
        return None  # it may refuse a turn of the assistant's and be right for a question
    behind = lm.tokenizer(after.lstrip(), add_special_tokens=False)["input_ids"] if place else []
    return behind[0] if behind and behind[0] in lm.special_ids else None


def _apply(lm: "CausalLM", turns: list[dict[str, str]], opened: bool = True) -> str:
    template = template_of(lm)
    try:
        return lm.tokenizer.apply_chat_template(
            turns, chat_template=template, tokenize=False, add_generation_prompt=opened
        )
    except Exception as error:  # a template is a program of its own and can fail in any way
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ModelError(
            f"The chat template of {lm.name} cannot be used ({reason.rstrip('.')}): give a model whose template takes "
            "a single user turn."
        ) from error
