"""How many more rounds: the plan against real continuations, and its arithmetic."""

import json
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

import leaderbayes as lb
from conftest import simulate
from leaderbayes._answers import plan_matches
from leaderbayes._answers.plan import _needed
from leaderbayes._answers.plan_matches import Verdict

PAIR = ("p0", "p1")


def quick_fit(scores, **options):
    return lb.fit(scores, sampler="laplace", draws=250, seed=1, replicates=1, **options)


@pytest.fixture(scope="module")
def board():
    return simulate([1.2, 0.7, 0.0, -0.5, -1.0], 10, np.random.default_rng(8))


@pytest.fixture(scope="module")
def dt(board):
    return quick_fit(board)


@pytest.fixture(scope="module")
def made(dt):
    return lb.plan(dt, PAIR, rounds=(40, 5, 10), simulations=60, seed=1)


def test_dataset(made):
    assert list(made["who"].to_numpy()) == ["all", "contested"]
    assert list(made["rounds"].to_numpy()) == [5, 10, 40]
    np.testing.assert_array_equal(made["runs"], [[25, 50, 200], [10, 20, 80]])
    p = made["p_decided"]
    assert (p >= made["p_decided_lower"]).all()
    assert (p <= made["p_decided_upper"]).all()
    assert (made["p_correct"] <= p).all()
    assert (made["width"].diff("rounds") < 0).all()
    assert float(made["width"].sel(who="all", rounds=5)) < float(made["width_now"])
    assert json.loads(made.attrs["contested"]) == ["p0", "p1"]
    assert made.attrs["converged"]


def test_interval_of_a_share_is_jeffreys(made):
    successes = made["p_decided"] * 60
    for name, tail in (("p_decided_lower", 0.025), ("p_decided_upper", 0.975)):
        expected = stats.beta(successes + 0.5, 60 - successes + 0.5).ppf(tail)
        inner = ((successes > 0) & (successes < 60)).to_numpy()
        np.testing.assert_allclose(made[name].to_numpy()[inner], expected[inner])
        assert inner.any()


def test_now_is_what_compare_says(dt, made):
    now = lb.compare(dt, *PAIR)
    assert float(made["p_now"]) == pytest.approx(max(float(now["p_better"]), float(now["p_worse"])))
    assert float(made["width_now"]) == pytest.approx(float(now["epp_upper"] - now["epp_lower"]))


def test_same_seed_same_numbers(dt, made):
    again = lb.plan(dt, PAIR, rounds=(5, 10, 40), simulations=60, seed=1)
    assert again.identical(made)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:LB010")
@pytest.mark.parametrize("pair", [PAIR, None])
def test_promises_are_kept(pair):
    """Mean promise over boards from the prior, against what further true rounds decide."""
    old, further, gaps = 8, 12, {"all": [], "contested": []}
    for seed in range(30):
        rng = np.random.default_rng([seed, 3])
        scores = simulate(abs(rng.normal()) * rng.normal(size=4), old + further, rng)
        # Some are nearly decided: those are sampled by NUTS.
        options = {"prior_scale": 1.0, "replicates": 1, "seed": seed, "progressbar": False}
        dt = lb.fit(scores[:, :old], **options)
        made = lb.plan(dt, pair, rounds=(further,), simulations=15, seed=seed)
        players = {
            "all": scores["player"].to_numpy(),
            "contested": json.loads(made.attrs["contested"]),
        }
        for who in made["who"].to_numpy():
            after = lb.fit(scores.sel(player=players[who]), **options)
            if pair is None:
                decided = len(lb.tied_for_top(after)) == 1
            else:
                seen = lb.compare(after, *pair)
                decided = max(seen["p_better"], seen["p_worse"]) >= 0.95
            gaps[who].append(decided - float(made["p_decided"].sel(who=who)[0]))
    for gap in gaps.values():
        assert abs(np.mean(gap)) < 3.0 * np.std(gap) / np.sqrt(len(gap))


def test_twins_are_hardly_told_apart():
    """Their difference, as the posterior has it, lies near 0."""
    rng = np.random.default_rng(5)
    dt = quick_fit(simulate([0.0, 0.0, 1.0], 400, rng))
    made = lb.plan(dt, PAIR, rounds=(5, 20), simulations=40, seed=1)
    assert float(made["p_decided"].max()) < 0.3
    assert np.isnan(made["rounds_needed"]).all()
    assert (
        "20 more rounds of all 3 players (60 runs) decide with probability" in made.attrs["message"]
    )


def test_clear_winner():
    dt = quick_fit(simulate([3.0, -1.0, -1.0, -1.0], 30, np.random.default_rng(1)))
    made = lb.plan(dt, rounds=(5,), simulations=10, seed=1)
    assert made["rounds_needed"].to_numpy().tolist() == [0.0, 0.0]
    p = f"{float(made['p_now']):.3f}"
    said = f"against everybody: decided already, with probability {p} against the closest of them."
    assert made.attrs["message"] == f"p0, the leader, {said}"
    assert len(json.loads(made.attrs["contested"])) == 2


def test_no_further_rounds_say_how_it_stands(dt, made):
    now = lb.plan(dt, PAIR, rounds=(), simulations=60, seed=1)
    assert (
        now.attrs["message"] == f"p0 against p1: not decided, with probability {now['p_now']:.3f}."
    )
    assert np.isnan(now["rounds_needed"]).all()
    assert now["p_decided"].shape == (2, 0)
    for name in ("p_now", "width_now"):
        assert now[name].equals(made[name])
    with pytest.raises(lb.LeaderbayesError, match="There is nothing to draw"):
        lb.plots.plan(now)


def test_message_says_what_it_costs(dt):
    made = lb.plan(dt, PAIR, rounds=(1, 200), target=0.5, simulations=20, seed=1)
    needed = made["rounds_needed"].to_numpy()
    assert (needed > 0).all()
    ways = (
        f"{needed[0]:.0f} more rounds of all 5 players ({5 * needed[0]:.0f} runs)",
        f"{needed[1]:.0f} more rounds of only 2 of them ({2 * needed[1]:.0f} runs)",
    )
    said = f"p0 against p1: decided with probability 0.5 by {' or by '.join(ways)}."
    assert made.attrs["message"] == said


def test_chosen_players(dt, board):
    made = lb.plan(dt, PAIR, rounds=(5,), players=("p1", "p4", "p0"), simulations=5, seed=1)
    assert json.loads(made.attrs["contested"]) == ["p0", "p1", "p4"]
    assert int(made["runs"].sel(who="contested")[0]) == 15
    everybody = lb.plan(
        dt, PAIR, rounds=(5,), players=list(board["player"].to_numpy()), simulations=5, seed=1
    )
    assert list(everybody["who"].to_numpy()) == ["all"]


def test_absent_scores_ties_and_weight(board):
    """The old rounds stay as they are; three players of the first one are absent."""
    scores = (-board).round().assign_attrs(board.attrs | {"higher_is_better": 0})
    scores[:3, 0] = np.nan
    dt = quick_fit(scores, weight=0.4, ties="drop")
    made = lb.plan(dt, ("p0", "p4"), rounds=(5, 30), simulations=20, seed=1)
    assert float(made["p_correct"].sel(who="all", rounds=30)) > 0.7


@pytest.mark.parametrize(
    ("p", "decided", "needed"),
    [
        ([0.2, 0.4, 0.9], False, 18.0),
        ([0.4, 0.2, 0.9], False, 19.0),  # 0.3, 0.3, 0.9: chance alone lets it fall
        ([0.9, 0.95, 0.9], False, 5.0),
        ([0.2, 0.4, 0.6], False, np.nan),
        ([0.2, 0.4, 0.6], True, 0.0),
    ],
)
def test_rounds_needed(p, decided, needed):
    rounds = np.array([5, 10, 20])
    now = Verdict(decided, 0, 0.9, 1.0)
    np.testing.assert_equal(_needed(rounds, np.array(p), 0.8, now), needed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pair": ("p0", "p0")}, "compared with itself"),
        ({"pair": ("p0", "q")}, "no player 'q'"),
        ({"pair": ("p0", "p1", "p2")}, "give the names of two players"),
        ({"rounds": (0, 5)}, "give a whole number from 1"),
        ({"rounds": (2.5,)}, "give a whole number from 1"),
        ({"rounds": (np.nan,)}, "give a whole number from 1"),
        ({"prob": 0.5}, r"prob=0\.5: give a number above 0\.5"),
        ({"prob": 1.0}, "prob"),
        ({"target": 1.0}, "target"),
        ({"simulations": 0}, "simulations"),
        ({"pair": PAIR, "players": ("p0", "p3")}, "lack 'p1'"),
        ({"players": ("p0", "q")}, "no player 'q'"),
    ],
)
def test_bad_arguments(dt, arguments, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.plan(dt, **arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"test_fraction": 0.1}, "test_fraction"), ({"within_round": False}, "across")],
)
def test_other_fits(board, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.plan(quick_fit(board, **options), PAIR)


def test_needs_no_pymc():
    code = (
        "import sys, leaderbayes as lb;"
        "s = lb.datasets.load('classifiers', 'breast_cancer');"
        "dt = lb.fit(s, sampler='laplace', draws=50, seed=1);"
        "lb.plan(dt, rounds=(5,), simulations=2);"
        "assert not {'pymc', 'pytensor', 'arviz'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_how_far_it_is(dt, capsys, monkeypatch):
    lb.plan(dt, PAIR, rounds=(5,), simulations=2, seed=1)  # at once
    assert not capsys.readouterr().err
    monkeypatch.setattr(plan_matches, "_PATIENCE", 0.0)
    lb.plan(dt, PAIR, rounds=(5,), simulations=2, seed=1)
    lb.plan(dt, PAIR, rounds=(5,), simulations=2, seed=1, progressbar=False)
    assert capsys.readouterr().err.count("2/2") == 1
