"""Further votes: what they are said to decide, and what they do."""

import json

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from votes import draw, fit, votes_of

EPP = np.array([0.3, 0.15, 0.0, -0.2, -0.5])


@pytest.fixture(scope="module")
def dt():
    return fit(draw(EPP, 800, np.random.default_rng(1), judges=12, spread=0.5))


@pytest.fixture(scope="module")
def of_pair(dt):
    return lb.plan(dt, ("m0", "m1"), seed=1)


def test_the_same_judges_saturate(of_pair):
    p = of_pair["p_decided"]
    assert dict(p.sizes) == {"who": 2, "clusters": 2, "votes": 5}
    assert p["votes"].to_numpy().tolist() == [200, 400, 800, 1600, 3200]
    same, new = (of_pair["p_any_votes"].sel(clusters=whose) for whose in ("same", "new"))
    assert (same < 0.3).all()
    assert (new > 0.99).all()
    width = of_pair["width"].sel(who="all")
    assert (width.sel(clusters="new") < width.sel(clusters="same")).all()
    assert (width.diff("votes") < 0.0).all()
    needed = of_pair["votes_needed"]
    assert np.isnan(needed.sel(clusters="same")).all()
    assert (needed.sel(clusters="new") > 3200).all()


def test_what_it_says(of_pair):
    attrs = of_pair.attrs
    assert attrs["message"].startswith("m0 against m1: decided with probability 0.8 by the same")
    assert "; by new judges after " in attrs["message"]
    assert (attrs["unit"], attrs["cluster"]) == ("vote", "judge")
    assert json.loads(attrs["contested"]) == ["m0", "m1"]


def test_needed_votes_reach_the_target(dt):
    asked = lb.plan(dt, ("m0", "m4"), seed=1, prob=0.9999)
    needed = asked["votes_needed"].sel(who="all", clusters="new")
    if float(needed) > 0.0:
        again = lb.plan(dt, ("m0", "m4"), votes=(int(needed),), prob=0.9999, seed=1)
        p = again["p_decided"].sel(who="all", clusters="new")
        assert float(p[0]) == pytest.approx(0.8, abs=0.02)


def test_the_leader_against_everybody(dt):
    asked = lb.plan(dt, seed=1)
    xr.testing.assert_identical(asked, lb.plan(dt, seed=1))
    assert "the leader, against everybody" in asked.attrs["question"]
    pair = lb.plan(dt, ("m0", "m1"), seed=1)
    assert (asked["p_decided"].sel(who="all") <= pair["p_decided"].sel(who="all") + 0.03).all()


def test_of_two_players_leader_and_pair_are_one_question():
    votes = draw(np.array([0.1, 0.0]), 300, np.random.default_rng(2), judges=8, spread=0.3)
    dt = fit(votes)
    leader, pair = lb.plan(dt, seed=1), lb.plan(dt, ("m0", "m1"), seed=1)
    assert leader.sizes["who"] == 1
    assert leader["p_decided"].to_numpy() == pytest.approx(pair["p_decided"].to_numpy(), abs=0.04)


def test_without_judges_there_is_one_way():
    votes = draw(EPP, 500, np.random.default_rng(3)).drop_vars("judge")
    asked = lb.plan(fit(votes), ("m0", "m1"), seed=1)
    assert asked["clusters"].to_numpy().tolist() == ["new"]
    assert asked.attrs["cluster"] == "none"


def test_decided_already():
    dt = fit(draw(np.array([2.0, 0.0, -1.0]), 800, np.random.default_rng(4)))
    asked = lb.plan(dt, seed=1)
    assert (asked["votes_needed"] == 0.0).all()
    p = f"{float(asked['p_now']):.3f}"
    said = f"decided already, with probability {p} against the closest of them."
    assert asked.attrs["message"].endswith(said)


def test_more_votes_than_are_looked_at_are_not_never():
    """Of votes that are all ties: the strengths hardly differ, and some number of votes decides."""
    rng = np.random.default_rng(3)
    first = rng.integers(6, size=40)
    votes = votes_of(first, (first + rng.integers(1, 6, size=40)) % 6, np.full(40, 0.5), 6)
    asked = lb.plan(fit(votes), seed=1)
    assert np.isnan(asked["votes_needed"]).all()
    assert (asked["p_any_votes"] >= 0.8).all()
    assert "after more than 1000 times as many votes on pairs" in asked.attrs["message"]
    assert "never" not in asked.attrs["message"]


def test_rounds_are_of_scores(dt):
    with pytest.raises(lb.LeaderbayesError, match="give votes="):
        lb.plan(dt, rounds=(5,))
    with pytest.raises(lb.LeaderbayesError, match="more_runs= is of"):
        lb.plan(dt, more_runs=(1,))
    scores = fit(lb.datasets.load("classifiers", "iris"), sampler="laplace")
    with pytest.raises(lb.LeaderbayesError, match="give rounds="):
        lb.plan(scores, votes=(5,))


def test_of_davidsons_model():
    votes = draw(EPP, 800, np.random.default_rng(1), judges=12, spread=0.5, ties=0.2)
    dt = fit(votes, model="davidson")
    asked = lb.plan(dt, ("m0", "m4"), seed=1, prob=0.999)
    assert asked.attrs["model"] == "davidson"
    width = asked["width"].sel(who="all")
    assert (width.sel(clusters="new") < width.sel(clusters="same")).all()
    assert (width.diff("votes") < 0.0).all()
    # A normal law is continued, as wide as the fit's, whose prior is Student's.
    none = lb.plan(dt, ("m0", "m4"), seed=1, votes=(1,))
    now = float(none["width_now"])
    assert none["width"].sel(who="all").to_numpy() == pytest.approx(now, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("whose", ["same", "new"])
@pytest.mark.parametrize("who", ["all", "contested"])
def test_as_many_are_decided_as_is_said(whose, who):
    """Votes are planned, drawn and fitted: of 30 boards as many decide as was said."""
    rng, boards, judges, n = np.random.default_rng(5), 30, 12, 400
    more = 1200 if who == "all" else 600
    said, decided = [], []
    for _ in range(boards):
        epp, opinions = rng.normal(0.0, 0.4, 5), rng.normal(0.0, 0.4, (judges, 5))
        votes = draw(epp, n, rng, opinions=opinions)
        asked = lb.plan(fit(votes), ("m0", "m1"), votes=(more,), seed=1)
        said.append(float(asked["p_decided"].sel(who=who, clusters=whose)[0]))
        if whose == "new":
            opinions = rng.normal(0.0, 0.4, (judges * more // n, 5))
        pairs = [(0, 1)] if who == "contested" else None
        further = draw(epp, more, rng, opinions=opinions, pairs=pairs)
        if whose == "new":
            further["judge"] = "vote", [f"new {name}" for name in further["judge"].to_numpy()]
        both = xr.concat(
            [votes, further], "vote", data_vars="minimal", coords="minimal", compat="override",
            join="override",
        )  # fmt: skip
        decided.append(float(lb.plan(fit(both), ("m0", "m1"), votes=(1,))["p_now"]) >= 0.95)
    p = np.mean(said)
    assert np.mean(decided) == pytest.approx(p, abs=3.0 * np.sqrt(p * (1.0 - p) / boards))


def won_all(wins, players=3):
    """Votes of which the first player wins all, others half."""
    rest = [(a, b) for a in range(1, players) for b in range(1, players) if a != b] * (wins // 2)
    first, second = np.array([(0, k) for k in range(1, players)] * wins + rest).T
    return votes_of(first, second, np.ones(len(first)), players)  # each pair in both orders


def test_a_leader_that_never_lost():
    """Its strength may lie far to one side: as many of 40 boards are decided as is said."""
    votes = won_all(3, players=4)
    dt = fit(votes)
    plan = lb.plan(dt, votes=(60,), prob=0.99, seed=1).sel(who="all", clusters="new")
    epp = dt["posterior"]["epp"].stack(sample=("chain", "draw")).transpose("sample", ...).to_numpy()
    rng = np.random.default_rng(0)
    decided, widths = [], []
    for k in range(40):
        truth, at = epp[rng.integers(len(epp))], rng.integers(0, votes.sizes["vote"], 60)
        first, second = votes["first"].to_numpy()[at], votes["second"].to_numpy()[at]
        won = rng.random(60) < 1.0 / (1.0 + np.exp(truth[second] - truth[first]))
        more = votes_of(
            np.append(votes["first"], first), np.append(votes["second"], second),
            np.append(votes["outcome"], won), 4,
        )  # fmt: skip
        now = fit(more, seed=k, draws=250)["posterior"]["epp"].stack(sample=("chain", "draw"))
        now = now.transpose("sample", ...).to_numpy()
        best, next_best = np.argsort(-now.mean(axis=0))[:2]
        ahead = (now[:, [best]] > np.delete(now, best, axis=1)).mean(axis=0)
        decided.append(ahead.min() >= 0.99)
        gap = now[:, best] - now[:, next_best]
        widths.append(np.subtract(*np.quantile(gap, [0.995, 0.005])))
    said = float(plan["p_decided"][0])
    assert said > 0.8
    assert np.mean(decided) == pytest.approx(said, abs=3.0 * np.sqrt(said * (1.0 - said) / 40))
    error = np.std(widths) / np.sqrt(40)
    assert np.mean(widths) == pytest.approx(float(plan["width"][0]), rel=0.1, abs=3.0 * error)


def test_options_of_another_kind_are_named(dt):
    for pair in (3, "ab", {"m0", "m1"}):
        with pytest.raises(lb.LeaderbayesError, match=r"pair=.*: give the names of two players"):
            lb.plan(dt, pair)
    with pytest.raises(lb.LeaderbayesError, match=r"players=3: give a list of names"):
        lb.plan(dt, players=3)
    with pytest.raises(lb.LeaderbayesError, match=r"votes=7: give a list of whole numbers"):
        lb.plan(dt, ("m0", "m1"), votes=7)
