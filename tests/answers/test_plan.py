"""How many more rounds: the plan against real continuations, and its arithmetic."""

import json

import numpy as np
import pytest
import xarray as xr
from scipy.special import ndtr, ndtri

import leaderbayes as lb
from answers.conftest import fit
from conftest import simulate, tree
from leaderbayes._answers.design import Units, left_after, needed_for

PAIR = ("p0", "p1")


@pytest.fixture(scope="module")
def dt():
    return fit(simulate([1.2, 0.7, 0.0, -0.5, -1.0], 10, np.random.default_rng(8)))


@pytest.fixture(scope="module")
def made(dt):
    return lb.plan(dt, PAIR, rounds=(40, 5, 10), width=0.4, seed=1)


def test_dataset(dt, made):
    assert list(made["who"].to_numpy()) == ["all", "contested"]
    assert list(made["rounds"].to_numpy()) == [5, 10, 40]
    np.testing.assert_array_equal(made["runs"], [[25, 50, 200], [10, 20, 80]])
    assert (made["p_correct"] <= made["p_decided"]).all()
    assert (made["width"].diff("rounds") < 0).all()
    assert float(made["width"].sel(who="all", rounds=5)) < float(made["width_now"])
    # A round of two says less of them than a round of all.
    assert (made["width"].sel(who="contested") > made["width"].sel(who="all")).all()
    assert json.loads(made.attrs["contested"]) == ["p0", "p1"]
    now = lb.compare(dt, *PAIR)
    assert float(made["p_now"]) == pytest.approx(max(float(now["p_better"]), float(now["p_worse"])))
    assert float(made["width_now"]) == pytest.approx(float(now["epp_upper"] - now["epp_lower"]))
    again = lb.plan(dt, PAIR, rounds=(5, 10, 40), width=0.4, seed=1)
    xr.testing.assert_identical(again, made)
    assert "of only 2 players" in made.attrs["message"]


def test_as_many_rounds_as_are_needed(dt, made):
    """At the number that is named the target is reached, and the interval is as narrow."""
    needed = int(made["rounds_needed"].sel(who="all"))
    then = lb.plan(dt, PAIR, rounds=(needed // 2, needed), seed=1).sel(who="all")
    assert (
        float(then["p_decided"][0])
        < 0.78
        < 0.8
        == pytest.approx(float(then["p_decided"][1]), abs=0.02)
    )
    enough = int(made["rounds_for_width"].sel(who="all"))
    then = lb.plan(dt, PAIR, rounds=(enough - 1, enough), seed=1)["width"].sel(who="all")
    assert float(then[1]) <= 0.4 < float(then[0])


def test_of_normal_draws_it_is_a_closed_form():
    """A gap of mean d and deviation s will be N(d, (1 - rho) s^2), with rho s^2 left."""
    rng = np.random.default_rng(1)
    gap = 0.5 + 0.4 * rng.standard_normal((1, 40_000))
    draws = np.stack([0.5 * gap, -0.5 * gap, np.full_like(gap, -9.0)], axis=2)
    posterior = tree(draws)
    place = xr.Dataset({"place": (("round", "player"), np.tile([1, 2, 3], (10, 1)))},
                       {"player": ["p0", "p1", "p2"]})  # fmt: skip
    posterior["observed_data"] = xr.DataTree(place)
    made = lb.plan(posterior, PAIR, rounds=(10, 90), seed=1).sel(who="all")
    for rounds in (10, 90):
        left = float(made["width"].sel(rounds=rounds) / made["width_now"]) ** 2
        assert left == pytest.approx(10 / (10 + rounds), rel=0.02)
        z, sd = ndtri(0.95) * np.sqrt(left), np.sqrt(1.0 - left)
        expected = ndtr((0.5 / 0.4 - z) / sd) + ndtr((-0.5 / 0.4 - z) / sd)
        assert float(made["p_decided"].sel(rounds=rounds)) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("fixed", [0.0, 0.3])
@pytest.mark.parametrize("prior", [0.0, 0.2])
def test_what_is_left_and_what_is_needed(fixed, prior):
    units = Units("round", 12.0, {"new": fixed}, 0.7, prior)
    assert left_after(units, fixed, 0.0) == pytest.approx(1.0)
    for wanted in (0.9, 0.6, 0.4):
        n = needed_for(units, fixed, 0.7, wanted)
        assert left_after(units, fixed, 0.7 * n) <= wanted + 1e-9
        assert left_after(units, fixed, 0.7 * (n - 1)) > wanted
    least = left_after(units, fixed, 1e12)
    assert np.isnan(needed_for(units, fixed, 0.7, 0.9 * least)) or least < 1e-9
    assert needed_for(units, fixed, 0.7, 1.5) == 0.0


def test_folds_of_one_data_set_never_decide_what_its_luck_hides():
    scores = simulate([0.5, 0.0, -0.5], 20, np.random.default_rng(3))
    of_folds, of_rounds = (lb.plan(fit(scores, **options), PAIR, width=0.3, seed=1)
                           for options in ({"test_fraction": 0.2}, {}))  # fmt: skip
    assert float(of_folds["p_any_rounds"].max()) < float(of_rounds["p_any_rounds"].min())
    assert np.isnan(of_folds["rounds_for_width"]).all()
    assert "No number gives an interval 0.3 wide." in of_folds.attrs["message"]
    assert np.isfinite(of_rounds["rounds_for_width"]).all()


def test_what_is_decided_needs_no_more(clear):
    made = lb.plan(clear, rounds=(5,), seed=1)
    assert (made["rounds_needed"] == 0.0).all()
    assert float(made["p_now"]) > 0.995
    said = "decided, with probability >0.99."
    assert made.attrs["message"] == f"p0, the leader, against all others: {said}"
    assert lb.plan(clear, rounds=(), seed=1).sizes["rounds"] == 0


def test_the_leader_is_asked_against_everybody(dt):
    made = lb.plan(dt, seed=1)
    assert set(json.loads(made.attrs["contested"])) == set(lb.tied_for_top(dt))
    assert made["rounds"].to_numpy().tolist() == [3, 5, 10, 20, 40]
    leader, *others = lb.leaderboard(dt)["player"]
    pairs = [lb.plan(dt, (leader, other), rounds=(3, 40), seed=1) for other in others]
    assert float(made["p_now"]) == pytest.approx(min(float(pair["p_now"]) for pair in pairs))
    for n in (3, 40):
        at = {"who": "all", "rounds": n}
        most = min(float(pair["p_decided"].sel(at)) for pair in pairs)
        assert float(made["p_decided"].sel(at)) <= most + 0.03


@pytest.mark.slow
@pytest.mark.parametrize("pair", [PAIR, None])
def test_promises_are_kept(pair):
    """Mean promise over boards from the prior, against what further true rounds decide."""
    old, further, gaps = 8, 12, {"all": [], "contested": []}
    for seed in range(40):
        rng = np.random.default_rng([seed, 3])
        scores = simulate(abs(rng.normal()) * rng.normal(size=4), old + further, rng)
        options = {"prior_scale": 1.0, "seed": seed, "sampler": "metropolis"}
        now = fit(scores[:, :old], **options)
        made = lb.plan(now, pair, rounds=(further,), seed=seed)
        players = {
            "all": scores["player"].to_numpy(),
            "contested": json.loads(made.attrs["contested"]),
        }
        for who in made["who"].to_numpy():
            after = fit(scores.sel(player=players[who]), **options)
            if pair is None:
                decided = len(lb.tied_for_top(after)) == 1
            else:
                seen = lb.compare(after, *pair)
                decided = max(seen["p_better"], seen["p_worse"]) >= 0.95
            gaps[who].append(decided - float(made["p_decided"].sel(who=who)[0]))
    for gap in gaps.values():
        assert abs(np.mean(gap)) < 3.0 * np.std(gap) / np.sqrt(len(gap))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pair": ("p0",)}, "the names of two players"),
        ({"pair": ("p0", "p0")}, "compared with itself"),
        ({"pair": ("p0", "x")}, "no player 'x'"),
        ({"pair": PAIR, "players": ["p0"]}, "players lack 'p1'"),
        ({"players": "p0"}, "a list of names"),
        ({"rounds": (0,)}, "rounds=0"),
        ({"rounds": 5}, "a list of whole numbers"),
        ({"votes": (5,)}, "Use votes= for votes"),
        ({"prob": 0.5}, "prob="),
        ({"target": 1.0}, "target="),
        ({"width": 0.0}, "width="),
        ({"more_runs": (1,)}, "run more than once"),
        ({"seed": -1}, "seed="),
    ],
)
def test_what_cannot_be_planned(dt, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.plan(dt, **options)


NORMAL = {"sd": 0.03, "correlation": 0.5, "seed": 1}
ITEMS = {"accuracy": 0.7, "discordance": 0.2, "seed": 1}


@pytest.mark.parametrize(("players", "given"), [
    pytest.param(5, NORMAL, marks=pytest.mark.slow), (2, ITEMS)])  # fmt: skip
def test_a_design_agrees_with_itself(players, given):
    """What is found with the target's probability, is; in other units, too."""
    few, many = (10, 40) if "sd" in given else (60, 200)
    made = lb.design(players, difference=0.02, rounds=(few, many), **given)
    apart = made["smallest_difference"].isel(question=-1)
    for n in (few, many):
        least = float(apart.sel(rounds=n))
        again = lb.design(players, difference=least, rounds=(n,), **given)
        assert float(again["p_correct"][-1, 0]) == pytest.approx(0.8, abs=0.03)
    needed = int(made["rounds_needed"].isel(question=-1))
    then = lb.design(players, difference=0.02, rounds=(needed,), **given)
    assert float(then["p_correct"][-1, 0]) == pytest.approx(0.8, abs=0.04)
    assert f"{needed} " in made.attrs["message"]
    if "sd" in given:
        larger = lb.design(players, difference=2.0, rounds=(few, many), **given | {"sd": 3.0})
        xr.testing.assert_allclose(larger["p_correct"], made["p_correct"])
    lb.plots.plan(made)


def test_a_design_of_many_rounds_is_a_test_of_a_pair():
    """Far beyond the prior, power is normal: P(z > z_prob - d / se)."""
    for given, variance in ((NORMAL, 0.03**2), (ITEMS, 0.2)):
        apart = 3.0 * np.sqrt(variance / 1e5)
        made = lb.design(2, difference=apart, rounds=(100_000,), **given)
        # Shrunk by the half-Cauchy prior, whose mass is far away: a little less.
        assert float(made["p_correct"][0, 0]) == pytest.approx(ndtr(3.0 - ndtri(0.95)), abs=0.12)
        assert float(made["p_correct"][0, 0]) < ndtr(3.0 - ndtri(0.95)) + 0.03


@pytest.mark.slow
def test_folds_never_find_what_their_luck_hides():
    made = lb.design(4, difference=0.02, sd=0.03, test_fraction=0.2, seed=1)
    assert np.isnan(made["rounds_needed"]).all()
    assert "no number of rounds" in made.attrs["message"]
    few = lb.design(4, difference=0.02, sd=0.03, rounds=(10,), seed=1)
    assert (few["p_correct"] > made["p_correct"].sel(rounds=[10])).all()


@pytest.mark.parametrize(
    ("given", "messages"),
    [
        ({}, ["Set sd="]),
        ({"players": 1, "sd": -1.0, "accuracy": 2.0, "rounds": 5, "prob": 0.5},
         ["players=1", "sd=-1", "accuracy=2", "prob=0.5", "Set sd="]),
        ({"accuracy": 0.9, "discordance": 0.4, "difference": 0.2}, ["above 1", "discordance=0.4"]),
        ({"sd": 1.0, "discordance": 0.1, "rounds": (1,)}, ["discordance= is for", "rounds=1"]),
    ],
)  # fmt: skip
def test_designs_that_are_refused_name_all_problems(given, messages):
    with pytest.raises(lb.LeaderbayesError) as caught:
        lb.design(**{"players": 3} | given)
    assert all(text in str(caught.value) for text in messages)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "rounds"), [(2, 10), (6, 20)])
def test_a_design_keeps_its_promise(players, rounds):
    given, names = {"sd": 1.0, "rounds": (rounds,), "seed": 1}, [f"p{k}" for k in range(players)]
    apart = float(lb.design(players, **given)["smallest_difference"].mean())
    promised = lb.design(players, difference=apart, **given)["p_correct"][:, 0]
    rng, found = np.random.default_rng(players), []
    for _ in range(150):
        y = rng.normal(size=(players, rounds))
        y[0] += apart
        scores = xr.DataArray(y, {"player": names, "round": range(rounds)}, ("player", "round"))
        dt = lb.fit(scores, "mean_score", draws=500, replicates=1, seed=1)
        ahead = [float(lb.compare(dt, "p0", other)["p_better"]) >= 0.95 for other in names[1:]]
        found.append([ahead[0], all(ahead)])
    happened = np.mean(found, axis=0)[: len(promised)]
    np.testing.assert_allclose(happened, promised, atol=3.0 * np.sqrt(0.25 / 150))
