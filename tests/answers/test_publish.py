"""Columns to paste say what the leaderboard says, and letters what the groups' claims say."""

import io
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._answers.draws import by_mean, standing_of
from leaderbayes._answers.groups import claims


@pytest.fixture(scope="module")
def scores():
    return lb.datasets.load("classifiers", "breast_cancer")


@pytest.fixture(scope="module")
def dt(scores):
    return lb.fit(scores, sampler="laplace", seed=1)


@pytest.fixture(scope="module")
def of_scores(scores):
    return lb.fit(scores, "mean_score", prior_scale=float("inf"), seed=1)


@pytest.mark.parametrize("control", ["pair", "joint"])
def test_letters_are_the_claims(dt, control):
    table = lb.leaderboard(dt, columns="publish", control=control)
    draws, _ = standing_of(dt)
    apart = claims(draws[:, by_mean(draws)], 0.95, control)
    for i, j in combinations(range(len(table)), 2):
        shared = set(table["group"][i]) & set(table["group"][j])
        assert bool(shared) != apart[i, j]


def test_letters_agree_with_groups(dt):
    table = lb.leaderboard(dt, columns="publish", control="pair").set_index("player")
    for _, members in lb.groups(dt).groupby("group"):
        assert set.intersection(*(set(table.loc[p, "group"]) for p in members["player"]))


def test_numbers_are_those_of_the_leaderboard(dt):
    full = lb.leaderboard(dt)
    table = lb.leaderboard(dt, columns="publish")
    assert table["player"].tolist() == full["player"].tolist()
    low, high = table["ranks"].str.extract(r"^(\d+) to (\d+)$").astype(int).to_numpy().T
    np.testing.assert_array_equal(low, full["rank_lower"])
    np.testing.assert_array_equal(high, full["rank_upper"])
    shown = table["epp"].str.extract(r"^(\S+) \[(\S+), (\S+)\]$").astype(float)
    np.testing.assert_allclose(shown, full[["epp", "epp_lower", "epp_upper"]], atol=0.05)
    np.testing.assert_allclose(table["score"].astype(float), full["score"], atol=0.001)
    assert table.attrs["control"] == "joint"
    assert "all claims together" in table.attrs["note"]


def test_mean_scores_are_in_their_unit(of_scores):
    full = lb.leaderboard(of_scores)
    table = lb.leaderboard(of_scores, columns="publish", prob=0.9)
    assert list(table) == ["rank", "ranks", "player", "group", "score", "difference"]
    shown = table["score"].str.split(" ").str[0].astype(float)
    np.testing.assert_allclose(shown, full["score"], atol=0.001)
    assert table["difference"][0] == ""
    assert table.attrs["prob"] == 0.9


def test_votes_have_their_number():
    votes = lb.read_votes(
        pd.DataFrame({"winner": list("aabccbbc") * 9, "loser": list("bccbacab") * 9})
    )
    fitted = lb.fit(votes, seed=1, progressbar=False)
    table = lb.leaderboard(fitted, columns="publish")
    assert table["votes"].sum() == 2 * 72


def test_pandas_writes_it(dt):
    table = lb.leaderboard(dt, columns="publish")
    text = table.to_csv(index=False)
    again = pd.read_csv(io.StringIO(text))
    assert again["group"].tolist() == table["group"].tolist()
    assert "<td>svm C=1</td>" in table.to_html(index=False)
    assert "svm C=1 &" in table.to_latex(index=False, escape=True)


def test_what_is_not_to_be_published_says_so(dt):
    bad = dt.copy()
    bad.attrs = dt.attrs | {"converged": 0}
    assert lb.leaderboard(bad, columns="publish").attrs["note"].startswith("NOT CONVERGED")
    bad.attrs = dt.attrs | {"warnings": '["LB016 the model does not describe this board."]'}
    assert "LB016" in lb.leaderboard(bad, columns="publish").attrs["note"]


def test_an_error_where_there_are_no_ranks(scores):
    estimate = lb.likelihood.bradley_terry(lb.matches(scores), pseudo_rounds=1)
    with pytest.raises(lb.LeaderbayesError, match="columns='publish' is of a fit"):
        lb.leaderboard(estimate, columns="publish")
    with pytest.raises(lb.LeaderbayesError, match="columns='paste'"):
        lb.leaderboard(estimate, columns="paste")
    assert isinstance(estimate, xr.Dataset)
