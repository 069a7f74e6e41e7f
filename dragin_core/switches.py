"""The switches in which the paper, its letter and the released code differ; a variant is a preset of all of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import regex

from .errors import InputError

VARIANTS = ("paper", "literal", "official")
NONE = "none"
MOST_TOKENS = 1024
Value = str | int


@dataclass(frozen=True)
class Switch:
    """One difference.

    Attributes:
        values: what it can be set to; empty where it takes a number of tokens or "none".
        paper, literal, official: its value in each variant.
        changes: what it changes, in a line.
        needs: a value of this switch → the (switch, value) without which it makes no sense.
    """

    name: str
    values: tuple[str, ...]
    paper: Value
    literal: Value
    official: Value
    changes: str
    needs: Mapping[Value, tuple[str, Value]] = field(default_factory=dict)

    def read(self, value: Any) -> Value:
        """A value as people write it, checked.

        Raises:
            InputError: it is none of the switch's values.
        """
        if self.values:
            if value in self.values:
                return value
            raise InputError(f"{self.name} {value!r} is unknown: choose one of {', '.join(self.values)}.")
        if value is None or value == NONE:
            return NONE
        if regex.fullmatch("[0-9]{1,6}", str(value)) and 1 <= int(value) <= MOST_TOKENS:
            return int(value)
        raise InputError(f"{self.name} is {str(value)[:40]!r}: give {NONE} or a whole number from 1 to {MOST_TOKENS}.")


_ALL = (
    Switch(
        "unit",
        ("token", "word"),
        "token",
        "token",
        "word",
        "What carries a score: every token, or everything from one space to the next, with the attention of its "
        "pieces added up and their entropies averaged.",
    ),
    Switch(
        "attention_over",
        ("sequence", "answer_alone"),
        "sequence",
        "sequence",
        "answer_alone",
        "Where the attention is read: while the model writes behind its prompt, or from a second pass over the "
        "window's tokens with no prompt in front of them.",
    ),
    Switch(
        "later",
        ("after", "from_self"),
        "after",
        "after",
        "from_self",
        "Whose attention counts: only that of later tokens, or the token's own as well, which leaves none pending.",
    ),
    Switch(
        "scale",
        ("raw", "sentence"),
        "raw",
        "raw",
        "sentence",
        "Whether attention is taken as it is, or relative to the average unit of its sentence.",
        {"sentence": ("decide", "window")},
    ),
    Switch(
        "semantic",
        ("stopword", "pos"),
        "stopword",
        "stopword",
        "pos",
        "Which words can fire: all but stop words, or those that hold a noun, adjective, verb, name or number as the "
        "English pipeline tags the sentence.",
        {"pos": ("unit", "word")},
    ),
    Switch(
        "decide",
        ("moment", "window"),
        "moment",
        "moment",
        "window",
        "When it is decided: as soon as a score passes the threshold, or by sentences once the window is written.",
    ),
    Switch(
        "cut",
        ("word", "token", "sentence"),
        "word",
        "token",
        "sentence",
        "Where the answer is cut: before the trigger's word, before its token, or before its whole sentence.",
        {"sentence": ("decide", "window")},
    ),
    Switch(
        "query_row",
        ("trigger", "previous"),
        "trigger",
        "trigger",
        "previous",
        "Whose attention picks the query's words: the trigger's own, or that of the token in front of each of its "
        "pieces, brought to a sum of 1 over what stands before the word.",
    ),
    Switch(
        "query_hits",
        ("trigger", "sentence"),
        "trigger",
        "trigger",
        "sentence",
        "Whether one trigger picks the query's words, or all flagged words of its sentence together.",
        {"sentence": ("decide", "window")},
    ),
    Switch(
        "query_text",
        ("context", "reencoded"),
        "context",
        "context",
        "reencoded",
        "Over which text: the prompt and answer the model has in front of it, or question and answer glued together "
        "and read by the model once more; there a word runs from space to space and may come twice.",
    ),
    Switch(
        "query_unit",
        ("word", "token"),
        "word",
        "token",
        "word",
        "What top-n counts: words, or tokens, whose words then make the query.",
    ),
    Switch(
        "query_stopwords",
        ("drop", "keep", "pos"),
        "drop",
        "keep",
        "pos",
        "Which words a query may hold: no stop words, any word, or those that hold a noun, adjective, verb, name or "
        "number and are not flagged themselves.",
    ),
    Switch(
        "query_scope",
        ("answer", "+passages", "+demonstrations"),
        "answer",
        "+passages",
        "answer",
        "Where a query's words may come from: question and answer, the passages in the prompt too, or also its "
        "demonstrations.",
    ),
    Switch(
        "query_limit",
        (),
        NONE,
        NONE,
        64,
        "How many tokens of the query the retriever gets, counted from the end.",
    ),
    Switch(
        "repeat_evidence",
        ("skip", "retrieve"),
        "skip",
        "retrieve",
        "retrieve",
        "What happens when all passages found are in the prompt already: the trigger is passed over, or it counts "
        "like any other.",
    ),
    Switch(
        "after",
        ("active", "sentence"),
        "active",
        "active",
        "sentence",
        "What follows a retrieval: writing on under the same watch, or one sentence that is kept unchecked before the "
        "passages leave the prompt again.",
    ),
    Switch(
        "template",
        ("paper", "official"),
        "paper",
        "paper",
        "official",
        "The prompt's wording: the paper's appendix in the model's chat template, or the released code's plain text.",
    ),
    Switch(
        "stop",
        ("paper", "official"),
        "paper",
        "paper",
        "official",
        'What ends an answer: its end token, a new question or the budget; or its end token, the words "the answer '
        'is", a round that adds nothing, or more tokens than the budget.',
    ),
)
SWITCHES: dict[str, Switch] = {switch.name: switch for switch in _ALL}


@dataclass(frozen=True)
class Switches:
    """The value of every switch; hashable. See :data:`SWITCHES` for what each does."""

    unit: str
    attention_over: str
    later: str
    scale: str
    semantic: str
    decide: str
    cut: str
    query_row: str
    query_hits: str
    query_text: str
    query_unit: str
    query_stopwords: str
    query_scope: str
    query_limit: Value
    repeat_evidence: str
    after: str
    template: str
    stop: str

    @property
    def whole_window(self) -> bool:
        """Whether nothing can be decided before the window has been written to its end."""
        return (
            self.unit == "word"
            or self.decide == "window"
            or self.attention_over == "answer_alone"
            or self.query_text == "reencoded"
        )

    @property
    def reads_sentences(self) -> bool:
        """Whether the English pipeline is asked for sentences or tags."""
        return (
            self.decide == "window"
            or "pos" in (self.semantic, self.query_stopwords)
            or self.query_text == "reencoded"
            or self.after == "sentence"
        )


def preset(variant: str) -> dict[str, Value]:
    """The value of every switch in a variant."""
    return {name: getattr(switch, variant) for name, switch in SWITCHES.items()}


def differing(variant: str, by_hand: Mapping[str, Any]) -> dict[str, Value]:
    """The switches set by hand, checked, without those that have the variant's value anyway.

    Raises:
        InputError: a switch or a value is unknown.
    """
    usual, changed = preset(variant), {}
    for name, value in by_hand.items():
        if name not in SWITCHES:
            raise InputError(f"There is no switch {name!r}: choose one of {', '.join(SWITCHES)}.")
        changed[name] = SWITCHES[name].read(value)
    return {name: changed[name] for name in SWITCHES if name in changed and changed[name] != usual[name]}


def effective(variant: str, by_hand: Mapping[str, Any]) -> Switches:
    """The value of every switch, in a variant with some set by hand.

    Raises:
        InputError: a switch or a value is unknown, or a value needs another switch to be set otherwise.
    """
    values = preset(variant) | differing(variant, by_hand)
    for name, switch in SWITCHES.items():
        other, needed = switch.needs.get(values[name], (None, None))
        if other and values[other] != needed:
            rest = " or ".join(f"{name}={value}" for value in switch.values if value not in switch.needs)
            raise InputError(
                f"{name}={values[name]} makes no sense with {other}={values[other]}: set {other}={needed} or {rest}."
            )
    return Switches(**values)
