"""The ablation matrix of the tab Compare: every timing with every query (paper, sections 5.3 and 5.4)."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from dragin_core.errors import InputError
from dragin_core.evaluation.matching import f1, is_right
from dragin_core.methods import WHAT
from dragin_core.settings import check_question

from .handlers import Handlers
from .parts import MODEL, Explore, data_line, sent
from .payload import packed
from .scripts import later
from .session import notice
from .texts import ASSETS, text
from .ways import answered, asked_form, way_of

WHENS = ("every", "sentence", "flare", "rind")
WHATS = tuple(WHAT)
SOME_EXAMPLES = (2, 3, 5)
SCRIPTS = ("view_matrix.js", "gradio_act.js", "gradio_matrix.js")


@dataclass(frozen=True)
class Cell:
    """A timing with a query, over the questions answered so far.

    Attributes:
        right, f1, retrievals: sums over them; ``judged``: how many had an expected answer.
        passes: forward passes in fact and alone.
        queries: of all retrievals, in their order.
        error: why it cannot be run, in a sentence.
    """

    done: int = 0
    judged: int = 0
    right: int = 0
    f1: float = 0.0
    retrievals: int = 0
    passes: tuple[int, int] = (0, 0)
    queries: tuple[str, ...] = ()
    error: str | None = None

    def plus(self, trace: Any, gold: Sequence[str]) -> "Cell":
        """With one more question."""
        counts, alone = trace.counts, trace.counts_alone
        asked = [event.sent for event in trace.run.events if hasattr(event, "sent")]
        return replace(
            self,
            done=self.done + 1,
            judged=self.judged + bool(gold),
            right=self.right + is_right(trace.answer, gold),
            f1=self.f1 + f1(trace.answer, gold),
            retrievals=self.retrievals + counts["retrievals"],
            passes=(self.passes[0] + counts["forward_passes"], self.passes[1] + alone["forward_passes"]),
            queries=(*self.queries, *asked),
        )

    def to_dict(self) -> dict[str, Any]:
        """As the browser is given it."""
        return dict(vars(self))


class Matrix:
    """The handler of the matrix. It yields (what the browser is given, notice).

    Args:
        handlers: of the page; they have the model.
    """

    def __init__(self, handlers: Handlers):
        self._handlers = handlers

    def run(self, event: gr.EventData, *fields) -> Iterator[tuple]:
        """Fill the cells, question by question; one that fails stops no other."""
        asked = sent(event)
        form = asked_form(asked, fields)
        try:
            questions = self._questions(asked.get("count"), form)
            for question, _ in questions:
                check_question(question)
        except InputError as error:
            yield gr.skip(), notice(str(error), "error")
            return
        cells = {(when, what): Cell() for when in WHENS for what in WHATS}
        yield drawn(cells, len(questions)), notice()
        explainer = yield from without_first(self._handlers.model(form.model))
        if explainer is None:
            return
        for question, gold in questions:
            for pair, cell in cells.items():
                if cell.error:
                    continue
                yield drawn(cells, len(questions), pair), gr.skip()
                way = way_of(dict(zip(("when", "what"), pair, strict=True)))
                for step in answered(explainer, way, replace(form, question=question)):
                    way = step
                    yield gr.skip(), gr.skip()
                if way.state["name"] == "failed":
                    cells[pair] = replace(cell, error=way.state["error"])
                else:
                    cells[pair] = cell.plus(explainer.trace(way.run), gold)
        yield drawn(cells, len(questions)), notice(text("matrix.done"))

    def _questions(self, count: Any, form: Any) -> list[tuple[str, list[str]]]:
        """The one question, or the first examples, each with the aliases of its answer."""
        if count in SOME_EXAMPLES:
            examples = json.loads((ASSETS / "examples.json").read_text(encoding="utf-8"))
            return [(example["question"], example["gold"]) for example in examples[:count]]
        return [(form.question, self._handlers.expected(form.question, form.gold))]


def without_first(steps: Iterator[tuple]) -> Iterator[tuple]:
    """What a generator yields, each without its first part; returns what it returns."""
    while True:
        try:
            yield next(steps)[1:]
        except StopIteration as ended:
            return ended.value


def drawn(cells: dict[tuple[str, str], Cell], questions: int, now: tuple[str, str] | None = None) -> str:
    """What the browser is given; ``now``: the pair that is being run."""
    found = {f"{when} × {what}": cell.to_dict() for (when, what), cell in cells.items()}
    return packed({"cells": found, "questions": questions, "now": " × ".join(now) if now else None})


def matrix_section(handlers: Handlers, explore: Explore) -> None:
    """Build the section inside the tab that is open."""
    line = data_line("matrix-line", None)
    stage = gr.HTML(
        None,
        html_template='<div class="dragin compare matrix"></div>',
        js_on_load=later(*SCRIPTS, WHENS=WHENS, WHATS=WHATS, SOME_EXAMPLES=SOME_EXAMPLES),
        apply_default_css=False,
        elem_id="matrix",
    )
    running = stage.submit(Matrix(handlers).run, explore.fields, [stage, line], **MODEL)
    running.then(None, None, None, js="() => { window.dispatchEvent(new CustomEvent('dragin-filled')); return []; }")
    stage.stop(None, cancels=[running])
