"""Loads model and passages behind the page's back, so that the page is there at once."""

import logging
import threading
from dataclasses import dataclass
from typing import Any

from dragin_core.errors import InputError

from .texts import text

LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True)
class Status:
    """How far loading is: ``state`` is "loading", "ready" or "failed"; ``sentence`` says it to the visitor."""

    state: str
    sentence: str

    def to_notice(self) -> dict[str, str]:
        return {"kind": {"loading": "info", "ready": "ready", "failed": "error"}[self.state], "text": self.sentence}


class ModelLoader:
    """One explainer for all visitors, loaded once in a thread of its own.

    Args:
        options: keyword arguments of :meth:`dragin_core.Explainer.load`.
    """

    def __init__(self, **options: Any):
        self._options = options
        self._done = threading.Event()
        self.explainer: Any = None
        self._status = Status("loading", text("model.loading", message=text("model.starting")))

    def start(self) -> "ModelLoader":
        """Begin to load; returns at once."""
        threading.Thread(target=self._load, name="model loader", daemon=True).start()
        return self

    def wait(self, seconds: float) -> bool:
        """Whether loading has ended, well or badly, within the time."""
        return self._done.wait(seconds)

    @property
    def status(self) -> Status:
        return self._status

    def _load(self) -> None:
        try:
            from dragin_core import Explainer  # brings torch: seconds, which the page does not wait for

            self.explainer = Explainer.load(on_progress=self._report, **self._options)
            self._status = Status("ready", described(self.explainer.environment))
        except InputError as error:
            self._status = Status("failed", text("model.failed", error=error))
        except Exception as error:
            LOGGER.exception("the model did not load")
            sentence = f"{type(error).__name__}: {error}".splitlines()[0][:300]
            self._status = Status("failed", text("model.failed", error=sentence))
        finally:
            self._done.set()

    def _report(self, message: str, fraction: float | None = None) -> None:
        if fraction is None:
            self._status = Status("loading", text("model.loading", message=message))
        else:
            share = round(100 * fraction)
            self._status = Status("loading", text("model.loading.share", message=message, share=share))


def described(environment: dict[str, Any]) -> str:
    """The environment of a trace in one line."""
    corpus = environment["corpus"]
    line = text(
        "model.ready",
        model=environment["model"],
        dtype=environment["dtype"],
        layer=environment["attention_layer"],
        layers=environment["layers"],
        heads=environment["heads"],
        corpus=corpus["name"],
        passages=f"{corpus['passages']:,}",
    )
    return " · ".join(filter(None, [line, environment.get("notice")]))
