"""Fixtures shared by all tests: the packaged model and passages, loaded once."""

import pytest
from tiny import tiny_explainer

from dragin_core import Explainer


@pytest.fixture(scope="session")
def explainer() -> Explainer:
    """The packaged model and passages."""
    return Explainer.load()


@pytest.fixture
def scripted():
    """A function that makes an explainer whose tiny model writes a given text (see :mod:`tiny`)."""
    return tiny_explainer
