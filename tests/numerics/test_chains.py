"""R-hat and effective sample sizes are those of ArviZ, from one sort."""

import arviz_stats as az
import numpy as np
import pytest
import xarray as xr

from leaderbayes._numerics.chains import agreement, ordered

rng = np.random.default_rng(0)


def walks(share, shape):
    """Autoregressions (quantity, chain, draw)."""
    values = rng.normal(size=shape)
    for k in range(1, shape[2]):
        values[..., k] += share * values[..., k - 1]
    return values


@pytest.mark.parametrize(
    "values",
    [
        rng.normal(size=(2, 4, 200)),
        rng.normal(size=(2, 3, 101)),
        rng.normal(size=(2, 1, 50)),
        rng.normal(size=(9, 2, 5)),
        rng.normal(size=(9, 2, 11)),
        rng.standard_cauchy(size=(2, 4, 99)),
        rng.normal(size=(2, 4, 60)) + np.arange(4)[:, None],
        rng.integers(0, 3, size=(2, 4, 100)),
        (rng.random((3, 4, 200)) < 0.02).astype(float),
        np.repeat(rng.normal(size=(2, 4, 40)), 5, axis=2),
        walks(-0.7, (2, 4, 300)),
        walks(0.8, (2, 4, 300)),
        walks(1.0, (2, 2, 800)),  # as far as Fourier transforms
    ],
)
def test_arviz_says_the_same(values):
    found = agreement(np.asarray(values, float), 0.89)
    named = xr.DataArray(values, dims=("quantity", "chain", "draw")).to_dataset(name="x")
    wanted = (
        az.rhat(named)["x"] if values.shape[1] > 1 else np.full(len(values), np.nan),
        az.ess(named, method="bulk")["x"],
        az.ess(named, method="tail", prob=0.89)["x"],
    )
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_what_is_not_known_is_nan():
    values = rng.normal(size=(4, 4, 40))
    values[0, 1, 2], values[1, 3, 39] = np.nan, np.inf
    values[2] = 1.0
    rhat, bulk, tail = agreement(values, 0.89)
    np.testing.assert_array_equal(np.isnan(rhat), [True, True, True, False])
    for size in (bulk, tail):
        np.testing.assert_array_equal(np.isnan(size), [True, True, False, False])
    # As ArviZ says of draws that are all the same.
    assert bulk[2] == tail[2] == 160.0
    assert np.isnan(agreement(values[:, :, :3], 0.89)).all()


@pytest.mark.parametrize(
    "values",
    [
        rng.normal(size=4000),
        rng.standard_cauchy(size=4000),
        np.append(rng.normal(size=999), 1e12),  # all others alike in their digits
        np.append(rng.normal(size=20), 1e12),
        rng.integers(0, 3, size=500).astype(float),
        np.sort(rng.normal(size=100))[::-1],
        np.array([3.0, -0.0, 0.0, -3.0]),
        np.array([1e308, -1e308, 0.0, 1.0]),
        np.array([5e-324, 0.0, 1e-323]),
        np.ones(10),
        np.array([2.0]),
    ],
)
def test_values_in_order(values):
    order = ordered(values)
    assert sorted(order.tolist()) == list(range(len(values)))
    np.testing.assert_array_equal(values[order], np.sort(values))
