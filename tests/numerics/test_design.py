"""Designs, and the posterior where these may say who is strong."""

import numpy as np
import pytest

from leaderbayes._numerics import design
from leaderbayes._numerics.laplace import Board
from leaderbayes._numerics.log_density import add_matches


def chain(players, each=40.0):
    met = np.zeros((players, players))
    k = np.arange(players - 1)
    met[k, k + 1] = met[k + 1, k] = each
    return met


def everyone(players, each=10.0):
    return each * (1.0 - np.eye(players))


def played(met, seed=1):
    rng = np.random.default_rng(seed)
    won = np.triu(rng.binomial(met.astype(int), 0.6), 1).astype(float)
    won += np.tril(met - won.T, -1)
    return Board(won.sum(axis=1), met, 2.0, 4.0)


def test_spectral_gap_of_designs_that_are_known():
    # A walk on a path of m has the cosine of pi / (m - 1).
    assert design.spectral_gap(everyone(6)) == pytest.approx(1.0)
    assert design.spectral_gap(chain(9)) == pytest.approx(1.0 - np.cos(np.pi / 8.0))
    star = np.zeros((5, 5))
    star[0, 1:] = star[1:, 0] = [1.0, 20.0, 3.0, 700.0]
    assert design.spectral_gap(star) == pytest.approx(1.0)


def test_only_long_ways_are_long():
    rng = np.random.default_rng(2)
    often = rng.lognormal(0.0, 1.2, 40)  # some are hardly ever shown
    met = np.triu(rng.poisson(1500.0 * np.outer(often, often) / often.sum() ** 2), 1)
    assert not design.has_long_ways((met + met.T).astype(float))
    assert not design.has_long_ways(everyone(12))
    assert not design.has_long_ways(np.array([[0.0, 5.0], [5.0, 0.0]]))
    assert design.has_long_ways(chain(6))
    halves = np.kron(np.eye(2), everyone(6))
    # Groups that never met leave nothing to say of ways between them.
    assert not design.has_long_ways(halves)
    halves[0, 6] = halves[6, 0] = 3.0
    assert design.has_long_ways(halves)


def test_gradient():
    board = played(chain(6))
    at = design.ways(board.n, board)
    for x in at.start + np.random.default_rng(4).normal(0.0, 0.5, (5, 8)):
        _, gradient = design.log_density(x, board, at)
        near = [
            (design.log_density(x + e, board, at)[0] - design.log_density(x - e, board, at)[0])
            / 2e-5
            for e in 1e-5 * np.eye(8)
        ]
        np.testing.assert_allclose(gradient, near, rtol=1e-6, atol=1e-6)


def test_where_all_meet_all_alpha_says_nothing():
    met = everyone(5)
    board = played(met)
    at = design.ways(met, board)
    np.testing.assert_allclose(at.log_known, 0.0, atol=1e-12)
    low, high = at.start.copy(), at.start.copy()
    low[1], high[1] = -1.0, 1.0
    # A prior that is symmetric in its coordinate is all that is left.
    first, second = (design.log_density(x, board, at)[0] for x in (low, high))
    assert first == pytest.approx(second, abs=1e-9)


def test_likelihood_and_its_gradient_are_added():
    board = played(chain(4))
    a = np.array([0.3, -0.2, 1.0, -900.0])
    gradient = np.ones(4)
    value = add_matches(5.0, gradient, a, board.points, board.n)
    p = 1.0 / (1.0 + np.exp(np.clip(a - a[:, None], -700.0, 700.0)))
    np.testing.assert_allclose(gradient, 1.0 + board.points - (board.n * p).sum(axis=1), atol=1e-9)
    gap = a[:, None] - a
    log = np.triu(board.n * np.logaddexp(0.0, -gap), 1).sum()
    lost = board.points - np.triu(board.n, 1).sum(axis=1)
    assert value == pytest.approx(5.0 - log + lost @ a, rel=1e-9)


def test_prior_has_the_covariance_of_the_design():
    met, alpha, df = chain(5), 1.5, 30.0
    rng = np.random.default_rng(6)
    count = 20_000
    drawn = design.draw_strengths(met, np.full(count, 0.8), np.full(count, alpha), df, rng)
    known, way = np.linalg.eigh((np.diag(met.sum(axis=1)) - met) * 4.0 / met.sum())
    known[0] = np.inf  # the mean is taken off
    wanted = 0.8**2 * df / (df - 2.0) * (way / known**alpha) @ way.T
    error = 6.0 * wanted.diagonal().max() * np.sqrt(2.0 / count)
    np.testing.assert_allclose(np.cov(drawn.T), wanted, atol=error)
