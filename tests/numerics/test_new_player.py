"""The law of one strength among known ones."""

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid
from scipy.special import log_expit
from scipy.stats import kstest, norm

from leaderbayes._numerics.new_player import draw_strength

CASES = {
    "even": ([5.0, 4.0, 6.0], [10.0, 10.0, 10.0], 0.5),
    "undefeated": ([10.0, 10.0, 10.0], [10.0, 10.0, 10.0], 1.0),
    "many rounds": ([900.0, 500.0, 100.0], [1000.0, 1000.0, 1000.0], 1.0),
    "one match": ([0.0, 0.5, 0.0], [0.0, 1.0, 0.0], 0.2),
    "no match": ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], 1.0),
}


@pytest.mark.parametrize("scale", [0.01, 1.0, 5.0])
@pytest.mark.parametrize("name", CASES)
def test_against_a_fine_grid(name, scale):
    wins, n, weight = (np.asarray(x) for x in CASES[name])
    epp = np.array([-1.5, 0.2, 1.3])
    prior = norm(0.0, scale * np.sqrt(4.0 / 3.0))
    at = np.linspace(-8.0, 8.0, 2_000_001) * prior.std()
    gap = at[:, None] - epp
    match = wins * log_expit(gap) + (n - wins) * log_expit(-gap)
    height = prior.logpdf(at) + weight * match.sum(axis=1)
    below = cumulative_trapezoid(np.exp(height - height.max()), at, initial=0.0)
    uniform = (np.arange(400) + 0.5) / 400
    strength, log_marginal = draw_strength(
        np.tile(epp, (400, 1)), np.full(400, scale), wins, n, float(weight), uniform
    )
    np.testing.assert_allclose(log_marginal, height.max() + np.log(below[-1]), rtol=0, atol=1e-4)
    np.testing.assert_allclose(
        np.interp(strength, at, below / below[-1]), uniform, rtol=0, atol=2e-3
    )


def test_prior_alone():
    rng = np.random.default_rng(1)
    none = np.zeros(4)
    d, log_marginal = draw_strength(
        np.zeros((2000, 4)), np.full(2000, 2.0), none, none, 1.0, rng.random(2000)
    )
    np.testing.assert_allclose(log_marginal, 0.0, atol=1e-6)
    assert kstest(d, norm(0.0, 2.0 * np.sqrt(1.25)).cdf).pvalue > 0.001
