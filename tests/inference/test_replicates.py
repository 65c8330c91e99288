"""Draws are thinned where replicated boards would take much memory."""

import pytest

from leaderbayes._inference.replicates import MAX_REPLICATED, replicated


@pytest.mark.parametrize(("asked", "count"), [(None, 4000), (200, 200), (10_000, 4000)])
def test_all_draws_unless_fewer_are_asked_for(asked, count):
    assert replicated((4, 1000), 100, asked) == count


def test_large_boards_get_fewer():
    count = replicated((4, 1000), 100_000, None)
    assert count == 100
    assert count * 100_000 <= MAX_REPLICATED
    assert replicated((4, 1000), 100_000, 4000) == 4000
    assert replicated((4, 1000), 100_000_000, None) == 1
