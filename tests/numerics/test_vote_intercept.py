"""The marginal likelihood of votes: by brute force, and as that of rounds where it is one."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit

from leaderbayes._numerics import quadrature
from leaderbayes._numerics.round_intercept import LOSS, WIN, listed_statistics
from leaderbayes._numerics.vote_intercept import fit_marginal, judged, marginal


def random_votes(seed, size=60, judges=5, m=4):
    rng = np.random.default_rng(seed)
    first = rng.integers(m, size=size)
    second = (first + rng.integers(1, m, size=size)) % m
    n = rng.integers(1, 3, size).astype(float)
    won = np.where(rng.random(size) < 0.5, n, 0.0)
    return first, second, won, n, rng.integers(judges, size=size)


X = np.array([0.5, 0.1, -0.2, -0.4, 0.3, 0.8])


def test_value_is_the_integral():
    first, second, won, n, judge = random_votes(0)
    total = 0.0
    for k in range(5):
        own = judge == k
        base = X[first[own]] - X[second[own]] + X[4]

        def integrand(u, base=base, own=own):
            eta = base + X[5] * u
            log = (won[own] * eta - n[own] * np.logaddexp(0.0, eta)).sum()
            return np.exp(log - 0.5 * u * u) / np.sqrt(2.0 * np.pi)

        total += np.log(quad(integrand, -8.0, 8.0, epsabs=0.0, epsrel=1e-11)[0])
    at = marginal(X, judged(*random_votes(0), 4), 30)
    assert at.value == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("nodes", [1, 3, 10])
def test_gradient_and_information_by_differences(nodes):
    votes = judged(*random_votes(1), 4)
    at = marginal(X, votes, nodes)
    step = 1e-5 * np.eye(6)
    value = [
        (marginal(X + e, votes, nodes).value - marginal(X - e, votes, nodes).value) / 2e-5
        for e in step
    ]
    np.testing.assert_allclose(at.gradient, value, atol=1e-6)
    if nodes == 10:
        curve = [
            (marginal(X - e, votes, nodes).gradient - marginal(X + e, votes, nodes).gradient) / 2e-5
            for e in step
        ]
        np.testing.assert_allclose(at.information, curve, atol=1e-4)


def test_rounds_of_all_pairs_are_judges():
    rng = np.random.default_rng(2)
    one, other = np.triu_indices(4, 1)
    won = rng.random((8, 6)) < expit(X[one] - X[other] + 0.9 * rng.standard_normal((8, 1)))
    rounds = listed_statistics(np.where(won, WIN, LOSS).astype(np.int8), np.arange(4))
    judge = np.repeat(np.arange(8), 6)
    votes = judged(
        np.tile(one, 8), np.tile(other, 8), won.ravel().astype(float), np.ones(48), judge, 4
    )
    start = np.append(np.zeros(5), 0.5)
    for nodes in (1, 10):
        found, at = fit_marginal(votes, start, nodes)
        expected, there = quadrature.fit_marginal(rounds, start, nodes)
        np.testing.assert_allclose(found, expected, atol=1e-7)
        for mine, theirs in zip(at, there, strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-6)


def test_alike_votes_are_counted_together():
    votes = random_votes(3)
    counted = judged(*votes, 4)
    assert len(counted.first) < 60
    assert counted.n.sum() == votes[3].sum()
    assert counted.won.sum() == votes[2].sum()
    assert len(counted.start) == 6
