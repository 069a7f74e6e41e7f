"""The engine: the next event of a run, from the events so far (paper, section 3).

Greedy decoding is a pure function of model and prompt, so windows are remembered by prompt: another θ or n re-reads
arrays, and only a branch never seen costs the model anything.
"""

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from . import events
from .cache import BoundedCache
from .cost import Cost
from .cut import cut, first_sentence
from .decoding import WindowDecoder
from .edits import Edit, WritePrompt
from .errors import InputError
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
from .methods import WHEN
from .passes import ShortPasses
from .prompts import Prompt, build_prompt
from .query import QUERIES
from .reading import read
from .retrieval import Hit, Passage, Retriever
from .settings import Settings
from .stopping import STOPS, Written
from .thinking import without
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
        return WindowDecoded(self.round, self.decoder.window(), partial=True, **asdict(self.decoder.spent))


@dataclass(frozen=True, eq=False)
class Begun:
    """A window that was left where it fired; what is still to come can't change its first ``settled`` units."""

    window: Window
    settled: int


class Engine:
    """Advances runs on one model and one retriever. Holds no run; safe to share between visitors.

    Args:
        explore: decode every window to its end, so that θ can move both ways without the model; else stop at the
            moment of firing, but for a run with edits. Decisions are the same.
    """

    def __init__(self, lm: CausalLM, retriever: Retriever, explore: bool = True):
        self.lm, self.retriever, self.explore = lm, retriever, explore
        self.passes = ShortPasses(lm)
        self._windows: BoundedCache[Window] = BoundedCache(CACHE_BYTES, lambda window: window.signals.nbytes)
        self._begun: BoundedCache[Begun] = BoundedCache(CACHE_BYTES // 4, lambda begun: begun.window.signals.nbytes)

    def sparing(self) -> "Engine":
        """The same engine, remembering in the same place, that stops a window where it fires."""
        found = copy.copy(self)
        found.explore = False
        return found

    def advance(self, run: Run) -> Iterator[Progress | Event]:
        """Stream the tokens of the next event as progress, then yield that one event, as the run's edit has it.

        Raises:
            ValueError: the run is finished.
            InputError: the prompt does not fit, the model's numbers are not numbers, or the edit makes no sense here.
        """
        edit = run.edit_at(len(run.events))
        for item in self._next(run):
            yield item if edit is None or isinstance(item, Progress) else edit.apply(item, run, self)

    def edited(self, run: Run, at: int, edit: Edit) -> Run:
        """The branch of a run with an edit, see :meth:`Run.edited`, once it is sure that the edit can be made.

        Raises:
            InputError: it makes no sense there, or windows are not decoded to their end.
        """
        if not self.explore:
            raise InputError("Edits need windows that are written to their end: load with explore=True.")
        branch = run.edited(at, edit)
        if at == len(run.events) and run.finished:
            raise InputError("The run is finished: edit one of its steps.")
        for item in self.advance(branch):
            if isinstance(item, Progress) and WindowDecoded not in edit.changes:
                raise InputError(edit.wrong_place)
            break
        return branch

    def _next(self, run: Run) -> Iterator[Progress | Event]:
        """:meth:`advance` without edits, but for a prompt that was written by hand."""
        match run.last:
            case None if WHEN[run.settings.timing].before_first and run.settings.max_retrievals:
                yield Decided(True, "before the first token")
            case None:
                yield from self._decode(run, self._prompt(run))
            case WindowDecoded(partial=True):
                yield from self._decode(run, run.window.prompt, run.window)
            case WindowDecoded():
                yield self.decided(run)
            case Decided(retrieve=True):
                formulate = QUERIES["question" if run.window is None else run.settings.formulation]
                yield formulate(run.question, run.window, run.last, run.settings, self.passes)
            case Decided(reason=events.IGNORED) if run.window is None:
                yield from self._decode(run, self._prompt(run))
            case Decided(reason=events.IGNORED):
                yield self.decided(run)
            case Decided() if self._goes_on(run):
                yield self._keep(run)
            case Decided():
                yield Finished(self._reason(run))
            case QueryFormulated():
                yield self._retrieve(run)
            case PassagesRetrieved() if run.window is None:
                yield from self._decode(run, self._prompt(run))
            case PassagesRetrieved() if run.accepts(run.last):
                yield self._cut(run)
            case PassagesRetrieved() if run.window.stop == "fired":
                yield from self._decode(run, run.window.prompt, run.window)
            case PassagesRetrieved():
                yield self.decided(run)
            case AnswerCut() if self._end(run):
                yield Finished(self._end(run))
            case AnswerCut(prompt=prompt):
                yield from self._decode(run, prompt)
            case _:
                raise ValueError("the run is finished")

    def prepared(self, window: Window, settings: Settings) -> tuple[Window, int]:
        """The window with all that the switches need of it, and the forward passes that took."""
        if settings.effective.attention_over == "answer_alone":
            return self.passes.with_alone(window)
        return window, 0

    def _prompt(self, run: Run, kept_ids: tuple[int, ...] = (), passages: Sequence[Passage] | None = None) -> Prompt:
        """The next prompt, around the passages found last unless others are given."""
        if passages is None:
            found = run.latest(PassagesRetrieved)
            passages = [hit.passage for hit in found.hits] if found and run.accepts(found) else []
        settings = run.settings
        return build_prompt(
            self.lm,
            run.question,
            passages,
            kept_ids,
            shots=settings.shots,
            budget=_budget(settings, kept_ids),
            template=settings.effective.template,
        )

    def _decode(self, run: Run, prompt: Prompt, begun: Window | None = None) -> Iterator[Progress | Event]:
        """Write a window, going on from one that was begun; from the cache where it is known."""
        number = 1 + sum(isinstance(e, AnswerCut) for e in run.events)
        prompt = prompt if begun else self._by_hand(run, prompt)
        budget = _budget(run.settings, prompt.kept_ids)
        turns = run.settings.effective.stop == "paper"
        key = (prompt.token_ids, prompt.question_tokens, budget, turns)
        known = self._windows.get(key)
        if known is not None:
            window, cost = self.prepared(_behind(known, prompt), run.settings)
            yield WindowDecoded(number, window, cached=not cost, forward_passes=cost)
            return
        explores = self.explore or run.edits  # what is edited later may be behind where it would have fired
        left = self._begun.get(key)
        if left is not None and (begun is None or len(left.window.generated_ids) >= len(begun.generated_ids)):
            left = replace(left, window=_behind(left.window, prompt))
            if not explores and self._fires(run, left.window, left.settled):
                yield WindowDecoded(number, left.window, cached=True)
                return
            begun = left.window
        given = begun.generated_ids if begun else ()
        decoder = WindowDecoder(self.lm, prompt, budget, given=given, stop_at_new_turn=turns)
        fired = False
        for _ in decoder.steps():
            yield Progress(decoder, number)
            if not explores and self._fires(run, decoder.window, decoder.settled):
                fired = True
                break
        window = decoder.window("fired" if fired else None)
        if fired:
            self._begun.put(key, Begun(window, decoder.settled))
        else:
            self._windows.put(key, window)
            self._begun.drop(key)
        window, cost = self.prepared(window, run.settings)
        if not fired:
            read(window, run.settings.effective).lay_out()
        yield WindowDecoded(number, window, **asdict(decoder.spent + Cost(forward_passes=cost)))

    def _by_hand(self, run: Run, prompt: Prompt) -> Prompt:
        """The prompt of a window, or what was written instead of it where the first window's was."""
        edit = run.edit_at(len(run.events))
        if not isinstance(edit, WritePrompt):
            return prompt
        if isinstance(run.last, AnswerCut):
            raise InputError(edit.wrong_place)
        return edit.prompt(self.lm, prompt)

    def _fires(self, run: Run, window: Window | Callable[[], Window], settled: int) -> bool:
        """Whether what is settled of a window (or of what builds it) already decides to retrieve."""
        settings = run.settings
        whole = settings.effective.whole_window or WHEN[settings.timing].by_sentences
        if run.unchecked or whole or not WHEN[settings.timing].within or run.retrievals >= settings.max_retrievals:
            return False
        if settled <= 1:
            return False
        window = window() if callable(window) else window
        return TIMINGS[settings.timing](window, settings, run.passed_over, settled, run.anew).retrieve

    def decided(self, run: Run) -> Decided:
        """What is decided on the newest window of a run, as far as it is written."""
        if run.unchecked:
            return Decided(False, "kept unchecked")
        window, _ = self.prepared(run.window, run.settings)
        decided = TIMINGS[run.settings.timing](window, run.settings, run.passed_over, anew=run.anew)
        if decided.retrieve and run.retrievals >= run.settings.max_retrievals:
            return replace(decided, retrieve=False, reason="max retrievals")
        return decided

    def _retrieve(self, run: Run) -> PassagesRetrieved:
        started = time.perf_counter()
        hits = tuple(self.retriever.search(run.last.sent, run.settings.top_k))
        evidence, reason = self.evidence(hits, run)
        return PassagesRetrieved(hits, evidence, reason, time.perf_counter() - started)

    @staticmethod
    def evidence(hits: Sequence[Hit], run: Run) -> tuple[str, str]:
        """What passages are to a run whose last event is their query: "new", "same" or "none", and why."""
        shown = set(run.window.prompt.passages) if run.window is not None else set()
        if hits and shown.issuperset(hit.passage for hit in hits):
            return "same", "every passage is in the prompt already"
        if hits:
            return "new", "new passages"
        return "none", "no passage scores above 0" if run.last.sent.strip() else "empty query"

    def _cut(self, run: Run) -> AnswerCut:
        kept_ids, kept_text = cut(read(run.window, run.settings.effective), run.latest(Decided))
        return AnswerCut(kept_ids, kept_text, self._prompt(run, kept_ids))

    def _reason(self, run: Run) -> str:
        """Why the run ends."""
        if run.answer.strip():
            return self._end(run) or run.window.stop
        spent = run.window.stop in ("budget", "context")
        return "still thinking" if run.window.thinking and spent else "empty answer"

    # Answers written in rounds without a trigger between them (switches ``after`` and ``stop``)

    def _goes_on(self, run: Run) -> bool:
        """Whether another round follows a window that asked for no retrieval."""
        switches = run.settings.effective
        rounds = switches.after == "sentence" or switches.stop == "official"
        return rounds and WHEN[run.settings.timing].looks_ahead and self._end(run) is None

    def _kept(self, run: Run) -> tuple[tuple[int, ...], str]:
        """What stays of a window that asked for no retrieval."""
        return first_sentence(read(run.window, run.settings.effective)) if run.unchecked else run.window.whole

    def _keep(self, run: Run) -> AnswerCut:
        kept_ids, kept_text = self._kept(run)
        passages = () if run.settings.effective.after == "sentence" else run.window.prompt.passages
        return AnswerCut(kept_ids, kept_text, self._prompt(run, kept_ids, passages))

    def _end(self, run: Run) -> str | None:
        """What ends the answer where a window asked for no retrieval, once what stays of it is known."""
        is_cut = isinstance(run.last, AnswerCut)
        decided = run.back() if is_cut else run
        if not isinstance(decided.last, Decided):
            return None
        ids, text = self._kept(decided)
        whole = ids == decided.window.whole[0]
        if not whole and not is_cut:
            return None
        windows = [e for e in decided.events if isinstance(e, WindowDecoded)]
        earlier = [e for e in windows if e.round < windows[-1].round]
        begun = earlier[-1] if decided.unchecked else windows[-1]
        budget = run.settings.max_new_tokens
        said = without(text, decided.window.thinking)
        written = Written(decided.window, whole, ids, text, begun.window.prompt.kept_text, said, budget)
        return STOPS[run.settings.effective.stop](written)


def _behind(window: Window, prompt: Prompt) -> Window:
    """A remembered window behind a prompt of the same tokens, which may tell other passages and sections of them."""
    told = [(p.text, p.question, p.sections, p.passages, p.dropped) for p in (window.prompt, prompt)]
    return window if told[0] == told[1] else replace(window, prompt=prompt, readings={})


def _budget(settings: Settings, kept_ids: Sequence[int]) -> int:
    """Tokens that the next window may have: what is left of the answer's, or all of them where it is written in rounds
    that the switch ``stop`` ends."""
    anew = settings.effective.stop == "official" and WHEN[settings.timing].looks_ahead
    return settings.max_new_tokens - (0 if anew else len(kept_ids))
