"""The composite weight: of equal players, of a board, and by its definition."""

import numpy as np
import pytest

from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.composite_weight import (
    board_weight,
    clustered_scores,
    composite_weight,
    exchangeable_weight,
    meat,
)
from leaderbayes._numerics.pairs_by_round import round_statistics
from leaderbayes._numerics.places import count_matches, draw_places


def test_meat_is_the_covariance_of_rounds_times_their_number():
    scores = np.random.default_rng(0).normal(size=(9, 4)) + 3.0
    np.testing.assert_allclose(meat(scores), 9 * np.cov(scores.T, ddof=1))


@pytest.mark.parametrize("nu", [-np.inf, 0.3])
@pytest.mark.parametrize("within_round", [True, False])
def test_scores_by_round_vanish_at_the_estimate(within_round, nu):
    rng = np.random.default_rng(6)
    place = draw_places(
        np.array([0.5, 0.0, -0.5]), np.ones((12, 3), bool), rng, within_round=within_round, tie=nu
    )
    strict, n = count_matches(place, within_round=within_round)
    tied = n - strict - strict.T
    points = (strict + tied / 2.0).sum(axis=1)
    free = float(tied.sum() / 2.0) if np.isfinite(nu) else None
    epp, at, _ = newton(points, n * 1.0, free)
    statistics = round_statistics(place, within_round=within_round, ties="half")
    scores = clustered_scores(epp, at, statistics, within_round=within_round)
    assert scores.shape == (12, 4 if np.isfinite(nu) else 3)
    np.testing.assert_allclose(scores.sum(axis=0), 0.0, atol=1e-5)


def test_two_rounds_have_the_weight_of_equal_players():
    place = np.array([[1, 2, 3], [2, 1, 0]], np.int32)
    strict, n = count_matches(place, within_round=True)
    found = board_weight(place, strict * 1.0, n * 1.0, None, within_round=True, ties="half")
    assert found == exchangeable_weight(place, within_round=True) == 3.0 / (2.5 + 1.0)


def test_a_board_without_an_estimate_has_the_weight_of_one_with_a_pseudo_round():
    place = np.array([[1, 2, 3], [1, 3, 2], [1, 2, 3], [1, 3, 2]], np.int32)
    strict, n = count_matches(place, within_round=True)
    wins, n = strict * 1.0, n * 1.0
    statistics = round_statistics(place, within_round=True, ties="half")
    expected = composite_weight(wins, n, None, statistics, within_round=True, pseudo_rounds=1.0)
    assert board_weight(place, wins, n, None, within_round=True, ties="half") == expected


@pytest.mark.parametrize("players", [4, 10, 20])
def test_weight_of_equal_players(players):
    """Within 10 % of 3 / (m + 1) on average over boards (Monte Carlo error is below 2 %)."""
    rng = np.random.default_rng(2)
    weights = []
    for _ in range(40):
        place = draw_places(np.zeros(players), np.ones((100, players), bool), rng)
        strict, n = count_matches(place, within_round=True)
        statistics = round_statistics(place, within_round=True, ties="half")
        weights.append(
            composite_weight(
                strict * 1.0, n * 1.0, None, statistics, within_round=True, pseudo_rounds=0.0
            )
        )
    assert np.mean(weights) == pytest.approx(3 / (players + 1), rel=0.1)
    assert exchangeable_weight(place, within_round=True) == 3 / (players + 1)


def test_weight_of_equal_players_across_rounds():
    """Two equal players over r rounds: variance (2 r + 1) / 3 times that of r^2 matches."""
    rng, rounds = np.random.default_rng(3), 60
    weights = []
    for _ in range(60):
        place = draw_places(np.zeros(2), np.ones((rounds, 2), bool), rng, within_round=False)
        strict, n = count_matches(place, within_round=False)
        statistics = round_statistics(place, within_round=False, ties="half")
        weights.append(
            composite_weight(
                strict * 1.0, n * 1.0, None, statistics, within_round=False, pseudo_rounds=0.0
            )
        )
    assert np.mean(weights) == pytest.approx(3 / (2 * rounds + 1), rel=0.1)
    assert exchangeable_weight(place, within_round=False) == 3 / (2 * rounds + 1)


def test_weight_is_the_ratio_of_two_traces():
    """Free parameters over tr(H^-1 J), J the unbiased covariance of six rounds' scores."""
    rng, m = np.random.default_rng(4), 4
    place = draw_places(np.array([1.0, 0.3, -0.3, -1.0]), np.ones((6, m), bool), rng)
    strict, n = count_matches(place, within_round=True)
    statistics = round_statistics(place, within_round=True, ties="half")
    wins = strict * 1.0
    found = composite_weight(wins, n * 1.0, None, statistics, within_round=True, pseudo_rounds=0.0)
    epp = newton(wins.sum(axis=1), n * 1.0)[0]
    p = 1.0 / (1.0 + np.exp(epp - epp[:, None]))
    scores = ((place[:, :, None] < place[:, None]) - p) * (1 - np.eye(m))
    j = 6 * np.cov(scores.sum(axis=2).T, ddof=1)
    information = n * p * p.T
    h = np.diag(information.sum(axis=1)) - information
    assert found < 1.0
    assert found == pytest.approx((m - 1) / np.trace(np.linalg.pinv(h) @ j), rel=1e-6)
