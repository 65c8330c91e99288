"""The fewest rounds of rankings, and tournaments, that hold the leader."""

import json
from itertools import combinations

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._answers.standing import standing_by


def as_model(dt, model):
    """Take draws of Bradley-Terry for those of a model that PyMC draws."""
    made = dt.copy()
    made.attrs = dt.attrs | {"model": model}
    return made


def board(values):
    m, r = values.shape
    names = {"player": [f"p{i}" for i in range(m)], "round": [f"r{k}" for k in range(r)]}
    return xr.DataArray(values, names, attrs={"higher_is_better": 1})


@pytest.fixture(scope="module")
def planted():
    """The second is before the first but for two rounds, in which it is the last."""
    values = np.tile([[1.0], [2.0], [0.0], [-1.0]], (1, 9))
    values[0, :3] = 3.0
    values[1, 7:] = -2.0
    return lb.fit(board(values), sampler="laplace", seed=1)


@pytest.fixture(scope="module")
def several():
    """Five tournaments; the first of all leads by the last of them, where the second is last."""
    strengths = np.tile([[0.0], [0.6], [-1.0]], (1, 5))
    strengths[:, 4] = [4.0, -3.0, -1.0]
    rng = np.random.default_rng(3)
    values = rng.gumbel(size=(5, 3, 20)) + strengths.T[:, :, None]
    names = {"tournament": [f"t{k}" for k in range(5)], "player": ["a", "b", "c"]}
    names |= {"round": np.arange(20)}
    scores = xr.DataArray(values, names, attrs={"higher_is_better": 1})
    draws = strengths.T + rng.normal(size=(4, 250, 5, 3)) * 0.1
    dims = ("chain", "draw")
    epp = draws.mean(axis=2)
    posterior = xr.Dataset(
        {
            "epp": ((*dims, "player"), epp), "epp_spread": (dims, np.ones((4, 250))),
            "epp_tournament": ((*dims, "tournament", "player"), draws),
            "epp_scale": (dims, np.ones((4, 250))),
        },
        names | {"chain": range(4), "draw": range(250)},
    )  # fmt: skip
    constant = xr.Dataset({"scores": scores, "weight": ("tournament_round", np.full(100, 0.5))})
    dt = xr.DataTree.from_dict(
        {"posterior": posterior.drop_vars("round"), "constant_data": constant}
    )
    arguments = {"within_round": True, "ties": "half", "test_fraction": None, "weight": "composite"}
    dt.attrs = {
        "model": "tournaments", "arguments": json.dumps(arguments), "seed": 1, "weight": 0.5,
        "converged": 1, "warnings": "[]", "p_check": 0.4,
    }  # fmt: skip
    return dt


def test_rounds_of_rankings(planted):
    dt = as_model(planted, "plackett_luce")
    found = lb.influence(dt, by="round")
    assert found.attrs["found"] == 1
    assert found.attrs["leader"] == "p0"
    assert found.attrs["rival"] == "p1"
    # No smaller set does it.
    standing = standing_by(dt, "round")
    size = len(found)
    for few in combinations(range(9), size - 1):
        kept = ~np.isin(np.arange(9), few)
        then = standing.strengths(kept)
        assert then[0] >= np.nanmax(then) - 1e-9
    kept = ~np.isin(standing.names, found["round"])
    then = standing.strengths(kept)
    assert found.attrs["lead_after"] == pytest.approx(then[0] - then[1])
    assert then[1] > then[0]


def test_strengths_of_rankings_are_an_estimate(planted):
    dt = as_model(planted, "plackett_luce")
    own = standing_by(dt, "round").strengths(np.ones(9, dtype=bool))
    spread = float((dt["posterior"]["epp"] ** 2).mean())
    weight = float(dt["constant_data"]["weight"].mean())
    met = lb.matches(dt["constant_data"]["scores"], pairs=False)
    direct = lb.likelihood.plackett_luce(
        met, pseudo_rounds=4.0 / (spread * weight), covariance="none"
    )
    np.testing.assert_allclose(own, direct["epp"].sel(player=dt["posterior"]["player"]), atol=1e-6)


def test_davidson_goes_by_the_same_points(planted):
    found = lb.influence(as_model(planted, "davidson"), by="round")
    plain = lb.influence(planted, by="round")
    assert found["round"].tolist() == plain["round"].tolist()


def test_tournaments(several):
    found = lb.influence(several, by="tournament")
    assert found["tournament"].tolist() == ["t4"]
    assert (found.attrs["leader"], found.attrs["rival"]) == ("a", "b")
    assert "Without 1 of 5 tournaments" in found.attrs["message"]
    for by in ("round", "vote"):
        with pytest.raises(lb.LeaderbayesError, match="removed by='tournament'"):
            lb.influence(several, by=by)


def test_one_tournament_is_no_part(planted):
    with pytest.raises(lb.LeaderbayesError, match="model='tournaments'"):
        lb.influence(planted, by="tournament")


@pytest.mark.parametrize("model", ["davidson", "plackett_luce"])
def test_an_audit_of_them(planted, model, monkeypatch):
    # A fit of them takes PyMC, and a minute.
    monkeypatch.setattr("leaderbayes._answers.audit.leader_without", lambda *given: None)
    asked = lb.audit(as_model(planted, model))
    assert asked["removal_round"].attrs["turned"] == 1
    assert asked["plan"].attrs["applies"] == 0
    assert f"no plan is made of model='{model}'" in asked["plan"].attrs["message"]
    assert asked["halves"].sizes["split"] == (25 if model == "plackett_luce" else 100)
    assert asked["left_out"].sizes["unit"] == 9


def test_an_audit_of_tournaments(several, monkeypatch):
    monkeypatch.setattr("leaderbayes._answers.audit.leader_without", lambda *given: None)
    asked = lb.audit(several)
    assert asked.attrs["unit"] == "tournament"
    assert asked["removal_tournament"].attrs["found"] == 1
    assert "t4 (b)" in asked["left_out"].attrs["message"]
    means = several["constant_data"]["scores"].mean("round").mean("tournament")
    shown = asked["aggregators"]["value"].sel(aggregator="mean")
    np.testing.assert_allclose(shown, means.sel(player=shown["player"]))


@pytest.mark.parametrize("model", ["bradley_terry", "davidson", "plackett_luce"])
def test_a_weight_that_is_no_number_is_named(planted, model):
    dt = as_model(planted, model)
    dt["constant_data"] = xr.DataTree(
        dt["constant_data"].to_dataset().assign(weight=("round", np.full(9, np.nan)))
    )
    with pytest.raises(lb.LeaderbayesError, match=r"constant_data/weight that are no finite"):
        lb.influence(dt, by="round")


def test_a_weight_of_tournaments_that_is_no_number(several):
    dt = several.copy()
    dt.attrs = several.attrs | {"weight": np.nan}
    with pytest.raises(lb.LeaderbayesError, match="has the weight nan"):
        lb.influence(dt, by="tournament")
