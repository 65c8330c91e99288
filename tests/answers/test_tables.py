"""Leaderboard, ranks and win probabilities of given draws, against their definitions."""

import numpy as np
import pytest
import xarray as xr
from scipy.special import expit, ndtr

import leaderbayes as lb
from conftest import flat, tree
from leaderbayes._fits.posterior import Strengths


def with_variables(dt, **variables):
    made = dt.copy()
    dims = ("chain", "draw")
    named = {k: (dims, np.asarray(v).reshape(2, -1)) for k, v in variables.items()}
    made["posterior"] = xr.DataTree(dt["posterior"].to_dataset().assign(named))
    return made


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


def test_p_average_in_a_new_tournament(dt):
    """Deviations of all players are normal with the spread, less the average of theirs."""
    spread = np.array([0.3, 1.2]).repeat(400)
    made = lb.leaderboard(with_variables(dt, epp_spread=spread)).set_index("player")["p_average"]
    z, mass = np.polynomial.hermite_e.hermegauss(40)
    deviation = np.sqrt(1 - 1 / 5) * spread[:, None] * z
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


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_players_with_equal_scores_share_a_rank(seed):
    scores = np.array([[1, 3, 4, 9, 2], [1, 3, 4, 9, 2], [2, 1, 1, 3, 1], [5, 9, 9, 8, 7]]) / 10
    board = xr.DataArray(scores, {"player": [*"abcd"]}, ("player", "round"))
    board = board.assign_coords(round=[*"uvwxy"])
    dt = lb.fit(board, "bradley_terry", sampler="laplace", draws=50, replicates=20, seed=seed)
    table = lb.leaderboard(dt)
    assert dict(zip(table["player"], table["rank"], strict=True)) == dict(d=1, a=2, b=2, c=4)
    assert lb.leaderboard(dt, columns="publish")["rank"].tolist() == [1, 2, 2, 4]


def test_teams_have_their_own_columns():
    theta = np.array([[[0.9, 0.8, 0.9], [0.8, 0.85, 0.7]]])
    posterior = xr.Dataset({"theta": (("chain", "draw", "team"), theta)}, {"team": list("abc")})
    seen = xr.Dataset({"score": ("team", [0.91, 0.8, 0.92])}, {"team": list("abc")})
    made = xr.DataTree.from_dict({"posterior": posterior, "observed_data": seen})
    table = lb.leaderboard(made)
    assert list(table) == [
        "team",
        "score",
        "theta",
        "theta_lower",
        "theta_upper",
        "p_sota",
        "p_best",
    ]
    # Two share the best of the first draw; of theta_SOTA, 0.875, two are above once.
    assert table.set_index("team")["p_best"].to_dict() == {"a": 0.25, "b": 0.5, "c": 0.25}
    assert table.set_index("team")["p_sota"].to_dict() == {"a": 0.5, "b": 0.0, "c": 0.5}
    # Of two with the same mean the one with the higher score stands first.
    assert table["team"].to_list() == ["a", "b", "c"]
    with pytest.raises(lb.LeaderbayesError, match="is for players"):
        lb.leaderboard(made, columns="publish")


def test_rank_probability(dt):
    share = lb.rank_probability(dt)
    np.testing.assert_allclose(share.sum("rank"), 1.0)
    np.testing.assert_allclose(share.sum("player"), 1.0)
    best = lb.leaderboard(dt).set_index("player")["p_best"]
    assert float(share.sel(player="p1", rank=1)) == pytest.approx(best["p1"])


def test_win_probability(dt):
    wins = lb.win_probability(dt)
    epp = flat(dt)
    win = expit(epp[:, 0] - epp[:, 3])
    cell = wins.sel(player="p0", opponent="p3")
    assert float(cell["mean"]) == pytest.approx(win.mean())
    for end, tail in (("lower", 0.025), ("upper", 0.975)):
        assert float(cell[end]) == pytest.approx(np.quantile(win, tail))
        assert float(wins[end].sel(player="p3", opponent="p0")) == pytest.approx(
            np.quantile(1.0 - win, tail)
        )
    np.testing.assert_allclose(wins["mean"] + wins["mean"].values.T, 1.0)
    np.testing.assert_allclose(np.diag(wins["mean"]), 0.5)
    assert wins.attrs["draws_used"] == 800


def test_win_probability_of_many_players_is_thinned(monkeypatch):
    # As many draws of pairs as the real limit has of 1000 players.
    monkeypatch.setattr(Strengths, "kind", Strengths.kind._replace(affordable=300 * 100**2))
    epp = np.random.default_rng(1).normal(size=(1, 2000, 100))
    wins = lb.win_probability(tree(epp))
    assert wins.attrs["draws_used"] == 300
    assert wins["mean"].shape == (100, 100)


def test_win_probability_in_a_new_tournament(dt):
    """Differences of strengths vary by the spread, of either player by itself."""
    spread = np.full(800, 0.9)
    cell = lb.win_probability(with_variables(dt, epp_spread=spread)).sel(player="p0", opponent="p2")
    rng = np.random.default_rng(1)
    gap = np.repeat(flat(dt)[:, 0] - flat(dt)[:, 2], 200)
    drawn = expit(gap + np.sqrt(2.0) * 0.9 * rng.standard_normal(gap.size)).reshape(-1, 200)
    assert float(cell["mean"]) == pytest.approx(drawn.mean(), abs=0.003)
    assert float(cell["lower"]) == pytest.approx(np.quantile(drawn.mean(axis=1), 0.025), abs=0.01)


@pytest.mark.parametrize("higher_is_better", [1, 0])
def test_mean_scores_on_a_new_data_set(higher_is_better):
    """The probability of a better mean score, whose difference varies by a pair's own spread."""
    rng = np.random.default_rng(2)
    score = np.array([0.3, 0.2, 0.0]) + 0.02 * rng.normal(size=(2, 400, 3))
    pairs = np.array([[0.0, 1.0, 1.5], [1.0, 0.0, 1.2], [1.5, 1.2, 0.0]])
    names = {"player": list("abc"), "opponent": list("abc")}
    known = xr.Dataset(
        {
            "spread": (("player", "opponent"), pairs),
            "higher_is_better": ("model", [higher_is_better]),
            "scores": (("tournament", "player", "round"), np.zeros((2, 3, 2))),
        },
        names,
    )
    posterior = xr.Dataset(
        {
            "score": (("chain", "draw", "player"), score),
            "score_spread": (("chain", "draw"), np.full((2, 400), 0.1)),
        },
        {"player": list("abc")},
    )  # fmt: skip
    made = xr.DataTree.from_dict({"posterior": posterior, "constant_data": known})
    win = lb.win_probability(made)
    gap = (score[..., 0] - score[..., 2]).ravel() * (1 if higher_is_better else -1)
    sd = np.sqrt(2.0) * 0.15  # of two players
    expected = ndtr(gap / sd)
    assert float(win["mean"].sel(player="a", opponent="c")) == pytest.approx(expected.mean())
    pair = lb.compare(made, "a", "c", rope=0.05)
    assert float(pair["p_better"]) == pytest.approx(ndtr((gap - 0.05) / sd).mean(), abs=0.01)
    assert float(pair["p_worse"]) == pytest.approx(ndtr((-gap - 0.05) / sd).mean(), abs=0.01)
    assert float(pair["mean_better"]) == higher_is_better
    wide = np.hypot(sd, (score[..., 0] - score[..., 2]).std()) * 2 * 1.96
    assert float(pair["new_upper"] - pair["new_lower"]) == pytest.approx(wide, rel=0.03)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda dt: lb.leaderboard(dt, prob=1.5), r"prob=1\.5"),
        (lambda dt: lb.win_probability(dt, prob=1.5), r"prob=1\.5"),
        (lambda dt: lb.groups(dt, prob=1.5), r"prob=1\.5"),
        (lambda dt: lb.tied_for_top(dt, prob=1.5), r"prob=1\.5"),
        (lambda dt: lb.groups(dt, control="all"), "control='all'"),
        (lambda dt: lb.leaderboard(dt, columns="paste"), "columns='paste'"),
        (lambda dt: lb.win_probability(dt, by="votes"), "by='votes'"),
        (lambda dt: lb.win_probability(dt, convention="published"), "for estimates"),
        (lambda dt: lb.win_probability(dt, by="record"), "no observed_data/place"),
        (lambda dt: lb.compare(dt, "p0", "p1", rope=0.5), r"rope=0\.5"),
        (lambda dt: lb.compare(dt, "p0", "p0"), "compared with itself"),
        (lambda dt: lb.compare(dt, "p9", "p0"), "no player 'p9' among the 5; did you mean"),
        (lambda dt: lb.compare(dt, 0, 1), "not the name of a player: use one of the 5"),
        (lambda dt: lb.compare(dt, np.array(["p0"]), "p1"), "not the name of a player"),
        (lambda dt: lb.compare(dt, ["p0"], "p1"), "not the name of a player"),
    ],
)
def test_what_cannot_be_asked(dt, answer, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        answer(dt)


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
