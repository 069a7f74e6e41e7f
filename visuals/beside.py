"""What the panels beside the stage share: they wait for the model, and any failure of theirs becomes a sentence."""

import logging
from collections.abc import Generator, Iterator
from typing import Any

from dragin_core.errors import InputError

from .handlers import Handlers
from .payload import JSON, packed
from .texts import text

LOGGER = logging.getLogger(__name__)


def guarded(shown: Iterator[Any], found: JSON, key: str) -> Iterator[Any]:
    """What a panel shows; a failure is told beside what was found so far, which is kept up to date meanwhile.

    Args:
        key: of the text that tells of an ``error`` nobody expected.
    """
    try:
        yield from shown
    except InputError as error:
        yield packed({**found, "error": str(error)})
    except Exception as error:
        sentence = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        LOGGER.exception("a panel failed")
        yield packed({**found, "error": text(key, error=sentence)})


def waiting(handlers: Handlers, name: str | None, found: JSON, run: Any = None) -> Generator[str, None, Any]:
    """Say that the model loads; returns the explainer (of a run, the one that made it), or None after saying why
    there is none."""
    model = handlers.model(name, run)
    while True:
        try:
            *_, line = next(model)
        except StopIteration as settled:
            return settled.value
        said = "error" if line["kind"] == "error" else "waiting"
        yield packed({**found, said: line["text"]})
