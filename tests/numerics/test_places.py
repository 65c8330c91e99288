"""Places of scores, counts and paths of wins against enumeration, and boards that are drawn."""

import numpy as np
import pytest
from scipy.stats import rankdata

from leaderbayes._numerics.places import count_matches, draw_places, gumbel, places, tie_width


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("within_round", [True, False])
@pytest.mark.parametrize("players", [5, 300])
def test_places_are_ranks_and_absent_players_shift_nobody(players, within_round, higher_is_better):
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 4, size=(6, players)).astype(float)
    scores[rng.random(scores.shape) < 0.3] = np.nan
    found = places(scores, higher_is_better=higher_is_better, within_round=within_round)
    loss = -scores if higher_is_better else scores
    for row, mine in zip(loss, found, strict=True) if within_round else [(loss, found)]:
        seen = ~np.isnan(row)
        np.testing.assert_array_equal(mine[seen], rankdata(row[seen], "min"))
        assert not mine[~seen].any()


def test_gumbel_numbers_are_those_of_numpy():
    drawn = gumbel(np.random.default_rng(3).random((100, 2, 7)))
    wanted = np.random.default_rng(3).gumbel(size=(100, 2, 7))
    np.testing.assert_allclose(drawn, wanted, rtol=1e-13, atol=1e-13)


def test_drawn_places_win_as_bradley_terry_says():
    rng = np.random.default_rng(5)
    rounds, b = 20_000, np.array([1.0, 0.0, -0.5])
    place = draw_places(b, np.ones((rounds, 3), bool), rng)
    wins, n = count_matches(place, within_round=True)
    p = 1 / (1 + np.exp(b - b[:, None]))
    off = ~np.eye(3, dtype=bool)
    error = np.sqrt(p * (1 - p) / rounds)
    assert (np.abs(wins / np.where(n > 0, n, 1) - p) < 4 * error)[off].all()


@pytest.mark.parametrize("nu", [-2.0, 0.0, 1.5])
def test_drawn_ties_of_equal_players_have_davidsons_rate(nu):
    rounds = 20_000
    place = draw_places(np.zeros(2), np.ones((rounds, 2), bool), np.random.default_rng(1), tie=nu)
    tied = np.mean(place[:, 0] == place[:, 1])
    p = np.exp(nu) / (2 + np.exp(nu))
    assert abs(tied - p) < 4 * np.sqrt(p * (1 - p) / rounds)
    assert tie_width(p) > 0
