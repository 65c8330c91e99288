"""Tournaments of a study, by their names."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import tree


def test_fits_of_a_study(study):
    from leaderbayes.study._tournaments import fits_of

    fits = dict(fits_of(study))
    assert list(fits) == ["one", "two/2", "three", "reversed"]
    assert fits["two/2"].identical(lb.study.select(study, "two/2"))
    assert list(lb.leaderboard(fits["three"])["player"]) == ["p0", "p1", "p2", "p3", "p4"]
    # Without the attribute, by the name of the node.
    plain = xr.DataTree.from_dict({"x": tree(np.zeros((1, 2, 3)))})
    assert list(dict(fits_of(plain))) == ["x"]
    with pytest.raises(lb.LeaderbayesError, match="no tournament 'won'; did you mean 'one'"):
        lb.study.select(study, "won")
