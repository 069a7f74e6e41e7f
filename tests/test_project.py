"""The project as a whole: what must agree between its files, and what none of them may do."""

import ast
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import app
import bench.__main__
from dragin_core import cli
from dragin_core.switches import SWITCHES, VARIANTS

ROOT = Path(__file__).parents[1]
PACKAGES = ("bench", "dragin_core", "visuals")
MODULES = [ROOT / "app.py", *(path for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py")))]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = ("fetch", "doctor", "run", "score", "evaluate", "sweep")


def python(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120)


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line)


def test_the_space_card_is_the_header_of_the_readme():
    _, header, _ = README.split("---\n", 2)
    assert header == (ROOT / "Spacefile").read_text(encoding="utf-8")


def test_the_space_runs_what_is_pinned_and_tested():
    card = yaml.safe_load((ROOT / "Spacefile").read_text(encoding="utf-8"))
    assert card["sdk"] == "gradio"
    assert card["sdk_version"] == pins("requirements.txt")["gradio"]
    assert (ROOT / card["app_file"]).is_file()
    assert len(card["short_description"]) <= 60
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">={card['python_version']}"


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = python("-c", "import dragin_core; print(dragin_core.__version__)")
    assert found.stdout.strip() == project["version"]
    assert f"## {project['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SWITCHES)
def test_the_switch_table_of_the_docs_is_what_the_program_has(name):
    switch = SWITCHES[name]
    table = (ROOT / "docs" / "paper-and-code.md").read_text(encoding="utf-8")
    (row,) = [line for line in table.splitlines() if line.startswith(f"| `{name}` |")]
    told = dict(re.findall(r"`([^`]+)`(?: \(([^)]*)\))?", row.rsplit(" | ", 1)[1]))
    assert switch.changes in row
    assert set(told) == {str(value) for value in switch.values or (switch.paper, switch.official)}
    for value, variants in told.items():
        wanted = {variant for variant in VARIANTS if str(getattr(switch, variant)) == value}
        assert set(filter(None, variants.split(", "))) == wanted


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_is_pinned(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines if line and not line.startswith(("#", "-r "))]
    assert wanted
    assert all(re.fullmatch(r"[\w-]+==[\w.]+", line) for line in wanted)


def test_the_core_knows_nothing_of_the_page():
    program = """
import importlib, pkgutil, sys
import dragin_core
for module in pkgutil.walk_packages(dragin_core.__path__, "dragin_core."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(sorted({name.split(".")[0] for name in sys.modules} & {"gradio", "plotly", "visuals", "app"}))
"""
    found = python("-c", program)
    assert found.stdout.strip() == "[]", found.stderr


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_are_short_told_and_swallow_nothing(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) <= 400
    assert ast.get_docstring(tree), "a module says what it is for"
    bare = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.type is None]
    assert not bare


def test_no_value_is_spliced_into_a_template():
    """``{{value}}`` of gr.HTML runs what is in it, so nothing may reach the page that way."""
    sources = [*MODULES, *(p for p in (ROOT / "assets").rglob("*") if p.suffix in {".js", ".css", ".html", ".json"})]
    spliced = [str(p.relative_to(ROOT)) for p in sources if re.search(r"\{\{\s*value", p.read_text(encoding="utf-8"))]
    assert not spliced


def readme_commands() -> list[list[str]]:
    """The words after "python" of every command line of this project that the README shows."""
    found = re.findall(r"python ((?:-m (?:dragin_core|bench)|app\.py)[^`\n]*)", README)
    return [shlex.split(line, comments=True) for line in found]


def help_of(words: list[str], capsys) -> str:
    """What ``--help`` says of the program, and command, that a command line begins with."""
    if words[0] == "app.py":
        return app.parser().format_help()
    if words[1] == "bench":
        return bench.__main__.parser().format_help()
    with pytest.raises(SystemExit) as ended:
        cli.main([words[2], "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_help_comes():
    result = python("-m", "dragin_core", "--help")
    assert result.returncode == 0
    assert all(command in result.stdout for command in COMMANDS)


def test_the_readme_shows_every_command():
    assert {words[2] for words in readme_commands() if words[:2] == ["-m", "dragin_core"]} == set(COMMANDS)


def test_the_readmes_commands_exist(capsys):
    """Each is known, and ``--help`` lists every option that the README gives it."""
    for words in readme_commands():
        text = help_of(words, capsys)
        options = {word.split("=")[0] for word in words if word.startswith("--")}
        missing = {option for option in options if not re.search(rf"{option}\b", text)}
        assert not missing, f"{shlex.join(words)}: {missing}"


def test_options_that_the_readme_names_exist(capsys):
    helps = "".join(help_of(["-m", "dragin_core", command], capsys) for command in COMMANDS)
    named = set(re.findall(r"`(--[a-z-]+)", README))
    assert named
    assert not {option for option in named - {"--help"} if option not in helps}


def test_the_readmes_python_is_python_and_its_names_exist():
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    imports = [node for node in ast.parse(example).body if isinstance(node, ast.ImportFrom)]
    names = [alias.name for node in imports for alias in node.names]
    result = python("-c", f"from dragin_core import {', '.join(names)}; print(Settings(theta=0.3).theta)")
    assert result.stdout.strip() == "0.3", result.stderr


def test_make_targets_that_the_readme_names_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"(?:`|^)make ([a-z]+)", README, re.MULTILINE)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_links_to_files_lead_somewhere():
    linked = [link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link]
    assert linked
    assert not [link for link in linked if not (ROOT / link).exists()]


def test_ci_is_a_script_that_runs():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", str(script)]).returncode == 0


@pytest.mark.parametrize("call", [["app.py", "--bogus"], ["app.py", "--port"], ["-m", "dragin_core", "run"]])
def test_a_call_that_is_wrong_is_one_line_and_exit_2(call):
    found = python(*call)
    assert found.returncode == 2
    assert found.stdout == ""
    assert len(found.stderr.strip().splitlines()) == 1
    assert "--help" in found.stderr
