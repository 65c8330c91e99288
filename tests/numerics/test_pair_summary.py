"""All pairs at once, against quantiles of one pair after the other."""

import numpy as np
import pytest
from scipy.special import expit

from leaderbayes._numerics.pair_summary import pair_summary

LAWS = {
    "normal": lambda rng, size: rng.standard_normal(size),
    "heavy": lambda rng, size: rng.standard_t(1.5, size),
    "equal": lambda rng, size: np.ones(size),
    "skewed": lambda rng, size: rng.exponential(size=size) ** 3,
    "so far that odds overflow": lambda rng, size: 1000.0 * rng.standard_normal(size),
}


@pytest.mark.parametrize("draws", [1, 2, 7, 100, 3000])
@pytest.mark.parametrize("prob", [0.95, 0.5, 0.999, 0.1])
@pytest.mark.parametrize("law", LAWS)
def test_it_is_that_of_each_pair(law, prob, draws):
    strengths = LAWS[law](np.random.default_rng(draws), (5, draws))
    gap = strengths[:, None] - strengths
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    expected = [expit(gap).mean(axis=2), *expit(np.quantile(gap, tails, axis=2))]
    for found, wanted in zip(pair_summary(strengths, prob), expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)
