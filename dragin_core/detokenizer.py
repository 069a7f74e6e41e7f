"""The text of generated tokens, as it grows, and the characters that each of them spells."""

from collections.abc import Sequence

import regex

from .words import settled_until

_NEW_TURN = regex.compile(r"(?:^|\n)[ \t]*Question:")
_CONTEXT = 6  # prompt tokens decoded along, since some tokenizers treat the start of a text differently
_BROKEN = "\ufffd"


class Detokenizer:
    """Decodes token by token.

    Attributes:
        text: decoded text; never holds U+FFFD (bytes of an unfinished character wait, broken ones are left out).
        spans: per token the half-open character span in ``text``. Where several tokens spell one character the first
            has it and the others are empty, right behind it. Special tokens spell nothing.
    """

    def __init__(self, tokenizer, context_ids: Sequence[int] = ()):
        self._tokenizer = tokenizer
        self._special = frozenset(tokenizer.all_special_ids)
        self._ids = [i for i in context_ids[-_CONTEXT:] if i not in self._special]
        self._read = len(self._ids)  # tokens whose text is out
        self._waiting: list[int] = []  # indices into spans
        self._recent = 0  # start of the tokens that are decoded along
        self.text = ""
        self.spans: list[tuple[int, int]] = []

    def push(self, token_id: int) -> None:
        """Append one token."""
        self.spans.append((len(self.text), len(self.text)))
        if token_id in self._special:
            return
        self._ids.append(token_id)
        self._waiting.append(len(self.spans) - 1)
        before = self._decode(self._ids[self._recent : self._read])
        now = self._decode(self._ids[self._recent :])
        if now.endswith(_BROKEN) and len(self._waiting) < 4:
            return  # a character takes at most four bytes
        self._release(now[len(before) :].replace(_BROKEN, ""))

    def _release(self, new: str) -> None:
        start, end = len(self.text), len(self.text) + len(new)
        self.text += new
        first, *rest = self._waiting
        self.spans[first] = (start, end)
        for index in rest:
            self.spans[index] = (end, end)
        self._waiting = []
        self._recent, self._read = self._read, len(self._ids)

    def _decode(self, ids: list[int]) -> str:
        return self._tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)

    @property
    def settled(self) -> int:
        """Tokens of which nothing that may follow can change the word they belong to, or take them back."""
        end = min(settled_until(self.text), self._turn_start(partial=True))
        count = 0
        for index, (_, stop) in enumerate(self.spans):
            if stop > end or index in self._waiting:
                break
            count = index + 1
        return count

    @property
    def new_turn(self) -> int | None:
        """Where the model starts a new "Question:" turn, if it does."""
        start = self._turn_start(partial=False)
        return start if start < len(self.text) else None

    def _turn_start(self, partial: bool) -> int:
        found = _NEW_TURN.search(self.text, partial=partial)
        return found.start() if found else len(self.text)
