"""The fewest rounds that hold the first mean score first."""

from itertools import combinations

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb


def board(values, **coords):
    m, r = values.shape
    names = {"player": [f"p{i}" for i in range(m)], "round": [f"r{k}" for k in range(r)], **coords}
    return xr.DataArray(values, names, dims=("player", "round"), attrs={"higher_is_better": 1})


def fit(scores, **options):
    flat = {} if options.get("likelihood") == "dirichlet" else {"prior_scale": np.inf}
    return lb.fit(scores, "mean_score", draws=500, chains=4, seed=1, **flat, **options)


@pytest.fixture(scope="module")
def planted():
    """Without rounds r3 and r7 the second is the first."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(3, 20)) * 0.1 + np.array([[0.4], [0.5], [0.0]])
    values[0, [3, 7]] += 2.0
    return board(values)


def test_the_planted_rounds(planted):
    found = lb.influence(fit(planted), by="round")
    assert set(found["round"]) == {"r3", "r7"}
    assert (found.attrs["leader"], found.attrs["rival"]) == ("p0", "p1")
    assert found.attrs["found"] == 1
    assert found.attrs["lead_before"] > 0.0 > found.attrs["lead_after"]
    mean = planted.mean("round")
    assert found.attrs["lead_before"] == pytest.approx(float(mean[0] - mean[1]))
    left = planted.drop_sel(round=found["round"].tolist()).mean("round")
    assert found.attrs["lead_after"] == pytest.approx(float(left[0] - left[1]))
    assert "Without 2 of 20 rounds (0.1 of all scores) p1 does." in found.attrs["message"]


@pytest.mark.parametrize("seed", range(10))
def test_no_smaller_set_does_it(seed):
    values = np.random.default_rng(seed).normal(size=(4, 9))
    found = lb.influence(fit(board(values)), by="round", max_share=0.9)
    leader = values.mean(axis=1).argmax()
    fewest = next(
        size
        for size in range(1, 9)
        for gone in combinations(range(9), size)
        if np.delete(values, gone, axis=1).mean(axis=1).argmax() != leader
    )
    assert found.attrs["removed"] == fewest


def test_nothing_to_be_found():
    values = np.random.default_rng(2).normal(size=(3, 15)) * 0.1 + np.array([[5.0], [0.0], [0.1]])
    found = lb.influence(fit(board(values)), by="round")
    assert found.attrs["found"] == len(found) == 0
    assert "no set of rounds with at most 0.5 of all scores" in found.attrs["message"]


def test_lower_is_better(planted):
    turned = (-planted).assign_attrs(higher_is_better=0)
    one, other = (lb.influence(fit(scores), by="round") for scores in (planted, turned))
    assert one["round"].tolist() == other["round"].tolist()
    assert one.attrs["lead_after"] == pytest.approx(other.attrs["lead_after"])


def test_a_median(planted):
    found = lb.influence(fit(planted, statistic="median", likelihood="dirichlet"), by="round")
    assert found.attrs["leader"] == "p1"
    left = planted.drop_sel(round=found["round"].tolist())
    assert (
        str(left.median("round").idxmax("player").item()) == found.attrs["rival"] or len(found) == 0
    )


def test_missing_scores(planted):
    holes = planted.copy()
    holes[2, :5] = np.nan
    found = lb.influence(lb.fit(holes, "mean_score", draws=1000, seed=1), by="round")
    assert set(found["round"]) == {"r3", "r7"}


def test_clusters_of_items():
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(10), 6)
    right = rng.random((3, 60)) < np.array([[0.5], [0.6], [0.4]])
    right[0, cluster == 4] = True
    right[0, cluster == 5] = True
    right[1:, cluster == 4] = False
    right[1:, cluster == 5] = False
    scores = board(right.astype(float), cluster=("round", [f"c{k}" for k in cluster]))
    dt = fit(scores, likelihood="dirichlet")
    found = lb.influence(dt, by="cluster")
    assert set(found["cluster"]) <= {"c4", "c5"}
    assert found.attrs["found"] == 1
    assert lb.influence(dt, by="round").attrs["removed"] > len(found)


def test_what_cannot_be(planted):
    dt = fit(planted)
    with pytest.raises(lb.LeaderbayesError, match="by='vote' is of votes"):
        lb.influence(dt, by="vote")
    with pytest.raises(lb.LeaderbayesError, match="have no clusters"):
        lb.influence(dt, by="cluster")
    matches = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    with pytest.raises(lb.LeaderbayesError, match="is of mean scores"):
        lb.influence(matches, by="cluster")


def test_groups_that_share_no_round():
    """Their means are on no common scale."""
    values = np.random.default_rng(2).normal(size=(4, 8))
    values[:2, :4] = values[2:, 4:] = np.nan
    with pytest.raises(lb.LeaderbayesError, match=r"share no round.*Fit the groups apart"):
        lb.fit(board(values), "mean_score", draws=1000, seed=1)
