"""What would change the leader."""

import json

import numpy as np
import pytest

import leaderbayes as lb
from votes import draw, fit, votes_of


@pytest.fixture(scope="module")
def decisive():
    """One judge of 12, with a tenth of the votes, is all that puts m0 before m1."""
    rng = np.random.default_rng(1)
    opinions = np.zeros((12, 4))
    opinions[3] = [2.5, -2.5, 0.0, 0.0]
    votes = draw(np.array([0.3, 0.45, -0.4, -0.5]), 2400, rng, opinions=opinions)
    return votes, fit(votes)


def test_the_decisive_judge(decisive):
    votes, dt = decisive
    found = lb.influence(dt, by="judge")
    assert found["judge"].tolist() == ["j3"]
    assert found.attrs["found"] == 1
    assert (found.attrs["leader"], found.attrs["rival"]) == ("m0", "m1")
    assert found.attrs["lead_before"] > 0.0 > found.attrs["lead_after"]
    of = votes["judge"].to_numpy() == "j3"
    assert found["share"].tolist() == pytest.approx([of.mean()])
    assert found["votes"].tolist() == [of.sum()]
    assert "m0 leads. Without 1 of 12 judges" in found.attrs["message"]
    assert json.loads(found.attrs["warnings"]) == json.loads(dt.attrs["warnings"])
    # It is so of the votes: without them, as they are fitted, m1 leads.
    assert lb.leaderboard(fit(votes.isel(vote=~of)))["player"].iloc[0] == "m1"


def test_votes_one_by_one(decisive):
    votes, dt = decisive
    found = lb.influence(dt)
    assert 1 < len(found) == found.attrs["removed"] == found["vote"].nunique()
    assert found["shift"].is_monotonic_decreasing
    names, rows = votes["player"].to_numpy(), found["vote"].to_numpy()
    for side in ("first", "second"):
        assert (names[votes[side].to_numpy()[rows]] == found[side]).all()
    assert (votes["outcome"].to_numpy()[rows] == found["outcome"]).all()
    assert (votes["judge"].to_numpy()[rows] == found["judge"]).all()
    without = np.setdiff1d(np.arange(votes.sizes["vote"]), rows)
    # The two are level then, as near as a prior and draws let that be seen.
    epp = lb.leaderboard(fit(votes.isel(vote=without))).set_index("player")["epp"]
    assert {epp.idxmax(), epp.drop(epp.idxmax()).idxmax()} == {"m0", "m1"}
    assert abs(epp["m0"] - epp["m1"]) < 0.02


@pytest.mark.parametrize(("model", "ties"), [("davidson", "half"), ("round_intercept", "drop")])
def test_the_decisive_judge_of_other_models(model, ties):
    """As of Bradley-Terry's, where judges also tie, or favour whoever is shown first."""
    rng = np.random.default_rng(1)
    opinions = np.zeros((12, 4))
    opinions[3] = [2.5, -2.5, 0.0, 0.0]
    votes = draw(np.array([0.3, 0.4, -0.4, -0.5]), 2400, rng, opinions=opinions, ties=0.15)
    dt = fit(votes, model=model, ties=ties)
    found = lb.influence(dt, by="judge")
    assert found["judge"].tolist() == ["j3"]
    assert found.attrs["found"] == 1
    assert (found.attrs["leader"], found.attrs["rival"]) == ("m0", "m1")
    assert found.attrs["lead_before"] > 0.0 > found.attrs["lead_after"]
    # It is so of the votes: without them, as they are fitted, m1 leads.
    left = votes.isel(vote=votes["judge"].to_numpy() != "j3")
    later = lb.leaderboard(fit(left, model=model, ties=ties)).set_index("player")["epp"]
    assert later.idxmax() == "m1"
    assert later["m0"] - later["m1"] == pytest.approx(found.attrs["lead_after"], abs=0.05)
    single = lb.influence(dt, by="vote")
    assert 1 < len(single) == single["vote"].nunique()
    kept = votes.isel(vote=~votes["outcome"].isin([0.5])) if ties == "drop" else votes
    less = kept.isel(vote=np.setdiff1d(np.arange(kept.sizes["vote"]), single["vote"]))
    epp = lb.leaderboard(fit(less, model=model, ties=ties)).set_index("player")["epp"]
    assert abs(epp["m0"] - epp["m1"]) < 0.03


def test_nothing_to_be_found():
    rng = np.random.default_rng(2)
    dt = fit(draw(np.array([3.0, 0.0, -0.2, -0.4]), 1500, rng))
    for by in ("vote", "judge"):
        found = lb.influence(dt, by=by, max_share=0.2)
        assert len(found) == found.attrs["found"] == found.attrs["removed"] == 0
        assert found.attrs["lead_after"] > 1.0
        assert "no set of" in found.attrs["message"]


def test_names_do_not_matter(decisive):
    votes, dt = decisive
    order = np.array([2, 0, 3, 1])
    place = np.argsort(order)
    moved = votes_of(
        place[votes["first"]], place[votes["second"]], votes["outcome"], 4, judge=votes["judge"]
    ).assign_coords(player=votes["player"].to_numpy()[order])
    found, again = lb.influence(dt, by="judge"), lb.influence(fit(moved), by="judge")
    assert again["judge"].tolist() == found["judge"].tolist()
    assert again.attrs["lead_after"] == pytest.approx(found.attrs["lead_after"], abs=0.02)


def test_with_an_effect_of_the_order():
    rng = np.random.default_rng(3)
    votes = draw(np.array([0.2, 0.1, -0.3]), 400, rng)
    dt = fit(votes, order_effect=True)
    found = lb.influence(dt)
    assert found.attrs["found"] == 1


def test_rounds_of_scores():
    scores = lb.datasets.load("classifiers", "breast_cancer")
    dt = fit(scores, sampler="laplace")
    found = lb.influence(dt)
    assert (found.attrs["found"], found.attrs["by"]) == (1, "round")
    left = scores.drop_sel(round=found["round"].tolist())
    best = lb.leaderboard(fit(left, sampler="laplace"))["player"].iloc[0]
    assert best == found.attrs["rival"]


@pytest.mark.parametrize(
    ("by", "said"), [("prompt", "have no prompts"), ("round", "is of scores"), ("x", "choose")]
)
def test_what_cannot_be(decisive, by, said):
    with pytest.raises(lb.LeaderbayesError, match=said):
        lb.influence(decisive[1], by=by)


def test_scores_have_no_votes():
    dt = fit(lb.datasets.load("classifiers", "iris"), sampler="laplace")
    with pytest.raises(lb.LeaderbayesError, match="by='round'"):
        lb.influence(dt, by="vote")
    with pytest.raises(lb.LeaderbayesError, match="max_share"):
        lb.influence(dt, by="round", max_share=1.0)
