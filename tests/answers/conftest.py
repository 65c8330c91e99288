"""A fit whose draws are given."""

import numpy as np
import pytest

from conftest import tree


@pytest.fixture(scope="session")
def dt():
    rng = np.random.default_rng(0)
    return tree(rng.normal(size=(2, 400, 5)) * 0.5 + [1.0, 0.8, 0.0, -0.1, -1.7])
