"""What the page's controls do. Handlers keep nothing: a visitor's run is a :class:`Session` in Gradio's state."""

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from dragin_core.errors import InputError
from dragin_core.settings import Settings

from .loader import ModelLoader
from .payload import aliases, empty_payload, payload
from .texts import text

Until = Callable[[Any], bool]
LOGGER = logging.getLogger(__name__)
REDRAW_SECONDS = 0.1  # partial windows are drawn at most this often; every token still yields, so that Stop can bite
LOADING_POLL_SECONDS = 0.25


@dataclass(frozen=True, eq=False)
class Session:
    """A visitor's run, or none: then the recorded trace is shown, or nothing after a reset."""

    run: Any = None
    recorded: bool = True


@dataclass(frozen=True)
class Form:
    """What the controls say when an event begins."""

    question: str
    gold: str
    method: str
    theta: float
    top_n: int
    top_k: int
    max_new_tokens: int

    def settings(self) -> Settings:
        """Raises: InputError, one sentence about the first value that is out of bounds."""
        return Settings(
            method=self.method,
            theta=self.theta,
            top_n=self.top_n,
            top_k=self.top_k,
            max_new_tokens=self.max_new_tokens,
        )


def notice(sentence: str = "", kind: str = "info") -> dict[str, str]:
    """The value of the notice line; no sentence clears it."""
    return {"kind": kind, "text": sentence}


def same_start(run: Any, question: str, settings: Settings) -> bool:
    """Whether a run answers this question with these settings, so that it can be gone on with."""
    return run is not None and run.question == question.strip() and run.settings == settings


class Handlers:
    """The handlers of one page. Model events yield (session, stage, notice); view events return the same three.

    Args:
        loader: holds the explainer that all visitors share.
        recorded: the trace shown before a run, or None.
    """

    def __init__(self, loader: ModelLoader, recorded: dict[str, Any] | None):
        self._loader = loader
        self._recorded = recorded

    def first_payload(self) -> dict[str, Any]:
        """What the stage shows when the page opens."""
        return payload(self._recorded, recorded=True) if self._recorded else empty_payload()

    def run(self, session: Session, *fields) -> Iterator[tuple]:
        """Go on to the end; start anew where question or settings changed, or the run is finished."""
        yield from self._guarded(session, Form(*fields), lambda run: run.finished, True)

    def step(self, session: Session, *fields) -> Iterator[tuple]:
        """Go on by one event."""
        form = Form(*fields)
        try:
            going_on = same_start(session.run, form.question, form.settings())
        except InputError as error:
            yield gr.skip(), gr.skip(), notice(str(error), "error")
            return
        if going_on and session.run.finished:
            yield gr.skip(), gr.skip(), notice(text("notice.finished"))
            return
        target = len(session.run.events) + 1 if going_on else 1
        yield from self._guarded(session, form, lambda run: len(run.events) >= target, False)

    def follow(self, session: Session, *fields) -> Iterator[tuple]:
        """Take the branch of changed settings: as far as the shown run went, to the end if it had ended."""
        shown = self._shown(session)
        if shown is None:
            return
        question, settings, events, finished = shown
        form = replace(Form(*fields), question=question)
        try:
            if form.settings() == settings:
                return
        except InputError as error:
            yield gr.skip(), gr.skip(), notice(str(error), "error")
            return
        until = (lambda run: run.finished) if finished else (lambda run: run.finished or len(run.events) >= events)
        yield from self._guarded(session, form, until, True, hurry=True)

    def back(self, session: Session, gold: str) -> tuple:
        """Take the last event back."""
        if session.run is None or not session.run.events:
            return gr.skip(), gr.skip(), notice(text("notice.noback"))
        run = session.run.back()
        return Session(run, False), self._draw(run, gold), notice()

    def reset(self) -> tuple:
        """Clear the run; question and settings stay."""
        return Session(None, False), empty_payload(), notice()

    def stop(self, session: Session) -> dict[str, str]:
        """Say that the run was stopped; the stopping itself is Gradio's cancelling of the generator."""
        return notice(text("notice.stopped" if session.run is not None else "notice.idle"))

    def judge(self, session: Session, gold: str) -> dict[str, Any]:
        """The shown run with another expected answer."""
        if session.run is not None:
            return self._draw(session.run, gold)
        if session.recorded and self._recorded:
            return payload(self._recorded, aliases(gold), recorded=True)
        return gr.skip()

    def poll(self) -> tuple:
        """The model's state, and a timer that ticks until it is settled."""
        status = self._loader.status
        return status.to_notice(), gr.Timer(active=status.state == "loading")

    def _shown(self, session: Session) -> tuple[str, Settings, int, bool] | None:
        if session.run is not None:
            run = session.run
            return run.question, run.settings, len(run.events), run.finished
        if session.recorded and self._recorded:
            events = self._recorded["events"]
            settings = Settings.from_dict(self._recorded["settings"])
            return self._recorded["question"], settings, len(events), events[-1]["type"] == "finished"
        return None

    def _guarded(self, session: Session, form: Form, until: Until, anew: bool, hurry: bool = False) -> Iterator[tuple]:
        """Wait for the model, begin, advance; any failure becomes a sentence and leaves what is shown alone.

        Args:
            until: where to stop.
            anew: a finished run begins again.
            hurry: what is known already is not drawn step by step.
        """
        try:
            form.settings()
            explainer = yield from self._model()
            if explainer is not None:
                run = self._begin(explainer, session.run, form, anew)
                yield from self._advance(explainer, run, form.gold, until, hurry)
        except InputError as error:
            yield gr.skip(), gr.skip(), notice(str(error), "error")
        except Exception as error:
            sentence = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            LOGGER.exception("a run failed")
            yield gr.skip(), gr.skip(), notice(text("notice.failed", error=sentence), "error")

    def _model(self) -> Iterator[tuple]:
        """Yields while the model loads; returns the explainer, or None after saying why there is none."""
        while not self._loader.wait(LOADING_POLL_SECONDS if self._loader.status.state == "loading" else 0):
            yield gr.skip(), gr.skip(), notice(f"{text('notice.waiting')} {self._loader.status.sentence}")
        if self._loader.explainer is None:
            yield gr.skip(), gr.skip(), notice(self._loader.status.sentence, "error")
        return self._loader.explainer

    def _begin(self, explainer: Any, run: Any, form: Form, anew: bool) -> Any:
        """The run to go on with: the present one where it answers this form, else a new one."""
        if same_start(run, form.question, form.settings()) and not (anew and run.finished):
            return run
        return explainer.start(form.question, form.settings())

    def _advance(self, explainer: Any, run: Any, gold: str, until: Until, hurry: bool) -> Iterator[tuple]:
        from dragin_core import Progress

        drawn = time.monotonic() if hurry else 0.0
        yield gr.skip(), gr.skip(), notice()
        while not run.finished and not until(run):
            for item in explainer.advance(run):
                due = time.monotonic() - drawn >= REDRAW_SECONDS
                if isinstance(item, Progress):
                    if due:
                        drawn = time.monotonic()
                        yield gr.skip(), self._draw(run.then(item.window), gold, live=True), gr.skip()
                    else:
                        yield gr.skip(), gr.skip(), gr.skip()
                else:
                    run = run.then(item)
                    last = run.finished or until(run)
                    stage = self._draw(run, gold, live=not last) if last or due or not hurry else gr.skip()
                    yield Session(run, False), stage, gr.skip()

    def _draw(self, run: Any, gold: str, live: bool = False) -> dict[str, Any]:
        trace = self._loader.explainer.trace(run).to_dict()
        return payload(trace, aliases(gold), live=live)
