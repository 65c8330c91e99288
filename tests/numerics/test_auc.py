"""Sampling law of an AUC, and of the best of many: against exact simulation."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

from conftest import kolmogorov_bound
from leaderbayes._numerics import auc
from leaderbayes._numerics.maximum import Mixture, Tabled, factor_cdf


def draw(a, positives, negatives, rng):
    """Draw estimates of independent classifiers (classifier,), exactly.

    Between neighbouring positives lies a multinomial number of negatives.
    """
    mu = np.sqrt(2.0) * ndtri(a)[:, None]
    v = np.sort(ndtr(mu + rng.normal(size=(len(a), positives))), axis=1)
    ends = np.ones((len(a), 1))
    chance = np.maximum(np.diff(np.hstack([0.0 * ends, v, ends]), axis=1), 0.0)
    between = rng.multinomial(negatives, chance / chance.sum(axis=1, keepdims=True))
    return between @ np.arange(positives, -1, -1) / (positives * negatives)


def draw_board(a, positives, negatives, rho, rng):
    """Draw estimates of all classifiers on one test set (classifier,), from their scores."""
    instances = positives + negatives
    noise = np.sqrt(1.0 - rho * rho) * rng.normal(size=(len(a), instances))
    scores = rho * rng.normal(size=instances) + noise
    scores[:, :positives] += np.sqrt(2.0) * ndtri(a)[:, None]
    ranks = stats.rankdata(scores, axis=1)[:, :positives].sum(axis=1)
    return (ranks - positives * (positives + 1) / 2) / (positives * negatives)


def by_pairs(a, positives, negatives, rng):
    """One estimate, from scores."""
    low = rng.normal(size=negatives)
    high = np.sqrt(2.0) * ndtri(a) + rng.normal(size=positives)
    return (high[:, None] > low).mean()


def test_simulator_is_that_of_scores():
    rng = np.random.default_rng(0)
    draws = 4000
    plain = np.array([by_pairs(0.8, 7, 12, rng) for _ in range(draws)])
    fast = draw(np.full(draws, 0.8), 7, 12, rng)
    error = plain.std() / np.sqrt(draws)
    assert fast.mean() == pytest.approx(plain.mean(), abs=5 * error)
    assert fast.std() == pytest.approx(plain.std(), rel=5 / np.sqrt(2 * draws))
    assert plain.std() == pytest.approx(
        np.sqrt(auc.variance(0.8, 7, 12)), rel=4 / np.sqrt(2 * draws)
    )


@pytest.mark.parametrize(
    ("a", "positives", "negatives"),
    [(0.9, 51, 2949), pytest.param(0.7, 300, 40, marks=pytest.mark.slow)],
)
def test_law(a, positives, negatives):
    """Kolmogorov's distance to 100 000 draws; the law is good to a few thousandths."""
    rng = np.random.default_rng(1)
    draws = np.sort(draw(np.full(100_000, a), positives, negatives, rng))
    cdf = auc.cdf(np.array([a]), positives, negatives)[0]
    x = (np.arange(auc.STEPS + 1) + 0.5) / auc.STEPS
    empirical = np.searchsorted(draws, x, side="right") / len(draws)
    assert abs(cdf - empirical).max() < kolmogorov_bound(len(draws)) + 0.003
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


def best_of(a, many, sizes, rho):
    """F of the best of equal classifiers at multiples of 1 / STEPS."""
    one = np.array([a])
    below, load = auc.cdf(one, *sizes), auc.loading(one, *sizes, rho)
    return factor_cdf(below, Mixture(one, np.array([float(many)]), 0.0), load)


# At sizes (20, 180) and a thousand classifiers E max is -0.1 of its sd off, at 0.97 and (30, 170)
# -0.15 (-0.37 and -0.35, were what the larger class adds normal).
@pytest.mark.parametrize(("a", "many", "sizes", "slack"), [
    pytest.param(0.9, 1000, (20, 180), 0.12, marks=pytest.mark.slow),
    pytest.param(0.97, 1000, (30, 170), 0.17, marks=pytest.mark.slow),
    (0.9, 10, (100, 400), 0.02),
])  # fmt: skip
def test_best_of_independent_classifiers(a, many, sizes, slack):
    rng = np.random.default_rng(6)
    boards = 400
    best = draw(np.full(many * boards, a), *sizes, rng).reshape(boards, many).max(axis=1)
    law = Tabled(auc.STEPS, 0, best_of(a, many, sizes, 0.0))
    assert best.mean() == pytest.approx(law.mean, abs=(4 / np.sqrt(boards) + slack) * law.sd)


@pytest.mark.parametrize("r", [0.0, 0.3, 0.5, 0.9])
def test_agreement_of_pairs_is_an_orthant(r):
    """Phi_2(h, h; r) - a^2, by SciPy's integration."""
    a = np.array([0.5, 0.8, 0.99])
    both = stats.multivariate_normal(cov=[[1.0, r], [r, 1.0]]).cdf(np.outer(ndtri(a), [1.0, 1.0]))
    np.testing.assert_allclose(auc._agreement(a, r), both - a**2, atol=1e-7)


def test_covariance_of_two_classifiers():
    """The covariance of two estimates, from scores."""
    rng, boards = np.random.default_rng(7), 4000
    pair, sizes = np.array([0.85, 0.85]), (12, 30)
    drawn = np.array([draw_board(pair, *sizes, 0.8, rng) for _ in range(boards)])
    covariance = float(auc.covariance(pair[:1], *sizes, 0.8)[0])
    variance = auc.variance(0.85, *sizes)
    assert float(auc.loading(pair, *sizes, 0.8)[0]) ** 2 == pytest.approx(covariance / variance)
    # The sd of a sample covariance of normals.
    error = np.sqrt((variance**2 + covariance**2) / boards)
    assert np.cov(drawn.T)[0, 1] == pytest.approx(covariance, abs=4 * error)
    assert float(auc.covariance(pair[:1], *sizes, 1.0)[0]) == pytest.approx(variance)
    assert float(auc.covariance(pair[:1], *sizes, 0.0)[0]) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.slow
def test_law_of_dependent_classifiers():
    """Kolmogorov's distance to boards of scores; 0.005 is a fit to 20 000 boards' distance."""
    rng, boards, sizes = np.random.default_rng(8), 3000, (100, 400)
    best = [draw_board(np.full(10, 0.9), *sizes, 0.7, rng).max() for _ in range(boards)]
    cdf = best_of(0.9, 10, sizes, 0.7)
    x = (np.arange(auc.STEPS + 1) + 0.5) / auc.STEPS
    empirical = np.searchsorted(np.sort(best), x, side="right") / boards
    assert abs(cdf - empirical).max() < kolmogorov_bound(boards) + 0.005
    # Classifiers taken as independent would fail this.
    assert abs(best_of(0.9, 10, sizes, 0.0) - empirical).max() > 0.1
