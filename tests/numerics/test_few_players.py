"""Few players' effects with their mean integrated out, against plain quadrature."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import t as student

from leaderbayes._numerics.few_players import log_prior, nodes

EFFECTS = ([0.0, 0.0], [0.4, -0.4], [30.0, -30.0], [1.0, 0.2, -1.2], [4.0, 4.1, -8.1])


@pytest.mark.parametrize("df", [1.0, 4.0, 30.0])
@pytest.mark.parametrize("effect", EFFECTS)
def test_density(effect, df):
    tau = 1.3
    ends = [-300.0, *sorted({-x for x in effect}), 300.0]

    def density(c):
        return np.prod((1.0 + ((np.asarray(effect) + c) / tau) ** 2 / df) ** (-0.5 * (df + 1.0)))

    parts = [
        quad(density, *pair, epsrel=1e-6, epsabs=0.0, limit=200)[0]
        for pair in itertools.pairwise(ends)
    ]
    expected = np.log(sum(parts)) - len(effect) * np.log(tau)
    found = log_prior(np.array(effect), tau, df, *nodes(len(effect), df))[0]
    assert found == pytest.approx(expected, abs=3e-3)


def test_it_is_of_differences_of_two():
    """Of two players with Cauchy's law the difference has Cauchy's, twice as wide."""
    at = nodes(2, 1.0)
    half = np.array([0.0, 0.5, 2.0, 20.0])
    found = np.array([log_prior(np.array([h, -h]), 0.7, 1.0, *at)[0] for h in half])
    expected = student.logpdf(2.0 * half, 1.0, scale=1.4)
    np.testing.assert_allclose(found - found[0], expected - expected[0], atol=2e-3)


@pytest.mark.parametrize("effect", EFFECTS)
def test_slopes(effect):
    effect = np.array(effect)
    at = nodes(len(effect), 4.0)
    _, by_effect, by_log_tau = log_prior(effect, 0.8, 4.0, *at)
    numeric = [
        (log_prior(effect + d, 0.8, 4.0, *at)[0] - log_prior(effect - d, 0.8, 4.0, *at)[0]) / 2e-4
        for d in 1e-4 * np.eye(len(effect))
    ]
    np.testing.assert_allclose(by_effect, numeric, atol=1e-3)
    above, below = (log_prior(effect, 0.8 * np.exp(d), 4.0, *at)[0] for d in (1e-4, -1e-4))
    assert by_log_tau == pytest.approx((above - below) / 2e-4, abs=1e-3)
