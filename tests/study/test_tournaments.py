"""Tournaments of a study, by their names."""

import json

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import tree
from leaderbayes.study._tournaments import fits_of, tournaments_of, trust_of


def test_fits_of_a_study(study):
    fits = dict(fits_of(study))
    assert list(fits) == ["one", "two/2", "three", "reversed"]
    assert fits["two/2"].identical(lb.study.select(study, "two/2"))
    assert list(lb.leaderboard(fits["three"])["player"]) == ["p0", "p1", "p2", "p3", "p4"]
    # Without the attribute, by the name of the node.
    plain = xr.DataTree.from_dict({"x": tree(np.zeros((1, 2, 3)))})
    assert list(dict(fits_of(plain))) == ["x"]
    with pytest.raises(lb.LeaderbayesError, match="no tournament 'won'; did you mean 'one'"):
        lb.study.select(study, "won")


def test_a_name_that_is_there_twice_is_refused(study):
    twice = study.copy()
    twice["three"].attrs = study["three"].attrs | {"tournament": "one"}
    with pytest.raises(lb.LeaderbayesError, match="tournament 'one' twice"):
        tournaments_of(twice)


def test_what_is_no_study(study):
    with pytest.raises(lb.LeaderbayesError, match="no tournament: give one"):
        tournaments_of(xr.DataTree())
    with pytest.raises(lb.LeaderbayesError, match="'x' in the study is no fit"):
        tournaments_of(xr.DataTree.from_dict({"x": xr.Dataset({"y": 1.0})}))
    with pytest.raises(lb.LeaderbayesError, match="'one' is about one tournament: give a study"):
        tournaments_of(study["one"])


def test_warnings_name_their_tournament(study):
    assert trust_of(study) == {"converged": 1, "warnings": "[]"}
    two = xr.DataTree.from_dict({"x": tree(np.zeros((1, 2, 3))), "y": tree(np.zeros((1, 2, 3)), 0)})
    assert trust_of(two) == {
        "converged": 0,
        "warnings": json.dumps(["tournament 'x': w", "tournament 'y': w"]),
    }
