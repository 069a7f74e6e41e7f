"""The shape of a ``dragin-trace/1`` document: which keys it has, of what kind, in what bounds.

What must fit together (offsets and their texts, indices and their lists, the order of events) is in ``trace_sense``.
"""

from typing import Any

from .settings import MAX_QUESTION_CHARACTERS
from .shapes import BIGGEST, Check, flag, listed, named, number, one_of, or_none, record, row, text, whole

MOST_TEXT = 1_000_000  # characters: a prompt with all its passages
MOST_UNITS = 20_000
MOST_WORDS = 20_000
MOST_EVENTS = 2_000
MOST_HEADS = 1_024
NAME = text(1_000)
TEXT = text(MOST_TEXT)
AT = whole(0, MOST_TEXT)
SPAN = row(AT, AT)
INDEX = whole(0, MOST_UNITS)
AMOUNT = number(0)
NEAR_ZERO = number(-1e-3)  # an entropy may be rounded to just below 0
TOKENS = listed(whole(0, BIGGEST), MOST_TEXT)
REASONS = ("content", "stop word", "no word", "no content tag", "thinking")
SECTIONS = ("template", "instruction", "demonstration", "passage", "question", "answer")
MARKS = listed(row(AT, AT, NAME), MOST_WORDS)
MENDS = listed(TEXT, 1_000)

PROMPT = record(
    {
        "text": TEXT,
        "sections": listed(record({"kind": one_of(*SECTIONS), "start": AT, "end": AT}), 10_000),
        "token_ids": TOKENS,
    },
    {"dropped": listed(TEXT, 1_000)},
)
UNIT = record(
    {
        "text": TEXT,
        "start": AT,
        "end": AT,
        "token_ids": TOKENS,
        "entropy": NEAR_ZERO,
        "max_attention": or_none(AMOUNT),
        "max_attention_at": listed(row(INDEX, AMOUNT), MOST_UNITS),
        "from": or_none(INDEX),
        "from_attention": or_none(AMOUNT),
        "semantic": whole(0, 1),
        "reason": one_of(*REASONS),
        "rind": or_none(NEAR_ZERO),
        "pending": flag,
        "top": listed(row(TEXT, number(0, 1.001)), 100),
        "word": or_none(SPAN),
    },
    {"scale": or_none(AMOUNT)},
)
ROWS = record(
    {
        "words": listed(
            record({"text": TEXT, "start": AT, "end": AT, "where": one_of("question", "answer"), "stop": flag}),
            MOST_WORDS,
        ),
        "weights": listed(listed(or_none(AMOUNT), MOST_WORDS), MOST_UNITS),
    },
    {
        "elsewhere": named(listed(NEAR_ZERO, MOST_UNITS), 100),
        "heads": record({"count": whole(1, MOST_HEADS), "scale": whole(1, 2**32), "data": or_none(text(4_000_000))}),
    },
)
WINDOW = record(
    {
        "round": whole(1, MOST_EVENTS),
        "prompt": PROMPT,
        "kept_text": TEXT,
        "text": TEXT,
        "units": listed(UNIT, MOST_UNITS),
        "rows": ROWS,
        "stop": or_none(NAME),
        "partial": flag,
    },
    {
        "answer": TEXT,
        "thinking": listed(SPAN, 1_000),
        "cached": flag,
        "sentences": listed(row(INDEX, INDEX), MOST_UNITS),
    },
)
DECISION = record(
    {
        "retrieve": flag,
        "index": or_none(INDEX),
        "moment": or_none(INDEX),
        "score": or_none(NEAR_ZERO),
        "reason": NAME,
        "flags": listed(INDEX, MOST_UNITS),
    },
    {"sentence": row(INDEX, INDEX), "mends": MENDS},
)
WHERE = ("question", "answer", "passage", "demonstration")
QUERY = record(
    {
        "text": TEXT,
        "sent": TEXT,
        "words": listed(
            record({"text": TEXT, "start": AT, "end": AT, "where": one_of(*WHERE), "weight": AMOUNT, "kept": flag}),
            MOST_WORDS,
        ),
    },
    {"mends": MENDS},
)
PASSAGES = record(
    {
        "items": listed(
            record(
                {"title": TEXT, "text": TEXT, "score": number(), "terms": named(number(), 10_000)},
                {"marks": MARKS, "title_marks": MARKS},
            ),
            1_000,
        ),
        "evidence": one_of("new", "same", "none"),
    },
    {"reason": NAME},
)
EVENTS: dict[str, Check] = {
    "window": WINDOW,
    "decision": DECISION,
    "query": QUERY,
    "passages": PASSAGES,
    "cut": record({"kept_text": TEXT, "kept_token_ids": TOKENS, "prompt": PROMPT}),
    "finished": record({"reason": NAME}),
}


def event(value: Any, where: str) -> None:
    """An event of a known type, with what that type has."""
    record({"type": one_of(*EVENTS)}, {"edited": flag})(value, where)
    EVENTS[value["type"]](value, where)


def switch_value(value: Any, where: str) -> None:
    """What a switch can be set to: a short text or a number."""
    (text(100) if isinstance(value, str) else whole(0, BIGGEST))(value, where)


SETTINGS = record(
    {
        "method": NAME,
        "variant": NAME,
        "theta": number(0, 1e300),
        "switches": named(switch_value, 100),
        **{name: whole(0, BIGGEST) for name in ("top_n", "top_k", "max_new_tokens", "max_retrievals")},
    },
    {"shots": whole(0, BIGGEST)},
)
TRACE = record(
    {
        "question": text(MAX_QUESTION_CHARACTERS),
        "settings": SETTINGS,
        "events": listed(event, MOST_EVENTS),
        "answer": TEXT,
        "answer_without_retrieval": or_none(TEXT),
    },
    {
        "counts": record(
            {},
            {
                name: or_none(AMOUNT)
                for name in ("retrievals", "decoded_tokens", "forward_passes", "cached_windows", "seconds")
            },
        ),
        "environment": record(
            {},
            {
                "model": or_none(NAME),
                "heads": or_none(whole(0, MOST_HEADS)),
                "context_limit": or_none(whole(0, BIGGEST)),
                "corpus": or_none(record({}, {"name": or_none(NAME)})),
            },
        ),
        "gold": listed(NAME, 100),
        "edits": listed(record({"at": whole(0, MOST_EVENTS), "kind": NAME}), MOST_EVENTS),
    },
)
