"""Each question of an audit finds what was planted, and nothing where there is nothing."""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import kendalltau

import leaderbayes as lb
from leaderbayes._answers import standing
from leaderbayes._answers.audit import sentences
from votes import draw, votes_of

QUESTIONS = ["players", "pairs", "aggregators", "left_out", "check", "plan", "halves"]


def board(values, **attrs):
    m, r = values.shape
    names = {"player": [f"p{i}" for i in range(m)], "round": [f"r{k}" for k in range(r)]}
    return xr.DataArray(
        values, names, dims=("player", "round"), attrs={"higher_is_better": 1, **attrs}
    )


def fit(data, model="bradley_terry", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        return lb.fit(data, model, seed=1, progressbar=False, **options)


def gumbel(strengths, rounds, seed):
    rng = np.random.default_rng(seed)
    return rng.gumbel(size=(len(strengths), rounds)) + np.asarray(strengths)[:, None]


@pytest.fixture(scope="module")
def clear():
    """Players four log-odds apart: all is decided, whatever is asked."""
    dt = fit(board(gumbel([12.0, 8.0, 4.0, 0.0], 60, 1)))
    return dt, lb.audit(dt)


@pytest.fixture(scope="module")
def noise():
    """Six equal players."""
    dt = fit(board(gumbel(np.zeros(6), 12, 2)))
    return dt, lb.audit(dt, simulations=10)


@pytest.fixture(scope="module")
def one_round():
    """The first leads by the last round, in which the second is behind everybody."""
    values = np.tile([[0.0], [0.0], [1.0], [0.5]], (1, 9))
    values[:2] = [[6.0] * 3 + [5.0] * 5 + [6.0], [5.0] * 3 + [6.0] * 5 + [0.0]]
    return lb.audit(fit(board(values)), simulations=5)


def test_nothing_is_found_where_all_is_clear(clear):
    dt, asked = clear
    found = {name: part.attrs["found"] for name, part in asked.children.items()}
    assert found == dict.fromkeys([*QUESTIONS[:2], "removal_round", *QUESTIONS[2:]], 0)
    assert asked.attrs["found"] == 0
    assert asked.attrs["leader"] == "p0"
    assert all(part.attrs["applies"] == 1 for part in asked.children.values())
    assert "p0 is told apart from every other player." in sentences(asked)["players"]
    assert "decided already" in asked["plan"].attrs["message"]
    assert asked["players"]["letters"].to_numpy().tolist() == ["a", "b", "c", "d"]
    assert asked.attrs["warnings"] == dt.attrs["warnings"]


def test_where_players_stand_is_found_once(noise, monkeypatch):
    dt, before = noise
    found, find = [], standing._of_matches
    monkeypatch.setattr(standing, "_of_matches", lambda dt: found.append(1) or find(dt))
    assert lb.audit(dt, simulations=1)["halves"].identical(before["halves"])
    assert len(found) == 1


def test_all_is_found_in_noise(noise):
    _, asked = noise
    for name in ("players", "pairs", "removal_round", "plan", "halves"):
        assert asked[name].attrs["found"] == 1, name
    assert asked["check"].attrs["found"] == 0
    assert asked["pairs"].attrs["pairs_jointly"] == 0
    assert len(json.loads(asked["players"].attrs["tied"])) > 1
    assert set(asked["players"]["letters"].to_numpy()) == {"a"}
    assert float(asked["halves"]["correlation"].mean()) < 0.6
    assert asked.attrs["found"] >= 5


@pytest.mark.parametrize("which", ["clear", "noise"])
def test_pairs_are_the_claims_of_groups(which, request):
    dt, asked = request.getfixturevalue(which)
    pairs = asked["pairs"].to_dataset()
    np.testing.assert_array_equal(pairs["singly"], -pairs["singly"].T.to_numpy())
    above = np.triu(pairs["p_better"].to_numpy() >= 0.95, 1)
    np.testing.assert_array_equal(np.triu(pairs["singly"] == 1), above)
    assert pairs.attrs["pairs_singly"] == above.sum()
    assert pairs.attrs["pairs_jointly"] <= pairs.attrs["pairs_singly"]
    m = pairs.sizes["player"]
    assert (pairs.attrs["pairs"], pairs.attrs["neighbours"]) == (m * (m - 1) // 2, m - 1)
    groups = lb.groups(dt, control="joint")
    assert (groups["group"].max() == 1) == (pairs.attrs["pairs_jointly"] == 0)


def test_the_round_that_holds_the_leader(one_round):
    asked = one_round
    assert asked["left_out"].attrs["found"] == 1
    out = asked["left_out"].to_dataset()
    changed = out["unit"].to_numpy()[out["leader"].to_numpy() != "p0"]
    assert changed.tolist() == ["r8"]
    assert out["leader"].to_numpy()[8] == "p1"
    assert out["lead"].to_numpy()[8] < 0.0
    assert "without one round: r8 (p1)." in asked["left_out"].attrs["message"]
    removal = asked["removal_round"]
    assert removal["round"].to_numpy().tolist() == ["r8"]
    assert removal.attrs["leader_refit"] == "p1"
    assert "(Round r8.) In a fit without them p1 is better than p0" in removal.attrs["message"]


def test_another_leader_by_the_mean():
    # Wins often by little, loses rarely by much.
    values = gumbel([0.0, -3.0, -3.0], 40, 4) * 0.01
    values[0] = values[1:].max(axis=0) + 0.01
    values[0, :8] -= 5.0
    asked = lb.audit(fit(board(values)), simulations=5)
    table = asked["aggregators"].to_dataset()
    assert asked["aggregators"].attrs["found"] == 1
    other = table["same_leader"].to_series()
    assert other["mean"] == 0
    assert other["win rate"] == other["median"] == 1
    assert "p0 wins 32 of their 40 rounds" in asked["aggregators"].attrs["message"]


def test_a_board_that_is_not_described():
    # Three players in a circle, and a fourth below.
    order = [[0, 1, 2], [1, 2, 0], [2, 0, 1]] * 60
    values = np.empty((4, 180))
    for k, row in enumerate(order):
        values[row, k] = [3.0, 2.0, 1.0]
    values[3] = 0.0
    values[3, :3] = 4.0
    asked = lb.audit(fit(board(values)), simulations=5)
    check = asked["check"]
    assert check.attrs["found"] == 1
    assert check.sizes["triple"] == 1
    assert set(check["triple"].to_numpy()[0]) == {"p0", "p1", "p2"}
    assert "circle" in check.attrs["message"]


def test_a_lead_that_half_the_rounds_hold_is_no_finding():
    values = np.tile([[1.0], [0.0], [-1.0]], (1, 20))
    values[1, :6] = 2.0
    removal = lb.audit(fit(board(values)), simulations=2)["removal_round"]
    assert removal.attrs["turned"] == 1
    assert removal.attrs["found"] == 0
    assert removal.attrs["share"] > 0.4


def test_it_repeats(noise):
    dt, asked = noise
    again = lb.audit(dt, simulations=10)
    assert sentences(again) == sentences(asked)
    other = lb.audit(dt, simulations=10, seed=7)
    assert other.attrs["seed"] == 7
    assert not other["halves"].to_dataset().identical(asked["halves"].to_dataset())


def test_it_is_a_tree_that_netcdf_takes(noise, tmp_path):
    _, asked = noise
    asked.to_netcdf(tmp_path / "audit.nc")
    again = xr.open_datatree(tmp_path / "audit.nc")
    assert sentences(again) == sentences(asked)
    assert list(again.children) == list(asked.children)


def test_mean_scores_in_their_unit():
    values = np.random.default_rng(6).normal(size=(4, 12)) + np.array([[3.0], [0.0], [0.1], [0.0]])
    asked = lb.audit(fit(board(values), "mean_score", prior_scale=np.inf))
    assert asked["check"].attrs["applies"] == 0
    assert asked["left_out"].attrs["found"] == 0
    assert asked["removal_round"].attrs["found"] == 0
    mean = values.mean(axis=1)
    shown = asked["aggregators"]["value"].sel(aggregator="mean", player=[f"p{i}" for i in range(4)])
    np.testing.assert_allclose(shown, mean)
    assert "geometric mean" not in asked["aggregators"]["aggregator"]
    assert "score" in asked["players"]


def test_items_in_clusters():
    rng = np.random.default_rng(7)
    right = rng.random((4, 80)) < np.array([[0.95], [0.6], [0.55], [0.5]])
    scores = board(right.astype(float)).assign_coords(
        cluster=("round", [f"c{k // 4}" for k in range(80)])
    )
    asked = lb.audit(fit(scores, "mean_score"))
    assert asked.attrs["unit"] == "cluster"
    assert asked["left_out"].sizes["unit"] == 20
    assert {"removal_cluster", "removal_round"} <= set(asked.children)


@pytest.mark.parametrize("planted", [True, False])
def test_votes(planted):
    rng = np.random.default_rng(1)
    opinions = np.zeros((12, 4))
    if planted:
        opinions[3] = [2.5, -2.5, 0.0, 0.0]
    strengths = np.array([0.3, 0.45, -0.4, -0.5]) if planted else np.array([4.0, 0.0, -4.0, -8.0])
    asked = lb.audit(fit(draw(strengths, 2400, rng, opinions=opinions)))
    assert asked.attrs["unit"] == "judge"
    assert {"removal_judge", "removal_vote"} <= set(asked.children)
    for name in ("players", "removal_judge", "left_out", "plan", "halves"):
        assert asked[name].attrs["found"] == int(planted), name
    if planted:
        assert asked["removal_judge"]["judge"].to_numpy().tolist() == ["j3"]
        assert asked["removal_judge"].attrs["leader_refit"] == "m1"
        assert "j3" in asked["left_out"]["unit"].to_numpy()
    assert list(asked["aggregators"]["aggregator"].to_numpy()) == [
        "win rate", "Borda", "EPP", "Elo",
    ]  # fmt: skip


@pytest.mark.parametrize(("model", "ties"), [("davidson", "half"), ("round_intercept", "drop")])
def test_votes_without_a_judge_are_estimated_by_their_own_model(model, ties):
    """Leads without a judge are those of fits without it, by this model and not Bradley-Terry's."""
    rng = np.random.default_rng(3)
    votes = draw(np.array([1.4, 0.2, -0.6, -1.0]), 2400, rng, ties=0.35, judges=6, spread=0.3)
    asked = lb.audit(fit(votes, model, ties=ties))
    assert asked.attrs["model"] == model
    out = asked["left_out"]["lead"].to_series()
    plain = lb.audit(fit(votes, ties=ties))["left_out"]["lead"].to_series()
    for judge in ("j0", "j3"):
        left = votes.isel(vote=votes["judge"].to_numpy() != judge)
        epp = lb.leaderboard(fit(left, model, ties=ties)).set_index("player")["epp"]
        lead = epp["m0"] - epp.drop("m0").max()
        assert out[judge] == pytest.approx(lead, abs=0.06)
        if model == "davidson":  # its strengths are on another scale than of ties as half wins
            assert out[judge] > plain[judge] + 0.2
    assert asked["plan"].attrs["applies"] == asked["halves"].attrs["applies"] == 1
    assert asked["plan"].attrs["model"] == model


def test_judges_who_favour_the_first_in_their_own_way():
    """Planted: half of the judges favour the first, half the second; m1 has it its way in both."""
    rng = np.random.default_rng(4)
    votes = draw(np.array([0.7, 0.0, -0.8, -0.8]), 6000, rng, judges=10)
    first, second = votes["first"].to_numpy().copy(), votes["second"].to_numpy().copy()
    judge = rng.integers(0, 10, 6000)
    likes_first = judge < 5
    # m1 stands where its judge favours it, in most votes.
    turned = np.where(likes_first, second == 1, first == 1) & (rng.random(6000) < 0.8)
    first[turned], second[turned] = second[turned], first[turned]
    strengths = np.array([0.7, 0.0, -0.8, -0.8])
    eta = strengths[first] - strengths[second] + np.where(likes_first, 1.6, -1.6)
    won = (rng.random(6000) < 1.0 / (1.0 + np.exp(-eta))).astype(float)
    planted = votes_of(first, second, won, 4, judge=[f"j{k}" for k in judge])
    asked = lb.audit(fit(planted, "round_intercept"))
    table = asked["aggregators"].to_dataset()
    assert asked.attrs["leader"] == "m0"
    assert table["same_leader"].to_series()[["EPP", "PMRA"]].tolist() == [0, 1]
    own = table["value"].sel(aggregator="PMRA").to_series()
    assert own["m0"] - own["m1"] == pytest.approx(0.7, abs=0.25)
    said = asked["aggregators"].attrs["message"]
    assert "By EPP another does: m1 has" in said
    assert "it takes all judges to favour whoever is first alike, and it has no opinions" in said
    # No judge holds the leader by itself, and each half of the judges says the same.
    assert asked["left_out"].attrs["found"] == asked["halves"].attrs["found"] == 0


def test_lower_is_better():
    values = gumbel([3.0, 0.0, -1.0], 20, 8)
    up = lb.audit(fit(board(values)), simulations=5)
    down = lb.audit(fit(board(-values, higher_is_better=0)), simulations=5)
    assert up.attrs["leader"] == down.attrs["leader"] == "p0"
    for name in ("removal_round", "left_out"):
        assert up[name].attrs["message"] == down[name].attrs["message"]
    assert (up["aggregators"]["rank"] == down["aggregators"]["rank"]).all()


def test_few_rounds_are_not_halved():
    asked = lb.audit(fit(board(gumbel([1.0, 0.0, -1.0], 3, 9))), simulations=5)
    assert asked["halves"].attrs["applies"] == 0
    assert "Not asked: there are 3 rounds" in asked["halves"].attrs["message"]
    two = lb.audit(fit(board(gumbel([1.0, 0.0, -1.0], 2, 9))), simulations=5)
    assert two["left_out"].attrs["applies"] == 0
    assert "removal_round" not in two.children


def test_what_did_not_converge_says_so(noise):
    dt = noise[0].copy()
    dt.attrs = dt.attrs | {"converged": 0}
    asked = lb.audit(dt, simulations=2)
    assert asked["players"].attrs["message"].startswith("NOT CONVERGED: do not report")
    assert {part.attrs["converged"] for part in asked.children.values()} == {0}


def test_what_cannot_be_audited():
    scores = board(gumbel([1.0, 0.0], 6, 1))
    with pytest.raises(lb.LeaderbayesError, match="within_round=True"):
        lb.audit(fit(scores, within_round=False))
    with pytest.raises(lb.LeaderbayesError, match="prob=1"):
        lb.audit(fit(scores), prob=1.0)
    with pytest.raises(lb.LeaderbayesError, match="simulations"):
        lb.audit(fit(scores), simulations=0)
    shrunk = fit(scores)
    shrunk.attrs["model"] = "round_intercept"
    said = "audit of scores is of .*'round_intercept': take model='bradley_terry'"
    with pytest.raises(lb.LeaderbayesError, match=said):
        lb.audit(shrunk)


REFERENCE = Path(__file__).parents[3] / "shared" / "reference"


@pytest.mark.skipif(not REFERENCE.exists(), reason=f"no {REFERENCE}")
def test_a_published_audit_of_time_series_classifiers():
    """Bake off redux: Hydra+MultiROCKET and HIVE-COTEv2 are significantly better than others."""
    every = lb.read_scores(REFERENCE / "boards" / "tsml_univariate.csv.gz")
    means = every.mean("round").rename(tournament="round").transpose("player", "round")
    others = ["RDST", "QUANT", "R-STSF", "WEASEL-2", "H-InceptionTime", "FreshPRINCE", "PF"]
    board = means.sel(player=["HC2", "MR-Hydra", *others])
    for scores in (board, board.dropna("round")):
        asked = lb.audit(fit(scores), simulations=2)
        jointly = asked["pairs"]["jointly"]
        assert set(json.loads(asked["players"].attrs["tied"])) == {"HC2", "MR-Hydra"}
        assert (jointly.sel(player=["HC2", "MR-Hydra"], opponent=others) == 1).all()
        assert jointly.sel(player="HC2", opponent="MR-Hydra") == 0


@pytest.mark.skipif(not REFERENCE.exists(), reason=f"no {REFERENCE}")
def test_a_published_table_of_strengths():
    """EloML's EPP of VTAB; its third and fourth are 0.001 apart, and ties rounded down."""
    with pytest.warns(lb.LeaderbayesWarning, match="LB051"):
        scores = lb.read_scores(REFERENCE / "vtab" / "scores.csv")
    published = pd.read_csv(REFERENCE / "vtab" / "eloml_glm.csv").set_index("player")["epp"]
    asked = lb.audit(fit(scores), simulations=2)
    own = asked["aggregators"]["value"].sel(aggregator="EPP").to_series()
    order = published.sort_values(ascending=False).index.tolist()
    assert order[:2] == own.sort_values(ascending=False).index.tolist()[:2]
    assert order[2:4] == own.sort_values(ascending=False).index.tolist()[3:1:-1]
    # Two of ours tie but for rounding, which of them is ahead depends on the processor.
    assert kendalltau(published.reindex(own.index), own.round(9)).statistic > 0.99
    assert asked["removal_round"].attrs["removed"] == 2


def test_the_estimates_leader_is_said_to_be_another():
    """Half of the rounds rank players the other way: who leads is the prior's, and chance's."""
    order = np.arange(5.0)
    values = np.array([order if k % 2 else -order for k in range(20)]).T
    asked = lb.audit(fit(board(values), sampler="laplace"), simulations=2)
    said, leader = asked["removal_round"].attrs["message"], asked.attrs["leader"]
    own = asked["removal_round"].attrs["leader"]
    assert own == leader or said.startswith(
        f"The fit has {leader} first, but by the estimate made here {own} leads"
    )
    p = float(asked["check"]["p_check"])
    assert ("varies less" in asked["check"].attrs["message"]) == (p > 0.95)
    assert "level with others by" in asked["aggregators"].attrs["message"]


def test_players_that_are_all_level():
    asked = lb.audit(fit(board(np.full((3, 6), 0.5)), sampler="laplace"), simulations=2)
    assert (
        asked["aggregators"]
        .attrs["message"]
        .endswith("level with others by all. The top 2 are the same by all.")
    )
    assert asked["halves"].attrs["message"].endswith("and give no order of players to compare.")
