"""Boards to be fitted, with names that are no names of files."""

import pytest

from studies import many


@pytest.fixture(scope="session")
def boards():
    return many(["a", "b c", "d/e", ".f", "ü%", "long" * 60])
