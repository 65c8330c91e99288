"""Strengths by a part of the data, what holds the leader, and what is found in halves."""

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import minimize

import leaderbayes as lb
from answers.conftest import fit
from conftest import board, simulate
from leaderbayes._answers.influence import fewest
from leaderbayes._answers.parts import lead_of, leader_of, parts_of, statistic_of
from leaderbayes._fits.posterior import Posterior

NONE = np.empty(0, dtype=np.int64)


def estimated(scores, penalty, **rules):
    """Maximise the likelihood of matches, and of a drawn match of each with somebody at 0."""
    counts = lb.matches(scores, **rules)
    points, n = counts["wins"].sum("opponent").to_numpy(), counts["n"].to_numpy()

    def loss(b):
        likelihood = 0.5 * (n * np.logaddexp(b[:, None], b)).sum() - points @ b
        return likelihood + penalty * (np.logaddexp(0.0, b) - 0.5 * b).sum()

    found = minimize(loss, np.zeros(len(points)), tol=1e-10).x
    return found - found.mean()


@pytest.mark.parametrize("ties", ["half", "drop"])
@pytest.mark.parametrize("kept", [slice(None), slice(0, 10)])
def test_strengths_are_estimates_of_these_rounds(classifiers, ties, kept):
    dt = fit(classifiers, weight=1.0, ties=ties)
    parts = parts_of(Posterior(dt), "round")
    units = np.zeros(25, dtype=bool)
    units[kept] = True
    penalty = 4.0 / float((dt["posterior"]["epp"] ** 2).mean())
    again = estimated(classifiers.isel(round=kept), penalty, ties=ties)
    np.testing.assert_allclose(parts.strengths(units), again, atol=0.01)
    assert parts.share.sum() == pytest.approx(1.0)


def test_what_rounds_add_is_what_leaving_them_out_takes(of_classifiers):
    """To first order; all together add the whole contrast's slope, which is 0 beside the prior."""
    parts = parts_of(Posterior(of_classifiers), "round")
    contrast = np.zeros(15)
    contrast[[0, 3]] = 1.0, -1.0
    adds = parts.adds(contrast)
    now = parts.without(NONE) @ contrast
    taken = np.array([now - parts.without(k) @ contrast for k in range(25)])
    assert np.corrcoef(adds, taken)[0, 1] > 0.98
    np.testing.assert_allclose(adds, taken, atol=0.25 * abs(taken).max())


def test_means_of_rounds_and_clusters():
    rng = np.random.default_rng(1)
    y = rng.normal(size=(6, 3))
    names = {"player": list("abc"), "round": list("uvwxyz")}
    scores = xr.DataArray(-y.T, names, ("player", "round"), attrs={"higher_is_better": 0})
    scores = scores.assign_coords(cluster=("round", list("ppqqrr")))
    post = Posterior(score_tree(scores))
    parts = parts_of(post, "cluster")
    assert parts.names.tolist() == ["p", "q", "r"]
    np.testing.assert_allclose(parts.without(1), y[[0, 1, 4, 5]].mean(axis=0))
    contrast = np.array([1.0, 0.0, -1.0])
    np.testing.assert_allclose(parts.adds(contrast), (y @ contrast).reshape(3, 2).sum(axis=1) / 6)
    with pytest.raises(lb.LeaderbayesError, match="removed by 'cluster' or 'round'"):
        parts_of(post, "judge")


def score_tree(scores, **posterior):
    """A posterior of mean scores, of which only the data matter."""
    mean = scores.mean("round").to_numpy()
    rng = np.random.default_rng(1)
    draws = mean + 0.1 * rng.normal(size=(1, 100, len(mean)))
    known, players = xr.Dataset({"scores": scores}), {"player": scores["player"]}
    drawn = xr.Dataset({"score": (("chain", "draw", "player"), draws)}, players)
    return xr.DataTree.from_dict({"posterior": drawn, "constant_data": known})


@pytest.mark.parametrize("rounds", [3, 8, 9])
def test_statistics(rounds):
    y = np.random.default_rng(1).normal(size=(rounds, 4))
    np.testing.assert_allclose(statistic_of(y, "median"), np.median(y, axis=0))
    fine = np.sort(np.repeat(y, 4, axis=0), axis=0)[rounds : 3 * rounds]
    np.testing.assert_allclose(statistic_of(y, "iqm"), fine.mean(axis=0))
    y[:, 0] = np.nan
    assert np.isnan(statistic_of(y, "mean")).tolist() == [True, False, False, False]


def test_who_leads():
    strengths = np.array([1.0, np.nan, 1.0 + 1e-13, 0.0])
    assert leader_of(strengths, 0) == 0
    assert leader_of(strengths, 3) == 2
    assert lead_of(strengths, 0) == (0.0, 2)
    assert lead_of(strengths, 3) == (pytest.approx(-1.0), 2)


def by_brute_force(parts, leader, most):
    """Fewest parts without which another leads, trying every set."""
    from itertools import combinations

    for size in range(1, most + 1):
        for chosen in combinations(range(len(parts.names)), size):
            then = parts.without(np.array(chosen))
            if np.isfinite(then[leader]) and lead_of(then, leader)[0] < 0.0:
                return size
    return None


@pytest.mark.parametrize("seed", range(6))
def test_no_smaller_set_of_rounds_does_it(seed):
    rng = np.random.default_rng(seed)
    dt = fit(simulate([0.9, 0.4, 0.0, -0.6], 9, rng))
    parts = parts_of(Posterior(dt), "round")
    leader = leader_of(parts.without(NONE), int(Posterior(dt).order[0]))
    least = by_brute_force(parts, leader, 4)
    found = fewest(parts, leader, 0.5)
    if least is None:
        assert len(found.removed) == 0
        assert found.after > 0.0
    else:
        assert len(found.removed) == least
        assert found.before >= 0.0 > found.after
        assert lead_of(parts.without(found.removed), leader)[1] == found.rival


def test_influence_says_what_it_found(classifiers, of_classifiers):
    found = lb.influence(of_classifiers)
    assert (found.attrs["found"], found.attrs["by"], found.attrs["removed"]) == (1, "round", 3)
    assert found["shift"].is_monotonic_decreasing
    assert found.attrs["lead_before"] > 0.0 > found.attrs["lead_after"]
    assert found.attrs["message"] == (
        "svm C=1 leads. Without 3 of 25 rounds (12% of all matches) logistic C=1 would lead."
    )
    left = classifiers.drop_sel(round=found["round"].tolist())
    assert lb.leaderboard(fit(left))["player"].iloc[0] == found.attrs["rival"]


def test_nothing_to_be_found(clear):
    found = lb.influence(clear, max_share=0.2)
    assert len(found) == found.attrs["found"] == found.attrs["removed"] == 0
    assert found.attrs["lead_after"] > 1.0
    assert "No rounds with at most 2" in found.attrs["message"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"by": "vote"}, "removed by 'round'"),
        ({"by": "x"}, "choose"),
        ({"max_share": 1.0}, "max_share"),
    ],
)
def test_what_cannot_be_removed(noise, options, said):
    with pytest.raises(lb.LeaderbayesError, match=said):
        lb.influence(noise, **options)


def test_across_rounds_there_are_no_parts():
    across = fit(board([[1.0, 2.0, 3.0], [2.0, 1.0, 0.0]]), within_round=False)
    with pytest.raises(lb.LeaderbayesError, match="across rounds"):
        lb.influence(across)
