"""The leaderboard of a posterior, against its definitions."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.special import expit

import leaderbayes as lb
from conftest import flat


def test_leaderboard_columns(dt):
    table = lb.leaderboard(dt, prob=0.9)
    assert list(table.columns) == [
        "player", "epp", "epp_lower", "epp_upper", "p_average", "p_best",
        "rank", "rank_lower", "rank_upper",
    ]  # fmt: skip
    assert table.attrs == {"converged": 1, "warnings": '["w"]'}
    assert list(table["rank"]) == [1, 2, 3, 4, 5]
    epp = flat(dt)
    first = table.set_index("player").loc["p0"]
    assert first["epp"] == pytest.approx(epp[:, 0].mean())
    assert first["epp_lower"] == pytest.approx(np.quantile(epp[:, 0], 0.05))
    assert first["p_best"] == pytest.approx((epp.argmax(axis=1) == 0).mean())
    assert first["p_average"] == pytest.approx(expit(epp[:, 0]).mean())
    assert table["p_best"].sum() == pytest.approx(1.0)
    assert (table["rank_lower"] <= table["rank_upper"]).all()
    assert table["rank_upper"].between(1, 5).all()


def test_p_average_in_a_new_tournament(dt):
    """Deviations of all players are normal with the spread, less the average of theirs."""
    spread = np.array([0.3, 1.2]).repeat(400).reshape(2, 400)
    several = dt.copy()
    several["posterior"] = xr.DataTree(
        dt["posterior"].to_dataset().assign(epp_spread=(("chain", "draw"), spread))
    )
    made = lb.leaderboard(several).set_index("player")["p_average"]
    z, mass = np.polynomial.hermite_e.hermegauss(40)
    deviation = np.sqrt(1 - 1 / 5) * spread.ravel()[:, None] * z
    for i, player in enumerate(dt["posterior"]["player"].to_numpy()):
        beats = expit(flat(dt)[:, i, None] + deviation) @ mass / mass.sum()
        assert made[player] == pytest.approx(beats.mean(), abs=1e-6)


def test_range_of_ranks_is_the_least_that_holds(dt):
    """Ranks at which the share of draws up to there reaches either tail; no rank in between."""
    few = dt.isel(chain=[0], draw=slice(30))
    table = lb.leaderboard(few).set_index("player")
    rank = (-flat(few)).argsort(axis=1).argsort(axis=1) + 1
    for i, player in enumerate(few["posterior"]["player"].to_numpy()):
        up_to = [(rank[:, i] <= k).mean() for k in range(1, 6)]
        assert table["rank_lower"][player] == 1 + np.argmax(np.array(up_to) >= 0.025)
        assert table["rank_upper"][player] == 1 + np.argmax(np.array(up_to) >= 0.975)


def test_relabelling_permutes(dt):
    order = [3, 1, 4, 0, 2]
    permuted = dt.copy()
    permuted["posterior"] = xr.DataTree(dt["posterior"].to_dataset().isel(player=order))
    pd.testing.assert_frame_equal(lb.leaderboard(permuted), lb.leaderboard(dt))
