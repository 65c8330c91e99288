"""Sums over pairs equal loops over them, near and very far apart."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from leaderbayes._numerics.pairs import deviances, estimates, pair_sums


def matches(m, rng):
    n = np.triu(rng.integers(0, 4, (m, m)).astype(float), 1)
    return n + n.T


def slow(a, n, nu):
    return sum(
        n[i, j] * np.logaddexp(np.logaddexp(a[i], a[j]), nu + 0.5 * (a[i] + a[j]))
        for i, j in combinations(range(len(a)), 2)
    )


@pytest.mark.parametrize("nu", [None, -1.0, 2.5])
@pytest.mark.parametrize("spread", [1.0, 30.0, 2000.0])
def test_value_and_derivatives_are_those_of_a_loop(nu, spread):
    rng = np.random.default_rng(1)
    a, n = spread * rng.normal(size=(3, 5)), matches(5, rng)
    ties = None if nu is None else np.full(3, nu)
    found = pair_sums(a, n, ties, gradient=True)
    at = -np.inf if nu is None else nu
    np.testing.assert_allclose(found.value, [slow(x, n, at) for x in a], rtol=1e-12)
    by_a = [approx_fprime(x, lambda y: slow(y, n, at), 1e-6) for x in a]
    np.testing.assert_allclose(found.expected, by_a, atol=1e-3 if spread < 100 else 1.0)
    np.testing.assert_allclose(found.expected.sum(axis=1), n.sum() / 2.0)
    if nu is not None:
        by_nu = [(slow(x, n, nu + 1e-6) - slow(x, n, nu - 1e-6)) / 2e-6 for x in a]
        np.testing.assert_allclose(found.ties, by_nu, atol=1e-3)


def test_estimates_maximise_the_penalised_likelihood():
    rng = np.random.default_rng(2)
    n = matches(4, rng) + 1.0
    np.fill_diagonal(n, 0.0)
    wins = np.stack([np.triu(rng.binomial(n.astype(int), 0.7), 1) for _ in range(3)])
    wins = wins + np.stack([np.tril(n - w.T, -1) for w in wins])
    points = wins.sum(axis=2)

    def loss(x, p):
        pseudo = (np.logaddexp(0.0, x) - 0.5 * x).sum()
        return slow(x, n, -np.inf) - p @ x + pseudo

    found = estimates(points, n[None])
    for x, p in zip(found, points, strict=True):
        best = minimize(loss, np.zeros(4), args=(p,), tol=1e-10).x
        np.testing.assert_allclose(x, best - best.mean(), atol=2e-3)


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
