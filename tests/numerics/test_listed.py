"""PMRA's integrals equal those on a fine grid, their derivatives those of differences."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import logsumexp
from scipy.stats import norm

from leaderbayes._numerics.listed import alike_rounds, draw_intercepts, log_likelihood
from leaderbayes._numerics.round_intercept import listed_statistics, outcomes

ORDER = np.array([2, 0, 1, 3])


@pytest.fixture(scope="module")
def board():
    rng = np.random.default_rng(1)
    place = np.argsort(np.argsort(rng.normal(size=(5, 4)), axis=1), axis=1).astype(np.int32) + 1
    place[0] = [1, 1, 3, 4]
    place[1, 2] = 0
    return outcomes(place, ORDER), np.array([1.0, 1.0, 0.4, 0.4, 1.0])


def slow(outcome, eta, b, level, scale):
    """Sum over rounds of the log of the integral over the intercept, on an even grid.

    For integrands as smooth as these it is exact.
    """
    first, second = (ORDER[side] for side in np.triu_indices(4, 1))
    c = level + scale * np.linspace(-10.0, 10.0, 8001)
    gap = c[:, None] + b[first] - b[second]
    each = 0.5 * outcome[:, None] * gap - np.logaddexp(0.0, gap)
    log = eta[:, None] * np.where(outcome[:, None] >= 0, each, 0.0).sum(axis=2)
    return (logsumexp(log + norm.logpdf(c, level, scale), axis=1) + np.log(c[1] - c[0])).sum()


@pytest.mark.parametrize(("spread", "scale"), [(0.5, 0.05), (0.5, 4.0), (6.0, 0.5), (6.0, 4.0)])
def test_integral(board, scale, spread):
    outcome, eta = board
    rounds = alike_rounds(listed_statistics(outcome, ORDER), eta)
    b = spread * np.random.default_rng(2).normal(size=4)
    found = log_likelihood(b[None], np.array([0.3]), np.array([scale]), rounds, gradient=False)[0][
        0
    ]
    assert found == pytest.approx(slow(outcome, eta, b, 0.3, scale), abs=1e-5)


def test_derivatives(board):
    outcome, eta = board
    rounds = alike_rounds(listed_statistics(outcome, ORDER), eta)

    def value(x):
        parts = x[None, :4], x[4:5], np.exp(x[5:6])
        return log_likelihood(*parts, rounds, gradient=False)[0][0]

    x = np.append(np.random.default_rng(3).normal(size=4), [0.2, -0.5])
    _, by_b, by_level, by_scale = log_likelihood(
        x[None, :4], x[4:5], np.exp(x[5:6]), rounds, gradient=True
    )
    found = np.concatenate([by_b[0], by_level, by_scale * np.exp(x[5])])
    np.testing.assert_allclose(found, approx_fprime(x, value, 1e-5), atol=1e-3)


def test_intercepts_are_drawn_from_their_posterior(board):
    outcome, eta = board
    rounds = alike_rounds(listed_statistics(outcome, ORDER), eta)
    b, level, scale, draws = np.array([1.0, 0.0, -1.0, 0.5]), 0.3, 1.5, 4000
    drawn = draw_intercepts(
        np.tile(b, (draws, 1)), np.full(draws, level), np.full(draws, scale), rounds,
        len(eta), np.random.default_rng(4),
    )  # fmt: skip
    first, second = (ORDER[side] for side in np.triu_indices(4, 1))
    grid = np.linspace(-12.0, 12.0, 4001)
    for k, (row, weight) in enumerate(zip(outcome, eta, strict=True)):
        gap = grid[:, None] + b[first] - b[second]
        each = 0.5 * row * gap - np.logaddexp(0.0, gap)
        log = weight * each[:, row >= 0].sum(axis=1) + norm.logpdf(grid, level, scale)
        p = np.exp(log - log.max())
        p /= p.sum()
        mean, sd = p @ grid, np.sqrt(p @ grid**2 - (p @ grid) ** 2)
        assert abs(drawn[:, k].mean() - mean) < 4.0 * sd / np.sqrt(draws)
        assert drawn[:, k].std() == pytest.approx(sd, rel=0.06)
