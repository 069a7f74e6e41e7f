"""Buttons pressed while something is being written, and a run with many steps."""

from itertools import count

import pytest
from visitor import link_to

QUESTION = "What is the history of the Eiffel Tower, and who built it? Question {number}."
NUMBERS = count(1)  # a question asked before comes whole from the cache, and is not seen being written
WRITING = """([question, events]) => { const p = draginStage.state.payload; const last = p.trace.events.at(-1);
    return p.live && p.trace.question === question && p.trace.events.length === events
      && last.type === 'window' && last.partial && last.units.length >= 2 }"""


@pytest.fixture
def writing(visit):
    """A run whose first window is being written."""
    question = QUESTION.format(number=next(NUMBERS))
    visitor = visit(link_to(question, theta=0.3, length=48)).came(question)
    visitor.asked = question
    visitor.press("run")
    visitor.wait(WRITING, [visitor.asked, 1])
    return visitor


def test_run_pressed_again_while_it_runs_does_nothing(writing):
    calls = len(writing.calls)
    writing.press("run")
    writing.page.press("#question textarea", "Enter")
    writing.press("run")
    trace = writing.finished(writing.asked)
    assert len(writing.calls) == calls
    assert trace["counts"]["cached_windows"] == 0, "nothing was written twice"


def test_run_with_another_question_takes_over(writing):
    question = "Who painted Guernica?"
    writing.type_question(question)
    writing.press("run")
    assert writing.finished(question)["question"] == question


def test_back_while_a_window_is_written_drops_that_window_alone(writing):
    writing.press("back")
    writing.wait_events(0)
    for number in range(1, 6):
        writing.press("step")
        writing.wait_events(number)
    assert writing.kinds() == ["window", "decision", "query", "passages", "cut"]
    writing.press("step")
    writing.wait(WRITING, [writing.asked, 6])
    writing.press("back")
    writing.wait_events(5)
    assert writing.kinds()[-1] == "cut"
    writing.press("back")
    writing.wait_events(4)


@pytest.mark.parametrize("width", [1400, 700])
def test_many_steps_take_two_rows_at_most_and_scroll(visit, width):
    visitor = visit(viewport={"width": width, "height": 900})
    visitor.page.evaluate(
        """() => {
          const payload = structuredClone(draginStage.state.payload);
          for (const list of [payload.trace.events, payload.facts.events]) {
            const rounds = list.slice(0, 5);
            list.unshift(...rounds, ...rounds, ...rounds, ...rounds, ...rounds);
          }
          draginStage.show(payload);
        }"""
    )
    visitor.wait("() => document.querySelectorAll('.timeline .step').length > 30")
    rows = visitor.page.evaluate(
        "() => new Set([...document.querySelectorAll('.timeline .step')].map(step => step.offsetTop)).size"
    )
    assert rows <= 2
    assert visitor.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert visitor.page.evaluate("() => document.querySelector('.timeline').scrollLeft > 0")
