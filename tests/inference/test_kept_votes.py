"""The votes of a fit, read back."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._inference.kept_votes import kept_rows, kept_votes, labels_of, matches_of_votes
from votes import draw, fit


def test_as_they_were_given():
    rng = np.random.default_rng(1)
    votes = draw(np.array([0.5, 0.0, -0.5]), 200, rng, ties=0.1)
    votes["outcome"][:5] = np.nan
    votes["weight"] = "vote", rng.integers(1, 3, 200).astype(float)
    votes["covariates"] = ("vote", "covariate"), 7.0 * rng.normal(size=(200, 2))
    votes = votes.assign_coords(covariate=["length", "lists"])
    dt = fit(votes, ties="drop", covariates=["lists"], order_effect=True, replicates=60)
    kept, arguments = kept_votes(dt)
    assert arguments["ties"] == "drop"
    counted = votes.isel(vote=votes["outcome"].isin([0.0, 1.0]).to_numpy())
    for name in ("first", "second", "outcome", "weight"):
        xr.testing.assert_equal(kept[name].variable, counted[name].variable)
    assert kept["covariate"].to_numpy().tolist() == ["lists"]
    np.testing.assert_allclose(kept["covariates"][:, 0], counted["covariates"][:, 1])
    code, names = labels_of(kept, "judge")
    assert names[code].tolist() == counted["judge"].to_numpy().tolist()
    rows = kept_rows(dt)
    assert rows.effects == ["order", "lists"]
    assert [*rows.clusters] == ["judge"]
    board, given = matches_of_votes(dt), lb.matches(votes, ties="drop")
    for name in ("wins", "n", "tied", "both_bad"):
        np.testing.assert_array_equal(board[name], given[name])
    assert ((board["worth"] > 0.0) & (board["worth"] <= 1.0)).all()


def test_what_is_none():
    dt = fit(lb.datasets.load("classifiers", "iris"), sampler="laplace")
    with pytest.raises(lb.LeaderbayesError, match="has no votes"):
        kept_votes(dt)
    votes = draw(np.array([0.5, 0.0]), 60, np.random.default_rng(1))
    whole = fit(votes.drop_vars("judge"))
    kept, _ = kept_votes(whole)
    with pytest.raises(lb.LeaderbayesError, match="have no judges"):
        labels_of(kept, "judge")
    whole["constant_data"] = xr.DataTree(whole["constant_data"].to_dataset().drop_vars("count"))
    with pytest.raises(lb.LeaderbayesError, match="constant_data/count"):
        kept_votes(whole)
