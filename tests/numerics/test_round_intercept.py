"""Listed pairs with a round's intercept, against enumeration."""

from itertools import combinations

import numpy as np
from scipy.optimize import approx_fprime
from scipy.special import expit

from leaderbayes._numerics import round_intercept as pmra

PLACE = np.array([[1, 2, 2, 4], [3, 0, 1, 2], [0, 1, 0, 1], [4, 3, 2, 1]], dtype=np.int32)
ORDER = np.array([2, 0, 3, 1])


def by_enumeration(b, c):
    out = np.zeros(len(PLACE))
    for k, row in enumerate(PLACE):
        for i, j in combinations(ORDER, 2):
            if row[i] and row[j]:
                y = 0.5 + 0.5 * np.sign(float(row[j]) - row[i])
                p = expit(c[k] + b[i] - b[j])
                out[k] += y * np.log(p) + (1 - y) * np.log(1 - p)
    return out


def value(b, c, data):
    return data.points @ b + data.first * c - pmra.log_normalisers(b, c, data.start, data.member)


def test_log_likelihood_and_gradient():
    rng = np.random.default_rng(0)
    data = pmra.listed_statistics(pmra.outcomes(PLACE, ORDER), ORDER)
    b, c, cotangent = rng.normal(size=4), rng.normal(size=4), rng.normal(size=4)
    np.testing.assert_allclose(value(b, c, data), by_enumeration(b, c))
    slope, level = pmra.log_normalisers_pullback(b, c, data.start, data.member, cotangent)
    numeric = approx_fprime(
        np.append(b, c),
        lambda x: cotangent @ pmra.log_normalisers(x[:4], x[4:], data.start, data.member),
        1e-7,
    )
    np.testing.assert_allclose(np.append(slope, level), numeric, atol=1e-5)


def test_far_apart_players_stay_finite():
    data = pmra.listed_statistics(pmra.outcomes(PLACE, ORDER), ORDER)
    b = np.array([-2000.0, 0.0, 1.0, 2000.0])
    assert np.isfinite(value(b, np.zeros(4), data)).all()
    sides = pmra.log_normalisers_pullback(b, np.zeros(4), data.start, data.member, np.ones(4))
    assert all(np.isfinite(side).all() for side in sides)


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
