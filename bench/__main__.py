"""``python -m bench``: every measurement, as one Markdown report on stdout; progress goes to stderr."""

import argparse
import os
import platform
import sys
from pathlib import Path

import torch
import transformers

from dragin_core import Explainer, InputError, Settings
from dragin_core.evaluation import load_questions

from . import decoding, lens, memory, page, redecide, startup
from .prompts import long_prompts, short_prompts, talkative

PARTS = ("decoding", "memory", "startup", "redecide", "lens", "page")
QUESTIONS_FILE = Path(__file__).resolve().parents[1] / "assets" / "questions.jsonl"
QUESTION = "Who painted Guernica?"


def main(arguments: list[str] | None = None) -> int:
    """Measure and print. Returns the exit code."""
    options = parser().parse_args(arguments)
    try:
        explainer = Explainer.load()
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(heading(explainer), flush=True)
    for part in options.parts or PARTS:
        tell(part)
        print(f"\n{SECTIONS[part](explainer, options.quick)}", flush=True)
    return 0


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m bench", description="What the signals cost, as Markdown.")
    found.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=f"of {', '.join(PARTS)} (all)")
    found.add_argument("--quick", action="store_true", help="few and short measurements, to see that it works")
    return found


def tell(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def heading(explainer: Explainer) -> str:
    """Where this is measured, and how busy it was."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        f"# Bench\n\n{explainer.lm.name}, {str(explainer.lm.dtype).removeprefix('torch.')}, {explainer.lm.device}; "
        f"{os.cpu_count()} cores, {torch.get_num_threads()} threads, load {load} at the start; "
        f"Python {platform.python_version()}, torch {torch.__version__}, transformers {transformers.__version__}."
    )


def measure_decoding(explainer: Explainer, quick: bool) -> str:
    tokens, pairs, length = (8, 2, 300) if quick else (64, 7, 1500)
    model = decoding.plain_model(explainer.lm.model.config._name_or_path, explainer.lm.dtype)
    found = []
    for name, prompts in (("short", short_prompts(explainer)), ("long", long_prompts(explainer, length))):
        prompt = talkative(explainer.lm, prompts, tokens)
        found.append(decoding.compare(explainer.lm, model, name, prompt, tokens, pairs, tell))
    return decoding.section(found)


def measure_memory(explainer: Explainer, quick: bool) -> str:
    tokens, runs, length = (8, 1, 300) if quick else (64, 5, 1500)
    prompt = talkative(explainer.lm, long_prompts(explainer, length), tokens)
    return memory.section(explainer.lm, prompt, tokens, runs)


def measure_startup(explainer: Explainer, quick: bool) -> str:
    return startup.section(1 if quick else 5)


def measure_redecide(explainer: Explainer, quick: bool) -> str:
    run = redecide.talkative_run(explainer, 32 if quick else 256)
    return redecide.section(explainer, run, QUESTION, quick)


def measure_lens(explainer: Explainer, quick: bool) -> str:
    settings = Settings(max_new_tokens=16 if quick else 48)
    questions = [each.question for each in load_questions(QUESTIONS_FILE)][4 :: 60 if quick else 15]
    found = []
    for question in questions:
        found.append(lens.look(explainer, question, settings))
        tell(f"{question} ratio {found[-1].ratio:.1f}")
    return lens.section(found, settings)


def measure_page(explainer: Explainer, quick: bool) -> str:
    return page.section(quick)


SECTIONS = {
    "decoding": measure_decoding,
    "memory": measure_memory,
    "startup": measure_startup,
    "redecide": measure_redecide,
    "lens": measure_lens,
    "page": measure_page,
}

if __name__ == "__main__":
    sys.exit(main())
