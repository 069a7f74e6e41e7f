"""The setup: the paper's presets, and the panel of variants, switches and the methods' parameters."""

from collections.abc import Mapping
from typing import Any

import gradio as gr

from dragin_core.methods import METHODS, WHAT, WHEN
from dragin_core.presets import PRESETS, Preset
from dragin_core.settings import FLARE_RULES, Settings
from dragin_core.switches import SWITCHES, VARIANTS

from .scripts import constants, script
from .texts import text

NO_PRESET = "none"
PARAMETERS = {
    "when": list(WHEN),
    "what": list(WHAT),
    "every": [],
    "flare_rule": list(FLARE_RULES),
    "flare_threshold": [],
    "flare_mask": [],
    "flare_doubt": [],
    "max_retrievals": [],
}
PANELS = """
<div class="panels">
  <div class="switch-panel settings-panel"></div>
  <div class="parameter-panel settings-panel"></div>
</div>
"""
PANEL_SCRIPTS = ("gradio_switches.js", "gradio_parameters.js")


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


def switch_panel(settings: Settings) -> gr.HTML:
    """Variant, switches and what a method is made of; its value is that of :func:`panel_value`."""
    usual = Settings()
    given = constants(
        PARAMETERS=[{"name": name, "values": each, "usual": getattr(usual, name)} for name, each in PARAMETERS.items()],
        METHODS={name: {"when": method.when, "what": method.what} for name, method in METHODS.items()},
        ASKS_LATER=[name for name, when in WHEN.items() if when.within],
        METHOD=settings.method,
    )
    return gr.HTML(
        panel_value(settings),
        html_template=PANELS,
        js_on_load=constants(**switch_constants()) + given + script(*PANEL_SCRIPTS),
        apply_default_css=False,
        elem_id="switches",
    )


def switch_constants() -> dict[str, Any]:
    """Constants of a script: ``SWITCHES``, each with its values and its value in each variant, and ``VARIANTS``."""
    known = [
        {
            "name": switch.name,
            "values": list(switch.values),
            "in": {variant: getattr(switch, variant) for variant in VARIANTS},
            "help": switch.changes,
        }
        for switch in SWITCHES.values()
    ]
    return {"SWITCHES": known, "VARIANTS": VARIANTS}


def panel_value(settings: Settings) -> dict[str, Any]:
    """``{"variant", "switches": {name: value}, "parameters": {name: value}}``: what differs from the variant, and from
    the usual settings."""
    usual = Settings()
    other = {name: getattr(settings, name) for name in PARAMETERS if getattr(settings, name) != getattr(usual, name)}
    return {"variant": settings.variant, "switches": dict(settings.switches), "parameters": other}


def chosen(value: Any) -> dict[str, Any]:
    """The arguments of ``Settings`` in the panel's value."""
    value = value if isinstance(value, Mapping) else {}
    parameters = value.get("parameters")
    parameters = parameters if isinstance(parameters, Mapping) else {}
    found = {name: value[name] for name in ("variant", "switches") if name in value}
    return found | {name: parameters[name] for name in PARAMETERS if name in parameters}
