"""PMRA's marginal likelihood: against integrals, and its derivatives against differences."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import approx_fprime

from leaderbayes._numerics.quadrature import fit_marginal, marginal
from leaderbayes._numerics.round_intercept import ABSENT, listed_statistics, outcomes

M, ROUNDS = 6, 5


@pytest.fixture(scope="module")
def board():
    """Outcomes with a missing player and a tie, listed in an order of their own."""
    rng = np.random.default_rng(0)
    noisy = rng.normal(size=M) + rng.gumbel(size=(ROUNDS, M))
    place = (np.argsort(np.argsort(-noisy, 1), 1) + 1).astype(np.int32)
    place[0, 2] = 0
    place[place == 2] = 1
    order = rng.permutation(M)
    x = rng.normal(size=M + 2)
    x[:M] -= x[:M].mean()
    return outcomes(place, order), order, x


def test_equals_the_integral(board):
    outcome, order, x = board
    first, second = (order[side] for side in np.triu_indices(M, 1))
    total = 0.0
    for row in outcome:
        played = row != ABSENT

        def integrand(u, row=row, played=played):
            eta = x[M] + x[M + 1] * u + x[first] - x[second]
            loglik = (row / 2 * eta - np.logaddexp(0, eta))[played].sum()
            return np.exp(loglik - u * u / 2) / np.sqrt(2 * np.pi)

        total += np.log(quad(integrand, -12, 12, epsabs=0, epsrel=1e-11)[0])
    statistics = listed_statistics(outcome, order)
    errors = [abs(marginal(x, statistics, n).value - total) for n in (1, 3, 10, 30)]
    assert errors[-1] < 1e-9
    assert errors[2] < 1e-6
    assert errors == sorted(errors, reverse=True)


@pytest.mark.parametrize("nodes", [1, 2, 10])
@pytest.mark.parametrize("scale", [0.0, 0.3, 2.0])
def test_gradient_follows_the_nodes(board, nodes, scale):
    outcome, order, x = board
    x = np.append(x[:-1], scale)
    statistics = listed_statistics(outcome, order)
    slope = [
        (marginal(x + h, statistics, nodes).value - marginal(x - h, statistics, nodes).value) / 2e-5
        for h in 1e-5 * np.eye(M + 2)
    ]
    np.testing.assert_allclose(marginal(x, statistics, nodes).gradient, slope, atol=1e-8)


def test_information_is_minus_the_hessian(board):
    outcome, order, x = board
    statistics = listed_statistics(outcome, order)
    numeric = -np.array(
        [
            approx_fprime(x, lambda z, i=i: marginal(z, statistics, 20).gradient[i], 1e-6)
            for i in range(M + 2)
        ]
    )
    np.testing.assert_allclose(marginal(x, statistics, 20).information, numeric, atol=1e-4)


def test_far_players_do_not_overflow(board):
    outcome, order, _ = board
    far = np.append(np.linspace(-150, 150, M), [3.0, 2.0])
    at = marginal(far, listed_statistics(outcome, order), 10)
    assert np.isfinite(at.value)
    assert np.isfinite(at.gradient).all()


def test_maximum_is_one(board):
    outcome, order, _ = board
    statistics = listed_statistics(outcome, order)
    x, at = fit_marginal(statistics, np.append(np.zeros(M), [0.0, 0.5]), 10)
    assert abs(at.gradient).max() < 1e-4
    assert x[-1] >= 0.0
    rng = np.random.default_rng(1)
    for _ in range(20):
        step = 0.1 * rng.normal(size=M + 2)
        assert marginal(x + step, statistics, 10).value < at.value
