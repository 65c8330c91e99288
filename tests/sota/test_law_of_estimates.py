"""The best of many estimates with standard errors, of any metric."""

import numpy as np
import pytest
from scipy import stats

import leaderbayes as lb
from conftest import kolmogorov_bound


def LAW(se, theta, m=None, **options):
    return lb.sota.maximum(theta, m, se=se, **options)


def test_independent_equals():
    """The highest of m normals, in closed form."""
    law = LAW(2.0, -30.0, 50)
    expected = stats.norm(-30.0, 2.0).cdf(law["x"] + 0.5 * (law["x"][1] - law["x"][0])) ** 50
    np.testing.assert_allclose(law["cdf"], expected, atol=1e-12)
    # Fifty standard normals: 2.2491 (Harter 1961).
    assert float(law["mean"]) == pytest.approx(-30.0 + 2.0 * 2.2491, abs=2e-3)
    assert law.attrs == {"m": 50, "rho": 0.0}
    one = LAW(0.3, 5.0, 1)
    assert float(one["mean"]) == pytest.approx(5.0, abs=1e-6)
    assert float(one["sd"]) == pytest.approx(0.3, rel=1e-3)


@pytest.mark.parametrize("rho", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("many", [4, 200])
def test_known_values_and_errors(rho, many):
    """Thetas and standard errors of their own, against draws."""
    rng, draws = np.random.default_rng(1), 4000
    theta, se = rng.normal(100.0, 3.0, size=many), rng.uniform(1.0, 4.0, size=many)
    noise = rho * rng.normal(size=(draws, 1))
    noise = noise + np.sqrt(1.0 - rho**2) * rng.normal(size=(draws, many))
    best = np.sort((theta + se * noise).max(axis=1))
    law = LAW(se, theta, rho=rho)
    edge = law["x"] + 0.5 * (law["x"][1] - law["x"][0])
    distance = abs(law["cdf"] - np.searchsorted(best, edge, side="right") / draws).max()
    # A rho of 1 is taken as 0.999, which leaves 0.045 of a standard deviation to itself.
    assert float(distance) < kolmogorov_bound(draws) + (0.045 if rho == 1.0 else 0.0)
    assert law.attrs["m"] == many


def test_drawn_values():
    """Thetas from a normal law: estimates are normal with both variances."""
    law = LAW(3.0, stats.norm(10.0, 4.0), 20)
    edge = law["x"] + 0.5 * (law["x"][1] - law["x"][0])
    np.testing.assert_allclose(law["cdf"], stats.norm(10.0, 5.0).cdf(edge) ** 20, atol=1e-5)
    two = LAW([3.0, 0.5], stats.norm(10.0, 4.0), 20)
    each = [stats.norm(10.0, np.hypot(4.0, s)).cdf(two["x"] + 0.5 * (two["x"][1] - two["x"][0]))
            for s in (3.0, 0.5)]  # fmt: skip
    np.testing.assert_allclose(two["cdf"], np.mean(each, axis=0) ** 20, atol=1e-5)


def test_ways_to_give_values():
    each = LAW(0.5, np.full(10, 0.7), rho=0.4)
    np.testing.assert_allclose(each["cdf"], LAW(0.5, 0.7, 10, rho=0.4)["cdf"], atol=1e-12)
    np.testing.assert_allclose(each["cdf"], LAW(np.full(10, 0.5), 0.7, rho=0.4)["cdf"], atol=1e-12)
    np.testing.assert_allclose(
        each["cdf"], LAW([0.5, 0.5], [0.7, 0.7], 10, rho=0.4)["cdf"], atol=1e-12
    )


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0.0, 0.5, 3), {}, "holds 0: give one standard error above 0"),
        (([1.0, np.nan], 0.5), {}, "holds nan"),
        (([], 0.5), {}, "se has the shape"),
        ((1.0, [0.5, np.nan]), {}, "without gaps"),
        ((1.0, 0.5), {}, "give m, how many classifiers"),
        ((1.0, stats.norm()), {}, "give m, how many are"),
        (([1.0, 2.0], [1.0, 2.0, 3.0]), {}, "3 thetas and 2 standard errors"),
        ((1.0, 0.5, 0), {}, "m=0"),
        ((1.0, 0.5, 3), {"rho": -1}, "rho=-1"),
    ],
)
def test_bad_arguments(arguments, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        LAW(*arguments, **options)
