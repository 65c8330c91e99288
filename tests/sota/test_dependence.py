"""Dependence estimated from right and wrong answers."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._numerics.maximum import conditionals


def answers(theta, rho, theta_0, n, rng):
    """Right and wrong answers of Boland's model."""
    up, down = conditionals(theta, rho, theta_0)
    reference = rng.random(n) < theta_0
    chance = np.where(reference, up[:, None], down[:, None])
    return xr.DataArray(
        (rng.random(chance.shape) < chance).astype(np.uint8), dims=("classifier", "instance")
    )


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6])
def test_recovers_rho(rho):
    rng = np.random.default_rng(1)
    right = answers(np.linspace(0.85, 0.9, 20), rho, 0.88, 4000, rng)
    found = lb.sota.estimate_rho(right, seed=0)
    # Correlations' error is 1 / sqrt(n) at most, and at 0 the root magnifies it.
    assert float(found["rho"]) == pytest.approx(rho, abs=0.05 if rho else 0.1)
    assert found["lower"] <= found["rho"] + 1e-12 <= found["upper"] + 1e-12


def test_mean_correlation_of_pairs():
    right = answers(np.array([0.6, 0.7, 0.8]), 0.4, 0.7, 200, np.random.default_rng(2))
    pairs = np.corrcoef(right.to_numpy())[np.triu_indices(3, 1)]
    assert float(lb.sota.estimate_rho(right)["rho"]) == pytest.approx(np.sqrt(pairs.mean()))


@pytest.mark.parametrize(
    ("right", "options", "message"),
    [
        (xr.DataArray(np.ones((3, 4)), dims=("classifier", "instance")), {}, "cannot be seen"),
        (xr.DataArray(np.full((3, 4), 0.5), dims=("classifier", "instance")), {}, "1 .right. or 0"),
        (xr.DataArray(np.ones((3, 4)), dims=("a", "b")), {}, "dimensions classifier"),
        (xr.DataArray(np.eye(3), dims=("classifier", "instance")), {"prob": 2}, "prob=2"),
    ],
)
def test_bad_answers(right, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.sota.estimate_rho(right, **options)


def test_a_seed_is_recorded():
    right = answers(np.array([0.6, 0.7, 0.8]), 0.4, 0.7, 200, np.random.default_rng(2))
    found = lb.sota.estimate_rho(right, replicates=20)
    xr.testing.assert_identical(
        found, lb.sota.estimate_rho(right, replicates=20, seed=found.attrs["seed"])
    )
    assert found["rho"].dtype == float
