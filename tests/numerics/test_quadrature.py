"""PMRA's marginal likelihood: against integrals, and its derivatives against differences."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import approx_fprime

from leaderbayes._numerics.quadrature import Clustered, marginal

M, CLUSTERS = 5, 6
STEP = 1e-5 * np.eye(M + 2)


def rows(seed=0, size=70):
    """Matches with ties and counts in clusters, one of which has none."""
    rng = np.random.default_rng(seed)
    first = rng.integers(M, size=size)
    second = (first + rng.integers(1, M, size=size)) % M
    n = rng.integers(1, 3, size).astype(float)
    won = n * rng.choice([0.0, 0.5, 1.0], size)
    return first, second, won, n, rng.integers(CLUSTERS - 1, size=size)


@pytest.fixture(scope="module")
def given():
    return Clustered.of(*rows(), (CLUSTERS, M))


@pytest.fixture(scope="module")
def x():
    x = np.random.default_rng(1).normal(size=M + 2)
    x[:M] -= x[:M].mean()
    return x


def test_equals_the_integral(given, x):
    first, second, won, n, cluster = rows()
    total = 0.0
    for k in range(CLUSTERS - 1):
        own = cluster == k

        def integrand(u, own=own):
            eta = x[M] + x[M + 1] * u + x[first[own]] - x[second[own]]
            log = (won[own] * eta - n[own] * np.logaddexp(0.0, eta)).sum()
            return np.exp(log - 0.5 * u * u) / np.sqrt(2.0 * np.pi)

        total += np.log(quad(integrand, -12.0, 12.0, epsabs=0.0, epsrel=1e-11)[0])
    errors = [abs(marginal(x, given, nodes).value - total) for nodes in (1, 3, 10, 30)]
    assert errors[-1] < 1e-9
    assert errors[2] < 1e-6
    assert errors == sorted(errors, reverse=True)
    at = marginal(x, given, 10)
    assert (at.mode[-1], at.variance[-1]) == (0.0, 1.0)


@pytest.mark.parametrize("nodes", [1, 2, 10])
@pytest.mark.parametrize("scale", [0.0, 0.3, 2.0])
def test_gradient_follows_the_nodes(given, x, nodes, scale):
    x = np.append(x[:-1], scale)
    slope = [
        (marginal(x + h, given, nodes).value - marginal(x - h, given, nodes).value) / 2e-5
        for h in STEP
    ]
    np.testing.assert_allclose(marginal(x, given, nodes).gradient, slope, atol=1e-8)


def test_information_is_minus_the_hessian(given, x):
    numeric = -approx_fprime(x, lambda z: marginal(z, given, 20).gradient, 1e-6)
    np.testing.assert_allclose(marginal(x, given, 20).information, numeric, atol=1e-4)


def test_far_players_do_not_overflow(given):
    at = marginal(np.append(np.linspace(-150, 150, M), [3.0, 2.0]), given, 10)
    assert np.isfinite(at.value)
    assert np.isfinite(at.gradient).all()


def test_matches_that_are_alike_may_be_counted(given, x):
    first, second, won, n, cluster = rows()
    more = [np.repeat(each, n.astype(int)) for each in (first, second, won / n, cluster)]
    alone = Clustered.of(*more[:3], np.ones(len(more[0])), more[3], (CLUSTERS, M))
    one, other = marginal(x, given, 10), marginal(x, alone, 10)
    for mine, theirs in zip(one, other, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-9)
