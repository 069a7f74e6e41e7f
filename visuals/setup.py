"""The setup: the paper's presets, and the panel of variants and switches."""

import json
from collections.abc import Mapping
from typing import Any

import gradio as gr

from dragin_core.presets import PRESETS, Preset
from dragin_core.settings import Settings
from dragin_core.switches import SWITCHES, VARIANTS

from .texts import text

NO_PRESET = "none"


def preset_chooser() -> gr.Dropdown:
    """The chooser of the paper's hyperparameters; :func:`filled` says what a choice does."""
    choices = [(text("preset.none"), NO_PRESET), *((f"{p.model} / {p.dataset}", name) for name, p in PRESETS.items())]
    return gr.Dropdown(
        choices, value=NO_PRESET, label=text("preset.label"), elem_id="preset", filterable=False, min_width=120
    )


def filled(name: str, dials: tuple[str, ...]) -> tuple:
    """The value of each dial, by the setting it shows, under a preset; then what a person must know of it."""
    preset = PRESETS.get(name)
    if preset is None:
        return (*(gr.skip() for _ in dials), None)
    values = preset.settings()
    return (*(values[dial] for dial in dials), {"kind": "info", "text": told(preset)})


def told(preset: Preset) -> str:
    """Whose numbers these are, where the released files differ, and why θ is not to be trusted elsewhere."""
    other = []
    if preset.released_theta is not None:
        other.append(text("preset.theta", theta=preset.released_theta, paper=preset.theta))
    if preset.released_shots is not None:
        other.append(text("preset.shots", shots=preset.released_shots, paper=preset.shots))
    differs = [text("preset.differs", what=", ".join(other))] if other else []
    return " ".join([text("preset.carries", model=preset.model, dataset=preset.dataset), *differs])


def switch_panel(settings: Settings, script: str) -> gr.HTML:
    """Variant and switches; its value is ``{"variant", "switches": {name: value}}``, the arguments of ``Settings``.

    Args:
        settings: what it shows at first.
        script: draws it from the constants ``SWITCHES`` and ``VARIANTS``.
    """
    return gr.HTML(
        {"variant": settings.variant, "switches": dict(settings.switches)},
        html_template='<div class="switch-panel"></div>',
        js_on_load=switch_constants() + script,
        apply_default_css=False,
        elem_id="switches",
    )


def switch_constants() -> str:
    """JavaScript: the constants ``SWITCHES``, each with its values and its value in each variant, and ``VARIANTS``."""
    known = [
        {
            "name": switch.name,
            "values": list(switch.values),
            "in": {variant: getattr(switch, variant) for variant in VARIANTS},
            "help": switch.changes,
        }
        for switch in SWITCHES.values()
    ]
    return f"const SWITCHES = {json.dumps(known)};\nconst VARIANTS = {json.dumps(VARIANTS)};\n"


def chosen(value: Any) -> dict[str, Any]:
    """The arguments of ``Settings`` in the panel's value."""
    value = value if isinstance(value, Mapping) else {}
    return {name: value[name] for name in ("variant", "switches") if name in value}
