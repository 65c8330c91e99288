"""Smoothed weights are those of ArviZ."""

import arviz_stats  # noqa: F401  registers the accessor
import numpy as np
import pytest
import xarray as xr

from leaderbayes._numerics.pareto import smooth_tail

rng = np.random.default_rng(0)


@pytest.mark.parametrize(
    "log_weight",
    [
        rng.normal(size=1000),
        5.0 * rng.normal(size=226),
        0.01 * rng.normal(size=225),
        rng.standard_cauchy(size=500),
        -rng.exponential(size=4000),
        np.repeat(rng.normal(size=50), 10),
    ],
)
def test_arviz_says_the_same(log_weight):
    wanted, k = xr.DataArray(-log_weight, dims="draw").azstats.psislw(dim="draw")
    smoothed, shape = smooth_tail(log_weight)
    np.testing.assert_allclose(smoothed, wanted, rtol=1e-12)
    assert shape == pytest.approx(float(k), rel=1e-12)
    assert np.exp(smoothed).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("log_weight", [np.arange(24.0), np.r_[np.arange(20.0), np.full(20, 99.0)]])
def test_what_has_no_tail(log_weight):
    with pytest.raises(ValueError, match="in the tail"):
        smooth_tail(log_weight)
