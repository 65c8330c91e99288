"""Laws of the sample maximum: against enumeration and simulation."""

import numpy as np
import pytest
from scipy import stats

from conftest import kolmogorov_bound
from leaderbayes._numerics.maximum import (
    Mixture,
    Tabled,
    boland_cdf,
    conditionals,
    copula_cdf,
    estimate_cdf,
    factor_cdf,
    independent_cdf,
    loading,
    of_board,
    of_estimates,
    of_law,
)


def draw_counts(n, theta, rho, theta_0, dependence, rng):
    """Counts of right answers of all classifiers on one test set (classifier,)."""
    if dependence == "boland":
        up, down = conditionals(theta, rho, theta_0)
        s = rng.binomial(n, theta_0)
        return rng.binomial(s, up) + rng.binomial(n - s, down)
    load = loading(rho, theta_0)
    noise = np.sqrt(1 - load * load) * rng.normal(size=(n, len(theta)))
    return (load * rng.normal(size=(n, 1)) + noise < stats.norm.ppf(theta)).sum(axis=0)


def full(n, law):
    """F at 0 to n."""
    above = n + 1 - law.low - len(law.cdf)
    return np.concatenate([np.zeros(law.low), law.cdf, np.ones(above)])


@pytest.mark.parametrize("theta", [[0.3], [0.7, 0.7, 0.5], [0.0, 1.0], [0.05, 0.95]])
def test_independent_is_the_product_of_binomials(theta):
    n, theta = 7, np.array(theta)
    expected = np.prod([stats.binom.cdf(np.arange(n + 1), n, t) for t in theta], axis=0)
    got = full(n, independent_cdf(n, of_board(theta, 1.0)))
    np.testing.assert_allclose(got, expected, atol=1e-13)


def test_boland_by_enumeration():
    """Sum over the reference's counts, convolving binomials."""
    n, theta, rho, theta_0 = 6, np.array([0.8, 0.7, 0.6]), 0.4, 0.75
    up, down = conditionals(theta, rho, theta_0)
    # The correlation is the one asked for, and the margins are theta.
    np.testing.assert_allclose(theta_0 * up + (1 - theta_0) * down, theta)
    covariance = theta_0 * up - theta_0 * theta
    np.testing.assert_allclose(
        covariance / np.sqrt(theta * (1 - theta) * theta_0 * (1 - theta_0)), rho
    )
    expected = np.zeros(n + 1)
    for s in range(n + 1):
        product = np.ones(n + 1)
        for p, q in zip(up, down, strict=True):
            pmf = np.convolve(
                stats.binom.pmf(np.arange(s + 1), s, p),
                stats.binom.pmf(np.arange(n - s + 1), n - s, q),
            )
            product *= np.cumsum(pmf)
        expected += stats.binom.pmf(s, n, theta_0) * product
    got = full(n, boland_cdf(n, of_board(theta, 1.0), rho, theta_0))
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_nodes_of_draws_with_replacement():
    """Two hundred thetas, one of them far above, put on nodes; against all of them."""
    n, theta = 500, np.append(np.linspace(0.6, 0.7, 199), 0.95)
    drawn = of_board(theta, np.sqrt(0.95 * 0.05 / n), 200.0)
    assert len(drawn.theta) < 200
    every = Mixture(theta, np.full(200, 1 / 200), 200.0)
    expected = full(n, independent_cdf(n, every))
    np.testing.assert_allclose(full(n, independent_cdf(n, drawn)), expected, atol=1e-7)


def test_full_correlation_is_one_classifier():
    one = Mixture(np.array([0.6]), np.array([50.0]), 0.0)
    got = full(20, boland_cdf(20, one, 1.0, 0.6))
    np.testing.assert_allclose(got, stats.binom.cdf(np.arange(21), 20, 0.6), atol=1e-12)


def test_many_distinct_thetas_need_64_nodes():
    rng = np.random.default_rng(0)
    n, theta = 500, np.sort(rng.uniform(0.6, 0.9, size=800))
    exact = np.exp(
        sum(stats.binom.logcdf(np.arange(n + 1), n, t) for t in theta)  # every one of them
    )
    got = full(n, independent_cdf(n, of_board(theta, 1.0)))
    np.testing.assert_allclose(got, exact, atol=1e-6)


def test_thinned_reference_counts_change_nothing(monkeypatch):
    from leaderbayes._numerics import maximum

    one = Mixture(np.array([0.88, 0.9]), np.array([300.0, 200.0]), 0.0)
    thin = full(3000, boland_cdf(3000, one, 0.6, 0.9))
    monkeypatch.setattr(maximum, "_STEPS", 1000)
    np.testing.assert_allclose(thin, full(3000, boland_cdf(3000, one, 0.6, 0.9)), atol=1e-9)


@pytest.mark.parametrize("law", [stats.uniform(0.8, 0.1), stats.beta(80, 12)])
@pytest.mark.parametrize("m", [1, 10, pytest.param(1000, marks=pytest.mark.slow)])
def test_drawn_thetas(law, m):
    """E over P(theta) of one classifier's cdf, to the power m."""
    n = 200
    u = (np.arange(20_000) + 0.5) / 20_000
    grid = np.linspace(0.5, 1.0, 2001)
    # Midpoints in u; the cdf of each theta by interpolation on a fine grid.
    cdf = np.array([stats.binom.cdf(x, n, grid) for x in range(n + 1)])
    theta = law.ppf(u)
    mean = np.array([np.interp(theta, grid, row).mean() for row in cdf])
    got = full(n, independent_cdf(n, of_law(law.ppf, m)))
    np.testing.assert_allclose(got, mean**m, atol=2e-6 * m + 1e-6)


@pytest.mark.parametrize(
    ("dependence", "rho", "slack"),
    [
        ("boland", 0.0, 0.0),
        ("boland", 0.5, 0.0),
        pytest.param("copula", 0.5, 0.001, marks=pytest.mark.slow),
    ],
)
def test_simulators_follow_the_laws(dependence, rho, slack):
    """The copula's law is an approximation: slack is its error, measured as in benchmarks/."""
    rng = np.random.default_rng(4)
    n, boards = 400, 4000
    theta = np.linspace(0.82, 0.9, 30)
    best = np.array([draw_counts(n, theta, rho, 0.9, dependence, rng).max() for _ in range(boards)])
    mixture = of_board(theta, 1.0)
    law = {
        ("boland", 0.0): lambda: independent_cdf(n, mixture),
        ("boland", 0.5): lambda: boland_cdf(n, mixture, 0.5, 0.9),
        ("copula", 0.5): lambda: copula_cdf(n, mixture, 0.5, 0.9),
    }[dependence, rho]()
    empirical = np.searchsorted(np.sort(best), np.arange(n + 1), side="right") / boards
    assert abs(empirical - full(n, law)).max() < kolmogorov_bound(boards) + slack
    allowed = (4 / np.sqrt(boards) + 0.002) * law.sd
    assert best.mean() / n == pytest.approx(law.mean, abs=allowed)


def test_one_factor_by_integration():
    """Three normal estimates whose scores correlate by the products of their loads."""
    load = np.array([0.9, 0.5, 0.2])
    covariance = np.outer(load, load)
    np.fill_diagonal(covariance, 1.0)
    joint = stats.multivariate_normal(cov=covariance, abseps=1e-6, releps=1e-6)
    shift = np.array([0.0, 0.3, -0.2])
    x = np.linspace(-2.0, 3.0, 6)
    each = Mixture(shift, np.ones(3), 0.0)
    got = factor_cdf(stats.norm.cdf(x - shift[:, None]), each, load)
    np.testing.assert_allclose(got, [joint.cdf(t - shift) for t in x], atol=1e-5)


def test_many_distinct_errors_need_few_nodes():
    rng = np.random.default_rng(9)
    theta, se = rng.normal(0.9, 0.006, size=900), rng.uniform(0.003, 0.005, size=900)
    nodes, errors = of_estimates(theta, se)
    assert len(nodes.theta) == 64 * 10
    law = estimate_cdf(nodes, errors, 0.6, 2000.0)
    x = law.x + 0.5 / 2000.0
    each = stats.norm.cdf((x - theta[:, None]) / se[:, None])
    exact = factor_cdf(each, Mixture(theta, np.ones(900), 0.0), 0.6)
    np.testing.assert_allclose(law.cdf, exact, atol=1e-5)
    # A noisy leader, of whom the least error says nothing: teams are taken one by one.
    theta[0], se[0] = 0.95, 0.02
    assert len(of_estimates(theta, se)[0].theta) > 800


@pytest.mark.parametrize("mixture", [(1.0, 50.0, 0.0), (1.0, 1.0, 50.0)])
def test_loads_of_nothing_and_everything(mixture):
    """Fifty equal estimates: independent, or all the same one, up to the largest load there is."""
    theta, weight, power = mixture
    equal = Mixture(np.array([theta]), np.array([weight]), power)
    below = np.linspace(0.0, 1.0, 41)[None]
    np.testing.assert_allclose(factor_cdf(below, equal, 0.0), below[0] ** 50, atol=1e-12)
    # E max of 50 normals is 2.25, and own parts have sd sqrt(1 - 0.999^2) = 0.045.
    np.testing.assert_allclose(factor_cdf(below, equal, 1.0), below[0], atol=2.25 * 0.045 * 0.4)


def test_loading_gives_the_correlation():
    """Two classifiers on a million instances."""
    rng = np.random.default_rng(5)
    load, size = loading(0.6, 0.9), 10**6
    noise = np.sqrt(1 - load**2) * rng.normal(size=(2, size))
    right = load * rng.normal(size=size) + noise < stats.norm.ppf(0.9)
    assert np.corrcoef(right)[0, 1] == pytest.approx(0.36, abs=5 / np.sqrt(size))
    assert loading(0.0, 0.9) == 0.0
    assert loading(1.0, 0.9) == 0.999


def test_moments_and_quantiles():
    law = Tabled(4, 1, np.array([0.25, 0.5, 1.0]))
    assert (law.mean, law.sd) == (pytest.approx(2.25 / 4), pytest.approx(np.sqrt(0.6875) / 4))
    np.testing.assert_allclose(law.quantile(np.array([0.25, 0.3, 1.0])), [1 / 4, 2 / 4, 3 / 4])
