"""Methods over a question set: which answers are right, at how many retrievals."""

from .matching import f1, is_right, normalise
from .questions import Question, load_questions
from .report import compare, shared_line, summary_table
from .run import Outcome, evaluate
from .sweep import sweep_table, threshold_range

__all__ = [
    "Outcome",
    "Question",
    "compare",
    "evaluate",
    "f1",
    "is_right",
    "load_questions",
    "normalise",
    "shared_line",
    "summary_table",
    "sweep_table",
    "threshold_range",
]
