"""Sampling law of an AUC: against exact simulation."""

import numpy as np
import pytest
from scipy.special import ndtri

from leaderbayes.numerics import auc


def by_pairs(a, positives, negatives, rng):
    """One estimate, from scores."""
    low = rng.normal(size=negatives)
    high = np.sqrt(2.0) * ndtri(a) + rng.normal(size=positives)
    return (high[:, None] > low).mean()


def test_simulator_is_that_of_scores():
    rng = np.random.default_rng(0)
    draws = 4000
    plain = np.array([by_pairs(0.8, 7, 12, rng) for _ in range(draws)])
    fast = auc.draw(np.full(draws, 0.8), 7, 12, rng)
    error = plain.std() / np.sqrt(draws)
    assert fast.mean() == pytest.approx(plain.mean(), abs=5 * error)
    assert fast.std() == pytest.approx(plain.std(), rel=5 / np.sqrt(2 * draws))
    assert plain.std() == pytest.approx(
        np.sqrt(auc.variance(0.8, 7, 12)), rel=4 / np.sqrt(2 * draws)
    )


@pytest.mark.parametrize(("a", "positives", "negatives"), [(0.9, 51, 2949), (0.7, 300, 40)])
def test_law(a, positives, negatives):
    """Kolmogorov's distance to 100 000 draws; the law is good to a few thousandths."""
    rng = np.random.default_rng(1)
    draws = np.sort(auc.draw(np.full(100_000, a), positives, negatives, rng))
    cdf = auc.cdf(np.array([a]), positives, negatives)[0]
    x = (np.arange(auc.STEPS + 1) + 0.5) / auc.STEPS
    empirical = np.searchsorted(draws, x, side="right") / len(draws)
    assert abs(cdf - empirical).max() < 1.95 / np.sqrt(len(draws)) + 0.003
    mass = np.diff(cdf, prepend=0.0)
    assert mass @ (x - 0.5 / auc.STEPS) == pytest.approx(a, abs=1e-5)
    # Upper quantiles, where the best of many comes from.
    sd = np.sqrt(auc.variance(a, positives, negatives))
    for q, error in ((0.99, 0.012), (0.999, 0.03)):
        # Three errors of a normal's sample quantile, and a hundredth of sd.
        off = (3 * error + 0.01) * sd
        assert np.interp(q, cdf, x) == pytest.approx(np.quantile(draws, q), abs=off)


def test_certain_classifiers():
    cdf = auc.cdf(np.array([0.0, 1.0]), 5, 5)
    assert cdf[0].min() == 1.0
    assert cdf[1, -2] == 0.0
    assert cdf[1, -1] == 1.0


def test_curves_and_areas_of_scores():
    rng = np.random.default_rng(2)
    positive, negative = auc.draw_scores(0.8, 5, 4, 10, rng)
    assert positive.shape == (5, 4)
    assert negative.shape == (5, 10)
    curves, areas = auc.roc(positive, negative, np.linspace(0.0, 1.0, 11))
    for high, low, curve, area in zip(positive, negative, curves, areas, strict=True):
        assert area == pytest.approx((high[:, None] > low).mean())
        thresholds = np.sort(low)[::-1]
        # With k negatives above it, a threshold may lie as low as the next one.
        expected = [(high > threshold).mean() for threshold in thresholds] + [1.0]
        np.testing.assert_allclose(curve, expected)
        # A step function whose steps these are.
        assert curve[:-1].mean() == pytest.approx(area)


def test_scores_have_the_auc():
    _, areas = auc.roc(*auc.draw_scores(0.85, 2000, 6, 9, np.random.default_rng(3)), np.zeros(1))
    assert areas.mean() == pytest.approx(0.85, abs=4.0 * areas.std() / np.sqrt(2000))
