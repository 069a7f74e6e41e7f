"""Question sets: one JSON object a line with question and gold answers."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from ..settings import check_question


@dataclass(frozen=True)
class Question:
    """A question with its gold answer and the aliases that count as right too."""

    id: str
    question: str
    answers: tuple[str, ...]
    hops: int = 1
    level: str = ""


def load_questions(path: Path) -> list[Question]:
    """Read a JSON-lines file of ``{"question", "answers", "id"?, "hops"?, "level"?}``.

    Raises:
        InputError: the file is missing, empty, or a line is not of that form.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The question file {path} cannot be read as text: give a JSON-lines file.") from error
    questions = [_question(line, number, path) for number, line in enumerate(lines, 1) if line.strip()]
    if not questions:
        raise InputError(f"The question file {path} is empty: give one JSON object a line.")
    twice = [name for name, count in Counter(q.id for q in questions).items() if count > 1]
    if twice:
        raise InputError(f"The question file {path} has the id {twice[0]!r} twice: give each question its own.")
    return questions


def _question(line: str, number: int, path: Path) -> Question:
    try:
        item = json.loads(line)
        if not isinstance(item["answers"], list) or not item["answers"]:
            raise ValueError("answers must be a list")
        answers = tuple(str(a) for a in item["answers"])
        check_question(item["question"])
        return Question(
            str(item.get("id", number)),
            str(item["question"]),
            answers,
            int(item.get("hops", 1)),
            str(item.get("level", "")),
        )
    except InputError as error:
        raise InputError(f"Line {number} of {path}: {error}") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f'Line {number} of {path} is no question: it must be {{"question": "…", "answers": ["…"]}}.'
        ) from error
