"""Peak memory of one window, each measurement in a process of its own: ``python -m bench.memory FILE``."""

import gc
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import torch
from transformers import AutoTokenizer

from dragin_core.language_model import CausalLM
from dragin_core.prompts import Prompt
from dragin_core.reading import read
from dragin_core.settings import Settings
from dragin_core.words import stop_words

from .decoding import generate, plain_model
from .prompts import decode
from .report import spread, table

MIB = 2**20
ROOT = Path(__file__).parents[1]


def resident() -> tuple[int, int]:
    """Bytes that this process has in memory: now, and at most since it started or :func:`forget_peak` was called."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    kib = {line.split(":")[0]: int(line.split()[1]) for line in lines if line.startswith(("VmRSS", "VmHWM"))}
    return kib["VmRSS"] * 1024, kib["VmHWM"] * 1024


def forget_peak() -> None:
    """Let the peak start anew from what is in memory now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


def measure(kind: str, prompt: Prompt, source: str, dtype: torch.dtype, tokens: int) -> dict[str, int]:
    """In this process: bytes with the model loaded, and at most while one window is written."""
    stop_words()  # what is imported at first use is no part of a window
    if kind == "plain":
        tokenizer = AutoTokenizer.from_pretrained(source)  # whoever generates has one
        model = plain_model(source, dtype)
    else:
        lm = CausalLM.load(source)
        model = lm.model
    with torch.inference_mode():  # weights come into memory when they are first read
        model(torch.tensor([prompt.token_ids[:8]], device=model.device))
    gc.collect()
    forget_peak()
    loaded, _ = resident()
    if kind == "plain":
        tokenizer.decode(generate(model, prompt, tokens))
    else:
        read(decode(lm, prompt, tokens), Settings().effective).scores  # noqa: B018
    return {"loaded": loaded, "peak": resident()[1]}


def measure_apart(kind: str, lm: CausalLM, prompt: Prompt, tokens: int) -> dict[str, int]:
    """:func:`measure` in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "task"
        file.write_bytes(pickle.dumps((kind, prompt, lm.model.config._name_or_path, lm.dtype, tokens)))
        command = [sys.executable, "-m", "bench.memory", str(file)]
        out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    loaded, peak = (int(value) for value in out.split())
    return {"loaded": loaded, "peak": peak}


def section(lm: CausalLM, prompt: Prompt, tokens: int, runs: int) -> str:
    """The report's part on memory."""
    found = {"plain": [], "ours": []}
    for _ in range(runs):
        for kind, each in found.items():
            each.append(measure_apart(kind, lm, prompt, tokens))
    growth = {kind: [(m["peak"] - m["loaded"]) / MIB for m in each] for kind, each in found.items()}
    loaded = {kind: median(m["loaded"] / MIB for m in each) for kind, each in found.items()}
    extra = median(growth["ours"]) - median(growth["plain"])
    total = loaded["plain"] + median(growth["plain"])
    rows = [
        ["plain `generate`", f"{loaded['plain']:.0f}", spread(growth["plain"], ".1f")],
        ["with all signals", f"{loaded['ours']:.0f}", spread(growth["ours"], ".1f")],
    ]
    return "\n\n".join(
        [
            "## Memory",
            table(["", "model loaded, MiB", "peak above that, MiB"], rows),
            f"{len(prompt.token_ids):,} prompt tokens and {tokens} new ones, {runs} processes each. With signals the "
            f"peak is {extra:+.1f} MiB, {extra / total:+.2%} of plain decoding's {total:.0f} MiB.",
        ]
    )


if __name__ == "__main__":
    result = measure(*pickle.loads(Path(sys.argv[1]).read_bytes()))
    print(result["loaded"], result["peak"])
