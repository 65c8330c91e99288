"""Penalties as strong as a prior."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._answers.penalty import LEAST, spread_of, weight_of


def test_a_spread_is_never_nothing():
    assert spread_of(np.array([[1.0, -1.0], [3.0, -3.0]])) == 5.0
    assert spread_of(np.zeros((2, 2))) == LEAST


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf])
def test_a_weight_is_a_number_above_nothing(weight):
    assert weight_of(xr.DataTree(xr.Dataset(attrs={"weight": 0.5}))) == 0.5
    with pytest.raises(lb.LeaderbayesError, match="has the weight"):
        weight_of(xr.DataTree(xr.Dataset(attrs={"weight": weight})))
