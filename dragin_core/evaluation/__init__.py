"""Methods over a question set: which answers are right, at how many retrievals."""

from .matching import is_right, normalise
from .questions import Question, load_questions
from .report import compare, summary_table
from .run import Outcome, evaluate
from .sweep import sweep_table, threshold_range

__all__ = [
    "Outcome",
    "Question",
    "compare",
    "evaluate",
    "is_right",
    "load_questions",
    "normalise",
    "summary_table",
    "sweep_table",
    "threshold_range",
]
