"""Density of mean scores: gradient, rounds' likelihood, moments, and the flat posterior."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import kstest, multivariate_normal, t

from leaderbayes._numerics.mean_score import (
    OWN,
    Board,
    coordinates,
    flat,
    law_of_half_a_difference,
    log_density,
    luck_is_integrated_out,
    moments,
    parameters,
    round_log_likelihood,
    rows_of,
    with_luck,
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
@pytest.mark.parametrize(
    ("players", "independent", "df"),
    [(4, False, 4.0), (4, True, 4.0), (2, False, 4.0), (2, False, 1.5)],
)
def test_gradient(luck, missing, players, independent, df):
    board = board_of(scores_of(5, players, 1, missing), luck, df)
    at = coordinates(board, independent=independent)
    rng = np.random.default_rng(2)
    for _ in range(3):
        x = at.start + 0.3 * rng.standard_normal(at.start.size)
        _, gradient = log_density(x, board, at)
        step = 1e-5  # at shorter ones rounding of squares that cancel is seen
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


@pytest.mark.parametrize("df", [1.0, 2.5, 4.0, 7.0, 1000.0])
def test_the_law_of_half_a_difference_is_that_of_two_student_numbers(df):
    nodes, weights = law_of_half_a_difference(df)
    found, expected = [], []
    for y in (0.0, 0.3, 1.0, 3.0, 10.0):
        share = y**2 / (df + y**2)
        mixture = (weights * (1.0 - share * nodes) ** (0.5 * (df - 1.0))).sum()
        found.append((1.0 + y**2 / df) ** (-0.5 * (df + 1.0)) * mixture)
        # Either side of the middle has one peak, at y.
        ends = [0.0, 0.5 * y, y, y + 1.0, y + 5.0, np.inf]
        expected.append(
            sum(
                quad(lambda x, y=y: t.pdf(x - y, df) * t.pdf(x + y, df), *part, epsabs=0.0)[0]
                for part in pairwise(ends)
                if part[1] > part[0]
            )
        )
    np.testing.assert_allclose(
        np.array(found) / found[0], np.array(expected) / expected[0], rtol=1e-6
    )


@pytest.mark.parametrize("players", [3, 4, 7])
def test_few_players_whom_scores_hold_go_straight(players):
    """The more rounds, the nearer T is to straight."""
    y = scores_of(200, players, 1)
    short, long = coordinates(board_of(y[:3])), coordinates(board_of(y))
    assert np.all(short.tails > 4.0)
    assert np.all(long.tails > 10.0 * short.tails)
    np.testing.assert_allclose(long.tails * (1.0 - long.centring), 4.0)
    more = coordinates(board_of(scores_of(200, 8, 1)))
    np.testing.assert_array_equal(more.tails, 4.0)


def test_where_no_weights_are_numbers_two_players_are_as_more():
    board = board_of(scores_of(5, 2, 1), df=1e6)
    at = coordinates(board)
    assert len(at.centring) == 2
    assert np.isfinite(log_density(at.start, board, at)[0])


@pytest.mark.parametrize(("luck", "missing"), [(0.0, False), (0.25, True), (0.25, False)])
def test_luck_is_integrated_out_where_all_played_all(luck, missing):
    board = board_of(scores_of(5, 4, 1, missing), luck)
    assert luck_is_integrated_out(board) == (luck > 0.0 and not missing)
    sizes = 4 + 8 + (4 if luck > 0.0 and missing else 0)
    assert coordinates(board).start.size == sizes
    rows = rows_of(board)
    if not luck_is_integrated_out(board):
        assert rows.scores is board.scores
        return
    # By an orthogonal matrix: a level of all rounds is in the first row alone.
    y = rows.scores
    np.testing.assert_allclose(y.T @ y, board.scores.T @ board.scores)
    np.testing.assert_allclose(y[0], np.sqrt(5.0) * board.scores.mean(axis=0))
    moved = rows_of(board._replace(scores=board.scores + 1.0))
    np.testing.assert_allclose(moved.scores - y, rows.means[:, None] * np.ones(4), atol=1e-12)


def test_luck_is_drawn_given_the_scores():
    """Of the normal law of luck and all scores: mean and covariance, within 4 errors of each."""
    board = board_of(scores_of(5, 3, 2), 0.25)
    effect, noise = np.array([0.05, -0.02, -0.03]), np.array([0.02, 0.03, 0.01])
    omega, eta, draws = 0.1, 0.72, 40_000
    each = np.ones((draws, 1))
    found = with_luck(
        effect * each, noise * each, np.full(draws, omega), np.full(draws, eta), board,
        np.random.default_rng(3),
    )  # fmt: skip
    prior = np.diag(0.25 * noise**2)
    seen = np.tile(np.eye(3), (5, 1))
    covariance = np.diag(np.tile(noise**2, 5)) + np.kron(np.eye(5), np.full((3, 3), omega**2))
    covariance += seen @ prior @ seen.T
    gain = prior @ seen.T @ np.linalg.inv(covariance)
    mean = effect + gain @ (board.scores - eta - effect).ravel()
    expected = prior - gain @ seen @ prior
    sd = np.sqrt(np.diag(expected))
    assert abs((found.mean(axis=0) - mean) / sd).max() < 4.0 / np.sqrt(draws)
    off = (np.cov(found.T) - expected) / np.outer(sd, sd)
    # Of a variance's share the error is at most the root of 2 over that of the draws.
    assert abs(off).max() < 4.0 * np.sqrt(2.0 / draws)


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
    value = [
        log_density(at.start, each, at._replace(rows=rows_of(each)))[0] for each in (one, other)
    ]
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
