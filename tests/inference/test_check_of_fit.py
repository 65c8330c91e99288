"""The check of fit: few false alarms, sees what it should, and says nothing of nothing."""

import numpy as np
import pytest
from scipy.stats import binom

import leaderbayes as lb
from conftest import board, cycle, simulate
from leaderbayes._inference.check_of_fit import boards_alike, of_boards, share_as_far

BOARDS = 80


def p_of(scores, seed):
    return share_as_far(*of_boards([lb.matches(scores)], seed))


@pytest.mark.parametrize("grid", [None, 1.0], ids=["no ties", "ties"])
def test_false_alarms_are_as_rare_as_they_say(grid):
    rng = np.random.default_rng(1)
    found = []
    for k in range(BOARDS):
        scores = simulate(rng.normal(size=8), 12, rng)
        if grid:
            scores = (scores / grid).round().assign_attrs(scores.attrs)
        found.append(p_of(scores, k))
    assert binom.sf(sum(p < 0.05 for p in found) - 1, BOARDS, 0.05) > 1e-3
    assert 0.3 < np.mean(found) < 0.8


def test_players_of_unequal_noise_are_seen():
    rng = np.random.default_rng(2)
    found = []
    for k in range(10):
        noise = np.exp(rng.uniform(-1.2, 1.2, 12))[:, None] * rng.normal(size=(12, 60))
        found.append(p_of(board(rng.normal(size=12)[:, None] + 2.0 * noise), k))
    assert np.mean(np.array(found) < 0.05) >= 0.8


def test_a_cycle_is_seen_and_warned_of():
    with pytest.warns(lb.MisfitWarning, match="LB016"):
        dt = lb.fit(cycle(), "bradley_terry", seed=1, progressbar=False)
    assert dt.attrs["p_check"] == 0.0


def test_replicates_keep_players_rounds_and_ties():
    place = np.array([[1, 2, 0, 2], [1, 2, 3, 4], [2, 1, 3, 0]], np.int32)
    rng = np.random.default_rng(3)
    again = boards_alike(place, 20, rng, within_round=True, ties="half")
    for each in again:
        np.testing.assert_array_equal(np.sort(each, axis=1), np.sort(place, axis=1))
        np.testing.assert_array_equal(each == 0, place == 0)


def test_replicates_are_as_spread_as_the_board():
    rng = np.random.default_rng(4)
    place = lb.matches(simulate(np.linspace(2.0, -2.0, 8), 10, rng))["place"].to_numpy()

    def spread(boards):
        return np.var(boards.mean(axis=-2), axis=-1)

    again = spread(boards_alike(place, 200, rng, within_round=True, ties="half"))
    assert again.mean() == pytest.approx(float(spread(place)), rel=0.1)
