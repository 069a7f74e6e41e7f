"""The paper's hyperparameters: the table, finding one, and ``--preset`` on the command line."""

import json
from pathlib import Path

import pytest

from dragin_core import InputError, Settings, cli
from dragin_core.presets import PRESETS, find

PAPER = Path(__file__).resolve().parents[3] / "shared" / "data" / "paper.json"
MODELS = {"llama2-13b": "Llama2-13b-chat", "llama2-7b": "Llama2-7b-chat", "vicuna-13b": "Vicuna-13b-v1.5"}
DATASETS = ("2WikiMultihopQA", "HotpotQA", "IIRC", "StrategyQA")


def test_there_is_one_for_every_model_and_dataset_and_it_can_be_set():
    assert list(PRESETS) == [f"{model}/{dataset.lower()}" for model in MODELS for dataset in DATASETS]
    for preset in PRESETS.values():
        settings = Settings(**preset.settings())
        assert (settings.theta, settings.shots) == (preset.theta, preset.shots)
        assert preset.released_theta != preset.theta
        assert preset.released_shots != preset.shots


@pytest.mark.skipif(not PAPER.exists(), reason="the paper's tables are not beside this repository")
@pytest.mark.parametrize(("name", "model"), MODELS.items())
@pytest.mark.parametrize("dataset", DATASETS)
def test_every_number_is_the_papers(name, model, dataset):
    paper = json.loads(PAPER.read_text(encoding="utf-8"))
    table, released, setup = paper["hyperparameters"][model], paper["released_config"], paper["setup"]
    preset = find(f"{name}/{dataset}")
    assert (preset.model, preset.dataset) == (model, dataset)
    assert preset.settings() == {
        "theta": table["theta"][dataset],
        "top_n": table["top_n"][dataset],
        "top_k": setup["top_k"],
        "max_new_tokens": table["generate_length"][dataset],
        "shots": setup["demonstrations"][dataset],
    }
    assert (preset.released_theta or preset.theta) == released["theta"][model][dataset]
    assert (preset.released_shots or preset.shots) == released["demonstrations"][dataset]


@pytest.mark.parametrize("name", ["llama2-13b/2wikimultihopqa", "Llama2-13B/2WikiMultihopQA", " LLAMA2-13b/2wiki "])
def test_a_name_is_found_however_it_is_written(name):
    assert find(name) is PRESETS["llama2-13b/2wikimultihopqa"]


@pytest.mark.parametrize("name", ["", "llama2-13b", "hotpotqa", "gpt/hotpotqa", "llama2-13b/2wiki/3"])
def test_an_unknown_name_lists_the_right_ones(name):
    with pytest.raises(InputError) as error:
        find(name)
    assert all(known in str(error.value) for known in PRESETS)


@pytest.fixture
def ran_with(monkeypatch):
    """The settings that a command line comes to, without a model."""
    seen = []

    class Ran:
        def run(self, question, settings):
            seen.append(settings)
            raise InputError("Far enough.")

    monkeypatch.setattr(cli, "_explainer", lambda options: Ran())

    def settings(*arguments):
        assert cli.main(["run", "Who painted Guernica?", *arguments]) == 2
        return seen.pop()

    return settings


def test_a_preset_sets_five_values_and_what_is_given_beside_it_wins(ran_with):
    whole = Settings(theta=1.3, top_n=35, top_k=3, max_new_tokens=128, shots=8)
    assert ran_with("--preset", "vicuna-13b/iirc") == whole
    assert ran_with("--theta", "0.2", "--preset", "Vicuna-13B/IIRC", "--shots", "0") == whole.but(theta=0.2, shots=0)


def test_an_unknown_preset_exits_2_with_one_line(capsys):
    assert cli.main(["run", "Who?", "--preset", "gpt/trivia"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: There is no preset 'gpt/trivia'")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("command", ["run", "score", "evaluate", "sweep"])
def test_every_command_with_settings_takes_a_preset(command, capsys):
    with pytest.raises(SystemExit):
        cli.main([command, "--help"])
    assert "--preset" in capsys.readouterr().out
