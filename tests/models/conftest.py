"""Scripts that make the evidence, as modules."""

import importlib
from pathlib import Path

import pytest

MODELS = Path(__file__).parents[2] / "models"


@pytest.fixture(scope="session")
def script():
    """Import a script of models/ by its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(MODELS))
        yield importlib.import_module
