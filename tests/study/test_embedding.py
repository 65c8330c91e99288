"""Tournaments as points."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats
from scipy.linalg import orthogonal_procrustes

import leaderbayes as lb
from conftest import study_of


@pytest.fixture(scope="module")
def two_kinds():
    """Strengths of rank 2 around means: where each tournament lies, and the study's table."""
    rng = np.random.default_rng(3)
    where, direction = rng.normal(size=(25, 2)) * [3.0, 1.5], rng.normal(size=(2, 10))
    direction = np.linalg.qr((direction - direction.mean(axis=1, keepdims=True)).T)[0].T
    values = 2.0 * rng.normal(size=10) + where @ direction
    values -= values.mean(axis=1, keepdims=True)
    return where - where.mean(axis=0), pd.DataFrame(
        values, index=[f"t{t}" for t in range(25)], columns=[f"p{i}" for i in range(10)]
    )


def rotated(score, where):
    """The best rotation of score onto where."""
    return score @ orthogonal_procrustes(score, where)[0]


@pytest.mark.parametrize("share", [0.0, 0.15])
def test_recovers_where_tournaments_lie(two_kinds, share):
    where, table = two_kinds
    rng = np.random.default_rng(4)
    table = table.mask(rng.random(table.shape) < share)
    # Near equal players the probability of beating nine others is linear in strengths.
    small = 0.02
    made = lb.study.embedding(study_of(small * table, rng, sd=small * 0.1))
    for name in ("score", "score_sd"):
        made[name] = made[name] * 4.0 * 9.0 / 10.0 / small
    np.testing.assert_allclose(rotated(made["score"].to_numpy(), where), where, atol=0.6)
    if share == 0.0:
        # Noise of each of two directions, and in the mean over 25 tournaments.
        np.testing.assert_allclose(made["score_sd"].mean(), 0.1, rtol=0.15)
        assert float(made["explained"].sum()) > 0.98
        error = rotated(made["score"].to_numpy(), where) - where
        assert np.square(error).mean() < 0.1**2


def test_shape_and_signs(two_kinds):
    made = lb.study.embedding(study_of(two_kinds[1], np.random.default_rng(5)), dimensions=3)
    assert made["score_draws"].shape == (200, 25, 3)
    loading = made["loading"].to_numpy()
    assert (loading[np.abs(loading).argmax(axis=0), range(3)] > 0).all()
    np.testing.assert_allclose((loading**2).sum(axis=0), 1.0)
    explained = made["explained"].to_numpy()
    assert (np.diff(explained) < 0).all()
    np.testing.assert_allclose(made["score"].mean("tournament"), 0.0, atol=1e-9)


def test_uncertainty_is_the_posteriors(two_kinds):
    studies = (study_of(two_kinds[1], np.random.default_rng(6), sd=s) for s in (0.05, 0.2))
    sd = [float(lb.study.embedding(each)["score_sd"].mean()) for each in studies]
    assert sd[1] / sd[0] == pytest.approx(4.0, rel=0.1)


def test_one_hopeless_player_is_no_component_of_its_own():
    """A player that never wins somewhere moves the map by what it loses, and not by its epp."""
    rng = np.random.default_rng(7)
    table = pd.DataFrame(rng.normal(size=(8, 6)), [f"t{t}" for t in range(8)], list("abcdef"))
    maps = []
    for depth in (-15.0, -60.0):
        table.loc["t0", "f"] = depth
        study = study_of(table, np.random.default_rng(8))
        made = lb.study.embedding(study)
        assert bool(made["on_prior"].sel(tournament="t0", player="f"))
        assert not made["on_prior"].isel(tournament=slice(1, None), player=slice(5)).all()
        assert float(abs(made["score"]).max()) < 1.0
        maps.append(made)
    np.testing.assert_allclose(maps[0]["score"], maps[1]["score"], atol=1e-4)


def test_similarity_is_spearman(study):
    made = lb.study.embedding(study, dimensions=1, prob=0.8)
    one, three = (
        lb.study.select(study, name)["posterior"]["epp"]
        .stack(sample=("chain", "draw"))
        .transpose("sample", "player")
        .to_numpy()
        for name in ("one", "three")
    )
    picked = np.linspace(0, len(one) - 1, 200).astype(int)
    pairs = zip(one[picked, :5], three[picked], strict=True)
    expected = [stats.spearmanr(a, b).statistic for a, b in pairs]
    cell = made.sel(tournament="one", tournament_="three")
    assert float(cell["similarity"]) == pytest.approx(np.mean(expected), abs=1e-5)
    assert float(cell["similarity_lower"]) == pytest.approx(np.quantile(expected, 0.1), abs=1e-5)
    np.testing.assert_allclose(made["similarity"], made["similarity"].T)
    np.testing.assert_allclose(np.diag(made["similarity"]), 1.0, rtol=1e-5)
    assert float(made["similarity"].sel(tournament="one", tournament_="reversed")) < -0.7
    # The reversed one is alone at its end.
    score = made["score"].sel(component=1)
    others = score.drop_sel(tournament="reversed")
    assert float(abs(score.sel(tournament="reversed"))) > 2.0 * float(abs(others).max())


def test_order_of_names_does_not_matter(study, turned):
    made, again = lb.study.embedding(study), lb.study.embedding(turned)
    again = again.sel(
        tournament=made["tournament"], tournament_=made["tournament_"], player=made["player"]
    )
    xr.testing.assert_allclose(again, made, rtol=1e-3, atol=1e-4)


def test_refused(study):
    with pytest.raises(lb.LeaderbayesError, match="dimensions=4: give a whole number"):
        lb.study.embedding(study, dimensions=4)
    with pytest.raises(lb.LeaderbayesError, match="nothing to compare"):
        lb.study.embedding(xr.DataTree.from_dict({"one": study["one"]}))
    table = pd.DataFrame({"a": [1.0, np.nan], "b": [0.0, np.nan], "c": [np.nan, 1.0]})
    table = table.assign(d=[np.nan, 0.0]).rename({0: "s", 1: "t"})
    apart = study_of(table, np.random.default_rng(0))
    with pytest.raises(lb.LeaderbayesError, match="'s' and 't' share no player"):
        lb.study.embedding(apart)
