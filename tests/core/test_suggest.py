"""A θ for another model: as rarely passed as the default one on the packaged model."""

import json

import numpy as np
import pytest

from dragin_core import Settings
from dragin_core.suggest import SHARE, scores, theta_for
from visuals.texts import ASSETS


def test_the_share_of_all_scores_passes_it():
    found = [np.array([0.1, 0.2, 0.3, 0.4]), np.array([]), np.array([0.5])]
    assert theta_for(found, share=0.5) == 0.3
    assert theta_for(found, share=0) == 0.5
    assert theta_for([np.array([0.12345, 0.12345])]) == 0.12
    assert theta_for([]) == theta_for([np.array([])]) == 0


def test_on_the_packaged_model_it_is_the_default(explainer):
    found = []
    for example in json.loads((ASSETS / "examples.json").read_text(encoding="utf-8")):
        found += [item for item in scores(explainer.engine, example["question"], Settings()) if hasattr(item, "dtype")]
    usual = Settings().theta
    assert np.mean(np.concatenate(found) > usual) == pytest.approx(SHARE, abs=0.01)
    assert theta_for(found) == pytest.approx(usual, rel=0.06)
