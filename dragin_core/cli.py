"""Commands of ``python -m dragin_core``. Results go to stdout, progress and notices to stderr; bad input exits 2."""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from . import packaged
from .arguments import Parser
from .compare import told
from .errors import InputError
from .evaluation import Question, is_right, load_questions, shared_line, summary_table, sweep_table, threshold_range
from .evaluation.run import evaluate_to_file
from .explainer import Explainer
from .methods import METHODS, WHAT, WHEN, What, When
from .presets import PRESETS, find
from .sentences import notice
from .settings import FLARE_RULES, Settings, check_question
from .switches import SWITCHES, VARIANTS
from .trace import Trace

HALVES = {"all": slice(None), "odd": slice(0, None, 2), "even": slice(1, None, 2)}
NUMBERS = ("theta", "top_n", "top_k", "max_new_tokens", "max_retrievals", "shots", "every")
NUMBERS += ("flare_threshold", "flare_mask", "flare_doubt")
SETTINGS = ("method", "variant", "when", "what", "flare_rule", *NUMBERS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns 0, or 2 with one line on stderr for bad input."""
    try:
        options = _parser().parse_args(arguments)
        return options.command(options)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever read it has had enough, as `head` does
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (it is flushed when Python ends)
        return 1


def fetch(options: argparse.Namespace) -> int:
    """Get the packaged model and passages."""
    packaged.fetch(_report)
    print(packaged.cache_dir())
    return 0


def doctor(options: argparse.Namespace) -> int:
    """Say what runs here."""
    explainer = _explainer(options)
    facts = explainer.environment | {"cache": str(packaged.cache_dir())}
    if options.json:
        _print_json(facts)
    else:
        print("\n".join(f"{name}: {_line(value)}" for name, value in facts.items()))
    return 0


def run(options: argparse.Namespace) -> int:
    """Answer a question."""
    settings, question = _settings(options), check_question(options.question)
    trace = _explainer(options).run(question, settings)
    if options.json:
        _print_json(trace.to_dict())
    else:
        print(_story(trace, options.gold))
    return 0


def score(options: argparse.Namespace) -> int:
    """Score one window without retrieving."""
    settings = _settings(options)
    prompt = _read_text(options.prompt_file)
    text = _read_text(options.text_file) if options.text_file else None
    pair = _compared(options.compare, settings)
    explainer = _explainer(options)
    window = explainer.decode(
        prompt,
        pair[0],
        raw=options.raw_prompt,
        question=options.question,
        answer_so_far=options.answer_so_far,
        text=text,
    )
    both = len(pair) == 2
    result = explainer.compare(window, *pair) if both else explainer.score_window(window, settings)
    if options.json:
        _print_json(result)
    elif both:
        print(told(result))
    else:
        _print_score(result)
    return 0


def _compared(names: str | None, settings: Settings) -> list[Settings]:
    """The settings to compare, or the one to score."""
    if names is None:
        return [settings]
    variants = [name.strip() for name in names.split(",")]
    if len(variants) != 2:
        raise InputError(f"--compare {names!r} is no pair: write two variants, such as paper,official.")
    return [settings.but(variant=name) for name in variants]


def _print_score(result: dict) -> None:
    for unit in result["units"]:
        undefined = "pending" if unit["pending"] else "undefined"
        rind = undefined if unit["rind"] is None else f"{unit['rind']:.3f}"
        print(f"{rind:>8}  {unit['entropy']:6.2f}  {unit['text']!r}")
    decision = result["decision"]
    fires = f"fires at unit {decision['index']}" if decision["retrieve"] else "does not fire"
    print(f"{fires} ({decision['reason']})")
    if result["query"]:
        print(f"query: {result['query']['text']}")
    for mend in result["mends"]:
        print(f"mended: {mend}")


def evaluate(options: argparse.Namespace) -> int:
    """Compare methods over a question file."""
    settings = _settings(options)
    each = {name: settings.but(method=name) for name in map(str.strip, options.methods.split(","))}
    questions = _part(load_questions(options.questions), options)
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--out {options.out} cannot be made a folder: give another path.") from error
    explainer = _explainer(options, explore=options.explore)
    results = {}
    for name, chosen in each.items():
        right = done = 0

        def tell(outcome, name=name):
            nonlocal right, done
            right, done = right + outcome.right, done + 1
            _report(f"{name}: {right} of {done} right", done / len(questions))

        path = options.out / f"{name}.jsonl"
        results[name] = evaluate_to_file(explainer, questions, chosen, path, options.resume, tell)
    print("\n\n".join(filter(None, [summary_table(results), shared_line(results)])))
    return 0


def sweep(options: argparse.Namespace) -> int:
    """Run one question, or a file of them, at many thresholds."""
    settings, thetas = _settings(options), threshold_range(options.thetas)
    if options.questions.endswith(".jsonl"):
        questions = load_questions(Path(options.questions))
    else:
        questions = [Question("1", check_question(options.questions), tuple(options.gold))]
    questions = _part(questions, options)
    try:
        out = options.out.open("w", encoding="utf-8")
    except OSError as error:
        raise InputError(f"--out {options.out} cannot be written: give another path.") from error
    with out:
        table = sweep_table(_explainer(options), questions, settings, thetas, _report)
        out.write(table)
    print(table, end="")
    return 0


def _part(questions: list[Question], options: argparse.Namespace) -> list[Question]:
    if options.limit is not None and options.limit < 1:
        raise InputError(f"--limit is {options.limit}: give a whole number of 1 or more.")
    return questions[HALVES[options.half]][: options.limit]


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m dragin_core", description="DRAGIN, step by step.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    _command(commands, fetch)
    _with_json(_with_model(_command(commands, doctor)))

    answer = _with_json(_with_settings(_with_model(_command(commands, run))))
    answer.add_argument("question")
    answer.add_argument("--gold", action="append", default=[], metavar="ANSWER", help="an answer that counts as right")

    window = _with_json(_with_settings(_with_model(_command(commands, score))))
    window.add_argument("--prompt-file", type=Path, required=True)
    window.add_argument("--raw-prompt", action="store_true", help="plain text, no chat template")
    window.add_argument("--question", default="", help="the part of the prompt that a query may use")
    window.add_argument("--answer-so-far", default="")
    window.add_argument("--compare", metavar="A,B", help="two variants: what changes between them, switch by switch")
    window.add_argument("--text-file", type=Path, help="score this text instead of decoding")

    table = _with_settings(_with_model(_command(commands, evaluate)))
    table.add_argument("questions", type=Path)
    table.add_argument("--methods", default=",".join(reversed(METHODS)))
    table.add_argument("--out", type=Path, required=True)
    explore = "write every window to its end, as the page does, and count what methods save by sharing windows"
    table.add_argument("--explore", action="store_true", help=explore)
    _with_part(table).add_argument("--resume", action="store_true")

    lens = _with_settings(_with_model(_command(commands, sweep)), theta=False)
    lens.add_argument("questions", metavar="QUESTION|FILE.jsonl")
    lens.add_argument("--theta", dest="thetas", default="0.1:2.0:20", metavar="FROM:TO:COUNT")
    lens.add_argument("--out", type=Path, required=True)
    lens.add_argument("--gold", action="append", default=[], metavar="ANSWER", help="an answer that counts as right")
    _with_part(lens)
    return parser


def _with_part(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("--limit", type=int, help="only the first so many questions")
    parser.add_argument("--half", choices=list(HALVES), default="all", help="of the questions in file order")
    return parser


def _command(commands, function) -> argparse.ArgumentParser:
    parser = commands.add_parser(function.__name__, help=function.__doc__, description=function.__doc__)
    parser.set_defaults(command=function)
    return parser


def _with_model(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("--model", metavar="ID|PATH", help="default: the packaged SmolLM2-135M-Instruct")
    parser.add_argument("--corpus", metavar="PATH", help="default: the packaged Wikipedia summaries")
    parser.add_argument("--no-download", action="store_true")
    return parser


def _with_settings(parser: argparse.ArgumentParser, theta: bool = True) -> argparse.ArgumentParser:
    defaults = Settings()
    parser.add_argument("--method", help=f"{', '.join(METHODS)} (default {defaults.method})")
    parser.add_argument("--variant", help=f"{', '.join(VARIANTS)} (default {defaults.variant})")
    parser.add_argument("--set", action="append", default=[], metavar="SWITCH=VALUE", help=", ".join(SWITCHES))
    parser.add_argument(
        "--preset",
        metavar="MODEL/DATASET",
        help=f"the paper's numbers, where none is given: {', '.join(PRESETS)}",
    )
    parser.add_argument("--when", help=f"instead of the method's own: {_told(WHEN)}")
    parser.add_argument("--what", help=f"instead of the method's own: {_told(WHAT)}")
    parser.add_argument("--flare-rule", help=f"{', '.join(FLARE_RULES)} (default {defaults.flare_rule})")
    for name in NUMBERS if theta else NUMBERS[1:]:
        value = getattr(defaults, name)
        parser.add_argument(f"--{name.replace('_', '-')}", metavar=type(value).__name__, help=f"default {value}")
    return parser


def _told(choices: Mapping[str, When | What]) -> str:
    return "; ".join(f"{name} ({each.told})" for name, each in choices.items())


def _with_json(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _settings(options: argparse.Namespace) -> Settings:
    given = {name: getattr(options, name, None) for name in SETTINGS}
    usual = find(options.preset).settings() if options.preset is not None else {}
    switches = dict(_switch(text) for text in options.set)
    values = usual | {name: value for name, value in given.items() if value is not None}
    settings = Settings(**values, switches=switches)
    said = notice() if settings.reads_sentences else None
    if said:
        print(said, file=sys.stderr)
    return settings


def _switch(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"--set {text!r} has no value: write SWITCH=VALUE, such as unit=word.")
    return name.strip(), value.strip()


def _explainer(options: argparse.Namespace, explore: bool = True) -> Explainer:
    explainer = Explainer.load(
        options.model, options.corpus, allow_download=not options.no_download, on_progress=_report, explore=explore
    )
    if explainer.lm.capture.notice:
        print(explainer.lm.capture.notice, file=sys.stderr)
    return explainer


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as UTF-8 text: give a text file.") from error


def _report(message: str, fraction: float | None = None) -> None:
    print(f"{message} {fraction:.0%}" if fraction is not None else message, file=sys.stderr)


def _print_json(document: dict) -> None:
    print(json.dumps(document, ensure_ascii=False), flush=True)


def _line(value) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items())
    return "none" if value is None else str(value)


def _fired(decision: dict, settings: Settings) -> str:
    """Why it retrieves, in a line."""
    score = decision["score"]
    match settings.timing:
        case "every":
            return f"retrieves after {settings.every} tokens"
        case "sentence":
            return "retrieves after a sentence"
        case "flare" if settings.flare_rule == "paper":
            return f"unsure: probability {score:.3f} < {settings.flare_threshold:g}"
        case "flare":
            return f"unsure: mean of 1 - p {score:.3f} > {settings.flare_doubt:g}"
    return f"fires: score {score:.3f} > theta {settings.theta:g}"


def _story(trace: Trace, gold: Sequence[str]) -> str:
    """A run told in a few lines."""

    def mark(answer: str) -> str:
        return "" if not gold else " [right]" if is_right(answer, gold) else " [wrong]"

    lines = []
    for event in trace.to_dict()["events"]:
        match event:
            case {"type": "window", "round": number, "kept_text": kept, "text": text}:
                lines.append(f"round {number}: {kept}|{text}")
            case {"type": "decision", "retrieve": True, "index": None}:
                lines.append("  retrieves before the first token")
            case {"type": "decision", "retrieve": True}:
                lines.append(f"  {_fired(event, trace.run.settings)}")
            case {"type": "query", "text": text}:
                lines.append(f"  query: {text}")
            case {"type": "passages", "items": items, "evidence": evidence}:
                lines.append(f"  passages ({evidence}): {', '.join(i['title'] for i in items) or 'none'}")
            case {"type": "finished", "reason": reason}:
                lines.append(f"finished: {reason}")
    before = trace.answer_without_retrieval
    if before is not None:
        lines.append(f"without retrieval: {before}{mark(before)}")
    lines.append(f"answer: {trace.answer}{mark(trace.answer)}")
    lines.append(", ".join(f"{name} {value}" for name, value in trace.counts.items()))
    return "\n".join(lines)
