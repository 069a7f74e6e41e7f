"""The text of generated tokens, as it grows, and the characters that each of them spells."""

from collections.abc import Sequence

import regex

from .thinking import MARKS, Span, is_inside, sections
from .words import settled_until

_NEW_TURN = regex.compile(r"(?:^|\n)[ \t]*Question:")
_CONTEXT = 6  # prompt tokens decoded along, since some tokenizers treat the start of a text differently
_LONGEST = 4  # bytes, and so tokens, of one character
_BROKEN = "\ufffd"


def special_ids(tokenizer) -> frozenset[int]:
    """Tokens that spell no text: those with a named role, and those that the vocabulary marks as special."""
    marked = (i for i, token in tokenizer.added_tokens_decoder.items() if token.special)
    return frozenset((*tokenizer.all_special_ids, *marked))


class Detokenizer:
    """Decodes token by token.

    Args:
        context_ids: the tokens in front.
        thinking: they leave a thinking section open.

    Attributes:
        text: decoded text; never holds U+FFFD (bytes of an unfinished character wait, broken ones are left out).
        spans: per token the half-open span of the characters that begin in it. They cover ``text`` in order, without
            gap or overlap; a later piece of a character, a special token and broken bytes have an empty one.
        characters: per token the half-open span of every character it has bytes in; pieces of one character share it.
    """

    def __init__(self, tokenizer, context_ids: Sequence[int] = (), thinking: bool = False):
        self._tokenizer, self._opened = tokenizer, thinking
        self._special = special_ids(tokenizer)
        self._ids = [i for i in context_ids if i not in self._special]
        self._pieces: list[int] = []  # tokens, by place in spans, of a character that is not whole yet
        self._hidden: list[tuple[int, bool]] = []  # thinking marks that are special tokens
        self._rebase()
        self.text = ""
        self.spans: list[Span] = []
        self.characters: list[Span] = []

    def push(self, token_id: int) -> None:
        """Append one token."""
        self.spans.append((len(self.text), len(self.text)))
        self.characters.append(self.spans[-1])
        if token_id not in self._special:
            self._spell(len(self.spans) - 1, token_id)
        elif (mark := self._tokenizer.decode([token_id]).strip()) in MARKS:
            self._hidden.append((len(self.text), MARKS[mark]))

    def _spell(self, place: int, token_id: int) -> None:
        self._ids.append(token_id)
        decoded = self._decode(self._recent)
        whole = max(self._out, len(decoded.rstrip(_BROKEN)))
        new = decoded[self._out : whole]
        if new:
            self._release(place, new[: len(self._pieces[:1])], new[len(self._pieces[:1]) :])
        self._out = whole
        if not decoded.endswith(_BROKEN):
            self._pieces = []
            self._recent, self._read = self._read, len(self._ids)
            self._out = len(self._decode(self._recent))
        else:
            self._pieces = [place] if new else [*self._pieces, place]
            if len(self._pieces) >= _LONGEST:
                self._give_up()

    def _release(self, place: int, shared: str, own: str) -> None:
        """Write out the character that the pieces and a token share, and those that are the token's own."""
        start = len(self.text)
        self.text += shared.replace(_BROKEN, "")
        middle = len(self.text)
        self.text += own.replace(_BROKEN, "")
        if self._pieces:
            first = self._pieces[0]
            self.spans[first] = (self.spans[first][0], middle)
            self.characters[first] = (self.characters[first][0], middle)
            for later in range(first + 1, place):  # special tokens may stand between pieces
                self.spans[later] = (middle, middle)
                self.characters[later] = (start if later in self._pieces else middle, middle)
        self.spans[place], self.characters[place] = (middle, len(self.text)), (start, len(self.text))

    def _give_up(self) -> None:
        """Leave the first of the pieces out for good: no character has so many."""
        pieces, self._pieces = self._pieces, []
        kept = self._ids[-len(pieces) + 1 :]
        del self._ids[-len(pieces) :]
        self._rebase()
        for before, place, token_id in zip(pieces, pieces[1:], kept, strict=False):
            for k in range(before + 1, place + 1):
                self.spans[k] = self.characters[k] = (len(self.text), len(self.text))
            self._spell(place, token_id)

    def _rebase(self) -> None:
        """Decode along only the last tokens from here on, beginning with a whole character."""
        for count in range(_CONTEXT, _CONTEXT + _LONGEST):
            self._recent = max(0, len(self._ids) - count)
            if _BROKEN not in self._decode(self._recent):
                break
        self._read, self._out = len(self._ids), len(self._decode(self._recent))

    def _decode(self, start: int) -> str:
        ids = self._ids[start:]
        return self._tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)

    @property
    def thinking(self) -> tuple[Span, ...]:
        """The thinking sections of the text."""
        return sections(self.text, self._hidden, self._opened)

    @property
    def settled(self) -> int:
        """Tokens of which nothing that may follow can change the word they belong to, or take them back."""
        end = min(settled_until(self.text), self._turn_start(partial=True))
        count = 0
        for index, (_, stop) in enumerate(self.spans):
            if stop > end or index in self._pieces:
                break
            count = index + 1
        return count

    @property
    def new_turn(self) -> int | None:
        """Where the model starts a new "Question:" turn, if it does; while it thinks, it may write what it likes."""
        start = self._turn_start(partial=False)
        return start if start < len(self.text) else None

    def _turn_start(self, partial: bool) -> int:
        found = (m for m in _NEW_TURN.finditer(self.text, partial=partial) if m.start() < m.end())
        turn = next((m for m in found if not self._thinks_at(m.end() - (not m.partial))), None)
        return turn.start() if turn else len(self.text)

    def _thinks_at(self, place: int) -> bool:
        """Whether a letter at this place is, or would be, a thought."""
        hidden = [mark for mark in self._hidden if mark[0] <= place]
        return is_inside((place, place + 1), sections(f"{self.text[:place]}x", hidden, self._opened))

    def end_at(self, offset: int, first: int = 0) -> int:
        """Forget the text from an offset on, with every token from place ``first`` on that begins no character before
        it; a token that reaches across stays, with what it has before. Returns how many tokens are left."""
        places = range(first, len(self.spans))
        count = next((k for k in places if self.spans[k][1] > offset and self.spans[k][0] >= offset), len(self.spans))
        self.text, self._pieces = self.text[:offset], []
        self.spans = [(min(a, offset), min(b, offset)) for a, b in self.spans[:count]]
        self.characters = [(min(a, offset), min(b, offset)) for a, b in self.characters[:count]]
        return count
