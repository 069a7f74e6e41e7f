"""What the page's controls do. Handlers keep nothing: a visitor's run is a :class:`Session` in Gradio's state."""

import logging
import math
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import gradio as gr

from dragin_core.errors import InputError
from dragin_core.settings import Settings
from dragin_core.trace_file import read_trace

from .link import link_to, link_to_run, read_link
from .loader import LOADING_POLL_SECONDS, Models
from .payload import aliases, empty_payload, judged, packed, payload
from .session import Form, Opened, Session, controls_of, dial_values, notice
from .stories import settings_of, story
from .texts import text
from .what_if import advanced, asked, dropped, made_anew, same_place

LOGGER = logging.getLogger(__name__)
REDRAW_SECONDS = 0.1  # partial windows are drawn at most this often; every token still yields, so that Stop can bite
THETA_ENDS = 2  # where the θ dial ends, if no score lies beyond


def pipeline_notice(settings: Settings) -> str | None:
    """What a person must be told of the English pipeline, where these settings ask it for sentences or tags."""
    if not settings.reads_sentences:
        return None
    from dragin_core.sentences import notice  # brings spaCy: a second, which the paper's variant does not need

    return notice()


def told_of(trace: dict[str, Any]) -> str:
    """What a person must know of a trace from a file: which model wrote it, and which one goes on with it."""
    model = trace.get("environment", {}).get("model")
    return text("share.opened", model=model or text("share.unnamed"))


def highest_of(run: Any) -> float:
    """The highest score of a run, without writing its trace."""
    from dragin_core.events import WindowDecoded
    from dragin_core.reading import read

    windows = [event.window for event in run.events if isinstance(event, WindowDecoded)]
    scores = [read(window, run.settings.effective).final_scores for window in windows]
    return max((float(score) for each in scores for score in each if score == score), default=0)


def highest_in(trace: dict[str, Any] | None) -> float:
    """The highest score of a trace."""
    windows = [event for event in (trace or {}).get("events", ()) if event["type"] == "window"]
    return max((unit["rind"] or 0 for window in windows for unit in window["units"]), default=0)


class Handlers:
    """The handlers of one page. Model events yield (session, stage, notice); view events return the same three.

    Args:
        models: the explainers that all visitors share.
        examples: ``{"question", "gold": [aliases]}`` of the chips.
    """

    def __init__(self, models: Models, examples: Sequence[dict] = ()):
        self.models = models
        self.examples = {"; ".join(example["gold"]): example["question"] for example in examples}

    def first_payload(self, name: str | None) -> str:
        """What the stage shows when the page opens: a recorded run, or nothing."""
        return packed(self._recorded(name) if name else empty_payload())

    def tell(self, name: str, dials: tuple[str, ...]) -> tuple:
        """Show a recorded run: session, stage, notice; then the controls as it was run with, the dials last."""
        shown = (Session(recorded=name), packed(self._recorded(name)), notice())
        return *shown, *controls_of(story(name), settings_of(name)), *dial_values(settings_of(name), dials)

    def open(self, text_of_file: Any, dials: tuple[str, ...]) -> tuple:
        """Show a trace from a file, as :meth:`tell` does a recorded run; what is no trace leaves everything as it is.

        Raises:
            InputError: it is none; one sentence.
        """
        if not isinstance(text_of_file, str):
            raise InputError(text("share.nothing"))
        trace = read_trace(text_of_file)
        settings = Settings.from_dict(trace["settings"])
        opened = Opened(trace, secrets.token_hex(8))
        shown = (Session(opened=opened), packed(self._opened(opened)), notice(told_of(trace)))
        return *shown, *controls_of(trace, settings), *dial_values(settings, dials)

    def show(self, run: Any, partial: Any, gold: str, dials: tuple[str, ...]) -> tuple:
        """Show a run that was made on another tab, as :meth:`tell` does a recorded one; it can be gone on with.

        Args:
            partial: a window behind the run's that is no event yet.
        """
        session = Session(
            run, target=None if run.finished else len(run.events), partial=partial, line=secrets.token_hex(4)
        )
        shown = payload(self.shown_trace(session), self.expected(run.question, gold), came=secrets.token_hex(8))
        controls = self.controls_of_run(run, aliases(gold))
        return session, packed(shown), notice(), *controls, *dial_values(run.settings, dials)

    def link(self, session: Session, form: Form) -> str:
        """The query of a link: to a recorded run, while the controls say what it was run with, else to what they say.

        Raises:
            InputError: the question or a setting is out of its bounds, or the edits are too long; one sentence.
        """
        settings = form.settings()
        name = session.recorded if session.run is None else None
        if name and story(name)["question"] == form.question.strip() and settings_of(name) == settings:
            return link_to_run(name)
        edits = session.linked_edits(form.question, settings)
        if self._continues(session.run, form):
            edits = self.shown_trace(session).get("edits", ())
        gold = form.gold if self.expected(form.question.strip(), form.gold) else ""
        return link_to(form.question, gold, settings, edits)

    def follow_link(self, came: Any, dials: tuple[str, ...]) -> tuple:
        """Fill the controls as a link says, as :meth:`tell` does; the question is not run before someone asks for it.

        Raises:
            InputError: the link is none, or says what cannot be; one sentence.
        """
        link = read_link(came)
        if link.run:
            return self.tell(link.run, dials)
        controls = controls_of({"question": link.question, "gold": [link.gold]}, link.settings)
        came = text("link.edited", count=len(link.edits)) if link.edits else text("link.came")
        shown = (Session(link=link), packed(empty_payload()), notice(came))
        return *shown, *controls, *dial_values(link.settings, dials)

    def shown_trace(self, session: Session) -> dict[str, Any] | None:
        """The trace that is shown, as far as it goes; None after a reset."""
        if session.run is not None:
            run = session.run if session.partial is None else session.run.then(session.partial)
            return self._trace(run)
        if session.opened:
            return session.opened.trace
        return story(session.recorded) if session.recorded else None

    def shown_payload(self, session: Session, gold: str) -> dict[str, Any] | None:
        """What the stage shows, when nothing is being written any more; None after a reset."""
        if session.run is not None:
            return payload(self.shown_trace(session), self.expected(session.run.question, gold))
        if session.opened:
            return self._opened(session.opened, gold)
        return self._recorded(session.recorded, gold) if session.recorded else None

    def listed_payload(self, run: Any, gold: str, key: str) -> str:
        """What the stage shows of a run of the visitor's list; ``key`` tells one opening from the next."""
        return packed(payload(self._trace(run), self.expected(run.question, gold), came=key))

    def judged_run(self, run: Any, gold: str) -> bool | None:
        """Whether its answer is right; None where nothing is expected."""
        return judged(run.answer, self.expected(run.question, gold))

    def controls_of_run(self, run: Any, gold: Sequence[str]) -> tuple:
        """What :func:`controls_of` gives, and the model that the run was made by."""
        *others, _ = controls_of({"question": run.question, "gold": list(gold)}, run.settings)
        return *others, self.models.name_of(run)

    def trace(self, run: Any) -> Any:
        """The trace of a run, by the model it was made with."""
        return self.models.of(run).trace(run)

    def _trace(self, run: Any) -> dict[str, Any]:
        return self.trace(run).to_dict()

    def run(self, session: Session, *fields) -> Iterator[tuple]:
        """Go on to the end; start anew where question or settings changed, or the run is finished."""
        yield from self._guarded(replace(session, target=None), Form(*fields))

    def step(self, session: Session, *fields) -> Iterator[tuple]:
        """Go on by one event."""
        form = Form(*fields)
        try:
            going_on = self._continues(session.run, form)
        except InputError as error:
            yield gr.skip(), gr.skip(), notice(str(error), "error")
            return
        if going_on and session.run.finished:
            yield gr.skip(), gr.skip(), notice(text("notice.finished"))
            return
        target = len(session.run.events) + 1 if going_on else 1
        yield from self._guarded(replace(session, target=target), form)

    def follow(self, session: Session, *fields) -> Iterator[tuple]:
        """Take the branch of changed settings: as far as the shown run went, to the end if it had ended."""
        shown = self.asked(session)
        if shown is None:
            return
        question, settings, target = shown
        form = replace(Form(*fields), question=question)
        try:
            cut_short = session.run is not None and not session.reached(session.run)
            other = session.run is not None and not self._by(session.run, form)
            if form.settings() == settings and not cut_short and not other:
                return
        except InputError as error:
            yield gr.skip(), gr.skip(), notice(str(error), "error")
            return
        yield from self._guarded(replace(session, target=target), form, hurry=True)

    def edit(self, session: Session, data: Any, *fields) -> Iterator[tuple]:
        """Branch from an event of the shown run with an edit (:mod:`dragin_core.edits`), and go as far as it went.

        Args:
            data: ``{"at", "edit"}`` as the browser sends it.
        """
        yield from self.told(self._edit(session, data, Form(*fields)))

    def _edit(self, session: Session, data: Any, form: Form) -> Iterator[tuple]:
        at, edit = asked(data)
        explainer = yield from self.model(form.model, session.run)
        shown = self.asked(session)
        if explainer is None or shown is None:
            return
        run = session.run or (yield from made_anew(explainer, self.shown_trace(session), at))
        branch = explainer.edited(run, at, edit)
        target = shown[2] if not run.finished else None
        target = target if target is None else max(at + 1, target)
        session = Session(run=branch, target=target, line=secrets.token_hex(4), parent=session.line)
        yield from self._advance(explainer, session, form.gold, hurry=True)

    def back(self, session: Session, gold: str) -> tuple:
        """Take the last event back, or the window that is no whole event yet."""
        if session.run is None:
            return gr.skip(), gr.skip(), notice(text("notice.noback"))
        if not session.run.events and not session.partial:
            return gr.skip(), self._draw(session.run, gold), notice(text("notice.noback"))
        run = session.run if session.partial else session.run.back()
        return replace(session, run=run, target=len(run.events), partial=None), self._draw(run, gold), notice()

    def reset(self) -> tuple:
        """Clear the run; question and settings stay."""
        return Session(), packed(empty_payload()), notice()

    def stop(self, session: Session) -> tuple:
        """Say that the run was stopped; the stopping itself is Gradio's cancelling of the generator."""
        if session.run is None:
            return gr.skip(), notice(text("notice.idle"))
        target = None if session.run.finished else len(session.run.events)
        return replace(session, target=target), notice(text("notice.stopped"))

    def judge(self, session: Session, gold: str) -> str:
        """The shown run with another expected answer."""
        if session.run is not None:
            return self._draw(session.run, gold)
        shown = self.shown_payload(session, gold)
        return packed(shown) if shown else gr.skip()

    def poll(self, name: str | None) -> tuple:
        """The state of the chosen model, and a timer that ticks until it is settled."""
        status = self.models.loader(name).status
        return status.to_notice(), gr.Timer(active=status.state == "loading")

    def room(self, session: Session, theta: float) -> tuple[dict[str, Any], str | None]:
        """Room on the θ dial for every score of what is shown: those of the released code go beyond the usual end; and
        the name of the recorded run that is shown, None for another."""
        highest = highest_of(session.run) if session.run is not None else highest_in(self.shown_trace(session))
        room = gr.update(maximum=max(THETA_ENDS, math.ceil(max(theta, highest))))
        return room, session.recorded if session.run is None else None

    def asked(self, session: Session) -> tuple[str, Settings, int | None] | None:
        """Question and settings of what is shown, and how far a branch of it has to go."""
        if session.run is not None:
            target = session.target if session.target is None else max(1, session.target)
            return session.run.question, session.run.settings, target
        if session.opened:
            return session.opened.trace["question"], Settings.from_dict(session.opened.trace["settings"]), None
        if session.recorded:
            return story(session.recorded)["question"], settings_of(session.recorded), None
        return None

    def _guarded(self, session: Session, form: Form, hurry: bool = False) -> Iterator[tuple]:
        """Wait for the model, begin, advance; any failure becomes a sentence and leaves what is shown alone.

        Args:
            session: its target says how far to go.
            hurry: what is known already is not drawn step by step.
        """
        yield from self.told(self._go(session, form, hurry))

    def _go(self, session: Session, form: Form, hurry: bool) -> Iterator[tuple]:
        form.settings()
        explainer = yield from self.model(form.model)
        if explainer is not None:
            yield from self._advance(explainer, self._begin(explainer, session, form, hurry), form.gold, hurry)

    @staticmethod
    def told(steps: Iterator[tuple]) -> Iterator[tuple]:
        """The steps; a failure becomes a sentence."""
        try:
            yield from steps
        except InputError as error:
            yield gr.skip(), gr.skip(), notice(str(error), "error")
        except Exception as error:
            sentence = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            LOGGER.exception("a run failed")
            yield gr.skip(), gr.skip(), notice(text("notice.failed", error=sentence), "error")

    def model(self, name: str | None, run: Any = None) -> Iterator[tuple]:
        """Yields while a model loads; returns the explainer, or None after saying why there is none.

        Args:
            run: made by a model already, which is the one then.
        """
        if run is not None:
            return self.models.of(run)
        loader = self.models.loader(name)
        while not loader.wait(LOADING_POLL_SECONDS if loader.status.state == "loading" else 0):
            yield gr.skip(), gr.skip(), notice(f"{text('notice.waiting')} {loader.status.sentence}")
        if loader.explainer is None:
            yield gr.skip(), gr.skip(), notice(loader.status.sentence, "error")
        return loader.explainer

    def _continues(self, run: Any, form: Form) -> bool:
        """Whether a run answers what the controls say with the model they say, so that it can be gone on with."""
        if run is None or not self._by(run, form):
            return False
        return run.question == form.question.strip() and run.settings == form.settings()

    def _by(self, run: Any, form: Form) -> bool:
        """Whether a run was made by the chosen model."""
        chosen = self.models.loader(form.model).explainer
        return chosen is not None and chosen.lm.name == run.model

    def _begin(self, explainer: Any, session: Session, form: Form, follows: bool) -> Session:
        """With the run to go on with: the present one where it answers this form, else (or once finished) a new one.

        Args:
            follows: a new one takes over the present one's edits, as long as they fit.
        """
        from dragin_core.edits import edits_from

        run = session.run
        if self._continues(run, form) and not run.finished:
            return session
        branches = run is not None and run.question == form.question.strip()
        before = run if follows and branches and run.edits else None
        edits = before.edits if before else edits_from(session.linked_edits(form.question, form.settings()))
        return Session(
            run=explainer.start(form.question, form.settings(), edits),
            target=session.target,
            line=secrets.token_hex(4),
            parent=session.line if branches else None,
            before=before,
        )

    def _advance(self, explainer: Any, session: Session, gold: str, hurry: bool) -> Iterator[tuple]:
        from dragin_core import Progress

        drawn = time.monotonic() if hurry else 0.0
        yield session, gr.skip(), notice(pipeline_notice(session.run.settings) or "")
        while not session.reached(session.run):
            for base, item in advanced(explainer, session.run, session.before):
                due = time.monotonic() - drawn >= REDRAW_SECONDS
                partial = isinstance(item, Progress)
                if partial and not due:
                    yield gr.skip(), gr.skip(), gr.skip()
                    continue
                if due:
                    drawn = time.monotonic()
                run = base.then(item.window if partial else item)
                ended = not partial and session.reached(run)
                stage = self._draw(run, gold, live=not ended) if ended or due or not hurry else gr.skip()
                session = replace(session, partial=run.last) if partial else replace(session, run=run, partial=None)
                yield session, stage, gr.skip()
        count = len((session.before or session.run).edits)
        run = dropped(session.run) if session.run.finished else session.run  # an edit may stand where it never came to
        if session.before is not None or len(run.edits) < count:
            told = notice(text("edit.kept", count=count, kept=len(run.edits)))
            yield replace(session, run=run, before=None), gr.skip(), told

    def _draw(self, run: Any, gold: str, live: bool = False) -> str:
        return packed(payload(self._trace(run), self.expected(run.question, gold), live=live))

    def expected(self, question: str, gold: str) -> list[str]:
        """The aliases to judge by: an example's answer is none for another question, however the box was filled."""
        asked = self.examples.get(gold)
        return aliases(gold) if asked in (None, question) else []

    def _recorded(self, name: str, gold: str = "") -> dict[str, Any]:
        """A recorded run, judged by what was typed, else by the answer recorded with it."""
        trace = story(name)
        return payload(trace, aliases(gold) or trace["gold"], recorded=name)

    def _opened(self, opened: Opened, gold: str = "") -> dict[str, Any]:
        """An opened trace, judged by what was typed, else by the answer that came with it."""
        found = payload(opened.trace, aliases(gold) or opened.trace.get("gold", []), opened=opened.key)
        here = self.models.loaded
        elsewhere = bool(here) and not any(same_place(opened.trace, each.environment) for each in here)
        return {**found, "elsewhere": elsewhere}
