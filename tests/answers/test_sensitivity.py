"""What moves with a choice that was planted, and what does not."""

from functools import wraps

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
import posteriors
from answers.conftest import fit
from conftest import board, simulate


def ask(scores, **options):
    return lb.sensitivity(scores, **({"models": ("bradley_terry",), "seed": 1} | options))


def counts(moved, name):
    return moved[name].to_series().to_dict()


@pytest.fixture(scope="module")
def settled():
    return ask(simulate([9.0, 6.0, 3.0, 0.0], 6, np.random.default_rng(1)))


def test_nothing_moves_where_all_is_clear(settled, tmp_path):
    assert set(counts(settled, "other_leader").values()) == {0}
    assert counts(settled, "fits") == {
        "model": 0, "ties": 0, "weight": 1, "prior_scale": 2, "round": 6,
    }  # fmt: skip
    assert settled.attrs["message"].startswith("p0 leads in 12 of 12 fits.")
    assert settled["in_top"].sum("player").to_numpy().tolist() == [3] * 12
    assert settled.attrs["converged"] == 1
    settled.to_netcdf(tmp_path / "moved.nc")
    assert xr.load_dataset(tmp_path / "moved.nc").attrs["message"] == settled.attrs["message"]


def test_the_round_that_holds_the_leader():
    values = np.tile([[0.0], [0.0], [1.0], [0.5]], (1, 10))
    values[:2] = [[6.0] * 4 + [5.0] * 5 + [6.0], [5.0] * 4 + [6.0] * 5 + [0.0]]
    moved = ask(board(values), weights=(1.0,), priors=(1.0,), ties=("half",))
    leader = moved["leader"].to_series()
    assert moved.attrs["leader"] == leader.iloc[0] == "p0"
    assert leader[leader != "p0"].to_dict() == {
        "bradley_terry, ties=half, weight=1.0, without 9": "p1"
    }
    assert counts(moved, "other_leader")["round"] == 1
    assert "leaving out a round" in moved.attrs["message"]
    assert "the leader in 1 of 10 fits" in moved.attrs["message"]


def test_each_fit_is_the_one_that_its_label_says():
    rng = np.random.default_rng(4)
    scores = board(rng.integers(0, 4, (4, 12)).astype(float))
    moved = ask(scores, weights=(1.0, "composite"), priors=(0.5,), rounds=False)
    for rule in ("half", "drop"):
        dt = fit(scores, ties=rule, weight=1.0, prior_scale=1.0)
        table = lb.leaderboard(dt).set_index("player")
        one = moved.sel(fit=f"bradley_terry, ties={rule}, weight=1.0, prior x 0.5")
        assert one["leader"].item() == table.index[0]
        np.testing.assert_array_equal(one["rank"], table.loc[one["player"], "rank"])
        np.testing.assert_allclose(one["p_best"], table.loc[one["player"], "p_best"])
        pair = lb.compare(dt, "p0", "p1")
        p = one["p_better"].sel(player="p0", opponent="p1")
        assert p.item() == pytest.approx(float(pair["p_better"]))
        verdict = one["verdict"].sel(player="p0", opponent="p1").item()
        assert verdict == int(p >= 0.95) - int(p <= 0.05)


def test_a_weight_moves_pairs_of_folds(classifiers):
    moved = ask(classifiers[:6], priors=(1.0,), ties=("half",), rounds=False, test_fraction=0.2)
    assert counts(moved, "pairs_moved")["weight"] > 0
    first = moved["verdict"].isel(fit=0).to_numpy()
    np.testing.assert_array_equal(first, -first.T)
    other = moved["verdict"].isel(fit=1).to_numpy()
    upper = np.triu_indices(6, 1)
    assert counts(moved, "pairs_moved")["weight"] == (first != other)[upper].sum()
    assert "The prior matters for" in moved.attrs["message"]
    assert (moved["psense_likelihood"] > 0.0).all()


def test_the_base_may_be_a_posterior(tied_scores):
    dt = fit(tied_scores, "davidson", prior_scale=3.0)
    moved = lb.sensitivity(dt, seed=1, rounds=False, weights=("composite",))
    assert moved.attrs["base"] == "davidson, weight=composite"
    own = fit(tied_scores, "davidson", prior_scale=3.0, replicates=50)
    own = lb.leaderboard(own).set_index("player")
    np.testing.assert_allclose(moved["p_best"][0], own.loc[moved["player"], "p_best"])


def test_a_player_of_one_round_is_gone_without_it():
    values = np.random.default_rng(2).normal(size=(3, 6)) + np.array([[1.0], [0.0], [-1.0]])
    values[2, 1:] = np.nan
    moved = ask(board(values), weights=(1.0,), priors=(1.0,))
    gone = moved.isel(fit=moved["without"].to_numpy() == "0").squeeze("fit").sel(player="p2")
    assert gone["rank"].item() == 0
    assert np.isnan(gone["p_better"].to_numpy()).all()
    assert (gone["verdict"] == 0).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [({"models": ("tournaments",)}, "models='tournaments'"),
     ({"models": "bradley_terry"}, "pass a sequence"), ({"ties": ("floor",)}, "ties='floor'"),
     ({"weights": ()}, "weights="), ({"priors": (0.0,)}, "priors=0"), ({"prob": 1.0}, "prob=1"),
     ({"top": 9}, "top=9")],
)  # fmt: skip
def test_what_cannot_be(options, said):
    with pytest.raises(lb.LeaderbayesError, match=said):
        ask(board(np.random.default_rng(1).normal(size=(3, 5))), **options)


def test_options_of_a_posterior_are_those_of_the_base(monkeypatch):
    asked, made = [], lb.fit

    @wraps(made)
    def fit(data, model, **arguments):
        asked.append(arguments)
        return made(data, model, **arguments)

    scores = lb.datasets.load("classifiers", "breast_cancer")[:4, :5]
    dt = made(scores, "davidson", prior_scale=5.0, options={"tie_scale": 2.0})
    monkeypatch.setattr(lb, "fit", fit)
    lb.sensitivity(dt, rounds=False, ties=("half",), weights=("composite",), priors=(1.0, 2.0))
    assert [each["prior_scale"] for each in asked] == [5.0, 10.0]
    assert [each["options"] for each in asked] == [{"tie_scale": 2.0}] * 2


@pytest.mark.parametrize("own", [False, True])
def test_a_board_has_no_rounds(own):
    dt = posteriors.teams()
    with pytest.raises(lb.LeaderbayesError, match="ranks teams, which play no matches in rounds"):
        lb.sensitivity(posteriors.of_posteriors_own(dt) if own else dt)
