"""The check that every fit gets: its p-value, its warning, and where there is none."""

import json
import warnings

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board, cycle, simulate
from leaderbayes._inference.discrepancy import MISFIT, enough


def test_fit_keeps_its_check(laplace):
    assert laplace.attrs["p_check"] == float(lb.check(laplace)["p_round"])


def test_a_board_that_does_not_fit_is_flagged_everywhere():
    with pytest.warns(lb.MisfitWarning, match="LB016") as caught:
        dt = lb.fit(cycle(), sampler="laplace", seed=1)
    assert caught[0].filename == __file__
    assert dt.attrs["p_check"] < 0.01
    for answer in (lb.leaderboard(dt), lb.compare(dt, "p0", "p1"), lb.win_probability(dt)):
        assert json.loads(answer.attrs["warnings"]) == json.loads(dt.attrs["warnings"])
    assert "LB016" in dt.attrs["warnings"]
    assert "The model does not describe the board well" in lb.report.text(dt)


@pytest.mark.slow
@pytest.mark.parametrize("step", [None, 0.5, 2.0])  # of rounded scores: no ties, 10 %, 38 %
def test_a_board_that_fits_is_not(step):
    """The p-value of a posterior predictive check leans to the middle: at most 5 % are flagged."""
    rng = np.random.default_rng(1)
    boards = 60
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", lb.LeaderbayesWarning)
        for seed in range(boards):
            scores = simulate(rng.normal(size=6), 12, rng)
            scores = scores if step is None else (scores / step).round()
            lb.fit(scores, sampler="laplace", seed=seed, draws=50)
    flagged = sum(issubclass(one.category, lb.MisfitWarning) for one in caught)
    assert flagged <= boards * 0.05 + 3.0 * np.sqrt(boards * 0.05 * 0.95)


def test_noise_of_each_players_own_scale_is_seen_on_few_rounds():
    """On 0.75 of boards of 8 x 30 (models/fits.py): of 20, 9 or fewer with probability 0.004."""
    rng = np.random.default_rng(3)
    flagged = 0
    for seed in range(20):
        epp, scale = rng.normal(size=8), 1.28 * np.exp(rng.normal(scale=2.0 / 3.0, size=8))
        scores = epp[:, None] + scale[:, None] * rng.normal(size=(8, 30))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.MisfitWarning)
            dt = lb.fit(board(scores), sampler="laplace", seed=seed, draws=50)
        flagged += dt.attrs["p_check"] < MISFIT
    assert flagged > 9


def test_own_scales_are_seen_where_matches_tie():
    """A quarter tie: on 13 of 30 such boards, so on none of 10 with probability 0.003.

    Held against rankings without ties none of these 30 were.
    """
    rng = np.random.default_rng(8)
    flagged = 0
    for seed in range(10):
        scale = np.exp(rng.uniform(-0.8, 0.8, size=20))
        scores = rng.normal(0.0, 0.8, size=(20, 1)) + scale[:, None] * rng.gumbel(size=(20, 30))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            dt = lb.fit(board((scores / 1.5).round()), sampler="laplace", seed=seed, draws=50)
        flagged += dt.attrs["p_check"] < MISFIT
    assert flagged > 0


def test_too_few_replicates_say_nothing():
    dt = lb.fit(cycle(), sampler="laplace", seed=1, replicates=20)
    assert np.isnan(dt.attrs["p_check"])
    assert "LB016" not in dt.attrs["warnings"]


def test_a_new_player_is_checked_again():
    rng = np.random.default_rng(2)
    scores = simulate(np.zeros(4), 20, rng)
    dt = lb.fit(scores, sampler="laplace", seed=1)
    new = scores.isel(player=0).copy(data=rng.gumbel(size=20)).rename("new").drop_vars("player")
    enlarged = lb.new_player(dt, new, seed=1)
    assert enlarged.attrs["p_check"] == float(lb.check(enlarged)["p_round"])


def test_draws_by_the_size_of_the_board():
    assert [enough(m) for m in (10, 100, 150, 500, 2000)] == [200, 200, 88, 50, 50]
