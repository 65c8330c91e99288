"""Posteriors of votes: what is counted, what sways them, and what hangs on a judge."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from answers.conftest import fit
from leaderbayes._answers.parts import parts_of
from leaderbayes._answers.votes import counted_of, effects, said_of_worth
from leaderbayes._fits.posterior import Posterior
from votes import draw, votes_of


def some_votes(n=300, seed=1):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    outcome = rng.choice([0.0, 0.5, 1.0], n, p=[0.4, 0.1, 0.5])
    outcome[:30] = np.nan
    votes = votes_of(first, second, outcome, 4, judge=[f"j{k}" for k in rng.integers(0, 15, n)],
                     prompt=rng.integers(0, 40, n))  # fmt: skip
    votes["covariates"] = ("vote", "covariate"), 100.0 * rng.normal(size=(n, 1))
    return votes.assign_coords(covariate=["length"]).assign_attrs(both_bad="own")


@pytest.fixture(scope="module")
def dt():
    return fit(some_votes(), draws=200, order_effect=True)


@pytest.fixture(scope="module")
def decisive():
    """One judge of 12, with a tenth of the votes, is all that puts m0 before m1."""
    opinions = np.zeros((12, 4))
    opinions[3] = [2.5, -2.5, 0.0, 0.0]
    strengths = np.array([0.3, 0.45, -0.4, -0.5])
    votes = draw(strengths, 2400, np.random.default_rng(1), opinions=opinions)
    return votes, fit(votes, replicates=100)


def test_votes_come_back_as_they_were(dt):
    given = some_votes()
    given, kept = given.isel(vote=given["outcome"].notnull().to_numpy()), Posterior(dt).votes
    for name in ("first", "second", "outcome", "judge", "player"):
        np.testing.assert_array_equal(kept[name], given[name])
    np.testing.assert_allclose(kept["covariates"], given["covariates"])
    again = fit(kept, draws=200, order_effect=True)
    xr.testing.assert_allclose(again["posterior"].dataset, dt["posterior"].dataset)


def test_votes_are_counted(dt):
    counted, given = counted_of(Posterior(dt)), some_votes()
    assert (counted.votes, counted.both_bad) == (270.0, 30.0)
    assert (counted.judges, counted.prompts) == (15, 40)
    assert counted.clusters == ("judge", "prompt")
    assert counted.tied == (given["outcome"] == 0.5).sum()
    board = lb.leaderboard(dt).set_index("player")
    assert board.attrs["cluster"] == "judge and prompt"
    on = (given["first"] == 2) | (given["second"] == 2)
    undecided = given["outcome"].isnull()
    assert board["votes"]["m2"] == (on & ~undecided).sum()
    assert board["both_bad"]["m2"] == pytest.approx(float((on & undecided).sum() / on.sum()))
    assert lb.leaderboard(dt, columns="publish")["votes"].sum() == 540


def test_effects_are_of_the_posterior(dt):
    table = effects(dt, 0.9)
    assert table["effect"].tolist() == ["order", "length"]
    draws = dt["posterior"]["effect_size"].stack(sample=("chain", "draw")).to_numpy()
    np.testing.assert_allclose(table["coefficient"], draws.mean(axis=1))
    np.testing.assert_allclose(table["odds_ratio_upper"], np.exp(np.quantile(draws, 0.95, axis=1)))
    assert np.isnan(table["per"][0])
    kept = some_votes()["covariates"][30:, 0]
    assert table["per"][1] == pytest.approx(float(kept.std()))
    estimate = lb.likelihood.bradley_terry(some_votes(), order_effect=True)
    np.testing.assert_allclose(
        effects(estimate, 0.95)["coefficient"], table["coefficient"], atol=0.1
    )
    assert effects(fit(some_votes().drop_vars("covariates"), draws=100), 0.9) is None


def test_a_record_is_worth_what_opinions_leave(decisive):
    """Where judges differ a pair's own votes count less, and its interval is wider."""
    votes, dt = decisive
    pair = lb.win_probability(dt, by="record").sel(player="m0", opponent="m2")
    alone = votes.assign_coords(judge=("vote", np.arange(votes.sizes["vote"])))
    plain = lb.win_probability(fit(alone, draws=100), by="record").sel(player="m0", opponent="m2")
    assert float(pair["won"]) == float(plain["won"])
    wide, narrow = (float(each["upper"] - each["lower"]) for each in (pair, plain))
    assert wide > 1.2 * narrow


def test_the_decisive_judge(decisive):
    votes, dt = decisive
    found = lb.influence(dt, by="judge")
    assert found["judge"].tolist() == ["j3"]
    assert (found.attrs["leader"], found.attrs["rival"]) == ("m0", "m1")
    assert found.attrs["lead_before"] > 0.0 > found.attrs["lead_after"]
    of = votes["judge"].to_numpy() == "j3"
    assert found["share"].tolist() == pytest.approx([of.mean()])
    assert "m0 leads. Without 1 of 12 judges" in found.attrs["message"]
    assert lb.leaderboard(fit(votes.isel(vote=~of)))["player"].iloc[0] == "m1"


def test_votes_one_by_one(decisive):
    votes, dt = decisive
    found = lb.influence(dt)
    assert 1 < len(found) == found.attrs["removed"] == found["vote"].nunique()
    assert found["shift"].is_monotonic_decreasing
    without = np.setdiff1d(np.arange(votes.sizes["vote"]), found["vote"])
    # The two are level then, as near as a prior and draws let that be seen.
    epp = lb.leaderboard(fit(votes.isel(vote=without))).set_index("player")["epp"]
    assert {epp.idxmax(), epp.drop(epp.idxmax()).idxmax()} == {"m0", "m1"}
    assert abs(epp["m0"] - epp["m1"]) < 0.03


def test_strengths_without_a_judge_are_estimates_of_the_others(decisive):
    votes, dt = decisive
    parts = parts_of(Posterior(dt), "judge")
    of = votes["judge"].to_numpy() != parts.names[0]
    again = lb.likelihood.bradley_terry(votes.isel(vote=of), pseudo_rounds=1e-9)["epp"]
    np.testing.assert_allclose(parts.without(0), again, atol=0.08)
    assert parts.share[0] == pytest.approx(1.0 - of.mean())
    contrast = np.array([1.0, -1.0, 0.0, 0.0])
    now = parts.strengths(np.ones(12, dtype=bool)) @ contrast
    taken = [now - parts.without(k) @ contrast for k in range(12)]
    np.testing.assert_allclose(parts.adds(contrast), taken, atol=0.15 * np.abs(taken).max())


def test_an_audit_names_the_judge(decisive):
    asked = lb.audit(decisive[1])
    assert asked.attrs["unit"] == "judge"
    assert {"removal_judge", "removal_vote"} <= set(asked.children)
    for name in ("players", "removal_judge", "left_out", "plan", "halves"):
        assert asked[name].attrs["found"] == 1, name
    assert asked["removal_judge"]["judge"].to_numpy().tolist() == ["j3"]
    assert asked["removal_judge"].attrs["leader_refit"] == "m1"
    assert "j3" in asked["left_out"]["unit"].to_numpy()
    names = asked["aggregators"]["aggregator"].to_numpy().tolist()
    assert names == ["win rate", "Borda", "EPP", "Elo"]


def test_more_votes_of_the_same_judges_leave_their_opinions(decisive):
    made = lb.plan(decisive[1], ("m0", "m1"), votes=(2400, 240_000), width=0.3, seed=1)
    assert made["p_decided"].dims == ("who", "clusters", "votes")
    same, new = (made.sel(who="all", clusters=each) for each in ("same", "new"))
    worth = counted_of(Posterior(decisive[1])).worth
    left = float(same["width"].sel(votes=240_000) / made["width_now"]) ** 2
    assert left == pytest.approx(1.0 - worth, abs=0.1)
    assert float(new["width"].sel(votes=240_000)) < 0.2 * float(made["width_now"])
    # A hundred times as many votes of new judges.
    assert np.isnan(same["votes_for_width"]) > np.isnan(new["votes_for_width"])
    # Votes on the two in question tell more of them than votes on all.
    on_two = made.sel(who="contested", clusters="new")
    assert float(on_two["votes_for_width"]) < float(new["votes_for_width"])
    with pytest.raises(lb.LeaderbayesError, match="rounds= for all other data"):
        lb.plan(decisive[1], rounds=(5,))


def planted(seed, size=2.5, n=4000):
    """m1 beats m3 beats m4 beats m1, by more than strengths say."""
    votes = draw(np.array([0.6, 0.3, 0.2, 0.1, 0.0, -0.6]), n, np.random.default_rng(seed))
    rng = np.random.default_rng(seed + 100)
    i, j, y = (votes[name].to_numpy().copy() for name in ("first", "second", "outcome"))
    for a, b in ((1, 3), (3, 4), (4, 1)):
        for first, second, sign in ((a, b, 1.0), (b, a, -1.0)):
            of = (i == first) & (j == second)
            y[of] = rng.random(of.sum()) < 1.0 / (1.0 + np.exp(-sign * size))
    return votes_of(i, j, y, 6, judge=votes["judge"])


def test_a_planted_cycle_is_named():
    checked = lb.check(fit(planted(1), replicates=100), seed=1)
    assert checked["triple"].to_numpy().tolist() == [["m1", "m3", "m4"]]
    assert float(checked["triple_probability"][0]) > 1.0 - 0.05 / 15
    gap = checked["pair_gap"].to_series().nlargest(3)
    assert set(gap.index) == {("m1", "m3"), ("m3", "m4"), ("m4", "m1")}
    assert float(checked["p_value"]) < 0.05


@pytest.mark.parametrize("spread", [0.0, 0.5])
def test_a_board_with_strengths_fits(spread):
    rng = np.random.default_rng(5)
    p = []
    for _ in range(6):
        dt = fit(draw(rng.normal(0.0, 0.5, 6), 1500, rng, judges=12, spread=spread), replicates=60)
        p.append(float(lb.check(dt, seed=1)["p_value"]))
    assert 0.15 < np.mean(p) < 0.85
    assert min(p) > 0.01


def test_a_chain_of_players_fits_any_model():
    rng = np.random.default_rng(6)
    votes = draw(np.array([0.5, 0.0, -0.5]), 200, rng, pairs=[(0, 1), (1, 2)])
    assert np.isnan(lb.check(fit(votes, replicates=50), seed=1)["p_value"])


def test_sensitivity_leaves_each_judge_out(decisive):
    moved = lb.sensitivity(decisive[0], priors=(1.0,), clusters=("auto",), seed=1)
    fits = moved["fits"].to_series().to_dict()
    assert fits == {"model": 0, "ties": 0, "cluster": 0, "prior_scale": 0, "judge": 12}
    leader = moved["leader"].to_series()
    assert moved.attrs["leader"] == "m0"
    assert "bradley_terry, ties=half, cluster=auto, without j3" in leader[leader != "m0"].index
    assert "leaving out a judge" in moved.attrs["message"]


def test_ties_of_votes_have_a_model_of_their_own(decisive):
    votes = decisive[0]
    outcome = votes["outcome"].where(np.arange(votes.sizes["vote"]) % 5 > 0, 0.5)
    some = votes.assign(outcome=outcome)
    moved = lb.sensitivity(some, priors=(1.0,), clusters=("auto",), rounds=False, seed=1)
    assert moved["fit"].to_numpy().tolist() == [
        "bradley_terry, ties=half, cluster=auto", "bradley_terry, ties=drop, cluster=auto",
        "davidson, cluster=auto",
    ]  # fmt: skip
    with pytest.raises(lb.LeaderbayesError, match="clusters='task'"):
        lb.sensitivity(some, clusters=("task",))
    with pytest.raises(lb.LeaderbayesError, match="models='mean_score'"):
        lb.sensitivity(some, models=("mean_score",))


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lb.loo, "Votes have no rounds"),
        (lambda dt: lb.new_player(dt, xr.DataArray([1.0], dims="round", name="x")), "has votes"),
        (lambda dt: lb.influence(dt, by="round"), "removed by 'judge' or 'prompt' or 'vote'"),
    ],
)
def test_what_goes_by_rounds_refuses(dt, ask, said):
    with pytest.raises(lb.LeaderbayesError, match=said):
        ask(dt)


def test_what_a_vote_is_worth():
    assert said_of_worth(0.31) == "a vote counts 0.31 times as much as an independent one"
    assert said_of_worth(1.5).endswith(
        "1.5 times as much as an independent one, as ties vary less than wins and losses"
    )
