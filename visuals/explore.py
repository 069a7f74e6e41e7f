"""The tab Explore: one question, step by step."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import gradio as gr

from dragin_core.methods import METHODS
from dragin_core.settings import BOUNDS, Settings

from .difference import difference_panel, wire_difference
from .figures import PLOTLY_JS, figures
from .handlers import THETA_ENDS, Handlers
from .lens import lens_panel, wire_lens
from .parts import MODEL, SESSION_SECONDS, VIEW, Explore, data_line, make_room, say
from .runs import runs_panel, wire_runs
from .scripts import STAGE_SCRIPTS, script
from .session import Session
from .setup import NO_PRESET, filled, preset_chooser, switch_panel
from .share import share_bar, wire_share
from .stories import names, story, story_chooser
from .texts import ASSETS, text
from .your_model import model_chooser, suggest_button, wire_suggest

FREEZE = "(session) => { window.dispatchEvent(new CustomEvent('dragin-stopped')); return [session]; }"


def plot_parts() -> str:
    """The figures without data, and where the browser gets plotly.js: from the installed package, when it needs it."""
    gr.set_static_paths(PLOTLY_JS)
    address = f"gradio_api/file={quote(PLOTLY_JS.as_posix())}"
    return f"const FIGURES = {json.dumps(figures())};\nconst PLOTLY_URL = {json.dumps(address)};\n"


def example_questions() -> list[dict[str, Any]]:
    """Questions offered as chips: ``{"question", "gold": [aliases]}``."""
    return json.loads((ASSETS / "examples.json").read_text(encoding="utf-8"))


def explore_tab(handlers: Handlers) -> Explore:
    """Build the tab inside the block that is open."""
    first = next(iter(names()), None)
    recorded = story(first) if first else {}
    session = gr.State(Session(recorded=first), time_to_live=SESSION_SECONDS)
    question, buttons, chips, chooser, share = ask_bar(recorded.get("question", ""), first)
    settings = Settings.from_dict(recorded.get("settings", {}))
    dials, method, gold = dial_bar(settings, recorded.get("gold", []))
    with gr.Row(elem_id="setup"):
        model = model_chooser(handlers.models.names)
        preset = preset_chooser()
        switches = switch_panel(settings)
        suggest = suggest_button()
    preset_note = data_line("preset-note", None)
    wire_examples(chips, question, gold)
    wire_changes(dials, preset, preset_note, method)
    notice_line = data_line("notice-line", None)
    stage = gr.HTML(
        handlers.first_payload(first),
        html_template='<div class="dragin"></div>',
        js_on_load=plot_parts() + script(*STAGE_SCRIPTS),
        apply_default_css=False,
        elem_id="stage",
    )
    lens, difference = lens_panel(), difference_panel()
    fields = [question, gold, method, *dials.values(), switches, model]
    shown = [session, stage, notice_line]
    looking = {
        "tick": wire_suggest(handlers, stage, suggest, [session, *fields], [dials["theta"], preset_note]),
        "expand": wire_lens(handlers, stage, lens, [session, *fields]),
        "apply": wire_difference(handlers, stage, difference, [session, *fields]),
    }
    running = wire_model_events(handlers, buttons, question, stage, [session, *fields], shown, looking)
    controls = [question, gold, method, preset, preset_note, switches, model]
    tab = Explore(shown, controls, dials, chooser, running, runs_panel())
    chooser.input(None, cancels=running)
    told = chooser.input(lambda name: handlers.tell(name, tuple(dials)), chooser, tab.filled, **VIEW)
    looking["tick"].then(None, None, None, js=say("dragin-changed"))
    acting = [event for event in running if event not in looking.values()]
    for shown_now in (told, *acting):
        make_room(shown_now, handlers, tab)
    wire_share(handlers, share, tab, gold)
    ends = [*(each.then for each in acting), buttons["stop"].click]
    wire_runs(handlers, tab, gold, ends)
    gold.change(handlers.judge, [session, gold], stage, **VIEW)
    return tab


def wire_model_events(handlers, buttons, question, stage, inputs, outputs, looking) -> list:
    """Run, Step, branches and ``looking`` (events of the stage by name) use the model one at a time; everything else
    does not queue. Returns the events that use the model, for others to cancel.

    Gradio cancels without waiting, and loses an event that is asked for meanwhile. So Run, Step and branches are events
    of the stage's own, which asks for one only when the one before has ended (``assets/js/gradio_stage.js``).
    """
    session, gold = inputs[0], inputs[2]

    def edit(event: gr.EventData, state: Session, *fields) -> Iterator[tuple]:
        """An edit that was made in the stage."""
        yield from handlers.edit(state, event._data, *fields)

    shared = {"inputs": inputs, "outputs": outputs, "trigger_mode": "always_last", **MODEL}
    events = {
        "release": stage.release(handlers.follow, **shared),
        "submit": stage.submit(handlers.run, **shared),
        "select": stage.select(handlers.step, **shared),
        "edit": stage.edit(edit, **shared),
        **looking,
    }
    for name, each in events.items():
        each.then(None, None, None, js=say("dragin-free", name))
    everything = list(events.values())
    for press, event in (
        (buttons["run"].click, "submit"),
        (question.submit, "submit"),
        (buttons["step"].click, "select"),
    ):
        press(None, None, None, js=say("dragin-act", event))
    stage.stop(None, cancels=everything)
    for name in ("stop", "back", "reset"):
        buttons[name].click(None, cancels=everything)
    buttons["stop"].click(handlers.stop, session, [session, outputs[2]], js=FREEZE, **VIEW)
    buttons["back"].click(handlers.back, [session, gold], outputs, **VIEW)
    buttons["reset"].click(handlers.reset, None, outputs, **VIEW)
    return everything


def wire_changes(dials: dict[str, gr.Slider], preset, preset_note, method) -> None:
    """A preset fills the dials, a dial moved by hand is no preset any more; preset and method follow as dials do."""
    chosen = preset.input(lambda name: filled(name, tuple(dials)), preset, [*dials.values(), preset_note], **VIEW)
    chosen.then(None, None, None, js=say("dragin-changed"))
    for each in dials.values():
        each.input(None, None, [preset, preset_note], js=f"() => ['{NO_PRESET}', null]")
    method.change(None, method, None, js=say_method(by_hand=False))
    method.input(None, method, None, js=say_method(by_hand=True)).then(None, None, None, js=say("dragin-changed"))


def say_method(by_hand: bool) -> str:
    """JavaScript of a listener that tells the panel which method is chosen; by hand it sets when and what anew."""
    detail = f"{{ detail: {{ method, byHand: {json.dumps(by_hand)} }} }}"
    return f"method => {{ window.dispatchEvent(new CustomEvent('dragin-method', {detail})); return []; }}"


def wire_examples(chips, question, gold) -> None:
    """A chip fills question and expected answer; typing another question takes a chip's answer away again."""
    golds = ["; ".join(story(name)["gold"]) for name in names()]
    for example, chip in chips:
        golds.append("; ".join(example["gold"]))
        chip.click(None, None, [question, gold], js=f"() => {json.dumps([example['question'], golds[-1]])}")
    question.input(None, gold, gold, js=f"gold => {json.dumps(golds)}.includes(gold) ? '' : gold")


def ask_bar(
    asked: str, told: str | None
) -> tuple[gr.Textbox, dict[str, gr.Button], list[tuple[dict, gr.Button]], gr.Dropdown, gr.HTML]:
    """The question, what can be done with it, examples as chips, the recorded runs, and what saves and opens runs."""
    with gr.Row(elem_id="ask"):
        question = gr.Textbox(
            asked,
            label=text("ask.label"),
            placeholder=text("ask.placeholder"),
            show_label=False,
            container=False,
            lines=1,
            max_lines=4,
            elem_id="question",
            scale=1,
        )
        with gr.Row(elem_id="actions"):
            buttons = {name: action(name, sign) for name, sign in ACTIONS.items()}
    with gr.Row(elem_id="examples"):
        gr.HTML(f"<p>{text('examples')}</p>", js_on_load=None, apply_default_css=False, elem_id="examples-label")
        chips = [
            (example, gr.Button(example["question"], size="sm", elem_classes="chip-button"))
            for example in example_questions()
        ]
    with gr.Row(elem_id="watch"):
        chooser = story_chooser(told)
        share = share_bar()
    return question, buttons, chips, chooser, share


ACTIONS = {"run": "▶\ufe0e", "step": "▷", "back": "◁", "stop": "■", "reset": "↺"}


def action(name: str, sign: str) -> gr.Button:
    """One of the five buttons."""
    variant = "primary" if name == "run" else "secondary"
    return gr.Button(f"{sign} {text(name)}", variant=variant, elem_id=f"do-{name}", min_width=60)


def dial_bar(now: Settings, gold: list[str]) -> tuple[dict[str, gr.Slider], gr.Dropdown, gr.Textbox]:
    """θ, n, k, the answer's length and the demonstrations by the setting they show, with typed entry; the method, the
    expected answer."""
    with gr.Row(elem_id="dials"):
        dials = {
            "theta": dial("dial-theta", 0, THETA_ENDS, 0.01, now.theta),
            "top_n": dial("dial-n", 1, 50, 1, now.top_n),
            "top_k": dial("dial-k", 1, 10, 1, now.top_k),
            "max_new_tokens": dial("dial-length", 8, 256, 1, now.max_new_tokens),
            "shots": dial("dial-shots", *BOUNDS["shots"], 1, now.shots),
        }
        choices = [(text(f"method.{name}"), name) for name in METHODS]
        method = gr.Dropdown(
            choices, value=now.method, label=text("method.label"), elem_id="method", filterable=False, min_width=120
        )
        expected = gr.Textbox(
            "; ".join(gold),
            label=text("gold.label"),
            placeholder=text("gold.placeholder"),
            lines=1,
            max_lines=1,
            elem_id="gold",
            min_width=120,
        )
    return dials, method, expected


def dial(name: str, low: float, high: float, step: float, value: float) -> gr.Slider:
    """A slider with typed entry; ``assets/js/gradio_stage.js`` listens to it by its id."""
    return gr.Slider(low, high, value, step=step, label=text(f"{name}.label"), elem_id=name, min_width=120, buttons=[])
