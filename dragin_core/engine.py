"""The engine: the next event of a run, from the events so far (paper, section 3).

Greedy decoding is a pure function of model and prompt, so windows are remembered by prompt: another θ or n re-reads
arrays, and only a branch never seen costs the model anything.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from .decoding import WindowDecoder
from .events import (
    AnswerCut,
    Decided,
    Event,
    Finished,
    PassagesRetrieved,
    QueryFormulated,
    Run,
    WindowDecoded,
)
from .language_model import CausalLM
from .methods import METHODS
from .prompts import Prompt, build_prompt
from .query import QUERIES
from .retrieval import Retriever
from .timing import TIMINGS
from .window import Window

CACHE_BYTES = 512 * 2**20


@dataclass(frozen=True, eq=False)
class Progress:
    """A token arrived. ``window`` builds the partial event, which can be drawn like a whole one."""

    decoder: WindowDecoder
    round: int

    @property
    def tokens(self) -> int:
        return len(self.decoder)

    @property
    def window(self) -> WindowDecoded:
        return WindowDecoded(self.round, self.decoder.window(), partial=True, decoded_tokens=len(self.decoder))


class Engine:
    """Advances runs on one model and one retriever. Holds no run; safe to share between visitors.

    Args:
        explore: decode every window to its end, so that θ can move both ways without the model; else stop at the
            moment of firing. Decisions are the same.
    """

    def __init__(self, lm: CausalLM, retriever: Retriever, explore: bool = True):
        self.lm, self.retriever, self.explore = lm, retriever, explore
        self._windows = WindowCache(CACHE_BYTES)

    def advance(self, run: Run) -> Iterator[Progress | Event]:
        """Stream the tokens of the next event as progress, then yield that one event.

        Raises:
            ValueError: the run is finished.
            InputError: the prompt does not fit, or the model's numbers are not numbers.
        """
        timing = TIMINGS[METHODS[run.settings.method].when]
        match run.last:
            case None if timing.before_first and run.settings.max_retrievals:
                yield Decided(True, "before the first token")
            case None:
                yield from self._decode(run, self._prompt(run))
            case WindowDecoded(partial=True):
                yield from self._decode(run, run.window.prompt, run.window)
            case WindowDecoded():
                yield self._decide(run)
            case Decided(retrieve=True):
                formulate = QUERIES[METHODS[run.settings.method].what]
                yield formulate(run.question, run.window, run.last, run.settings)
            case Decided():
                yield Finished(run.window.stop if run.answer.strip() else "empty answer")
            case QueryFormulated():
                yield self._retrieve(run)
            case PassagesRetrieved() if run.window is None:
                yield from self._decode(run, self._prompt(run))
            case PassagesRetrieved(evidence="new"):
                yield self._cut(run)
            case PassagesRetrieved() if run.window.stop == "fired":
                yield from self._decode(run, run.window.prompt, run.window)
            case PassagesRetrieved():
                yield self._decide(run)
            case AnswerCut(prompt=prompt):
                yield from self._decode(run, prompt)
            case _:
                raise ValueError("the run is finished")

    def _prompt(self, run: Run, kept_ids: tuple[int, ...] = ()) -> Prompt:
        found = run.latest(PassagesRetrieved)
        passages = [hit.passage for hit in found.hits] if found and found.evidence == "new" else []
        budget = run.settings.max_new_tokens - len(kept_ids)
        return build_prompt(self.lm, run.question, passages, kept_ids, shots=run.settings.shots, budget=budget)

    def _decode(self, run: Run, prompt: Prompt, begun: Window | None = None) -> Iterator[Progress | Event]:
        """Write a window, going on from one that was begun; from the cache where it is known."""
        number = 1 + sum(isinstance(e, AnswerCut) for e in run.events)
        budget = run.settings.max_new_tokens - len(prompt.kept_ids)
        key = (prompt.token_ids, prompt.question_tokens, budget)
        known = self._windows.get(key)
        if known is not None:
            yield WindowDecoded(number, known, cached=True)
            return
        started = time.perf_counter()
        decoder = WindowDecoder(self.lm, prompt, budget, given=begun.generated_ids if begun else ())
        had = len(begun.generated_ids) if begun else 0
        fired = False
        for _ in decoder.steps():
            yield Progress(decoder, number)
            if not self.explore and self._fires(run, decoder):
                fired = True
                break
        window = decoder.window("fired" if fired else None)
        if not fired:
            window.lay_out()
            self._windows.put(key, window)
        yield WindowDecoded(
            number,
            window,
            forward_passes=decoder.forward_passes,
            decoded_tokens=len(decoder) - had,
            seconds=time.perf_counter() - started,
        )

    def _fires(self, run: Run, decoder: WindowDecoder) -> bool:
        """Whether what is settled already decides to retrieve."""
        if run.retrievals >= run.settings.max_retrievals:
            return False
        timing = TIMINGS[METHODS[run.settings.method].when]
        settled = decoder.settled
        return settled > 1 and timing.decide(decoder.window(), run.settings, run.passed_over, settled).retrieve

    def _decide(self, run: Run) -> Decided:
        timing = TIMINGS[METHODS[run.settings.method].when]
        decided = timing.decide(run.window, run.settings, run.passed_over)
        if decided.retrieve and run.retrievals >= run.settings.max_retrievals:
            return replace(decided, retrieve=False, reason="max retrievals")
        return decided

    def _retrieve(self, run: Run) -> PassagesRetrieved:
        started = time.perf_counter()
        hits = tuple(self.retriever.search(run.last.sent, run.settings.top_k))
        shown = set(run.window.prompt.passages) if run.window else set()
        if not run.last.sent.strip():
            evidence, reason = "none", "empty query"
        elif not hits:
            evidence, reason = "none", "no passage scores above 0"
        elif shown.issuperset(hit.passage for hit in hits):
            evidence, reason = "same", "every passage is in the prompt already"
        else:
            evidence, reason = "new", "new passages"
        return PassagesRetrieved(hits, evidence, reason, time.perf_counter() - started)

    def _cut(self, run: Run) -> AnswerCut:
        kept_ids, kept_text = run.window.cut_before(run.latest(Decided).index)
        return AnswerCut(kept_ids, kept_text, self._prompt(run, kept_ids))


class WindowCache:
    """Windows by prompt, the least recently used dropped first."""

    def __init__(self, max_bytes: int):
        self._max_bytes, self._bytes = max_bytes, 0
        self._items: OrderedDict[Hashable, Window] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Window | None:
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
            return self._items.get(key)

    def put(self, key: Hashable, window: Window) -> None:
        with self._lock:
            if key in self._items:
                return
            self._items[key] = window
            self._bytes += window.signals.nbytes
            while self._bytes > self._max_bytes and len(self._items) > 1:
                self._bytes -= self._items.popitem(last=False)[1].signals.nbytes
