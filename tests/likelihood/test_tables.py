"""Leaderboards, win probabilities and rankings of estimates."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import simulate


def square(rows):
    players = [f"p{k}" for k in range(len(rows))]
    return xr.DataArray(
        rows, dims=("player", "opponent"), coords={"player": players, "opponent": players}
    )


def test_leaderboard_and_win_probability():
    fit = lb.likelihood.bradley_terry(
        lb.matches(simulate([0.7, 0.0, -0.7], 20, np.random.default_rng(0)))
    )
    table = lb.leaderboard(fit, prob=0.9)
    assert table["epp"].is_monotonic_decreasing
    first = table.iloc[0]
    error = np.sqrt(float(fit["covariance"].sel(player=first.player, player_=first.player)))
    assert first.epp_upper - first.epp == pytest.approx(1.6448536 * error)
    assert table[["p_best", "rank_lower", "rank_upper"]].isna().all(axis=None)
    won = lb.win_probability(fit)
    np.testing.assert_allclose(won["mean"] + won["mean"].to_numpy().T, 1.0)
    np.testing.assert_allclose(won["lower"], 1 - won["upper"].to_numpy().T)
    published = lb.likelihood.bradley_terry(
        lb.matches(simulate([0.7, 0.0, -0.7], 20, np.random.default_rng(0))), covariance="model"
    )
    wide, narrow = (lb.win_probability(published, convention=c) for c in ("correct", "published"))
    off = ~np.eye(3, dtype=bool)
    assert ((wide["upper"] - narrow["upper"]).to_numpy()[off] > 0).all()
    with pytest.raises(lb.LeaderbayesError, match="covariance='model'"):
        lb.win_probability(fit, convention="published")


def test_deviance_of_estimates():
    scores = simulate([0.7, 0.0, -0.2, -0.7], 20, np.random.default_rng(0))
    plain = lb.deviance(lb.likelihood.bradley_terry(lb.matches(scores)))
    assert 0 < plain["p_value"] <= 1
    pmra = lb.likelihood.round_intercept(lb.matches(scores))
    assert np.isnan(lb.deviance(pmra)["p_value"])
    assert lb.deviance(pmra)["value"] == pytest.approx(-2 * float(pmra["loglik"]))


def test_ranking_breaks_no_circle():
    """p1, p2, p3 beat one another in a circle; p0 beats all, p4 nobody."""
    p = np.full((5, 5), 0.5)
    for a, b in [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 1), (1, 4), (2, 4), (3, 4)]:
        p[a, b], p[b, a] = 0.6, 0.4
    table = lb.likelihood.ranking(square(p)).set_index("player")["rank"]
    assert table.to_dict() == {"p0": 1, "p1": 2, "p2": 2, "p3": 2, "p4": 5}
    equal = lb.likelihood.ranking(square(np.full((3, 3), 0.5)))
    assert list(equal["rank"]) == [1, 1, 1]


def test_ranking_beside_mean_scores(reference):
    scores = reference("pmra/scores.csv")
    fit = lb.likelihood.eliminate(lb.matches(scores))
    won = lb.win_probability(fit, convention="published")["mean"]
    table = lb.likelihood.ranking(won, scores=scores)
    assert list(table["player"][:2]) == ["RF9", "XGB6"]
    assert sorted(table["mean_rank"]) == list(range(1, 50))
    best = str(scores.mean("round").idxmax("player").item())
    assert table.set_index("player").loc[best, "mean_rank"] == 1


def test_bad_probabilities():
    with pytest.raises(lb.LeaderbayesError, match="add up to 1"):
        lb.likelihood.ranking(square(np.full((3, 3), 0.7)))
    with pytest.raises(lb.LeaderbayesError, match="player, opponent"):
        lb.likelihood.ranking(square(np.full((3, 3), 0.5)).rename(player="a"))


def test_ranking_of_an_estimate_is_that_of_its_probabilities():
    estimate = lb.likelihood.bradley_terry(lb.matches(lb.datasets.load("classifiers", "iris")))
    expected = lb.likelihood.ranking(lb.win_probability(estimate)["mean"])
    pd.testing.assert_frame_equal(lb.likelihood.ranking(estimate), expected)
    with pytest.raises(lb.LeaderbayesError, match="Pass an estimate"):
        lb.likelihood.ranking(expected)
