"""What more than one tab has: how its events run, small parts, and how one tab reaches another."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from .scripts import script

SESSION_SECONDS = 3600  # what a visitor has is kept so long

# Views do not queue; what uses the model does so one at a time.
VIEW = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
MODEL = {
    "concurrency_id": "model",
    "concurrency_limit": 1,
    "show_progress": "hidden",
    "api_visibility": "private",
}


def data_line(name: str, value: Any) -> gr.HTML:
    """A line of text that is written as data, never as markup."""
    return gr.HTML(
        value,
        html_template=f'<p class="line" id="{name}" role="status"></p>',
        js_on_load=script("gradio_notice.js"),
        apply_default_css=False,
        elem_id=f"{name}-block",
    )


def say(event: str, detail: str = "") -> str:
    """JavaScript of a listener that tells the stage of an event."""
    return f"() => {{ window.dispatchEvent(new CustomEvent('{event}', {{ detail: '{detail}' }})); return []; }}"


def sent(event: gr.EventData) -> Mapping[str, Any]:
    """What the browser sent with an event; nothing where it is no object."""
    return event._data if isinstance(event._data, Mapping) else {}


@dataclass(frozen=True)
class Explore:
    """The components of the tab that others reach.

    Attributes:
        shown: session, stage and notice line: what every handler of a run returns.
        controls: question, expected answer, method, preset, its note, switches and model: what a trace fills between
            those and the dials.
        dials: sliders by the setting they show.
        chooser: of recorded runs.
        running: the model's events, for others to cancel.
        visit: the visit's list of runs, and its panel.
    """

    shown: list
    controls: list
    dials: dict[str, gr.Slider]
    chooser: gr.Dropdown
    running: list
    visit: tuple[gr.State, gr.HTML]

    @property
    def fields(self) -> list:
        """What :class:`~visuals.handlers.Form` is made of, in its order."""
        question, gold, method, _, _, switches, model = self.controls
        return [question, gold, method, *self.dials.values(), switches, model]

    @property
    def model(self) -> gr.Dropdown:
        """The chooser of the operator's models."""
        return self.controls[-1]

    @property
    def filled(self) -> list:
        """What is filled when a run that was made elsewhere is shown here: see :meth:`Handlers.tell`."""
        return [*self.shown, *self.controls, *self.dials.values()]


def make_room(event: Any, handlers: Any, tab: Explore) -> None:
    """After an event that shows a run, let the θ dial reach as far as its scores, and the chooser of recorded runs name
    what is shown, or nothing."""
    theta = tab.dials["theta"]
    event.then(handlers.room, [tab.shown[0], theta], [theta, tab.chooser], **VIEW)
