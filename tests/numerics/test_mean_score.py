"""Density of mean scores: gradient, rounds' likelihood, moments, and the flat posterior."""

import numpy as np
import pytest
from scipy.stats import kstest, multivariate_normal, t

from leaderbayes._numerics.mean_score import (
    OWN,
    Board,
    coordinates,
    flat,
    log_density,
    moments,
    parameters,
    round_log_likelihood,
)


def scores_of(rounds, players, seed, missing=False):
    rng = np.random.default_rng(seed)
    y = 0.7 + 0.1 * rng.normal(size=(rounds, 1)) + 0.05 * rng.normal(size=players)
    y = y + 0.02 * rng.normal(size=(rounds, players)) * np.exp(0.5 * rng.normal(size=players))
    if missing:
        y[1, 0] = y[2, 1] = np.nan
    return y


def board_of(y, luck=0.0, df=4.0):
    on = np.isfinite(y)
    return Board(np.where(on, y, 0.0), on, luck, 0.1, df, 0.08, float(np.nanmean(y)), 0.2)


@pytest.mark.parametrize("luck", [0.0, 0.25])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("independent", [False, True])
def test_gradient(luck, missing, independent):
    board = board_of(scores_of(5, 4, 1, missing), luck)
    at = coordinates(board, independent=independent)
    rng = np.random.default_rng(2)
    for _ in range(3):
        x = at.start + 0.3 * rng.standard_normal(at.start.size)
        _, gradient = log_density(x, board, at)
        step = 1e-6
        expected = [
            (log_density(x + step * e, board, at)[0] - log_density(x - step * e, board, at)[0])
            / (2.0 * step)
            for e in np.eye(x.size)
        ]
        np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("luck", [0.0, 0.25])
def test_independent_coordinates_are_the_others_moved(luck):
    """Of the same density, and start: by a linear map, whose determinant is no coordinate's."""
    board = board_of(scores_of(5, 4, 1, missing=True), luck)
    plain, moved = coordinates(board), coordinates(board, independent=True)
    assert np.all((moved.noise_centring > 0.0) & (moved.noise_centring < 1.0))
    assert np.all(plain.noise_centring == 0.0)
    rng = np.random.default_rng(2)
    for far in (0.0, 0.3, 0.3):
        x = moved.start + far * rng.standard_normal(moved.start.size)
        same = x.copy()
        same[4:8] += moved.along * (moved.along @ x[4:8])
        same[8:12] -= moved.noise_centring * (x[3] - moved.log_noise) / OWN
        if far == 0.0:
            np.testing.assert_allclose(same, plain.start, atol=1e-12)
        found, expected = parameters(x, board, moved), parameters(same, board, plain)
        for name, values in expected.items():
            np.testing.assert_allclose(found[name], values)
        value = log_density(same, board, plain)[0]
        assert log_density(x, board, moved)[0] == pytest.approx(value)


def test_round_likelihood_is_the_normal_laws():
    board = board_of(scores_of(5, 4, 3, missing=True))
    rng = np.random.default_rng(4)
    theta, noise = rng.normal(size=(2, 4)), np.exp(rng.normal(size=(2, 4)))
    omega, eta = np.array([0.5, 2.0]), np.array([0.1, -1.0])
    found = round_log_likelihood(theta, noise, omega, eta, board)
    for d in range(2):
        for k in range(5):
            on = board.present[k]
            covariance = np.diag(noise[d, on] ** 2) + omega[d] ** 2
            law = multivariate_normal(eta[d] + theta[d, on], covariance)
            assert found[d, k] == pytest.approx(law.logpdf(board.scores[k, on]))


def test_the_density_moves_with_the_scores_likelihood():
    """At one point for the shared luck and the prior: other scores, other likelihood alone."""
    one = board_of(scores_of(6, 3, 5))
    other = one._replace(scores=one.scores + 0.01 * np.arange(6)[:, None])
    at = coordinates(one)
    found = parameters(at.start, one, at)
    args = (
        found["theta"][None], found["noise"][None],
        np.atleast_1d(found["round_scale"]), np.atleast_1d(found["level"]),
    )  # fmt: skip
    by_round = [round_log_likelihood(*args, each).sum() for each in (one, other)]
    value = [log_density(at.start, each, at)[0] for each in (one, other)]
    assert value[1] - value[0] == pytest.approx(by_round[1] - by_round[0])


def test_moments_are_the_two_way_models():
    y = scores_of(30, 5, 6)
    effect, noise = moments(board_of(y))
    np.testing.assert_allclose(effect, y.mean(axis=0) - y.mean(), atol=1e-9)
    assert effect.sum() == pytest.approx(0.0, abs=1e-9)
    assert np.all(noise > 0.0)
    # A player who missed the hard rounds is no better for that.
    hard = scores_of(200, 4, 7)
    full, _ = moments(board_of(hard))
    level = hard.mean(axis=1)
    hard[level < np.median(level), 0] = np.nan
    found, _ = moments(board_of(hard))
    np.testing.assert_allclose(found, full, atol=4.0 * 0.04 / np.sqrt(100))


@pytest.mark.parametrize("luck", [0.0, 0.25])
def test_flat_differences_are_the_correlated_ts(luck):
    """Corani and Benavoli (2015): location, scale and degrees of freedom, of every pair."""
    y = scores_of(10, 12, 8)
    drawn = flat(board_of(y, luck), 20_000, np.random.default_rng(9))
    for i, j in ((0, 1), (3, 11), (7, 2)):
        d = y[:, i] - y[:, j]
        law = t(9, d.mean(), np.sqrt((0.1 + luck) * d.var(ddof=1)))
        assert kstest(drawn[:, i] - drawn[:, j], law.cdf).pvalue > 1e-3
