"""Passages to retrieve from: the packaged Wikipedia summaries, or a file of the user's own."""

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import regex

from ..errors import InputError

WORDS_OF_A_PASSAGE = 100
_CHARACTERS_OF_A_PASSAGE = 1000  # only text written without spaces comes near it
_BYTES_OF_A_FILE = 200_000_000  # rank-bm25 keeps about ten times this in memory


@dataclass(frozen=True)
class Passage:
    """A piece of text that can be retrieved; ``id`` is its own within a corpus, ``title`` may be empty."""

    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Corpus:
    """Passages in their order, each title and text once.

    ``sha256`` is that of the ids, titles and texts, so equal corpora have equal ones wherever they were read from.
    """

    name: str
    passages: tuple[Passage, ...]
    sha256: str = field(init=False)

    def __post_init__(self):
        kept: dict[tuple[str, str], Passage] = {}
        for passage in self.passages:
            kept.setdefault((passage.title, passage.text), passage)
        object.__setattr__(self, "passages", tuple(kept.values()))
        object.__setattr__(self, "sha256", _sha256(kept.values()))

    def __len__(self) -> int:
        return len(self.passages)


@dataclass(frozen=True)
class _Entry:
    """What a file says of one text, before it is split."""

    id: str
    title: str
    text: str


def load_corpus(path: Path | str) -> Corpus:
    """Read passages from a file in UTF-8, splitting texts of more than 100 words.

    ``.jsonl`` or ``.json`` (a list): objects with ``text`` and, if wanted, ``title`` and ``id``. ``.tsv``: a header
    line with ``id``, ``text``, ``title``. ``.txt``: paragraphs between blank lines.

    Raises:
        InputError: the file is missing, unreadable, empty, no text, all blank or laid out otherwise.
    """
    path = Path(path)
    read = _READERS.get(path.suffix.lower())
    text = _read_text(path)
    if read is None:
        raise InputError(f"The corpus {path} has an unknown ending: give a file in {', '.join(_READERS)}.")
    passages = tuple(_split(read(text, path)))
    if not passages:
        raise InputError(f"The corpus {path} holds no text: give at least one passage.")
    return Corpus(path.name, passages)


def from_summaries(path: Path | str, name: str) -> Corpus:
    """Read ``{title: {"title": …, "extract": …}}``, the layout of the packaged summaries, as 100-word passages.

    Raises:
        InputError: as :func:`load_corpus`.
    """
    path = Path(path)
    passages = tuple(_split(_summaries(_parse(_read_text(path), path, 1), path)))
    if not passages:
        raise InputError(f"The corpus {path} holds no text: give at least one passage.")
    return Corpus(name, passages)


def _sha256(passages: Iterable[Passage]) -> str:
    digest = hashlib.sha256()
    for passage in passages:
        line = json.dumps([passage.id, passage.title, passage.text], ensure_ascii=False)
        digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


# --- files -----------------------------------------------------------------------------------------------------------


def _read_text(path: Path) -> str:
    if "\0" in str(path):
        raise InputError("The path of the corpus holds a zero character: check the path.")
    try:
        _require_file(path, path.stat())
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"The corpus {path} does not exist: check the path.") from None
    except OSError as error:
        raise InputError(f"The corpus {path} cannot be read: {error.strerror or error}.") from None
    return _decode(data, path)


def _require_file(path: Path, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"The corpus {path} is a folder: give one file in {', '.join(_READERS)}.")
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"The corpus {path} is no regular file: give one in {', '.join(_READERS)}.")
    if status.st_size > _BYTES_OF_A_FILE:
        size = status.st_size / 1e6
        raise InputError(f"The corpus {path} has {size:,.0f} MB: give at most {_BYTES_OF_A_FILE / 1e6:,.0f} MB.")


def _decode(data: bytes, path: Path) -> str:
    if not data:
        raise InputError(f"The corpus {path} is empty: give at least one passage.")
    if b"\0" in data:
        raise InputError(f"The corpus {path} is binary or not in UTF-8: save it as text in UTF-8.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"The corpus {path} is binary or not in UTF-8 (line {line}): save it as text in UTF-8."
        ) from None
    if not text.strip():
        raise InputError(f"The corpus {path} holds no text: give at least one passage.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


# --- layouts ---------------------------------------------------------------------------------------------------------


def _jsonl(text: str, path: Path) -> Iterator[_Entry]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _entry(_parse(line, path, number), path, f"line {number}")


def _json(text: str, path: Path) -> Iterator[_Entry]:
    value = _parse(text, path, 1)
    if isinstance(value, dict):
        yield from _summaries(value, path)
        return
    if not isinstance(value, list):
        raise _wrong(path, "line 1", "a list of objects with a text")
    for number, record in enumerate(value, 1):
        yield _entry(record, path, f"item {number}")


def _summaries(value: Any, path: Path) -> Iterator[_Entry]:
    if not isinstance(value, dict):
        raise _wrong(path, "line 1", "an object of titles, each with an extract")
    for number, (title, record) in enumerate(value.items(), 1):
        where = f"item {number}"
        if not isinstance(record, dict) or not isinstance(record.get("extract"), str):
            raise _wrong(path, where, 'a title with an object that has an "extract"')
        yield _Entry("", _string(record.get("title", title), path, where, "title"), record["extract"])


def _tsv(text: str, path: Path) -> Iterator[_Entry]:
    lines = enumerate(text.split("\n"), 1)
    number, header = next((n, [cell.strip().lower() for cell in _cells(line)]) for n, line in lines if line.strip())
    if "text" not in header or not set(header) <= {"id", "text", "title"} or len(set(header)) < len(header):
        raise _wrong(path, f"line {number}", "the header id, text, title with tabs between")
    for number, line in lines:
        if not line.strip():
            continue
        cells = _cells(line)
        if len(cells) != len(header):
            raise _wrong(path, f"line {number}", f"{len(header)} columns with tabs between, not {len(cells)}")
        yield _entry(dict(zip(header, cells, strict=True)), path, f"line {number}")


def _txt(text: str, path: Path) -> Iterator[_Entry]:
    for paragraph in regex.split(r"\n(?:[^\S\n]*\n)+", text):
        yield _Entry("", "", paragraph)


_READERS: dict[str, Callable[[str, Path], Iterator[_Entry]]] = {
    ".jsonl": _jsonl,
    ".json": _json,
    ".tsv": _tsv,
    ".txt": _txt,
}


def _cells(line: str) -> list[str]:
    """The cells of a tab-separated line; a cell quoted as DPR's are ("" for ") is read without its quotes."""
    return [
        cell[1:-1].replace('""', '"') if regex.fullmatch(r'"(?:[^"]|"")*"', cell) else cell for cell in line.split("\t")
    ]


def _parse(text: str, path: Path, line: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise _wrong(path, f"line {line + error.lineno - 1}", f"JSON ({error.msg})") from None
    except (ValueError, RecursionError):
        raise _wrong(path, f"line {line}", "plain JSON objects") from None


def _entry(record: Any, path: Path, where: str) -> _Entry:
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise _wrong(path, where, 'an object with a "text" that is a string')
    identity = record.get("id")
    if isinstance(identity, bool) or not isinstance(identity, str | int | None):
        raise _wrong(path, where, "an id that is a string or a whole number")
    title = _string(record.get("title"), path, where, "title")
    return _Entry("" if identity is None else _valid(str(identity)).strip(), title, record["text"])


def _string(value: Any, path: Path, where: str, name: str) -> str:
    if not isinstance(value, str | None):
        raise _wrong(path, where, f"a {name} that is a string")
    return _valid(value or "").strip()


def _valid(text: str) -> str:
    """``text`` without lone surrogates, which JSON can spell and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _wrong(path: Path, where: str, expected: str) -> InputError:
    return InputError(f"The corpus {path} is not laid out as expected: {where} should be {expected}.")


# --- passages --------------------------------------------------------------------------------------------------------


def _split(entries: Iterable[_Entry]) -> Iterator[Passage]:
    """The passages of the entries; an id that is missing is made from the title, one used before gets a number."""
    counts: dict[str, int] = {}
    used: set[str] = set()
    for entry in entries:
        pieces = list(_pieces(_valid(entry.text)))
        base = entry.id or entry.title or "passage"
        for piece in pieces:
            identity = entry.id if len(pieces) == 1 else ""
            while not identity or identity in used:
                counts[base] = counts.get(base, 0) + 1
                identity = f"{base}#{counts[base]}"
            used.add(identity)
            yield Passage(identity, entry.title, piece)


def _pieces(text: str) -> Iterator[str]:
    """``text`` in slices of 100 words (separated by white space), shorter where the words are very long."""
    start = end = words = 0
    for word in regex.finditer(rf"\S{{1,{_CHARACTERS_OF_A_PASSAGE}}}", text):
        if words == WORDS_OF_A_PASSAGE or (words and word.end() - start > _CHARACTERS_OF_A_PASSAGE):
            yield text[start:end]
            words = 0
        if not words:
            start = word.start()
        end = word.end()
        words += 1
    if words:
        yield text[start:end]
