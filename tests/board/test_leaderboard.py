"""Tables of a posterior, against their definitions."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.special import expit

import leaderbayes as lb


def tree(epp, converged=1):
    """A fit with these draws (chain, draw, player)."""
    epp = np.asarray(epp, dtype=float)
    players = [f"p{i}" for i in range(epp.shape[2])]
    posterior = xr.Dataset({"epp": (("chain", "draw", "player"), epp)}, {"player": players})
    made = xr.DataTree.from_dict({"posterior": posterior})
    made.attrs = {"converged": converged, "warnings": json.dumps(["w"]), "model": "bradley_terry"}
    return made


@pytest.fixture(scope="module")
def dt():
    rng = np.random.default_rng(0)
    return tree(rng.normal(size=(2, 400, 5)) * 0.5 + [1.0, 0.8, 0.0, -0.1, -1.7])


def flat(dt):
    return dt["posterior"]["epp"].to_numpy().reshape(-1, dt["posterior"].sizes["player"])


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


def test_win_probability(dt):
    wins = lb.win_probability(dt)
    epp = flat(dt)
    gap = epp[:, 0] - epp[:, 3]
    cell = wins.sel(player="p0", opponent="p3")
    assert float(cell["mean"]) == pytest.approx(expit(gap).mean())
    assert float(cell["lower"]) == pytest.approx(np.quantile(expit(gap), 0.025), abs=1e-3)
    np.testing.assert_allclose(wins["mean"] + wins["mean"].values.T, 1.0)
    np.testing.assert_allclose(np.diag(wins["mean"]), 0.5)
    assert wins.attrs["draws_used"] == 800


def test_win_probability_of_many_players_is_thinned(monkeypatch):
    # A budget for 300 draws of 100 players, as the real one has for 1600 of 1100.
    monkeypatch.setattr("leaderbayes._board.win_probability._PAIR_VALUES", 300 * 100**2)
    epp = np.random.default_rng(1).normal(size=(1, 2000, 100))
    wins = lb.win_probability(tree(epp))
    assert wins.attrs["draws_used"] == 300
    assert wins["mean"].shape == (100, 100)


def test_rank_probability_and_top(dt):
    share = lb.rank_probability(dt)
    np.testing.assert_allclose(share.sum("rank"), 1.0)
    np.testing.assert_allclose(share.sum("player"), 1.0)
    best = lb.leaderboard(dt).set_index("player")["p_best"]
    assert float(share.sel(player="p1", rank=1)) == pytest.approx(best["p1"])
    top = lb.p_top(dt, 2)
    assert top.sum() == pytest.approx(2.0)
    assert top["p1"] == pytest.approx(float(share.sel(player="p1", rank=[1, 2]).sum()))
    assert lb.p_top(dt, 5).eq(1.0).all()
    with pytest.raises(lb.LeaderbayesError, match="from 1 up to 5"):
        lb.p_top(dt, 6)


def test_groups_and_tied_for_top():
    # Spread 0.1: told apart from a distance of about 0.25 on.
    rng = np.random.default_rng(2)
    dt = tree(rng.normal(size=(1, 4000, 4)) * 0.1 + [3.0, 2.9, 2.72, 0.0])
    assert lb.tied_for_top(dt) == ["p0", "p1"]
    table = lb.groups(dt)
    sets = table.groupby("group")["player"].agg(list).to_list()
    assert sets == [["p0", "p1"], ["p1", "p2"], ["p3"]]
    assert lb.tied_for_top(dt, prob=0.999999)[:3] == ["p0", "p1", "p2"]


def test_compare(dt):
    result = lb.compare(dt, "p0", "p1", rope=0.05)
    gap = flat(dt)[:, 0] - flat(dt)[:, 1]
    inside = np.abs(expit(gap) - 0.5) <= 0.05
    assert result["p_equivalent"] == pytest.approx(inside.mean())
    assert result["p_better"] == pytest.approx(((gap > 0) & ~inside).mean())
    assert result["p_better"] + result["p_equivalent"] + result["p_worse"] == pytest.approx(1.0)
    back = lb.compare(dt, "p1", "p0", rope=0.05)
    assert back["win_probability"] == pytest.approx(1 - float(result["win_probability"]))
    assert lb.compare(dt, "p0", "p1")["p_equivalent"] == 0
    assert result.attrs["converged"]


def test_bad_options(dt):
    for function in (lb.leaderboard, lb.win_probability, lb.groups, lb.tied_for_top):
        with pytest.raises(lb.LeaderbayesError, match=r"prob=1\.5"):
            function(dt, prob=1.5)
    with pytest.raises(lb.LeaderbayesError, match=r"rope=0\.5"):
        lb.compare(dt, "p0", "p1", rope=0.5)
    with pytest.raises(lb.LeaderbayesError, match="compared with itself"):
        lb.compare(dt, "p0", "p0")
    with pytest.raises(lb.LeaderbayesError, match="no player 'p9' among the 5; did you mean"):
        lb.compare(dt, "p9", "p0")


@pytest.mark.parametrize(
    "function",
    [
        lb.leaderboard, lb.win_probability, lb.rank_probability, lb.groups, lb.tied_for_top,
        lb.check, lb.deviance, lb.loo, lb.plan, lb.study.compare, lb.study.average_player,
        lb.report.text, lb.plots.leaderboard, lb.plots.win_rate, lb.plots.deviance,
        lambda given: lb.compare(given, "p0", "p1"), lambda given: lb.p_top(given, 1),
        lambda given: lb.study.select(given, "iris"),
    ],
)  # fmt: skip
def test_what_is_no_fit(function, scores):
    for given, name in (
        (scores, r"scores \(DataArray\)"),
        (lb.matches(scores), r"matches \(Dataset\)"),
        (scores.to_pandas(), "DataFrame"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=f"what leaderbayes.fit returns, not {name}"):
            function(given)
    other = xr.DataTree.from_dict({"posterior": xr.Dataset({"mu": 1.0})})
    with pytest.raises(lb.LeaderbayesError, match=r"no fit of a leaderboard|of model='bradley_te"):
        function(other)


def test_fits_of_a_study(study):
    from leaderbayes.study._tournaments import fits_of

    fits = dict(fits_of(study))
    assert list(fits) == ["one", "two/2", "three", "reversed"]
    assert fits["two/2"].identical(lb.study.select(study, "two/2"))
    assert list(lb.leaderboard(fits["three"])["player"]) == ["p0", "p1", "p2", "p3", "p4"]
    # Without the attribute, by the name of the node.
    plain = xr.DataTree.from_dict({"x": tree(np.zeros((1, 2, 3)))})
    assert list(dict(fits_of(plain))) == ["x"]
    with pytest.raises(lb.LeaderbayesError, match="no tournament 'won'; did you mean 'one'"):
        lb.study.select(study, "won")
