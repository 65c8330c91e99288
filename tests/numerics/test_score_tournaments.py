"""Mean scores over data sets: gradient, and what is drawn of what was integrated out."""

import numpy as np
import pytest
from scipy.special import digamma as exact

from leaderbayes._numerics.score_tournaments import (
    boards,
    coordinates,
    digamma,
    draw_means,
    log_density,
    parameters,
    round_log_likelihood,
)

LUCK = 0.25


@pytest.fixture(scope="module")
def given():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(4, 3, 1)) + rng.normal(size=(4, 1, 5)) + rng.normal(size=(4, 3, 5))
    scores[1, 2] = np.nan
    scores[3, :, 3:] = np.nan
    return boards(scores, LUCK, 1.0, 4.0, 1.0)


def test_digamma():
    for x in (0.5, 1.0, 3.3, 9.99, 200.0):
        assert digamma(x) == pytest.approx(exact(x), rel=1e-10)


@pytest.mark.parametrize("players", [2, 3, 5])
def test_gradient(players):
    """Of few players but for the error of the trapezoid rule."""
    scores = np.random.default_rng(5).normal(size=(4, players, 5))
    scores[1, :-2] = np.nan
    given = boards(scores, LUCK, 1.0, 4.0, 1.0)
    at = coordinates(given)
    error = 5e-3 if players < 4 else 1e-5
    rng = np.random.default_rng(2)
    for _ in range(3):
        x = at.start + 0.5 * rng.standard_normal(at.start.size)
        numeric = [
            (log_density(x + d, given, at)[0] - log_density(x - d, given, at)[0]) / 2e-5
            for d in 1e-5 * np.eye(x.size)
        ]
        np.testing.assert_allclose(log_density(x, given, at)[1], numeric, atol=error)


def test_means_are_drawn_of_their_normal_law(given):
    """Mean and covariance of a data set's means given its mean scores, by matrices."""
    at = coordinates(given)
    one = parameters(at.start, given, at)
    draws = 40_000
    drawn = {name: np.repeat(np.asarray(v)[None], draws, axis=0) for name, v in one.items()}
    mean, here = draw_means(drawn, given, np.random.default_rng(3))
    for q in range(4):
        on = given.present[q]
        ones, luck = np.ones((3, 3)), np.diag(one["noise"][q] ** 2)
        luck = luck + one["round_scale"][q] ** 2 * ones
        spread = (one["score_spread"] * one["spread_factor"][q]) ** 2
        fresh = spread * np.eye(3) + one["level_scale"] ** 2 * ones
        seen = fresh + LUCK * luck
        total = (seen + luck / given.rounds[q])[np.ix_(on, on)]
        expected = one["level"] + one["effect"]
        for found, prior in ((mean[:, q], fresh), (here[:, q], seen)):
            gain = prior[:, on] @ np.linalg.inv(total)
            centre = expected + gain @ (given.mean[q, on] - expected[on])
            covariance = prior - gain @ prior[on]
            sd = np.sqrt(np.diag(covariance))
            np.testing.assert_allclose(found.mean(axis=0), centre, atol=5 * sd.max() / 200.0)
            np.testing.assert_allclose(np.cov(found.T), covariance, atol=0.05 * sd.max() ** 2)


def test_round_log_likelihood(given):
    from scipy.stats import multivariate_normal

    rng = np.random.default_rng(4)
    here, noise = rng.normal(size=(2, 4, 3)), np.exp(0.3 * rng.normal(size=(2, 4, 3)))
    omega = np.exp(rng.normal(size=(2, 4)))
    scores = np.array([[0.3, -1.0, 0.2], [1.0, 0.5, np.nan]])
    found = round_log_likelihood(here, noise, omega, scores, np.array([0, 1]))
    for d in range(2):
        for k, who in ((0, [0, 1, 2]), (1, [0, 1])):
            law = multivariate_normal(
                here[d, k, who], np.diag(noise[d, k, who] ** 2) + omega[d, k] ** 2
            )
            assert found[d, k] == pytest.approx(law.logpdf(scores[k, who]))
