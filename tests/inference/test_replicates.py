"""Draws are thinned where replicated boards would fill the memory, and that is said."""

import warnings

import pytest

import leaderbayes as lb
from leaderbayes._inference.replicates import MAX_REPLICATED, replicated


@pytest.mark.parametrize(("asked", "count"), [(None, 4000), (200, 200), (10_000, 4000)])
def test_all_draws_unless_fewer_are_asked_for(asked, count):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert replicated((4, 1000), 100, asked) == count


def test_large_boards_get_fewer():
    with pytest.warns(lb.PredictiveWarning, match="LB012 .*every 8th draw"):
        count = replicated((4, 1000), 100_000, None)
    assert count == 500
    assert count * 100_000 <= MAX_REPLICATED
