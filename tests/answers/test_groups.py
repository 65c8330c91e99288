"""Who cannot be distinguished, and the columns to paste that say so."""

import io
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from conftest import simulate, tree
from leaderbayes._answers.groups import each_claim, joint_claims


def test_groups_and_tied_for_top():
    # Spread 0.1: distinguishable from a distance of about 0.25 on.
    rng = np.random.default_rng(2)
    dt = tree(rng.normal(size=(1, 4000, 4)) * 0.1 + [3.0, 2.9, 2.72, 0.0])
    assert lb.tied_for_top(dt) == ["p0", "p1"]
    sets = lb.groups(dt).groupby("group")["player"].agg(list).to_list()
    assert sets == [["p0", "p1"], ["p1", "p2"], ["p3"]]
    assert lb.tied_for_top(dt, prob=0.999999)[:3] == ["p0", "p1", "p2"]
    # p0 against p2 is 0.976 by itself, but of all claims together that is too little.
    table = lb.groups(dt, control="joint", prob=0.98)
    assert table.groupby("group")["player"].agg(list).to_list() == [["p0", "p1", "p2"], ["p3"]]


def normal_draws(m, rng, *, draws=4000):
    """Draws (sample, player) of players of unequal, correlated uncertainty; best first."""
    mix = rng.normal(size=(m, m)) / np.sqrt(m)
    mean = rng.normal(size=m)
    first, second = (mean + 0.4 * rng.normal(size=(draws, m)) @ mix for _ in range(2))
    order = np.argsort(-first.mean(axis=0))
    return first[:, order], second[:, order]


def hold(claims, epp):
    """Share of the draws in which all claims hold."""
    first, second = np.nonzero(claims)
    return np.all(epp[:, first] > epp[:, second], axis=1).mean()


def by_definition(epp, prob):
    """The most claims above a cut of certainty that hold together, trying every cut."""
    m = epp.shape[1]
    certainty = np.full((m, m), -np.inf)
    for i, j in combinations(range(m), 2):
        difference = epp[:, i] - epp[:, j]
        certainty[i, j] = difference.mean() / difference.std()
    cuts = np.sort(certainty[np.triu_indices(m, 1)])[::-1]
    held = [certainty >= cut for cut in cuts if hold(certainty >= cut, epp) >= prob]
    return held[-1] if held else np.zeros((m, m), dtype=bool)


@pytest.mark.parametrize("prob", [0.5, 0.8, 0.95])
def test_joint_claims_are_those_of_the_definition(prob):
    for seed in range(5):
        epp, _ = normal_draws(6, np.random.default_rng(seed), draws=200)
        np.testing.assert_array_equal(joint_claims(epp, prob), by_definition(epp, prob))


def test_joint_claims_hold_in_further_draws():
    """They are no more than the draws at hand: claims picked one by one fail this by far."""
    epp, again = normal_draws(60, np.random.default_rng(0))
    claims = joint_claims(epp, 0.95)
    assert claims.sum() > 200
    assert hold(claims, epp) == pytest.approx(0.95, abs=0.005)
    # Four standard errors of 4000 draws, twice.
    assert hold(claims, again) == pytest.approx(0.95, abs=0.02)
    assert hold(each_claim(epp, 0.95), again) < 0.5


def test_certain_and_undecided():
    certain = np.tile([2.0, 1.0, 0.0], (100, 1))
    assert joint_claims(certain, 0.95).sum() == 3
    assert not joint_claims(np.ones((100, 3)), 0.95).any()
    # Two that change places in every other draw, and one that is always behind.
    turns = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0]] * 50)
    np.testing.assert_array_equal(joint_claims(turns, 0.95), [[0, 0, 1], [0, 0, 1], [0, 0, 0]])


@pytest.mark.slow
# Somebody loses every match of a few boards, which the claims have to bear.
@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
def test_joint_control_of_many_boards():
    """0.04 of 400 boards and 0.48 were measured, 0.0475 and 0.40 at 50 rounds."""
    boards, players, rng = 160, 20, np.random.default_rng(1)
    wrong = {each_claim: 0, joint_claims: 0}
    for _ in range(boards):
        truth = rng.normal(size=players)
        scores = simulate(truth, 20, rng)
        dt = lb.fit(scores, replicates=1, seed=int(rng.integers(2**31)))
        epp = dt["posterior"]["epp"].to_numpy().reshape(-1, players)
        order = np.argsort(-epp.mean(axis=0))
        for find in wrong:
            first, second = np.nonzero(find(epp[:, order], 0.95))
            wrong[find] += bool((truth[order][first] < truth[order][second]).any())
    assert wrong[joint_claims] / boards <= 0.05 + 2.0 * np.sqrt(0.05 * 0.95 / boards)
    assert wrong[each_claim] / boards > 0.35


@pytest.mark.parametrize("control", ["pair", "joint"])
def test_letters_are_the_claims(of_classifiers, control):
    table = lb.leaderboard(of_classifiers, columns="publish", control=control)
    epp = of_classifiers["posterior"]["epp"].stack(sample=("chain", "draw"))
    ordered = epp.sel(player=table["player"].to_list()).transpose("sample", "player").to_numpy()
    apart = (each_claim if control == "pair" else joint_claims)(ordered, 0.95)
    for i, j in combinations(range(len(table)), 2):
        assert bool(set(table["group"][i]) & set(table["group"][j])) != apart[i, j]
    if control == "pair":
        letters = table.set_index("player")["group"]
        for _, members in lb.groups(of_classifiers).groupby("group"):
            assert set.intersection(*(set(letters[p]) for p in members["player"]))


def test_columns_to_paste_are_those_of_the_leaderboard(of_classifiers):
    full = lb.leaderboard(of_classifiers)
    table = lb.leaderboard(of_classifiers, columns="publish")
    assert table["player"].tolist() == full["player"].tolist()
    low, high = table["ranks"].str.extract(r"^(\d+) to (\d+)$").astype(int).to_numpy().T
    np.testing.assert_array_equal(low, full["rank_lower"])
    np.testing.assert_array_equal(high, full["rank_upper"])
    shown = table["epp"].str.extract(r"^(\S+) \[(\S+), (\S+)\]$").astype(float)
    np.testing.assert_allclose(shown, full[["epp", "epp_lower", "epp_upper"]], atol=0.05)
    np.testing.assert_allclose(table["score"].astype(float), full["score"], atol=0.001)
    assert table.attrs["control"] == "joint"
    assert "all claims together" in table.attrs["note"]
    again = pd.read_csv(io.StringIO(table.to_csv(index=False)))
    assert again["group"].tolist() == table["group"].tolist()


def test_what_is_not_to_be_published_says_so(of_classifiers):
    bad = of_classifiers.copy()
    bad.attrs = of_classifiers.attrs | {"converged": 0}
    assert lb.leaderboard(bad, columns="publish").attrs["note"].startswith("Not converged")
