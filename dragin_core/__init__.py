"""DRAGIN, step by step: retrieval at the moment a language model needs it (Su et al., ACL 2024).

>>> from dragin_core import Explainer, Settings
>>> explainer = Explainer.load()
>>> trace = explainer.run("Who painted Guernica?", Settings(theta=0.3))
>>> print(trace.answer, trace.counts)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .engine import Progress
    from .errors import DownloadError, InputError, ModelError
    from .events import Run
    from .explainer import Explainer
    from .settings import Settings
    from .trace import Trace

__all__ = ["DownloadError", "Explainer", "InputError", "ModelError", "Progress", "Run", "Settings", "Trace"]
__version__ = "0.1.0"

_HOME = {
    "DownloadError": "errors",
    "Explainer": "explainer",
    "InputError": "errors",
    "ModelError": "errors",
    "Progress": "engine",
    "Run": "events",
    "Settings": "settings",
    "Trace": "trace",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: torch takes seconds, and a page or an error need not wait for it."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)
