"""The law of the best share of right answers: the paper's tables, and what it refuses."""

import time

import numpy as np
import pytest
from scipy import stats

import leaderbayes as lb


def LAW(n, theta, m=None, **options):
    return lb.sota.maximum(theta, m, n=n, **options)


def test_table_3(published):
    for row in published[published["table"] == 3].itertuples():
        law = LAW(row.n, row.theta, row.m)
        assert round(float(law["mean"]), 4) == row.expected_max
        assert round(float(law["sd"]), 6) == pytest.approx(row.sd_max, abs=1e-9)


def table_1(row):
    # theta_SOTA = (m b + a) / (m + 1) of a uniform on (a, b).
    top = row.theta_sota + row.d / (row.m + 1) if row.d == row.d else None
    theta = row.theta if top is None else stats.uniform(top - row.d, row.d)
    rho = row.rho if row.rho == row.rho else 0.0
    return LAW(row.n, theta, row.m, rho=rho, theta_0=0.9 if rho else None)


def test_table_1(published):
    rows = list(published[published["table"] == 1].itertuples())
    table_1(rows[-1])  # compiles
    start = time.perf_counter()
    laws = [table_1(row) for row in rows]
    assert time.perf_counter() - start < 3.0
    for row, law in zip(rows, laws, strict=True):
        assert float(law["mean"]) == pytest.approx(row.expected_max, abs=2e-4)
        assert float(law["sd"]) == pytest.approx(row.sd_max, abs=2e-4)
        upper = float(law["quantile"].sel(probability=0.975))
        assert upper == pytest.approx(row.upper_ci, abs=1 / row.n)


def test_coin_flips():
    """A thousand people who toss a coin 20 times: one gets 18 right with probability 0.18."""
    law = LAW(20, 0.5, 1000)
    assert float(1 - law["cdf"].sel(x=17)) == pytest.approx(0.18, abs=5e-3)
    assert float(law["pmf"].sum()) == pytest.approx(1.0)
    assert law.sizes["x"] == 21


def test_ways_to_give_thetas():
    fixed = LAW(50, np.full(10, 0.7))
    np.testing.assert_allclose(fixed["cdf"], LAW(50, 0.7, 10)["cdf"], atol=1e-12)
    assert fixed.attrs["m"] == 10
    # Drawn with replacement from one value, or from a law next to it.
    np.testing.assert_allclose(LAW(50, [0.7, 0.7], 10)["cdf"], fixed["cdf"], atol=1e-12)
    near = LAW(50, stats.uniform(0.7 - 1e-9, 2e-9), 10)
    np.testing.assert_allclose(near["cdf"], fixed["cdf"], atol=1e-6)


def test_edges():
    assert float(LAW(10, 0.0, 5)["mean"]) == 0.0
    assert float(LAW(10, 1.0, 5)["mean"]) == 1.0
    assert float(LAW(10, 0.3, 1)["mean"]) == pytest.approx(0.3)
    assert float(LAW(1, 0.5, 2)["mean"]) == pytest.approx(0.75)
    assert float(LAW(10, 0.3, 5, rho=0.5, dependence="copula")["cdf"][-1]) == 1.0
    mean = [float(LAW(3000, 0.9, 1000, rho=r, dependence="copula")["mean"]) for r in (0, 0.5, 0.9)]
    assert mean == sorted(mean, reverse=True)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0, 0.5, 3), {}, "n=0"),
        ((10, 0.5), {}, "give m, how many classifiers"),
        ((10, stats.uniform()), {}, "give m, how many are"),
        ((10, 90.0, 3), {}, "divide percentages by 100"),
        ((10, [], None), {}, "no theta"),
        ((10, 0.5, 0), {}, "m=0"),
        ((10, 0.5, 3), {"rho": 1.5}, "rho=1.5"),
        ((10, 0.5, 3), {"dependence": "vine"}, "dependence='vine'"),
        ((10, [0.5, 0.9]), {"rho": 0.6}, "Equation 8 excludes theta 0.5"),
        ((10**6, np.linspace(0.2, 0.9, 99)), {"rho": 0.6}, "Equation 8 excludes theta 0.2, 0.2"),
        ((10, 1.0, 3), {"rho": 0.6}, "theta_0=1.0"),
    ],
)
def test_bad_arguments(arguments, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        LAW(*arguments, **options)
