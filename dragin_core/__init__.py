"""DRAGIN, step by step: retrieval at the moment a language model needs it (Su et al., ACL 2024).

>>> from dragin_core import Explainer, Settings
>>> explainer = Explainer.load()
>>> trace = explainer.run("Who painted Guernica?", Settings(theta=0.3))
>>> print(trace.answer, trace.counts)
"""

from .engine import Progress
from .errors import DownloadError, InputError, ModelError
from .events import Run
from .explainer import Explainer
from .settings import Settings
from .trace import Trace

__all__ = ["DownloadError", "Explainer", "InputError", "ModelError", "Progress", "Run", "Settings", "Trace"]
__version__ = "0.1.0"
