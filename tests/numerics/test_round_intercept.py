"""Outcomes of listed pairs, and what is drawn of them."""

import numpy as np
from scipy.special import expit

from leaderbayes._numerics import round_intercept as pmra

PLACE = np.array([[1, 2, 2, 4], [3, 0, 1, 2], [0, 1, 0, 1], [4, 3, 2, 1]], dtype=np.int32)
ORDER = np.array([2, 0, 3, 1])


def test_counts_and_draws():
    wins, n = pmra.counts(pmra.outcomes(PLACE, ORDER), ORDER)
    assert wins[3, 0] == 2
    assert n[0, 1] == n[1, 0] == 2
    rng = np.random.default_rng(1)
    rounds = 20_000
    b, c = np.array([0.5, 0.0, -0.5]), 0.7
    order = np.array([1, 0, 2])
    drawn = pmra.draw_outcomes(b, np.full(rounds, c), np.ones((rounds, 3), bool), order, rng)
    won = (drawn == pmra.WIN).mean(axis=0)
    p = expit(c + b[[1, 1, 0]] - b[[0, 2, 2]])
    assert (np.abs(won - p) < 4 * np.sqrt(p * (1 - p) / rounds)).all()
