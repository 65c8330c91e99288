"""Published numbers of Bradley-Terry estimates, and where no estimate exists."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board


def spread(estimate, published):
    """Largest disagreement of two sets of estimates in any difference of players."""
    gap = (estimate["epp"].to_series() - published["epp"]).dropna()
    assert len(gap) == len(published)
    return gap.max() - gap.min()


def test_vtab(reference):
    scores = reference("vtab/scores.csv")
    half = lb.likelihood.bradley_terry(lb.matches(scores))
    best, second = (half["epp"].sel(player=f"Sup-{p}-100%") for p in ("Rotation", "Exemplar"))
    assert float(best - second) == pytest.approx(0.244, abs=5e-4)
    assert spread(half, reference("vtab/eloml_glmnet.csv")) < 0.01
    floor = lb.likelihood.bradley_terry(lb.matches(scores, ties="floor"), covariance="model")
    assert spread(floor, reference("vtab/eloml_glm.csv")) < 1e-6


def test_pmra(reference):
    epp = lb.likelihood.bradley_terry(lb.matches(reference("pmra/scores.csv")))["epp"]
    others = ["XGB6", "XGB9", "XGB7", "RF8", "XGB0"]
    won = 1 / (1 + np.exp(epp.sel(player=others) - epp.sel(player="RF9")))
    np.testing.assert_allclose(won, [0.511, 0.609, 0.613, 0.622, 0.640], atol=6e-4)


def test_eloml_example_has_two_components(reference):
    matches = lb.matches(reference("eloml/auc_scores.csv"))
    assert lb.components(matches).value_counts().to_dict() == {1: 36, 2: 44}
    with pytest.raises(lb.DisconnectedError, match=r"LB010.*2 strong components"):
        lb.likelihood.bradley_terry(matches)


def test_bad_options():
    matches = lb.matches(board([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(lb.LeaderbayesError, match="covariance='robust'"):
        lb.likelihood.bradley_terry(matches, covariance="robust")
    one = lb.matches(board([[1.0], [1.0]]))
    with pytest.raises(lb.LeaderbayesError, match="One round"):
        lb.likelihood.bradley_terry(one)
    estimate = lb.likelihood.bradley_terry(one, covariance="model")
    np.testing.assert_allclose(estimate["epp"], 0.0, atol=1e-12)
