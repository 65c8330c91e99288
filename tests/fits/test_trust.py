"""Whether it can be trusted goes from a fit to whatever is made of it, and through netCDF."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import simulate
from leaderbayes._fits.trust import trust, warnings_of


@pytest.mark.parametrize("converged", [0, 1])
def test_numbers_and_texts_as_netcdf_takes_them(converged, tmp_path):
    fit = xr.DataTree(xr.Dataset(attrs={"converged": converged, "warnings": '["LB001 a", "b"]'}))
    trusted = trust(fit)
    assert trusted == {"converged": converged, "warnings": '["LB001 a", "b"]'}
    assert warnings_of(trusted) == ["LB001 a", "b"]
    xr.Dataset(attrs=trusted).to_netcdf(tmp_path / "table.nc")
    assert trust(xr.load_dataset(tmp_path / "table.nc")) == trusted


def test_an_estimate_that_is_there_converged():
    estimate = lb.likelihood.bradley_terry(
        lb.matches(simulate([1.0, 0.0, -1.0], 30, np.random.default_rng(1)))
    )
    assert trust(estimate) == {"converged": 1, "warnings": "[]"}
