"""Each question of an audit finds what was planted, and nothing where there is nothing."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import kendalltau

import leaderbayes as lb
from answers.conftest import fit
from conftest import board, simulate
from leaderbayes._answers.aggregators import aggregators
from leaderbayes._answers.audit import _halves, _left_out, heading
from leaderbayes._answers.parts import parts_of
from leaderbayes._fits.posterior import Posterior

QUESTIONS = [
    "players", "pairs", "removal_round", "aggregators", "left_out", "check", "plan", "halves",
]  # fmt: skip
REFERENCE = Path(__file__).parents[3] / "shared" / "reference"


def sentences(asked):
    """The sentence of each question, by its name."""
    return {name: part.attrs["message"] for name, part in asked.children.items()}


@pytest.fixture(scope="module")
def asked(noise):
    return lb.audit(noise)


def test_nothing_is_found_where_all_is_clear(clear):
    made = lb.audit(clear)
    assert {name: part.attrs["found"] for name, part in made.children.items()} == dict.fromkeys(
        QUESTIONS, 0
    )
    assert made.attrs["found"] == 0
    assert made.attrs["leader"] == "p0"
    assert all(part.attrs["applies"] == 1 for part in made.children.values())
    assert "p0 is distinguishable from every other player." in sentences(made)["players"]
    assert "against all others: decided, with" in made["plan"].attrs["message"]
    assert made["players"]["letters"].to_numpy().tolist() == ["a", "b", "c", "d"]
    assert made.attrs["warnings"] == clear.attrs["warnings"]
    assert [heading(name) for name in QUESTIONS][2] == "What the lead depends on"


def test_all_is_found_in_noise(asked):
    for name in ("players", "pairs", "removal_round", "plan", "halves"):
        assert asked[name].attrs["found"] == 1, name
    assert asked["check"].attrs["found"] == 0
    assert asked["pairs"].attrs["pairs_jointly"] == 0
    assert len(json.loads(asked["players"].attrs["tied"])) > 1
    assert set(asked["players"]["letters"].to_numpy()) == {"a"}
    assert float(asked["halves"]["correlation"].mean()) < 0.6
    assert asked.attrs["found"] >= 5


def test_pairs_are_the_claims_of_groups(of_classifiers):
    pairs = lb.audit(of_classifiers)["pairs"].to_dataset()
    np.testing.assert_array_equal(pairs["singly"], -pairs["singly"].T.to_numpy())
    above = np.triu(pairs["p_better"].to_numpy() >= 0.95, 1)
    np.testing.assert_array_equal(np.triu(pairs["singly"] == 1), above)
    assert pairs.attrs["pairs_singly"] == above.sum() >= pairs.attrs["pairs_jointly"] > 0
    assert (pairs.attrs["pairs"], pairs.attrs["neighbours"]) == (105, 14)
    first, second = (pairs["player"].to_numpy()[k] for k in (0, 9))
    compared = lb.compare(of_classifiers, first, second)
    assert float(pairs["p_better"].sel(player=first, opponent=second)) == float(
        compared["p_better"]
    )


def test_the_round_that_holds_the_leader():
    """The first leads by the last round, in which the second is behind everybody."""
    values = np.tile([[0.0], [0.0], [1.0], [0.5]], (1, 10))
    values[:2] = [[6.0] * 4 + [5.0] * 5 + [6.0], [5.0] * 4 + [6.0] * 5 + [0.0]]
    made = lb.audit(fit(board(values)))
    out = made["left_out"].to_dataset()
    assert made["left_out"].attrs["found"] == 1
    assert out["unit"].to_numpy()[out["leader"].to_numpy() != "p0"].tolist() == ["9"]
    assert out["lead"].to_numpy()[9] < 0.0
    assert "without one round: 9 (p1)." in made["left_out"].attrs["message"]
    removal = made["removal_round"]
    assert removal["round"].to_numpy().tolist() == ["9"]
    assert removal.attrs["leader_refit"] == "p1"
    assert "(Round 9.) Refitted without them, p1" in removal.attrs["message"]


def test_a_board_that_is_not_described(circle):
    check = lb.audit(circle)["check"]
    assert check.attrs["found"] == 1
    assert check.sizes["triple"] == 1
    assert "circle" in check.attrs["message"]


def test_a_lead_that_half_the_rounds_hold_is_no_finding():
    values = np.tile([[1.0], [0.0], [-1.0]], (1, 20))
    values[1, :6] = 2.0
    removal = lb.audit(fit(board(values)))["removal_round"]
    assert (removal.attrs["turned"], removal.attrs["found"]) == (1, 0)
    assert removal.attrs["share"] > 0.4


def test_it_repeats_and_netcdf_takes_it(noise, asked, tmp_path):
    assert sentences(lb.audit(noise)) == sentences(asked)
    other = lb.audit(noise, seed=7)
    assert other.attrs["seed"] == 7
    assert not other["halves"].to_dataset().identical(asked["halves"].to_dataset())
    asked.to_netcdf(tmp_path / "audit.nc")
    again = xr.load_datatree(tmp_path / "audit.nc")
    assert sentences(again) == sentences(asked)
    assert list(again.children) == list(asked.children) == QUESTIONS


def test_lower_is_better():
    scores = simulate([3.0, 0.0, -1.0], 20, np.random.default_rng(8))
    up = lb.audit(fit(scores))
    down = lb.audit(fit((-scores).assign_attrs(higher_is_better=0)))
    assert up.attrs["leader"] == down.attrs["leader"] == "p0"
    for name in ("removal_round", "left_out"):
        assert up[name].attrs["message"] == down[name].attrs["message"]
    assert (up["aggregators"]["rank"] == down["aggregators"]["rank"]).all()


def test_few_rounds_are_not_halved():
    scores = simulate([1.0, 0.0, -1.0], 3, np.random.default_rng(9))
    halves = lb.audit(fit(scores))["halves"]
    assert halves.attrs["applies"] == 0
    assert halves.attrs["message"] == "Not asked: 3 rounds are too few to split into halves."
    two = lb.audit(fit(scores[:, :2]))
    assert two["left_out"].attrs["applies"] == 0
    assert "removal_round" not in two.children


def test_what_did_not_converge_says_so(noise):
    bad = noise.copy()
    bad.attrs = noise.attrs | {"converged": 0}
    made = lb.audit(bad)
    assert made["players"].attrs["message"].startswith("Not converged: do not report")
    assert {part.attrs["converged"] for part in made.children.values()} == {0}


def test_what_cannot_be_audited(noise):
    across = fit(board([[1.0, 0.0, 2.0], [0.0, 0.5, 1.0]]), within_round=False)
    with pytest.raises(lb.LeaderbayesError, match="across rounds"):
        lb.audit(across)
    with pytest.raises(lb.LeaderbayesError, match="prob=1"):
        lb.audit(noise, prob=1.0)


def test_halves_have_no_round_in_common(noise):
    parts, seen = parts_of(Posterior(noise), "round"), []

    def strengths(units):
        seen.append(units.copy())
        return parts.strengths(units)

    made = _halves(parts._replace(strengths=strengths), np.random.default_rng(1))
    assert made.sizes["split"] == len(seen) // 2 == 100
    for one, other in zip(seen[::2], seen[1::2], strict=True):
        assert one.sum() == 6
        assert not (one & other).any()
        assert (one | other).all()
    assert made.attrs["p_same_leader"] == float(made["same_leader"].mean())


def test_left_out_are_leads_of_the_estimate_without(noise, monkeypatch):
    post = Posterior(noise)
    parts = parts_of(post, "round")
    out = _left_out(post, parts)
    at = post.players.get_loc(
        max(out["leader"].to_numpy().tolist(), key=out["leader"].to_numpy().tolist().count)
    )
    for k in (0, 3, 11):
        own = parts.without(k)
        best = np.delete(own, at).max()
        if out["leader"][k] == post.players[at]:
            assert float(out["lead"][k]) == pytest.approx(abs(own[at] - best), abs=1e-9)
    monkeypatch.setattr("leaderbayes._answers.audit._ALONE", 4)
    few = _left_out(post, parts)
    assert few.sizes["unit"] == 4
    assert "the 4 largest of 12 rounds" in few.attrs["message"] or few.attrs["changed"]


def table_of(scores):
    post = Posterior(fit(scores))
    return aggregators(post, parts_of(post, "round"))


def by_player(table, name):
    names = [f"p{i}" for i in range(table.sizes["player"])]
    return table["value"].sel(aggregator=name, player=names).to_numpy()


@pytest.fixture(scope="module")
def values():
    return np.random.default_rng(1).gumbel(size=(5, 12)) + 3.0 + np.arange(5)[:, None] * 0.3


def test_aggregators_by_hand(values):
    table = table_of(board(values))
    np.testing.assert_allclose(by_player(table, "mean"), values.mean(axis=1))
    np.testing.assert_allclose(by_player(table, "median"), np.median(values, axis=1))
    beaten = (values[:, None] > values).sum(axis=1)
    np.testing.assert_allclose(by_player(table, "Borda"), beaten.sum(axis=1))
    np.testing.assert_allclose(by_player(table, "win rate"), beaten.mean(axis=1) / 4)
    np.testing.assert_allclose(by_player(table, "mean rank"), 5 - beaten.mean(axis=1))
    geometric = np.exp(np.log(values).mean(axis=1))
    np.testing.assert_allclose(by_player(table, "geometric mean"), geometric)
    ranks = table["rank"].to_series().unstack("player")
    assert (ranks.loc["Borda"] == ranks.loc["win rate"]).all()
    assert (ranks.loc["Borda"] == ranks.loc["mean rank"]).all()
    far = values.copy()
    far[4] += 20.0
    said = table_of(board(far)).attrs["message"]
    assert said.startswith("p4 leads by all 7 aggregators.")


def test_losses_are_turned(values):
    one, other = table_of(board(values)), table_of(board(1.0 / values, higher_is_better=False))
    for name in ("win rate", "Borda", "mean rank", "EPP", "geometric mean"):
        ranks = (each["rank"].sel(aggregator=name, player=one["player"]) for each in (one, other))
        np.testing.assert_array_equal(*ranks)
    np.testing.assert_allclose(by_player(other, "mean"), (1.0 / values).mean(axis=1))


def test_another_leader_by_the_mean(two_leaders):
    table = lb.audit(two_leaders)["aggregators"]
    other = table["same_leader"].to_series()
    assert table.attrs["found"] == 1
    assert other["mean"] == 0
    assert other["win rate"] == other["EPP"] == 1
    assert "By mean p1 leads" in table.attrs["message"]
    assert "p0 wins 18 of their 25 rounds" in table.attrs["message"]


def test_level_leaders_are_no_disagreement():
    values = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [-1.0, -1.0, -1.0, 2.0]])
    table = table_of(board(values))
    assert (table["same_leader"].sel(aggregator=["mean", "median"]) == 1).all()
    level = lb.audit(fit(board(np.full((3, 6), 0.5))))
    assert level["aggregators"].attrs["found"] == 0
    assert level["halves"].attrs["message"].endswith("of the top 2.")


def test_leaders_that_never_met():
    """p1 wins all of its rounds and leads; p3 played hard and easy ones, and has the median."""
    apart = np.full((4, 8), np.nan)
    apart[0, :] = [0.1, 0.2, 0.1, 0.2, 4.0, 5.0, 4.0, 0.1]
    apart[1, :4] = 0.3
    apart[2, :] = [0.2, 0.1, 0.2, 0.1, 5.0, 4.0, 5.0, 0.2]
    apart[3, 4:] = [6.0, 6.0, 3.0, 0.0]
    table = table_of(board(apart))
    assert table.attrs["leader"] == "p1"
    assert "By median p3 leads" in table.attrs["message"]
    assert "p1 and p3 share no rounds" in table.attrs["message"]


@pytest.mark.slow
@pytest.mark.skipif(not REFERENCE.exists(), reason=f"no {REFERENCE}")
def test_a_published_audit_of_time_series_classifiers():
    """Bake off redux: Hydra+MultiROCKET and HIVE-COTEv2 are significantly better than others."""
    every = lb.read_scores(REFERENCE / "boards" / "tsml_univariate.csv.gz")
    means = every.mean("round").rename(tournament="round").transpose("player", "round")
    others = ["RDST", "QUANT", "R-STSF", "WEASEL-2", "H-InceptionTime", "FreshPRINCE", "PF"]
    some = means.sel(player=["HC2", "MR-Hydra", *others])
    for scores in (some, some.dropna("round")):
        made = lb.audit(fit(scores))
        jointly = made["pairs"]["jointly"]
        assert set(json.loads(made["players"].attrs["tied"])) == {"HC2", "MR-Hydra"}
        assert (jointly.sel(player=["HC2", "MR-Hydra"], opponent=others) == 1).all()
        assert jointly.sel(player="HC2", opponent="MR-Hydra") == 0


@pytest.mark.filterwarnings("ignore:LB051")
def test_a_published_table_of_strengths(reference):
    """EloML's EPP of VTAB; its third and fourth are 0.001 apart, and ties rounded down."""
    scores = reference("vtab/scores.csv")
    published = reference("vtab/eloml_glm.csv").reset_index().set_index("player")["epp"]
    made = lb.audit(fit(scores))
    own = made["aggregators"]["value"].sel(aggregator="EPP").to_series()
    order = published.sort_values(ascending=False).index.tolist()
    assert order[:2] == own.sort_values(ascending=False).index.tolist()[:2]
    assert set(order[2:4]) == set(own.sort_values(ascending=False).index.tolist()[2:4])
    # Two of ours tie but for rounding, which of them is ahead depends on the processor.
    assert kendalltau(published.reindex(own.index), own.round(9)).statistic > 0.97
    assert made["removal_round"].attrs["removed"] == 2
    assert isinstance(made["players"].to_dataset().to_dataframe(), pd.DataFrame)
