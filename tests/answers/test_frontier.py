"""Cost against quality."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
import posteriors
from conftest import tree
from leaderbayes._answers.frontier import costs_of, dominance
from leaderbayes._fits.posterior import Posterior


def dominates(quality, cost, j, i):
    """Whether j dominates i in one draw, by the definition."""
    as_good, as_cheap = quality[j] >= quality[i], cost[j] <= cost[i]
    return as_good and as_cheap and (quality[j] > quality[i] or cost[j] < cost[i])


@pytest.mark.parametrize("drawn", [False, True])
def test_brute_force(drawn):
    """Every pair of every draw, with ties in both."""
    rng = np.random.default_rng(1)
    quality, cost = rng.integers(0, 4, (60, 5)), rng.integers(0, 3, (60 if drawn else 1, 5))
    free, by = dominance(quality, cost)
    pairs = np.array([
        [[dominates(quality[s], cost[s if drawn else 0], j, i) for j in range(5)] for i in range(5)]
        for s in range(60)
    ])  # fmt: skip
    np.testing.assert_allclose(by, pairs.mean(axis=0))
    np.testing.assert_allclose(free, 1.0 - pairs.any(axis=2).mean(axis=0))


def test_the_table():
    """Two draws: a and b swap, c is dominated by both, d is as cheap as a and worse."""
    dt = tree([[[2.0, 1.0, 0.0, -1.0], [1.0, 2.0, 0.0, -1.0]]])
    table = lb.frontier(dt, pd.Series({"p0": 1.0, "p1": 2.0, "p2": 3.0, "p3": 1.0}), prob=0.9)
    assert table["player"].tolist() == ["p0", "p3", "p1", "p2"]
    assert table["p_frontier"].tolist() == [1.0, 0.0, 0.5, 0.0]
    assert table["dominated_by"].tolist() == ["", "p0", "p0", "p0"]
    assert table["p_dominated"].tolist() == [0.0, 1.0, 0.5, 1.0]
    assert table["verdict"].tolist() == ["frontier", "dominated", "undecided", "dominated"]
    assert table.attrs["converged"] == 1
    board = lb.leaderboard(dt, prob=0.9).set_index("player").loc[table["player"], "epp_lower"]
    assert table["epp_lower"].tolist() == board.tolist()


def test_less_may_be_better():
    """Of losses the least is best; equal ones at the same cost do not dominate each other."""
    dt = posteriors.means(posteriors.losses())
    table = lb.frontier(dt, dict.fromkeys(dt["posterior"]["player"].to_numpy(), 1.0))
    best = lb.leaderboard(dt).set_index("player")["p_best"]
    np.testing.assert_allclose(table["p_frontier"], best[table["player"]], atol=0.02)


VALUES = {
    "p0": [1.0, 1.4, 1.2],
    "p1": [3.0, 2.0, 4.0],
    "p2": [9.0, 9.0, 9.0],
    "p3": [0.0, 0.0, 0.0],
}


def test_repeated_costs_are_given_in_any_form():
    dt = tree(np.random.default_rng(1).normal(size=(4, 100, 4)))
    wide = pd.DataFrame.from_dict(VALUES, orient="index")
    long = wide.stack().droplevel(1)
    array = xr.DataArray(wide.T.to_numpy(), {"player": list(VALUES)}, ("run", "player"))
    tables = [
        lb.frontier(dt, given)
        for given in (VALUES, wide, long, array, wide.rename_axis("player").reset_index())
    ]
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0])
    first = tables[0].set_index("player")
    assert first.loc["p0", "cost"] == pytest.approx(1.2)
    assert first.loc["p0", "cost_lower"] < 1.2 < first.loc["p0", "cost_upper"]
    for known in ("p2", "p3"):
        assert first.loc[known, "cost_lower"] == first.loc[known, "cost_upper"]


def test_repeated_costs_may_be_of_unequal_number():
    dt = tree(np.random.default_rng(1).normal(size=(4, 100, 4)))
    table = lb.frontier(dt, VALUES | {"p1": 3.0, "p2": [1.0, np.nan, 2.0]}).set_index("player")
    assert table.loc["p1", "cost_lower"] == table.loc["p1", "cost_upper"] == 3.0
    assert table.loc["p2", "cost"] == 1.5


def test_repeated_costs_cover_their_mean():
    """Intervals of 95 %, of three and ten values that spread by a third of their mean."""
    rng = np.random.default_rng(1)
    for count in (3, 10):
        dt = tree(rng.normal(size=(4, 500, 150)))
        values = rng.gamma(9.0, 1.0 / 9.0, size=(150, count))
        # Independent players: each has columns of its own.
        apart = np.full((150, 150, count), np.nan)
        apart[np.arange(150), np.arange(150)] = values
        names = [f"p{k}" for k in range(150)]
        _, drawn = costs_of(Posterior(dt), pd.DataFrame(apart.reshape(150, -1), names))
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        covered = ((low <= 1.0) & (high >= 1.0)).mean()
        assert abs(covered - 0.95) < 3.0 * np.sqrt(0.95 * 0.05 / 150)


def test_shared_columns_keep_pairs_apart():
    """Tasks that cost all players more or less leave the difference of two as it is."""
    rng = np.random.default_rng(1)
    task = rng.gamma(2.0, size=12)
    cost = pd.DataFrame([task, 1.05 * task], ["p0", "p1"])
    table = lb.frontier(tree(rng.normal(size=(4, 250, 2))), cost)
    assert table["cost_upper"].iloc[0] > 1.3 * table["cost"].iloc[0]
    # The dearer one is on the frontier where it is better, and the other always.
    assert table["p_frontier"].iloc[0] == 1.0


def test_calibration():
    """Of 300 boards with exact posteriors, players are on the frontier as often as it says."""
    rng = np.random.default_rng(1)
    said, there = [], []
    for _ in range(300):
        theta, cost = rng.normal(size=6), rng.integers(1, 5, 6).astype(float)
        seen = theta + 0.5 * rng.normal(size=6)
        draws = 0.8 * seen + np.sqrt(0.2) * rng.normal(size=(400, 6))
        said.append(dominance(draws, cost[None])[0])
        there.append(dominance(theta[None], cost[None])[0])
    said, there = np.ravel(said), np.ravel(there)
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.0)):
        own = (said >= low) & (said <= high)
        error = np.sqrt((said[own] * (1.0 - said[own])).sum()) / own.sum()
        assert abs((said[own] - there[own]).mean()) < 3.0 * error + 1e-3


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        ({"p0": 1.0}, "no value for 'p1', 'p2'"),
        ({"p0": -1.0, "p1": np.inf, "p2": "dear", "x": 1.0}, "no player 'x'; no finite number for "
         "'p1', 'p2'; below 0 for 'p0'"),
        (pd.Series({"p0": 1.0, "p1": None, "p2": 2.0}), "no value for 'p1'"),
        (3.0, "cost=3.0"),
        (tree(np.zeros((1, 2, 3))), "cost=<xarray.DataTree>"),
    ],
)  # fmt: skip
def test_refused(cost, words):
    with pytest.raises(lb.LeaderbayesError, match=words):
        lb.frontier(tree(np.zeros((1, 2, 3))), cost)
