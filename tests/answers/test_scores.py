"""Posteriors of mean scores: answers in the metric's unit, and their calibration."""

import json

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from answers.conftest import fit
from conftest import board, often_by_little

NAMES = [f"p{i}" for i in range(4)]


def draws_of(dt):
    score = dt["posterior"]["score"].stack(sample=("chain", "draw"))
    return score.transpose("sample", "player").to_numpy()


@pytest.fixture(scope="module")
def scores():
    values = np.random.default_rng(6).normal(size=(4, 12)) + np.array([[1.5], [0.0], [0.1], [0.0]])
    return board(values)


@pytest.fixture(scope="module")
def dt(scores):
    return fit(scores, "mean_score", prior_scale=np.inf, replicates=100)


@pytest.fixture(scope="module")
def of_items():
    right = np.random.default_rng(7).random((4, 80)) < np.array([[0.95], [0.6], [0.55], [0.5]])
    named = board(right.astype(float))
    return fit(named.assign_coords(cluster=("round", [f"c{k // 4}" for k in range(80)])), "auto")


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_leaderboard_in_the_metrics_unit(scores, sign):
    given = (sign * scores).assign_attrs(higher_is_better=int(sign > 0))
    made = fit(given, "mean_score", prior_scale=np.inf)
    table = lb.leaderboard(made, prob=0.9)
    assert list(table)[:8] == [
        "player", "score", "score_lower", "score_upper", "observed",
        "difference", "difference_lower", "difference_upper",
    ]  # fmt: skip
    np.testing.assert_allclose(
        table["observed"], given.mean("round").sel(player=[*table["player"]])
    )
    assert list(table)[8:] == ["win_rate", "p_best", "rank", "rank_lower", "rank_upper"]
    draws = draws_of(made)
    first = table["player"][0]
    assert first == NAMES[int(np.argmax(sign * draws.mean(axis=0)))] == "p0"
    last = NAMES.index(table["player"][3])
    gap = draws[:, last] - draws[:, 0]
    assert table["difference_lower"][3] == pytest.approx(np.quantile(gap, 0.05))
    assert table["p_best"][0] == pytest.approx((np.argmax(sign * draws, axis=1) == 0).mean())
    counts = lb.matches(given)
    shares = (counts["wins"].sum("opponent") / counts["n"].sum("opponent")).to_series()
    np.testing.assert_allclose(table["win_rate"], shares[table["player"]])
    published = lb.leaderboard(made, columns="publish")
    assert list(published) == [
        "rank",
        "ranks",
        "player",
        "group",
        "score",
        "observed",
        "difference",
    ]
    assert published["difference"][0] == ""


def test_the_other_leader_is_named():
    means = lb.leaderboard(fit(often_by_little(), "mean_score", prior_scale=np.inf))
    assert list(means["player"]) == ["p1", "p0", "p2"]
    # p0 loses one round to p2, p1 two fewer of its own 25.
    assert means.attrs["disagreement"].startswith("By matches won 'p0' leads, by 0.22 over 'p1'")
    assert "'p1' wins 7 of their 25 rounds, by 0.03 on average" in means.attrs["disagreement"]


def test_compare(dt, scores):
    gap = draws_of(dt)[:, 0] - draws_of(dt)[:, 2]
    pair = lb.compare(dt, "p0", "p2", rope=0.3)
    assert float(pair["difference"]) == pytest.approx(gap.mean())
    assert float(pair["p_equivalent"]) == pytest.approx((abs(gap) <= 0.3).mean())
    assert float(pair["p_better"]) == pytest.approx((gap > 0.3).mean())
    losses = fit((-scores).assign_attrs(higher_is_better=0), "mean_score", prior_scale=np.inf)
    turned = lb.compare(losses, "p0", "p2")
    assert float(turned["difference"]) < 0.0 < float(pair["difference"])
    assert float(turned["p_better"]) > 0.9
    # Noise of either player is 1.
    assert float(pair["cohen_d"]) == pytest.approx(gap.mean(), rel=0.4)
    record = lb.win_probability(dt).sel(player="p0", opponent="p2")
    assert float(pair["record_won"]) == float(record["won"]) == lb.matches(scores)["wins"][0, 2]


def test_one_pair_in_many_rounds_is_planned_as_it_comes(scores):
    """Twice as many rounds make an interval 1 / sqrt(2) times as wide, as of a paired t-test."""
    dt = fit(scores, "mean_score", prior_scale=np.inf)
    made = lb.plan(dt, ("p0", "p1"), rounds=(12, 36), width=0.5, seed=1).sel(who="all")
    ratio = made["width"] / made["width_now"]
    np.testing.assert_allclose(ratio, [np.sqrt(0.5), 0.5], rtol=0.06)
    needed = 12 * ((float(made["width_now"]) / 0.5) ** 2 - 1.0)
    assert float(made["rounds_for_width"]) == pytest.approx(needed, rel=0.15)
    assert made.attrs["unit"] == "round"


def test_more_runs_of_the_same_rounds(scores):
    """A quarter of a difference's variance in a round is of single runs."""
    variance = scores.var("round", ddof=1).sel(player=["p0", "p1"]).mean()
    runs = scores.assign_coords(run_variance=("player", np.full(4, 0.5 * float(variance))))
    dt = fit(runs.assign_attrs(runs=2.0), "mean_score", prior_scale=np.inf)
    made = lb.plan(dt, ("p0", "p1"), more_runs=(2, 1000), width=0.1, seed=1)
    gap = scores[0] - scores[1]
    part = float(variance) * 0.5 / float(gap.var(ddof=1))
    assert float(made["run_share"]) == pytest.approx(part, rel=0.25)
    share = float(made["run_share"])
    expected = float(made["width_now"]) * np.sqrt([1.0 - share / 2.0, 1.0 - share * 1000 / 1002])
    np.testing.assert_allclose(made["width_runs"], expected)
    assert float(made["width_any_runs"]) <= float(made["width_runs"][-1])
    assert np.isnan(made["runs_for_width"])


def test_audit(dt, scores):
    asked = lb.audit(dt)
    shown = asked["aggregators"]["value"].sel(aggregator="mean", player=NAMES)
    np.testing.assert_allclose(shown, scores.mean("round"))
    assert "geometric mean" not in asked["aggregators"]["aggregator"]
    assert "score" in asked["players"]
    assert asked["check"].attrs["applies"] == 1


def test_fewest_rounds_of_a_sum(dt, scores):
    """Of a mean the rounds that hold the leader most are the fewest that take the lead away."""
    found = lb.influence(dt, max_share=0.9)
    mean = scores.to_numpy()
    least = []
    for rival in range(1, 4):
        ahead = np.sort(mean[0] - mean[rival])
        left = np.cumsum(ahead)[::-1]
        least.append(int(np.argmax(left < 0.0)))
    assert len(found) == min(n for n in least if n > 0)
    np.testing.assert_allclose(found["share"], 1 / 12)


def test_items_in_clusters(of_items):
    assert of_items.attrs["model"] == "mean_score"
    asked = lb.audit(of_items)
    assert asked.attrs["unit"] == asked["plan"].attrs["unit"] == "cluster"
    assert asked["left_out"].sizes["unit"] == 20
    assert {"removal_cluster", "removal_round"} <= set(asked.children)
    assert json.loads(asked["players"].attrs["tied"]) == ["p0"]
    assert asked["check"].attrs["applies"] == 0


def test_loo_of_rounds_of_scores(scores):
    """By the density of a round's scores; the right model is better than one that shrinks all."""
    made = fit(scores, "mean_score", replicates=100)
    found = lb.loo(made)
    assert found.n_data_points == 12
    own = lb.log_likelihood(made)
    xr.testing.assert_identical(own, made["log_likelihood"].to_dataset())
    bare = made.copy()
    del bare["log_likelihood"]
    with pytest.raises(lb.LeaderbayesError, match=r"'log_likelihood'.*compute_log_likelihood"):
        lb.loo(bare)


def test_mean_scores_of_several_data_sets():
    rng = np.random.default_rng(3)
    level = np.array([0.6, 0.3, 0.0, -0.2])
    data = [board(level[:, None] + 0.2 * rng.normal(size=(4, 1)) + 0.3 * rng.normal(size=(4, 8)))
            for _ in range(6)]  # fmt: skip
    several = xr.concat(data, xr.DataArray(list("abcdef"), dims="tournament", name="tournament"))
    dt = fit(several.assign_attrs(data[0].attrs), "score_tournaments", replicates=50)
    assert lb.leaderboard(dt)["player"][0] == "p0"
    win = lb.win_probability(dt)
    assert float(win["mean"].sel(player="p0", opponent="p3")) > 0.9
    pair = lb.compare(dt, "p0", "p3")
    # On one new data set it is less sure than of the means.
    assert float(pair["p_better"]) < float(pair["mean_better"])
    assert float(pair["p_better"]) == pytest.approx(float(win["mean"][0, 3]), abs=0.01)
    assert lb.influence(dt).attrs["by"] == "tournament"
    assert lb.plan(dt, seed=1).attrs["unit"] == "tournament"
    assert lb.audit(dt)["aggregators"].attrs["applies"] == 1
    with pytest.raises(lb.LeaderbayesError, match="needs matches"):
        lb.deviance(dt)
