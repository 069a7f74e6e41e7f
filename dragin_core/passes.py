"""Short passes of their own: a text that the model reads alone, for its attention only. Remembered by token ids."""

from dataclasses import dataclass, replace

import numpy as np

from .cache import BoundedCache
from .errors import not_numbers
from .language_model import CausalLM
from .window import Window

CACHE_BYTES = 128 * 2**20


@dataclass(frozen=True, eq=False)
class ReadAgain:
    """A text read alone.

    Attributes:
        spans: per token its half-open characters in ``text``; a special token has none.
        rows: float32 [m, m], attention of token j (axis 0) to token i (axis 1), mean over heads.
        forward_passes: what it cost, 0 where it was known.
    """

    text: str
    spans: list[tuple[int, int]]
    rows: np.ndarray
    forward_passes: int


class ShortPasses:
    """Passes over single texts on one model; safe to share."""

    def __init__(self, lm: CausalLM):
        self.lm = lm
        self._rows: BoundedCache[np.ndarray] = BoundedCache(CACHE_BYTES, lambda rows: rows.nbytes)

    def with_alone(self, window: Window) -> tuple[Window, int]:
        """The window with ``alone``, its tokens read with nothing in front and positions from 0, and what it cost."""
        if window.alone is not None or not len(window):
            return window, 0
        rows, cost = self._read([window.generated_ids[p] for p in window.positions], mean=False)
        return replace(window, alone=rows, readings={}), cost

    def read_again(self, text: str) -> ReadAgain:
        """Read a text alone, with the special tokens that the tokenizer puts in front by default."""
        encoded = self.lm.encode(text, user=(0, len(text)), add_special=True)
        rows, cost = self._read(encoded.token_ids, mean=True)
        return ReadAgain(text, encoded.spans, rows, cost)

    def last_tokens(self, text: str, count: int) -> str:
        """The end of a text that ``count`` tokens spell."""
        spans = self.lm.encode(text, user=(0, len(text))).spans
        return text if len(spans) <= count else text[spans[-count][0] :].lstrip()

    def _read(self, ids: list[int], mean: bool) -> tuple[np.ndarray, int]:
        key = (tuple(ids), mean)
        rows = self._rows.get(key)
        if rows is not None:
            return rows, 0
        found = self.lm.run(ids, self.lm.capture.new_cache(), len(ids), rows_only=True).rows
        rows = (found.mean(0) if mean else found).cpu().numpy()
        if not np.isfinite(rows).all():
            raise not_numbers(self.lm.name, self.lm.dtype)
        self._rows.put(key, rows)
        return rows, 1
