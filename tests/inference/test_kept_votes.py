"""The votes of a fit, read back."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._inference.kept_votes import kept_votes, labels_of
from votes import draw, fit


def test_as_they_were_given():
    votes = draw(np.array([0.5, 0.0, -0.5]), 200, np.random.default_rng(1), ties=0.1)
    votes["outcome"][:5] = np.nan
    dt = fit(votes, ties="drop")
    kept, arguments = kept_votes(dt)
    assert arguments["ties"] == "drop"
    counted = votes.isel(vote=votes["outcome"].isin([0.0, 1.0]).to_numpy())
    for name in ("first", "second", "outcome"):
        xr.testing.assert_equal(kept[name].variable, counted[name].variable)
    code, names = labels_of(kept, "judge")
    assert names[code].tolist() == counted["judge"].to_numpy().tolist()


def test_what_is_none():
    dt = fit(lb.datasets.load("classifiers", "iris"), sampler="laplace")
    with pytest.raises(lb.LeaderbayesError, match="has no votes"):
        kept_votes(dt)
    votes = draw(np.array([0.5, 0.0]), 60, np.random.default_rng(1))
    kept, _ = kept_votes(fit(votes.drop_vars("judge")))
    with pytest.raises(lb.LeaderbayesError, match="have no judges"):
        labels_of(kept, "judge")
