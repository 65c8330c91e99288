"""Distributions of the best score: the paper's tables, closed forms, simulation, and refusals."""

import numpy as np
import pytest
from scipy import stats

import leaderbayes as lb
from conftest import kolmogorov_bound

MAXIMUM = lb.sota.maximum


def test_table_3(published):
    for row in published[published["table"] == 3].itertuples():
        law = MAXIMUM(row.theta, row.m, n=row.n)
        assert round(float(law["mean"]), 4) == row.expected_max
        assert round(float(law["sd"]), 6) == pytest.approx(row.sd_max, abs=1e-9)


def test_table_1(published):
    for row in published[published["table"] == 1].itertuples():
        # theta_SOTA = (m b + a) / (m + 1) of a uniform on (a, b).
        top = row.theta_sota + row.d / (row.m + 1) if row.d == row.d else None
        theta = row.theta if top is None else stats.uniform(top - row.d, row.d)
        rho = row.rho if row.rho == row.rho else 0.0
        law = MAXIMUM(theta, row.m, n=row.n, rho=rho, theta_0=0.9 if rho else None)
        assert float(law["mean"]) == pytest.approx(row.expected_max, abs=2e-4)
        assert float(law["sd"]) == pytest.approx(row.sd_max, abs=2e-4)
        upper = float(law["quantile"].sel(probability=0.975))
        assert upper == pytest.approx(row.upper_ci, abs=1 / row.n)


def test_figure_3():
    """Of significantly better classifiers one in ten scores less than the best of the many."""
    law = MAXIMUM(0.9, 1000, n=3000)
    better = stats.binomtest(2700, 3000).proportion_ci()[1]
    assert round(stats.binom.sf(int(3000 * law["mean"]), 3000, better), 2) == 0.10


def test_coin_flips():
    """A thousand people who toss a coin 20 times: one gets 18 right with probability 0.18."""
    law = MAXIMUM(0.5, 1000, n=20)
    assert float(1 - law["cdf"].sel(x=17)) == pytest.approx(0.18, abs=5e-3)
    assert float(law["pmf"].sum()) == pytest.approx(1.0)
    assert law.sizes["x"] == 21


def test_best_auc():
    """Section 5.2.2, by 10 000 simulations: E max 0.9562, sd 0.0045, interval 0.9486 to 0.9662."""
    law = MAXIMUM(0.9, 1000, n=3000, positive_rate=0.017)
    assert (law.attrs["positives"], law.attrs["negatives"]) == (51, 2949)
    assert float(law["mean"]) == pytest.approx(0.9562, abs=5e-4)
    assert float(law["sd"]) == pytest.approx(0.00446, abs=1e-4)
    quantile = law["quantile"].sel(probability=[0.025, 0.975])
    np.testing.assert_allclose(quantile, [0.9486, 0.9662], atol=6e-4)


def test_ways_to_give_thetas():
    fixed = MAXIMUM(np.full(10, 0.7), n=50)
    np.testing.assert_allclose(fixed["cdf"], MAXIMUM(0.7, 10, n=50)["cdf"], atol=1e-12)
    assert fixed.attrs["m"] == 10
    # Drawn with replacement from one value, or from a distribution next to it.
    np.testing.assert_allclose(MAXIMUM([0.7, 0.7], 10, n=50)["cdf"], fixed["cdf"], atol=1e-12)
    near = MAXIMUM(stats.uniform(0.7 - 1e-9, 2e-9), 10, n=50)
    np.testing.assert_allclose(near["cdf"], fixed["cdf"], atol=1e-6)
    each = MAXIMUM(np.full(10, 0.7), se=0.5, rho=0.4)["cdf"]
    for theta, m, se in (
        (0.7, 10, 0.5), (0.7, None, np.full(10, 0.5)), ([0.7, 0.7], 10, [0.5, 0.5]),
    ):  # fmt: skip
        np.testing.assert_allclose(MAXIMUM(theta, m, se=se, rho=0.4)["cdf"], each, atol=1e-12)


def test_edges():
    for theta, m, n, mean in ((0.0, 5, 10, 0.0), (1.0, 5, 10, 1.0), (0.3, 1, 10, 0.3),
                              (0.5, 2, 1, 0.75)):  # fmt: skip
        assert float(MAXIMUM(theta, m, n=n)["mean"]) == pytest.approx(mean)
    copula = {"n": 3000, "dependence": "copula"}
    mean = [float(MAXIMUM(0.9, 1000, rho=r, **copula)["mean"]) for r in (0, 0.5, 0.9)]
    assert mean == sorted(mean, reverse=True)
    assert float(MAXIMUM(0.3, 5, n=10, rho=0.5, dependence="copula")["cdf"][-1]) == 1.0
    one = MAXIMUM(0.9, 1, n=100, positive_rate=0.3)  # an AUC is unbiased
    assert float(one["mean"]) == pytest.approx(0.9, abs=1e-3)


def test_independent_equal_estimates():
    """The highest of m normals, in closed form."""
    law = MAXIMUM(-30.0, 50, se=2.0)
    expected = stats.norm(-30.0, 2.0).cdf(law["x"] + 0.5 * (law["x"][1] - law["x"][0])) ** 50
    np.testing.assert_allclose(law["cdf"], expected, atol=1e-12)
    # Fifty standard normals: 2.2491 (Harter 1961).
    assert float(law["mean"]) == pytest.approx(-30.0 + 2.0 * 2.2491, abs=2e-3)
    assert law.attrs == {"m": 50, "rho": 0.0}


@pytest.mark.parametrize("rho", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("many", [4, pytest.param(200, marks=pytest.mark.slow)])
def test_estimates_with_errors_of_their_own(rho, many):
    rng, draws = np.random.default_rng(1), 4000
    theta, se = rng.normal(100.0, 3.0, size=many), rng.uniform(1.0, 4.0, size=many)
    noise = rho * rng.normal(size=(draws, 1))
    noise = noise + np.sqrt(1.0 - rho**2) * rng.normal(size=(draws, many))
    best = np.sort((theta + se * noise).max(axis=1))
    law = MAXIMUM(theta, se=se, rho=rho)
    edge = law["x"] + 0.5 * (law["x"][1] - law["x"][0])
    distance = abs(law["cdf"] - np.searchsorted(best, edge, side="right") / draws).max()
    # A rho of 1 is taken as 0.999, which leaves 0.045 of a standard deviation to itself.
    assert float(distance) < kolmogorov_bound(draws) + (0.045 if rho == 1.0 else 0.0)


@pytest.mark.parametrize("se", [[3.0], [3.0, 0.5]])
def test_estimates_of_drawn_thetas(se):
    """Thetas from a normal distribution: estimates are normal with both variances."""
    law = MAXIMUM(stats.norm(10.0, 4.0), 20, se=se if len(se) > 1 else se[0])
    edge = law["x"] + 0.5 * (law["x"][1] - law["x"][0])
    each = np.mean([stats.norm(10.0, np.hypot(4.0, s)).cdf(edge) for s in se], axis=0)
    np.testing.assert_allclose(law["cdf"], each**20, atol=1e-5)


@pytest.mark.parametrize(
    ("theta", "m", "options", "message"),
    [
        (0.9, 5, {}, "Give n, the instances of the test set, or se"),
        (0.9, 5, {"n": 10, "se": 0.1}, "not both"),
        (0.9, 5, {"se": 0.1, "positive_rate": 0.2}, "positive_rate is for AUCs on n instances"),
        (0.9, 5, {"se": 0.1, "theta_0": 0.5}, "theta_0 and dependence are for shares"),
        (0.9, 5, {"n": 50, "positive_rate": 0.2, "dependence": "copula"}, "theta_0 and dependence"),
        (0.9, 5, {"n": 3000, "positive_rate": 0.0}, "positive_rate=0.0"),
        (0.9, 5, {"n": 3000, "positive_rate": 1e-5}, "leaves one class"),
        (0.5, 3, {"n": 0}, "n=0"),
        (0.5, None, {"n": 10}, "set m, the number of classifiers"),
        (stats.uniform(), None, {"n": 10}, "set m, the number of classifiers"),
        (90.0, 3, {"n": 10}, "divide percentages by 100"),
        ([], None, {"n": 10}, "without gaps"),
        (0.5, 0, {"n": 10}, "m=0"),
        (0.5, 3, {"n": 10, "rho": 1.5}, "rho=1.5"),
        (0.5, 3, {"n": 10, "dependence": "vine"}, "dependence='vine'"),
        ([0.5, 0.5, 0.9], None, {"n": 10, "rho": 0.6}, "excludes theta 0.5 at"),
        (np.linspace(0.2, 0.9, 99), None, {"n": 10**6, "rho": 0.6}, "excludes theta 0.2, 0.2"),
        (0.5, 3, {"n": 10, "rho": 0.6, "theta_0": 1.0}, "theta_0=1.0"),
        (0.5, 3, {"se": 0.0}, "holds 0: use one standard error above 0"),
        (0.5, None, {"se": [1.0, np.nan]}, "holds nan"),
        (0.5, None, {"se": []}, "se has the shape"),
        ([0.5, np.nan], None, {"se": 1.0}, "without gaps"),
        (0.5, None, {"se": 1.0}, "set m, the number of classifiers"),
        (stats.norm(), None, {"se": 1.0}, "set m, the number of classifiers"),
        ([1.0, 2.0, 3.0], None, {"se": [1.0, 2.0]}, "3 thetas and 2 standard errors"),
    ],
)
def test_refused(theta, m, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        MAXIMUM(theta, m, **options)
