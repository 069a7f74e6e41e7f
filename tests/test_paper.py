"""The paper's results on the page are the paper's, and what is said of them holds."""

import json
from pathlib import Path

import pytest

from visuals.paper import results

ROOT = Path(__file__).parents[1]
GIVEN = ROOT.parent / "shared" / "data" / "paper.json"
PAPER = results()


@pytest.fixture(scope="module")
def given():
    if not GIVEN.is_file():
        pytest.skip("the paper's tables are not beside this project")
    return json.loads(GIVEN.read_text(encoding="utf-8"))


def by_method(section):
    """``{model: {method: {dataset: value or {measure: value}}}}``."""
    found = {}
    for model, datasets in section["models"].items():
        for place, method in enumerate(section["methods"]):
            found.setdefault(model, {})[method] = {
                dataset: {name: numbers[place] for name, numbers in each.items()}
                if isinstance(each, dict)
                else each[place]
                for dataset, each in datasets.items()
            }
    return found


def test_methods_and_retrievals_are_the_papers(given):
    assert by_method(PAPER["main"]) == given["main_results"]
    assert by_method(PAPER["retrievals"]) == given["retrieval_calls"]


@pytest.mark.parametrize(("name", "held"), [("timing", "query"), ("query", "timing")])
def test_the_ablations_are_the_papers(given, name, held):
    ours, theirs = PAPER[name], given[f"{name}_ablation"]
    assert {"dataset": ours["dataset"], held: ours["held"], "columns": ours["measures"], **ours["models"]} == theirs


def test_sweep_and_retrievers_are_the_papers(given):
    names = ["theta", *PAPER["sweep"]["measures"]]
    assert [dict(zip(names, row, strict=True)) for row in PAPER["sweep"]["rows"]] == given["theta_sweep"]["rows"]
    assert given["theta_sweep"]["model"] == PAPER["sweep"]["model"]
    assert PAPER["sweep"]["dataset"] in given["theta_sweep"]["dataset"]
    ours = PAPER["retrievers"]
    assert {"model": ours["model"], "columns": ours["measures"], **ours["datasets"]} == given["retriever_comparison"]


def test_what_the_page_calls_odd_is_so():
    main = by_method(PAPER["main"])
    wiki = "2WikiMultihopQA"
    (row,) = [row for row in PAPER["sweep"]["rows"] if row[0] == 0.6]
    assert {"em": row[1], "f1": row[2]} == main["Llama2-13b-chat"]["DRAGIN"][wiki]
    assert main["Vicuna-13b-v1.5"]["wo-RAG"][wiki] == main["Llama2-7b-chat"]["wo-RAG"][wiki]
    for name in ("FL-RAG", "FS-RAG"):
        em, f1, _ = PAPER["timing"]["models"]["Llama2-13b-chat"][name]
        assert {"em": em, "f1": f1} == main["Llama2-13b-chat"][name]["IIRC"]
