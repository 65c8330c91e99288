"""Proposals near the highest density: of whose density they know their own."""

import numpy as np
import pytest
from scipy.stats import multivariate_t

from leaderbayes._numerics.proposals import (
    Proposal,
    at_the_top,
    log_weights,
    propose,
    refined,
)

COVARIANCE = np.array([[2.0, 0.9, 0.0], [0.9, 1.0, -0.2], [0.0, -0.2, 0.1]])
PRECISION = np.linalg.inv(COVARIANCE)
CENTRE = np.array([1.0, -2.0, 30.0])


def normal(x):
    gap = x - CENTRE
    return float(-0.5 * gap @ PRECISION @ gap), -PRECISION @ gap


def values(density):
    """Logarithms of the density of points alone."""
    with_none = np.errstate(over="ignore", invalid="ignore")  # of far points
    return with_none(lambda x: np.array([density(each)[0] for each in x]))


def skewed(x):
    """Exponents of a normal's coordinates: far from its Laplace approximation."""
    y = np.array([np.log1p(np.exp(x[0])), x[1]])
    return (
        float(-0.5 * (y[0] - 3.0 * y[1]) ** 2 - 0.5 * y[0] ** 2 - 0.5 * y[1] ** 2),
        np.array(
            [
                (-(y[0] - 3.0 * y[1]) - y[0]) / (1.0 + np.exp(-x[0])),
                3.0 * (y[0] - 3.0 * y[1]) - y[1],
            ]
        ),
    )


def test_top_and_curvature():
    found = at_the_top(normal, np.zeros(3))
    np.testing.assert_allclose(found.centre, CENTRE, atol=1e-4)
    np.testing.assert_allclose(found.factor @ found.factor.T, PRECISION, rtol=1e-4, atol=1e-6)


def test_draws_know_their_density():
    given = at_the_top(normal, np.zeros(3))
    x, log = propose(given, 4000, np.random.default_rng(1))
    law = multivariate_t(given.centre, np.linalg.inv(given.factor @ given.factor.T), df=10)
    gap = law.logpdf(x) - log
    np.testing.assert_allclose(gap, gap[0])
    # By their weights they are draws of the density itself.
    ratio = log_weights(values(normal)(x), log)
    weight = np.exp(ratio - ratio.max())
    share = weight.sum() ** 2 / (weight**2).sum() / 4000
    assert share > 0.8
    weight /= weight.sum()
    sd = np.sqrt(np.diag(COVARIANCE))
    np.testing.assert_allclose(weight @ x, CENTRE, atol=4.0 * sd.max() / np.sqrt(4000 * share))


def test_refined_where_the_top_says_little():
    """More of the draws are worth something; of a normal density all are at once."""
    rng = np.random.default_rng(2)
    top = at_the_top(skewed, np.array([1.0, 0.0]))
    x, log = propose(top, 2000, rng)
    ratio = log_weights(values(skewed)(x), log)
    weight = np.exp(ratio - ratio.max())
    before = weight.sum() ** 2 / (weight**2).sum() / 2000
    _, share = refined(values(skewed), top, rng)
    assert share > before
    exact = at_the_top(normal, np.zeros(3))
    given, share = refined(values(normal), exact, rng)
    assert given is exact
    assert share > 0.8


def test_nothing_within_reach():
    def nowhere(x):
        return -np.inf, np.zeros(x.size)

    given = at_the_top(normal, np.zeros(3))
    assert refined(values(nowhere), given, np.random.default_rng(1)) == (given, 0.0)
    x, log = propose(given, 5, np.random.default_rng(1))
    assert (log_weights(values(nowhere)(x), log) == -np.inf).all()


@pytest.mark.parametrize("seed", [1, 2])
def test_a_saddle_has_a_factor(seed):
    """Where the search ends, curvature may be none."""

    def saddle(x):
        return float(-0.5 * x[0] ** 2 + 0.0 * x[1]), np.array([-x[0], 0.0])

    found = at_the_top(saddle, np.random.default_rng(seed).standard_normal(2))
    assert np.isfinite(found.factor).all()
    assert (np.diag(found.factor) > 0.0).all()


@pytest.mark.parametrize("least", [0.0, 0.5])
def test_many_coordinates_are_given_up_early(least):
    """Where the first draws are worth too little, no others are looked at."""
    looked = []

    def far(x):
        looked.append(len(x))
        return -8.0 * np.abs(x).sum(axis=1)

    given = Proposal(np.zeros(60), 0.3 * np.eye(60))
    best, share = refined(far, given, np.random.default_rng(1), least)
    assert share < 0.02
    if least:
        assert best is given
        assert looked == [2000]
    else:
        assert looked[:2] == [2000, 400]


def test_without_a_curvature_it_is_around_the_start():
    """As where a density without a top was followed to where it is no number."""

    def broken(x):
        gap = x - 1.0
        slope = np.where((gap != 0.0) & (abs(gap) < 1e-3), np.nan, -gap)
        return float(-0.5 * gap @ gap), slope

    start = np.array([0.5, 1.0])
    found = at_the_top(broken, start)
    np.testing.assert_array_equal(found.centre, start)
    np.testing.assert_array_equal(found.factor, np.eye(2))
