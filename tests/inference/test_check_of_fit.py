"""The check of fit: few false alarms, sees what it should, and says nothing of nothing."""

import numpy as np
import pytest
from scipy.special import expit, ndtr
from scipy.stats import binom

import leaderbayes as lb
from conftest import board, cycle, simulate
from leaderbayes._inference.check_of_fit import _boards, _stretch, discrepancies, matters
from leaderbayes._numerics.pairs import estimates
from leaderbayes._numerics.places import count

BOARDS = 80
RULES = {"within_round": True, "ties": "half"}


def boards_alike(place, boards, rng):
    """Boards around the estimate of one."""
    wins, n, _ = count(place, **RULES)
    own = estimates(wins.sum(axis=1)[None], n[None])[0]
    return _boards(place, _stretch(place, own, rng, **RULES) * own, boards, rng, RULES)


def of(scores, seed):
    return discrepancies([lb.matches(scores)], None, np.random.default_rng([seed, 16]))


@pytest.mark.parametrize("grid", [pytest.param(None, marks=pytest.mark.slow), 1.0])
def test_false_alarms_are_as_rare_as_they_say(grid):
    rng = np.random.default_rng(1)
    found = []
    for k in range(BOARDS):
        scores = simulate(rng.normal(size=8), 12, rng)
        if grid:
            scores = (scores / grid).round().assign_attrs(scores.attrs)
        found.append(of(scores, k).p_value)
    assert binom.sf(sum(p < 0.05 for p in found) - 1, BOARDS, 0.05) > 1e-3
    assert 0.3 < np.mean(found) < 0.8


def test_players_of_unequal_noise_are_seen():
    rng = np.random.default_rng(2)
    found = []
    for k in range(10):
        noise = np.exp(rng.uniform(-1.2, 1.2, 12))[:, None] * rng.normal(size=(12, 60))
        found.append(of(board(rng.normal(size=12)[:, None] + 2.0 * noise), k).p_value)
    assert np.mean(np.array(found) < 0.05) >= 0.8


def test_a_cycle_is_seen_and_warned_of_where_answers_do_not_take_it_in(recwarn):
    dt = lb.fit(cycle(), "bradley_terry", seed=1, progressbar=False)
    assert dt.attrs["p_check"] == 0.0
    assert not [w for w in recwarn if "LB016" in str(w.message)]
    with pytest.warns(lb.LeaderbayesWarning, match="LB016"):
        lb.fit(cycle(), "round_intercept", seed=1, progressbar=False)


def test_size_of_a_misfit_is_how_far_win_probabilities_are_off():
    """Normal scores of unequal noise, many rounds: against what strengths at best can say."""
    rng, m = np.random.default_rng(5), 10
    scale, epp = np.exp(rng.uniform(-1.0, 1.0, m)), rng.normal(size=m)
    true = ndtr((epp[:, None] - epp) / np.hypot(scale[:, None], scale))
    n = 1e4 * (1.0 - np.eye(m))
    best = estimates((n * true).sum(axis=1)[None], n[None])[0]
    off = (true - expit(best[:, None] - best))[~np.eye(m, dtype=bool)]
    found = [
        of(board(epp[:, None] + scale[:, None] * noise), 1).misfit
        for noise in rng.normal(size=(8, m, 200))
    ]
    error = np.std(found) / np.sqrt(len(found))
    assert np.mean(found) == pytest.approx(np.sqrt(np.mean(off**2)), abs=4 * error)
    fits = [of(simulate(epp, 40, rng), k) for k in range(8)]
    assert not any(matters(found.p_value, found.ratio) for found in fits)


def test_replicates_keep_players_rounds_and_ties():
    place = np.array([[1, 2, 0, 2], [1, 2, 3, 4], [2, 1, 3, 0]], np.int32)
    rng = np.random.default_rng(3)
    again = boards_alike(place, 20, rng)
    for each in again:
        np.testing.assert_array_equal(np.sort(each, axis=1), np.sort(place, axis=1))
        np.testing.assert_array_equal(each == 0, place == 0)


def test_replicates_are_as_spread_as_the_board():
    rng = np.random.default_rng(4)
    place = lb.matches(simulate(np.linspace(2.0, -2.0, 8), 10, rng))["place"].to_numpy()

    def spread(boards):
        return np.var(boards.mean(axis=-2), axis=-1)

    again = spread(boards_alike(place, 200, rng))
    assert again.mean() == pytest.approx(float(spread(place)), rel=0.1)
