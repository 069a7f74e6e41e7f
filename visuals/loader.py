"""Loads model and passages behind the page's back, so that the page is there at once."""

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dragin_core.errors import InputError

from .texts import text

LOADING_POLL_SECONDS = 0.25
LOGGER = logging.getLogger(__name__)
PACKAGED = "packaged"
FACTS = ("layers", "heads", "attention_layer", "dtype", "context_limit", "template", "capture")


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
        self.started = False
        self._status = Status("loading", text("model.loading", message=text("model.starting")))

    def start(self) -> "ModelLoader":
        """Begin to load; returns at once."""
        self.started = True
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


class Models:
    """The operator's models by name, shared by all visitors. The first is loaded at once, another when it is first
    chosen; what is loaded stays.

    Args:
        names: folders, hub ids or "packaged"; none means the packaged model.
        options: keyword arguments of :meth:`dragin_core.Explainer.load`.
    """

    def __init__(self, names: Sequence[str] = (), **options: Any):
        given = {name: None if name == PACKAGED else name for name in names or [PACKAGED]}
        self._loaders = {name: ModelLoader(model=model, **options) for name, model in given.items()}
        self._lock = threading.Lock()

    @property
    def names(self) -> list[str]:
        return list(self._loaders)

    def start(self) -> "Models":
        """Begin to load the first; returns at once."""
        self.loader(None)
        return self

    def loader(self, name: Any) -> ModelLoader:
        """Of a model by its name, loading or loaded; the first model's where there is none of that name."""
        found = self._loaders.get(name) or next(iter(self._loaders.values()))
        with self._lock:
            return found if found.started else found.start()

    def of(self, run: Any) -> Any:
        """The explainer that a run was made by."""
        return next(each for each in self.loaded if each.lm.name == run.model)

    def name_of(self, run: Any) -> str:
        """The name of the model that a run was made by."""
        made_by = self.of(run)
        return next(name for name, each in self._loaders.items() if each.explainer is made_by)

    @property
    def loaded(self) -> list[Any]:
        """Every explainer that has loaded."""
        return [each.explainer for each in self._loaders.values() if each.explainer is not None]


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What another model changes, in a line: the facts of its environment that are other ones."""
    changed = [(name, before[name], now[name]) for name in FACTS if before[name] != now[name]]
    return ", ".join(text("model.fact", name=text(f"model.{name}"), old=old, new=new) for name, old, new in changed)


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
