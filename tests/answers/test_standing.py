"""Strengths by a part of the data are those of that part alone."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._answers.standing import standing_by, statistic_of
from votes import draw, fit


@pytest.fixture(scope="module")
def scores():
    return lb.datasets.load("classifiers", "breast_cancer")


@pytest.mark.parametrize("kept", [slice(None), slice(0, 10)])
def test_rounds_of_matches(scores, kept, monkeypatch):
    dt = lb.fit(scores, sampler="laplace", weight=1.0, seed=1)
    some = standing_by(dt, "round")
    units = np.zeros(25, dtype=bool)
    units[kept] = True
    own = some.strengths(units)
    penalty = 4.0 / float((dt["posterior"]["epp"] ** 2).mean())
    board = lb.matches(scores.isel(round=kept))
    again = lb.likelihood.bradley_terry(board, pseudo_rounds=penalty)
    np.testing.assert_allclose(own, again["epp"].sel(player=some.players), atol=1e-6)
    monkeypatch.setattr("leaderbayes._answers.standing._CELLS", 1)
    np.testing.assert_allclose(standing_by(dt, "round").strengths(units), own, atol=1e-9)
    assert some.share.sum() == pytest.approx(1.0)


def test_ties_dropped(scores):
    dt = lb.fit(scores, sampler="laplace", weight=1.0, ties="drop", seed=1)
    some = standing_by(dt, "round")
    penalty = 4.0 / float((dt["posterior"]["epp"] ** 2).mean())
    board = lb.matches(scores, ties="drop")
    again = lb.likelihood.bradley_terry(board, pseudo_rounds=penalty)
    np.testing.assert_allclose(some.strengths(np.ones(25, bool)), again["epp"], atol=1e-6)


def test_judges_of_votes():
    votes = draw(np.array([0.5, 0.0, -0.5]), 600, np.random.default_rng(1))
    some = standing_by(fit(votes), "judge")
    units = np.ones(len(some.names), dtype=bool)
    units[0] = False
    of = votes["judge"].to_numpy() != some.names[0]
    own = some.strengths(units)
    again = lb.likelihood.bradley_terry(votes.isel(vote=of), pseudo_rounds=1e-9)
    np.testing.assert_allclose(own, again["epp"], atol=0.05)
    assert some.share[0] == pytest.approx(1.0 - of.mean())


def test_mean_scores(scores):
    dt = lb.fit(scores, "mean_score", prior_scale=np.inf, draws=50, seed=1)
    some = standing_by(dt, "round")
    units = np.arange(25) < 7
    np.testing.assert_allclose(some.strengths(units), scores[:, :7].mean("round"))
    with pytest.raises(lb.LeaderbayesError, match="no clusters"):
        standing_by(dt, "cluster")


@pytest.mark.parametrize("rounds", [3, 8, 9])
def test_statistics(rounds):
    y = np.random.default_rng(1).normal(size=(rounds, 4))
    np.testing.assert_allclose(statistic_of(y, "median"), np.median(y, axis=0))
    fine = np.sort(np.repeat(y, 4, axis=0), axis=0)[rounds : 3 * rounds]
    np.testing.assert_allclose(statistic_of(y, "iqm"), fine.mean(axis=0))
    y[:, 0] = np.nan
    assert np.isnan(statistic_of(y, "mean")).tolist() == [True, False, False, False]


def test_another_fit_is_refused():
    with pytest.raises(lb.LeaderbayesError):
        standing_by(xr.DataTree(), "round")
