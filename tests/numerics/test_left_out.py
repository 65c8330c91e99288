"""Leave-one-out scores: against integration, and standard normal under their model."""

import numpy as np
import pytest
from scipy import stats

from conftest import kolmogorov_bound
from leaderbayes.study._unusual import left_out_score


def test_against_integration():
    y, s = np.array([0.3, -0.4, 1.1, 4.0]), np.array([0.2, 0.3, 0.5, 0.4])
    mu, tau = np.meshgrid(np.linspace(-40.0, 40.0, 4001), np.geomspace(0.03, 30.0, 400))
    weight = stats.halfcauchy.pdf(tau) * tau
    for k in (0, 1):
        weight = weight * stats.norm.pdf(y[k], mu, np.hypot(s[k], tau))
    z = left_out_score(y[:, None], s[:, None])
    weight *= stats.norm.pdf(y[2], mu, np.hypot(s[2], tau))
    below = stats.norm.cdf(y[3], mu, np.hypot(s[3], tau))
    p = (weight * below).sum() / weight.sum()
    assert z[3, 0] == pytest.approx(stats.norm.ppf(p), abs=0.01)


@pytest.mark.parametrize("rows", [2, 3, pytest.param(6, marks=pytest.mark.slow)])
def test_normal_under_the_model(rows):
    rng = np.random.default_rng(rows)
    columns = 20_000
    spread = np.abs(rng.standard_cauchy(columns)).clip(0.03, 30.0)
    sd = rng.uniform(0.1, 0.8, (rows, columns))
    y = 3.0 * rng.normal(size=columns) + rng.normal(size=(rows, columns)) * np.hypot(sd, spread)
    z = left_out_score(y, sd)[0]
    assert stats.kstest(z, "norm").statistic < kolmogorov_bound(columns) + 0.01  # of the grid


def test_many_others_tell_the_spread():
    rng = np.random.default_rng(0)
    z = left_out_score(
        rng.normal(scale=np.hypot(0.4, 0.3), size=(100, 200)), np.full((100, 200), 0.3)
    )
    assert z.std() == pytest.approx(1.0, abs=0.03)


def test_far_and_absent():
    y = np.array([[0.0, 1.0], [0.1, np.nan], [0.05, np.nan], [25.0, np.nan]])
    z = left_out_score(y, np.where(np.isnan(y), np.nan, 0.1))
    assert z[3, 0] > z[:3, 0].max()
    assert np.isfinite(z[:, 0]).all()
    # Nobody to compare with.
    assert np.isnan(z[:, 1]).all()
    np.testing.assert_allclose(left_out_score(-y, np.full(y.shape, 0.1))[:, 0], -z[:, 0])


def test_a_column_of_gaps_only():
    assert np.isnan(left_out_score(np.full((3, 2), np.nan), np.full((3, 2), np.nan))).all()
