"""The paper's hyperparameters by model and dataset, from ``assets/presets.json``.

θ does not carry over from model to model: these were chosen on models of 7 and 13 billion parameters.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import InputError

FILE = Path(__file__).parents[1] / "assets" / "presets.json"


@dataclass(frozen=True)
class Preset:
    """What the paper sets for one model on one dataset.

    Attributes:
        name: "model/dataset", as :func:`find` takes it.
        model, dataset: as the paper writes them.
        released_theta, released_shots: what the authors' released config file has instead; None where it is the same.
    """

    name: str
    model: str
    dataset: str
    theta: float
    top_n: int
    top_k: int
    max_new_tokens: int
    shots: int
    released_theta: float | None = None
    released_shots: int | None = None

    def settings(self) -> dict[str, Any]:
        """The arguments of :class:`~dragin_core.settings.Settings` that it sets."""
        return {name: getattr(self, name) for name in ("theta", "top_n", "top_k", "max_new_tokens", "shots")}


def _read() -> tuple[dict[str, Preset], dict[str, str]]:
    """The presets by name, and the dataset that each other name of one stands for."""
    table = json.loads(FILE.read_text(encoding="utf-8"))
    released, found = table["released files differ in"], {}
    for model, numbers in table["models"].items():
        for dataset, task in table["datasets"].items():
            name = f"{model}/{dataset}"
            found[name] = Preset(
                name,
                numbers["title"],
                task["title"],
                theta=numbers["theta"][dataset],
                top_n=numbers["words"][dataset],
                top_k=table["passages"],
                max_new_tokens=task["tokens"],
                shots=task["demonstrations"],
                released_theta=released["theta"].get(name),
                released_shots=released["demonstrations"].get(dataset),
            )
    return found, {task["also"]: dataset for dataset, task in table["datasets"].items() if "also" in task}


PRESETS, _ALIASES = _read()


def find(name: str) -> Preset:
    """The preset "model/dataset", however its letters are written.

    Raises:
        InputError: there is none; the sentence lists those there are.
    """
    model, _, dataset = name.strip().casefold().partition("/")
    found = PRESETS.get(f"{model}/{_ALIASES.get(dataset, dataset)}")
    if found is None:
        raise InputError(f"There is no preset {name[:60]!r}: choose one of {', '.join(PRESETS)}.")
    return found
