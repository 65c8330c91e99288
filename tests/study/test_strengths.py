"""Strengths of all tournaments side by side, against those of each fit."""

import numpy as np
import pandas as pd
from scipy.special import expit

from conftest import study_of
from leaderbayes.study._strengths import on_prior, winning
from leaderbayes.study._tournaments import read_study


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
