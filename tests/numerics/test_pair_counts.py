"""All pairs at once, against one pair after the other."""

import numpy as np

from leaderbayes._numerics.pair_counts import count_better


def test_it_is_that_of_each_pair():
    strengths = np.random.default_rng(1).integers(0, 4, (6, 50)).astype(float)  # with ties
    expected = (strengths[:, None] > strengths).sum(axis=2)
    assert np.array_equal(count_better(strengths), expected)
    # In any layout, and of nobody, or no draws.
    assert np.array_equal(count_better(np.asfortranarray(strengths)), expected)
    assert count_better(np.empty((2, 0))).tolist() == [[0, 0], [0, 0]]
    assert count_better(np.empty((0, 3))).shape == (0, 0)
