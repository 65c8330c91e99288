"""What a posterior holds, and under which names."""

import numpy as np
import xarray as xr

import leaderbayes as lb


def test_data_tree(fitted):
    board, dt = fitted
    assert dt.attrs["converged"] == 1
    assert dt["posterior"]["theta"].dims == ("chain", "draw", "team")
    np.testing.assert_array_equal(
        dt["posterior"]["theta_sota"], dt["posterior"]["theta"].max("team")
    )
    assert set(dt.children) == {
        "posterior", "posterior_predictive", "log_likelihood", "log_prior", "observed_data",
        "constant_data",
    }  # fmt: skip
    again = lb.sota.posterior(board, rho=0.5, theta_0=0.9, seed=3)
    xr.testing.assert_identical(again["posterior"].to_dataset(), dt["posterior"].to_dataset())
