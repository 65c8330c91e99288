"""What moves with a choice that was planted, and what does not."""

import warnings

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from votes import draw


def board(values, **attrs):
    m, r = values.shape
    names = {"player": [f"p[{i}]" for i in range(m)], "round": [f"r{k}" for k in range(r)]}
    return xr.DataArray(
        values, names, dims=("player", "round"), attrs={"higher_is_better": 1, **attrs}
    )


def ask(values, **options):
    given = {"models": ("bradley_terry",), "seed": 1} | options
    return lb.sensitivity(board(values), **given)


def counts(moved, name):
    return moved[name].to_series().to_dict()


@pytest.fixture(scope="module")
def clear():
    rng = np.random.default_rng(1)
    return ask(rng.gumbel(size=(4, 30)) + np.array([[9.0], [6.0], [3.0], [0.0]]))


def test_nothing_moves_where_all_is_clear(clear):
    assert set(counts(clear, "pairs_moved").values()) == {0}
    assert set(counts(clear, "other_leader").values()) == {0}
    assert counts(clear, "fits") == {
        "model": 0, "ties": 0, "weight": 1, "prior_scale": 2, "round": 30,
    }  # fmt: skip
    assert clear.attrs["message"].startswith("p[0] leads in 36 of 36 fits.")
    assert "0 get another verdict in some fit" in clear.attrs["message"]
    assert clear["in_top"].sum("player").to_numpy().tolist() == [3] * 36
    assert clear.attrs["converged"] == 1


def test_the_round_that_holds_the_leader():
    values = np.tile([[0.0], [0.0], [1.0], [0.5]], (1, 9))
    values[:2] = [[6.0] * 3 + [5.0] * 5 + [6.0], [5.0] * 3 + [6.0] * 5 + [0.0]]
    moved = ask(values, weights=(1.0,), priors=(1.0,))
    leader = moved["leader"].to_series()
    assert moved.attrs["leader"] == leader.iloc[0] == "p[0]"
    assert leader[leader != "p[0]"].to_dict() == {
        "bradley_terry, ties=half, weight=1.0, without r8": "p[1]"
    }
    assert counts(moved, "other_leader")["round"] == 1
    assert "a round left out" in moved.attrs["message"]
    assert "the leader in 1 of 9 fits" in moved.attrs["message"]


def test_the_rule_of_ties_that_makes_the_leader():
    # The first never ties and wins most; the second ties always with the third, or wins.
    values = np.zeros((3, 20))
    values[:, :12] = [[2.0], [1.0], [1.0]]
    values[:, 12:] = [[0.0], [2.0], [1.0]]
    values[2, :4] = 3.0
    values[1, 4:12] = 1.0
    half = ask(values, weights=(1.0,), priors=(1.0,), rounds=False)
    assert counts(half, "fits")["ties"] == 1
    direct = {}
    for rule in ("half", "drop"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            dt = lb.fit(board(values), ties=rule, weight=1.0, seed=1, progressbar=False)
        table = lb.leaderboard(dt).set_index("player")
        one = half.sel(fit=f"bradley_terry, ties={rule}, weight=1.0")
        direct[rule] = table.index[0]
        assert one["leader"].item() == table.index[0]
        np.testing.assert_array_equal(one["rank"], table.loc[one["player"], "rank"])
        np.testing.assert_allclose(one["p_best"], table.loc[one["player"], "p_best"])
        pair = lb.compare(dt, "p[0]", "p[1]")
        p = one["p_better"].sel(player="p[0]", opponent="p[1]")
        assert p.item() == pytest.approx(float(pair["p_better"]))
        verdict = one["verdict"].sel(player="p[0]", opponent="p[1]").item()
        assert verdict == int(p >= 0.95) - int(p <= 0.05)
    assert (counts(half, "other_leader")["ties"] == 1) == (direct["half"] != direct["drop"])


def test_a_weight_moves_pairs_of_folds():
    scores = lb.datasets.load("classifiers", "breast_cancer")[:6]
    moved = lb.sensitivity(
        scores, models=("bradley_terry",), priors=(1.0,), rounds=False, test_fraction=0.2, seed=1
    )
    assert counts(moved, "pairs_moved")["weight"] > 0
    first = moved["verdict"].isel(fit=0).to_numpy()
    np.testing.assert_array_equal(first, -first.T)
    other = moved["verdict"].sel(fit="bradley_terry, ties=half, weight=1.0").to_numpy()
    upper = np.triu_indices(6, 1)
    assert counts(moved, "pairs_moved")["weight"] == (first != other)[upper].sum()
    assert "Powers of the prior move the strengths of" in moved.attrs["message"]
    assert (moved["psense_likelihood"] > 0.0).all()


def test_models_side_by_side():
    scores = lb.datasets.load("answers").rename(classifier="player", instance="round")
    some = scores.isel(player=[0, 40, 90], round=slice(0, 60))
    moved = lb.sensitivity(
        some, models=("mean_score", "bradley_terry"), ties=("half",), weights=("composite",),
        rounds=False, seed=1,
    )  # fmt: skip
    assert moved.attrs["base"] == "mean_score"
    assert moved["model"].to_numpy().tolist() == ["mean_score"] * 3 + ["bradley_terry"] * 3
    assert moved["ties"].to_numpy().tolist() == [""] * 3 + ["half"] * 3
    assert counts(moved, "fits")["prior_scale"] == 2


def test_a_player_of_one_round_is_gone_without_it():
    values = np.random.default_rng(2).normal(size=(3, 6)) + np.array([[1.0], [0.0], [-1.0]])
    values[2, 1:] = np.nan
    moved = ask(values, weights=(1.0,), priors=(1.0,))
    without = moved.isel(fit=moved["without"].to_numpy() == "r0").squeeze("fit")
    gone = without.sel(player="p[2]")
    assert gone["rank"].item() == 0
    assert np.isnan(gone["p_better"].to_numpy()).all()
    assert (gone["verdict"] == 0).all()


def test_netcdf_takes_it(clear, tmp_path):
    clear.to_netcdf(tmp_path / "moved.nc")
    assert xr.open_dataset(tmp_path / "moved.nc").attrs["message"] == clear.attrs["message"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"models": ("tournaments",)}, "models='tournaments'"),
        ({"models": "bradley_terry"}, "give a sequence"),
        ({"ties": ("floor",)}, "ties='floor'"),
        ({"weights": ()}, "weights="),
        ({"priors": (0.0,)}, "priors=0"),
        ({"prob": 1.0}, "prob=1"),
        ({"top": 9}, "top=9"),
    ],
)
def test_what_cannot_be(options, said):
    with pytest.raises(lb.LeaderbayesError, match=said):
        ask(np.random.default_rng(1).normal(size=(3, 5)), **options)


@pytest.fixture(scope="module")
def votes():
    """The fourth of twelve judges turns the first two round."""
    opinions = np.zeros((12, 4))
    opinions[3] = [2.5, -2.5, 0.0, 0.0]
    strengths = np.array([0.3, 0.45, -0.4, -0.5])
    return draw(strengths, 2400, np.random.default_rng(1), opinions=opinions)


def test_the_judge_who_holds_the_leader(votes):
    moved = lb.sensitivity(votes, priors=(1.0,), seed=1)
    assert counts(moved, "fits") == {
        "model": 0, "ties": 0, "cluster": 1, "prior_scale": 0, "judge": 12,
    }  # fmt: skip
    leader = moved["leader"].to_series()
    assert moved.attrs["leader"] == "m0"
    assert "bradley_terry, ties=half, cluster=auto, without j3" in leader[leader != "m0"].index
    assert "a judge left out" in moved.attrs["message"]
    without = votes.isel(vote=votes["judge"].to_numpy() != "j3")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        dt = lb.fit(without, seed=1, progressbar=False)
    own = moved.sel(fit=moved["without"] == "j3").isel(fit=0)
    table = lb.leaderboard(dt).set_index("player")
    np.testing.assert_allclose(own["p_best"], table.loc[own["player"], "p_best"])
    assert (moved["psense_likelihood"] > 0.0).all()


def test_ties_of_votes_have_a_model_of_their_own(votes):
    outcome = votes["outcome"].where(np.arange(votes.sizes["vote"]) % 5 > 0, 0.5)
    some = votes.assign(outcome=outcome)
    moved = lb.sensitivity(some, priors=(1.0,), clusters=("auto",), rounds=False, seed=1)
    assert moved["fit"].to_numpy().tolist() == [
        "bradley_terry, ties=half, cluster=auto", "bradley_terry, ties=drop, cluster=auto",
        "davidson, cluster=auto",
    ]  # fmt: skip
    assert counts(moved, "fits")["model"] == counts(moved, "fits")["ties"] == 1


def test_a_judge_who_alone_has_votes_on_a_player(votes):
    judge = votes["judge"].to_numpy()
    last = votes["player"].to_numpy() == "m3"
    on = last[votes["first"].to_numpy()] | last[votes["second"].to_numpy()]
    some = votes.isel(vote=~on | (judge == "j0"))
    moved = lb.sensitivity(some, models=("bradley_terry",), priors=(1.0,), seed=1)
    own = moved.sel(fit=moved["without"] == "j0").isel(fit=0)
    assert float(own["rank"].sel(player="m3")) == 0 or own["converged"] == 0


def test_of_votes_there_are_no_folds(votes):
    with pytest.raises(lb.LeaderbayesError, match="test_fraction= is of scores"):
        lb.sensitivity(votes, test_fraction=0.2)
    with pytest.raises(lb.LeaderbayesError, match="models='mean_score'"):
        lb.sensitivity(votes, models=("mean_score",))
    with pytest.raises(lb.LeaderbayesError, match="clusters='task'"):
        lb.sensitivity(votes, clusters=("task",))
    with pytest.raises(lb.LeaderbayesError, match="clusters="):
        lb.sensitivity(votes, clusters="auto")
