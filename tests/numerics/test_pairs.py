"""Sums over pairs equal loops over them, near and very far apart; estimates of many boards."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import approx_fprime, brentq
from scipy.special import expit

from leaderbayes._numerics.pairs import Separation, deviances, estimates, over_all_rounds, pair_sums


def matches(m, rng):
    n = np.triu(rng.integers(0, 4, (m, m)).astype(float), 1)
    return n + n.T


def slow(a, n, nu, beta=0.0):
    return sum(
        n[i, j] * np.logaddexp(np.logaddexp(a[i] + beta, a[j]), nu + 0.5 * (a[i] + a[j] + beta))
        for i, j in combinations(range(len(a)), 2)
    )


@pytest.mark.parametrize("beta", [0.0, 0.7])
@pytest.mark.parametrize("nu", [None, -1.0, 2.5])
@pytest.mark.parametrize("spread", [1.0, 30.0, 2000.0])
def test_value_and_derivatives_are_those_of_a_loop(nu, beta, spread):
    rng = np.random.default_rng(1)
    a, n = spread * rng.normal(size=(3, 5)), matches(5, rng)
    ties = None if nu is None else np.full(3, nu)
    found = pair_sums(a, n, ties, np.full(3, beta), gradient=True)
    at = -np.inf if nu is None else nu
    np.testing.assert_allclose(found.value, [slow(x, n, at, beta) for x in a], rtol=1e-12)
    by_a = [approx_fprime(x, lambda y: slow(y, n, at, beta), 1e-6) for x in a]
    np.testing.assert_allclose(found.expected, by_a, atol=1e-3 if spread < 100 else 1.0)
    np.testing.assert_allclose(found.expected.sum(axis=1), n.sum() / 2.0)

    def difference(h_nu, h_beta):
        ends = [[slow(x, n, at + s * h_nu, beta + s * h_beta) for x in a] for s in (1.0, -1.0)]
        return (np.array(ends[0]) - ends[1]) / 2e-6

    if nu is not None:
        np.testing.assert_allclose(found.ties, difference(1e-6, 0.0), atol=1e-3)
    if spread < 100:
        np.testing.assert_allclose(found.first, difference(0.0, 1e-6), atol=1e-3)


@pytest.mark.parametrize(("nu", "spread"), [(None, 1.0), (8.0, 1.0), (-8.0, 1.0), (None, 0.3)])
def test_many_players_by_products_of_terms_or_by_polynomials(nu, spread):
    rng = np.random.default_rng(2)
    a, n = spread * rng.normal(size=(40, 150)), 4.0 * (1.0 - np.eye(150))
    found = pair_sums(a, n, None if nu is None else np.full(40, nu), 0.0, gradient=nu is None)
    np.testing.assert_allclose(found.value[0], slow(a[0], n, -np.inf if nu is None else nu))
    for expected, each in zip(found.expected, a, strict=nu is None):
        np.testing.assert_allclose(expected, (n * expit(each[:, None] - each)).sum(axis=1))


@pytest.mark.parametrize(
    ("pseudo_rounds", "enough", "atol"), [(1.0, 1e-4, 1e-3), (0.3, 1e-6, 1e-5), (1e-6, 1e-6, 1e-5)]
)
@pytest.mark.parametrize("alike", [True, False])
def test_estimates_are_where_expected_points_are_the_observed(pseudo_rounds, enough, atol, alike):
    """From anywhere; also of a board where every match goes one way."""
    rng = np.random.default_rng(5)
    n = np.triu(rng.integers(0, 9, (4, 7, 7)), 1).astype(float)
    n = (n + n.swapaxes(1, 2))[: 1 if alike else 4]
    upper = np.triu(rng.binomial(np.broadcast_to(n, (4, 7, 7)).astype(int), 0.7), 1)
    upper[-1] = np.triu(n[-1], 1)
    points = (upper + np.tril(n - upper.swapaxes(1, 2), -1)).sum(axis=2)
    for start in (None, 5.0 * rng.normal(size=(4, 7)), 50.0 * rng.normal(size=(1, 7))):
        epp = estimates(points, n, start=start, pseudo_rounds=pseudo_rounds, enough=enough)
        np.testing.assert_allclose(epp.mean(axis=1), 0.0, atol=1e-12)
        p = expit(epp[:, :, None] - epp[:, None])
        expected = (n * p).sum(axis=2)
        # Of all matches against a player at 0 half are won: that tells where it is.
        level = [brentq(lambda c, x=x: (expit(x + c) - 0.5).sum(), -99.0, 99.0) for x in epp]
        expected += pseudo_rounds * (expit(epp + np.array(level)[:, None]) - 0.5)
        if not alike:
            np.testing.assert_allclose(points, expected, atol=atol)
        for off, curve in zip(points - expected, n * p * (1.0 - p), strict=True):
            information = np.diag(curve.sum(axis=1) + pseudo_rounds / 4.0) - curve
            assert off @ np.linalg.solve(information, off) < enough


def test_deviance_is_twice_what_a_saturated_model_gains():
    rng = np.random.default_rng(3)
    n = matches(4, rng)
    wins = np.triu(n * rng.random((4, 4)), 1)
    wins += np.tril(n - wins.T, -1)
    x = rng.normal(size=4)
    expected = 0.0
    for i, j in combinations(range(4), 2):
        for a, b in ((i, j), (j, i)):
            if wins[a, b] > 0.0:
                p = 1.0 / (1.0 + np.exp(x[b] - x[a]))
                expected += 2.0 * wins[a, b] * (np.log(wins[a, b] / n[a, b]) - np.log(p))
    assert deviances(x[None], wins[None], n[None])[0] == pytest.approx(expected)


@pytest.mark.parametrize("slope", [0.0, 2.0, -2.0])
def test_strengths_over_all_rounds(slope):
    """The first four play in half of the rounds; results are those that are expected."""
    b = np.array([-1.2, -0.9, -0.3, 0.0, 0.4, 0.7, 1.3])
    place = np.ones((400, 7), int)
    place[::2, :4] = 0
    level = np.where(place[:, 0] > 0, -0.2, 0.2)
    factor = np.exp(slope * level)
    met = (place > 0)[:, :, None] & (place > 0)[:, None] & ~np.eye(7, dtype=bool)
    gap = (factor / factor.mean())[:, None, None] * (b[:, None] - b)
    wins = (met * expit(gap)).sum(axis=0)
    epp = estimates(wins.sum(axis=1)[None], met.sum(axis=0)[None].astype(float), pseudo_rounds=1e-6)
    draws = np.repeat(epp, 16, axis=0)
    found = over_all_rounds(Separation(level, slope, 1e-9, 0.5, 0.5), place, draws)
    np.testing.assert_allclose(found, found[:1].repeat(16, axis=0), atol=1e-6)
    before, off = (abs(each - (b - b.mean())).max() for each in (epp[0], found[0]))
    assert (before < 1e-6) if slope == 0.0 else (before > 0.4)
    assert off < 0.05 * before + 1e-6
