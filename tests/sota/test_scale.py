"""Scales on which scores err alike, and what luck does to them."""

import numpy as np
import pytest
from scipy import stats

import leaderbayes as lb
from leaderbayes.sota._model import model_of
from leaderbayes.sota._scale import scale_of


def scale(board, rho=0.0, theta_0=None, floor=None):
    return scale_of(
        model_of(
            board, law="flexible", components=2, floor=floor, rho=rho, theta_0=theta_0,
            statistic="board", workers=1,
        )[1]
    )  # fmt: skip


def middles(given):
    return 0.5 * (given.edge[1:] + given.edge[:-1])


def test_counts_without_dependence_are_binomial():
    board = lb.sota.read_board([0.9, 0.8, 0.8, 0.7], n=50, chance=0.0)
    found = scale(board)
    given = found.cells
    np.testing.assert_array_equal(found.times, [1, 2, 1])
    value, factor = found.likelihood(0.0, 0.0)
    theta = found.theta(middles(given), 0.0, 0.0)
    for u, x in enumerate([35, 40, 45]):
        cells = slice(given.row[u], given.row[u + 1])
        near = given.first[u] + np.arange(given.row[u + 1] - given.row[u])
        exact = stats.binom.logpmf(x, 50, theta[near]) - stats.binom.logsf(0, 50, theta[near])
        np.testing.assert_allclose(np.log(value[cells]) + factor[u], exact, atol=1e-8)


def test_luck_moves_the_scale_and_not_the_scores():
    """Given the luck, a theta at the same place has the same score, on average."""
    board = lb.sota.read_board([0.9, 0.85, 0.8], n=1000, classes=10)
    found = scale(board, rho=0.6, theta_0=0.88)
    at = np.array([1.1, 1.2, 1.25])
    plain, lucky = found.theta(at, 0.6, 0.0), found.theta(at, 0.6, 2.0)
    luck = 0.6 * np.sqrt(plain * (1.0 - plain) / 1000.0) * 2.0
    np.testing.assert_allclose(lucky + luck, plain, rtol=2e-3)
    (value, factor), (other, factor_then) = (found.likelihood(0.6, z) for z in (0.0, 2.0))
    near = value > 0.1
    np.testing.assert_allclose(np.log(other[near]), np.log(value[near]), atol=0.2)
    np.testing.assert_allclose(factor, factor_then, atol=0.1)


def test_estimates_are_normal_given_the_luck():
    board = lb.sota.read_board([0.5, 0.7], se=0.1)
    found = scale(board, rho=0.6)
    given, (value, factor) = found.cells, found.likelihood(0.6, 1.5)
    theta = found.theta(middles(given), 0.6, 1.5)
    for u, score in enumerate([0.5, 0.7]):
        cells = slice(given.row[u], given.row[u + 1])
        near = given.first[u] + np.arange(given.row[u + 1] - given.row[u])
        exact = stats.norm.logpdf(score, theta[near] + 0.6 * 0.1 * 1.5, 0.8 * 0.1)
        np.testing.assert_allclose(np.log(value[cells]) + factor[u], exact, atol=1e-8)


def test_an_unknown_rho_has_finer_cells():
    board = lb.sota.read_board([0.5, 0.7], se=0.1)
    known, unknown = scale(board, rho=0.6), scale(board, rho=stats.beta(6, 4))
    assert np.diff(unknown.cells.edge).min() < np.diff(known.cells.edge).min()


@pytest.mark.parametrize("score", [[1.0, 0.999], [0.0015, 0.003]])
def test_scores_next_to_the_ends(score):
    found = scale(lb.sota.read_board(score, n=2000, chance=0.0))
    value, factor = found.likelihood(0.0, 0.0)
    assert np.isfinite(factor).all()
    assert np.isfinite(value).all()
