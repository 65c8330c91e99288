"""Strengths of all tournaments side by side, against those of each fit."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import spearmanr

from conftest import study_of
from leaderbayes.study._strengths import on_prior, standard_ranks, strengths_of, winning
from leaderbayes.study._tournaments import fits_of, read_study


def test_means_and_draws_are_each_fits(study):
    made = strengths_of(read_study(study))
    assert made["epp"].dims == ("tournament", "player")
    for name, fit in fits_of(study):
        epp = fit["posterior"]["epp"].stack(sample=("chain", "draw"))
        one = made.sel(tournament=name, player=epp["player"].to_numpy())
        np.testing.assert_allclose(one["epp"], epp.mean("sample"))
        np.testing.assert_allclose(one["epp_sd"], epp.std("sample"))
        draws = epp.transpose("sample", "player").to_numpy()
        np.testing.assert_array_equal(one["draw"][0], draws[0].astype(np.float32))
        np.testing.assert_array_equal(one["draw"][-1], draws[-1].astype(np.float32))
    assert np.isnan(made["epp"].sel(tournament="three", player="p5"))
    assert int(made["epp"].isnull().sum()) == 1


def test_levels_make_tournaments_of_other_players_comparable():
    """Without its best player a tournament's average is lower; the level adds the difference."""
    rng = np.random.default_rng(0)
    base = np.array([3.0, 0.5, 0.0, -0.5, -3.0])
    table = pd.DataFrame([base] * 4, list("abcd"), [f"p{i}" for i in range(5)])
    table.loc["d", "p0"] = np.nan
    made = strengths_of(read_study(study_of(table, rng, sd=0.05)))
    levelled = made["epp"] + made["level"]
    shift = levelled.sel(tournament="d") - levelled.sel(tournament=["a", "b", "c"]).mean(
        "tournament"
    )
    np.testing.assert_allclose(shift.dropna("player"), 0.0, atol=0.1)
    plain = made["epp"].sel(tournament="d", player="p1") - made["epp"].sel(
        tournament="a", player="p1"
    )
    assert float(plain) == pytest.approx(0.75, abs=0.1)


def test_doubt_of_one_is_doubt_of_all(study):
    doubtful = study.copy()
    doubtful["one"].attrs = study["one"].attrs | {"converged": 0, "warnings": '["LB001"]'}
    made = strengths_of(read_study(doubtful)).attrs
    assert made["converged"] == 0
    assert json.loads(made["warnings"]) == ["tournament 'one': LB001"]
    assert strengths_of(read_study(study)).attrs["converged"] == 1


def test_products_of_ranks_are_spearmans():
    values = np.random.default_rng(0).normal(size=(3, 2, 9))
    ranks = standard_ranks(values)
    for first, second, made in zip(values[:, 0], values[:, 1], ranks, strict=True):
        assert made[0] @ made[1] == pytest.approx(spearmanr(first, second)[0], abs=1e-6)
    np.testing.assert_allclose((ranks**2).sum(axis=-1), 1.0, rtol=1e-6)


def test_probability_of_beating_another_player():
    draws = np.random.default_rng(0).normal(size=(3, 40)) * 2.0
    others = ~np.eye(40, dtype=bool)
    expected = [[expit(b[i] - b[others[i]]).mean() for i in range(40)] for b in draws]
    np.testing.assert_allclose(winning(draws, draws), expected)
    # A hundred quantiles stand for many players: 1 / 200 is the most that can be lost.
    many = np.random.default_rng(1).normal(size=(2, 1000))
    exact = (expit(many[:, :5, None] - many[:, None]).sum(axis=-1) - 0.5) / 999
    np.testing.assert_allclose(winning(many[:, :5], many), exact, atol=1.0 / 200.0)


def test_who_rests_on_the_prior():
    table = pd.DataFrame([[0.0, 0.0, 0.0, -40.0]], ["one"], list("abcd"))
    (fit,) = read_study(study_of(table, np.random.default_rng(0))).fits.values()
    assert on_prior(fit).tolist() == [False, False, False, True]
    table = pd.DataFrame([[90.0, 60.0, 30.0, 0.0]], ["one"], list("abcd"))
    study = study_of(table, np.random.default_rng(0))
    (fit,) = read_study(study).fits.values()
    assert on_prior(fit).all()
    del study["one"]["observed_data"], study["one"]["constant_data"]
    (fit,) = read_study(study).fits.values()  # draws alone
    assert not on_prior(fit).any()
