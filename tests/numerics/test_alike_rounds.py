"""PMRA's rounds integrated at once: against quadrature round by round, and brute integrals."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import check_grad
from scipy.stats import kstest

from leaderbayes._numerics.alike_rounds import (
    alike_rounds,
    draw_intercepts,
    log_likelihood,
    many_log_likelihoods,
)
from leaderbayes._numerics.quadrature import marginal
from leaderbayes._numerics.round_intercept import (
    listed_statistics,
    log_normalisers,
    outcomes,
)


def board(players, rounds, missing=0.0, seed=1, digits=None):
    """Statistics of a board, and strengths that they might have come from."""
    rng = np.random.default_rng(seed)
    b = rng.standard_normal(players)
    scores = b[:, None] + rng.gumbel(size=(players, rounds))
    if digits is not None:
        scores = np.round(scores / digits)
    place = (scores[:, None] < scores).sum(axis=1).T + 1
    place[rng.random(place.shape) < missing] = 0
    order = rng.permutation(players)
    return listed_statistics(outcomes(place.astype(np.int32), order), order), b


@pytest.mark.parametrize(
    ("size", "missing", "digits"),
    [((3, 4), 0.0, None), ((8, 10), 0.0, 1.0), ((12, 6), 0.4, None), ((40, 5), 0.0, None)],
)
@pytest.mark.parametrize("scale", [1e-4, 0.3, 1.0])
def test_as_round_by_round(size, missing, digits, scale):
    statistics, b = board(*size, missing, digits=digits)
    at = np.concatenate([b, [0.3, scale]])
    known = marginal(at, statistics, 60)
    rounds = alike_rounds(statistics, np.ones(size[1]))
    value, *slopes = log_likelihood(b, 0.3, scale, rounds)
    assert value == pytest.approx(known.value, rel=1e-9)
    np.testing.assert_allclose(np.hstack(slopes), known.gradient, rtol=1e-6, atol=1e-6)


def test_kinds_are_rounds_that_are_alike():
    statistics, _ = board(5, 200, missing=0.1)
    rounds = alike_rounds(statistics, np.ones(200))
    assert rounds.times.sum() == 200
    assert rounds.first.size < 200
    np.testing.assert_array_equal(rounds.first[rounds.kind], statistics.first)


def brute(b, level, scale, statistics, eta):
    """Integrate each round's likelihood by itself."""

    def one(k):
        def integrand(u):
            c = level + scale * u
            taken = log_normalisers(b, np.full(len(eta), c), *statistics[2:])[k]
            own = statistics.points[k] @ b + statistics.first[k] * c - taken
            return np.exp(eta[k] * own - 0.5 * u**2) / np.sqrt(2.0 * np.pi)

        return np.log(quad(integrand, -12.0, 12.0, epsabs=0.0, epsrel=1e-11, limit=200)[0])

    return sum(one(k) for k in range(len(eta)))


def test_weights_are_powers_given_the_intercepts():
    statistics, b = board(5, 6, missing=0.2, seed=3)
    eta = np.array([0.3, 0.3, 1.0, 0.7, 0.7, 0.3])
    rounds = alike_rounds(statistics, eta)
    wanted = brute(b, -0.4, 0.8, statistics, eta)
    assert log_likelihood(b, -0.4, 0.8, rounds)[0] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("scale", [4.0, 12.0, 50.0])
def test_rounds_that_go_all_one_way(scale):
    """Their intercepts are anywhere, where s is large: Gauss and Hermite's nodes would miss it."""
    order = np.arange(5)
    place = np.array([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [2, 1, 3, 5, 4]], np.int32)
    statistics, b = listed_statistics(outcomes(place, order), order), np.array([1, 0.5, 0, 0, -1.5])
    u = np.linspace(-10.0, 10.0, 40_001)
    wanted = 0.0
    for k in range(3):
        c = 0.3 + scale * u
        gaps = c[:, None, None] + b[:, None] - b
        pairs = np.logaddexp(gaps, 0.0)[:, *np.triu_indices(5, 1)].sum(axis=1)
        log = statistics.points[k] @ b + statistics.first[k] * c - pairs - np.arange(5) @ b
        wanted += np.log(np.trapezoid(np.exp(log - 0.5 * u**2) / np.sqrt(2.0 * np.pi), u))
    value, *slopes = log_likelihood(b, 0.3, scale, alike_rounds(statistics, np.ones(3)))
    assert value == pytest.approx(wanted, abs=1e-5)
    assert np.isfinite(np.hstack(slopes)).all()


def test_gradient():
    statistics, b = board(7, 9, missing=0.3, seed=4)
    rounds = alike_rounds(statistics, np.full(9, 0.5))
    at = np.concatenate([b, [0.2, 0.6]])

    def value(x):
        return log_likelihood(x[:-2], x[-2], x[-1], rounds)[0]

    def slope(x):
        return np.hstack(log_likelihood(x[:-2], x[-2], x[-1], rounds)[1:])

    assert check_grad(value, slope, at) < 1e-5


def test_many_at_once_are_each_by_itself():
    statistics, b = board(6, 5, seed=5)
    rounds = alike_rounds(statistics, np.ones(5))
    every, level, scale = np.array([b, 2.0 * b]), np.array([0.1, -0.2]), np.array([0.5, 1.5])
    each = [log_likelihood(*x, rounds)[0] for x in zip(every, level, scale, strict=True)]
    np.testing.assert_allclose(many_log_likelihoods(every, level, scale, rounds), each)


def test_far_strengths():
    """Beyond where products of odds are numbers; of no numbers there is no likelihood."""
    statistics, b = board(6, 5, seed=6)
    rounds, far = alike_rounds(statistics, np.ones(5)), 400.0 * b
    c = np.zeros(5)
    own = statistics.points @ far - log_normalisers(far, c, *statistics[2:])
    value, slope, *_ = log_likelihood(far, 0.0, 1e-9, rounds)
    assert value == pytest.approx(own.sum())
    assert np.isfinite(slope).all()
    for factor in (1e10, 1e113, np.inf):
        with np.errstate(all="ignore"):
            assert not np.isfinite(log_likelihood(b * factor, 0.0, 1.0, rounds)[0])
    value, slope, *_ = log_likelihood(1e5 * b, 0.0, 1.0, rounds)
    assert np.isfinite(value)
    assert np.isfinite(slope).all()


@pytest.mark.parametrize("scale", [0.05, 1.0, 4.0])
def test_intercepts_are_drawn_from_their_law(scale):
    """Of a round that is won by whoever is listed first, and of another."""
    order = np.arange(4)
    place = np.array([[1, 2, 3, 4], [2, 1, 4, 3], [0, 0, 1, 0]], np.int32)
    statistics, b = listed_statistics(outcomes(place, order), order), np.array([0.5, 0.1, 0, -0.6])
    eta = np.array([1.0, 0.4, 1.0])
    rounds = alike_rounds(statistics, eta)
    draws = 4000
    every, level = np.tile(b, (draws, 1)), np.full(draws, 0.3)
    rng = np.random.default_rng(7)
    u, taken = draw_intercepts(every, level, np.full(draws, scale), rounds, rng)
    grid = np.linspace(-9.0, 9.0, 6001)
    for k in range(3):
        c = 0.3 + scale * grid
        of = np.array([log_normalisers(b, np.full(3, each), *statistics[2:])[k] for each in c])
        log = eta[k] * (statistics.first[k] * c - of) - 0.5 * grid**2
        below = np.cumsum(np.exp(log - log.max()))
        assert kstest(np.interp(u[:, k], grid, below / below[-1]), "uniform").pvalue > 1e-3
        at = log_normalisers(b, np.full(3, 0.3 + scale * u[0, k]), *statistics[2:])[k]
        assert taken[0, k] == pytest.approx(at)
