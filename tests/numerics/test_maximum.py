"""Laws of the sample maximum: against enumeration and simulation."""

import numpy as np
import pytest
from scipy import stats

from leaderbayes.numerics.maximum import (
    Mixture,
    boland_cdf,
    conditionals,
    copula_cdf,
    draw_counts,
    independent_cdf,
    loading,
    moments,
    of_board,
    of_law,
    quantiles,
)


def full(n, law):
    """F at 0 to n."""
    low, cdf = law
    return np.concatenate([np.zeros(low), cdf, np.ones(n + 1 - low - len(cdf))])


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
    from leaderbayes.numerics import maximum

    one = Mixture(np.array([0.88, 0.9]), np.array([300.0, 200.0]), 0.0)
    thin = full(3000, boland_cdf(3000, one, 0.6, 0.9))
    monkeypatch.setattr(maximum, "_STEPS", 1000)
    np.testing.assert_allclose(thin, full(3000, boland_cdf(3000, one, 0.6, 0.9)), atol=1e-9)


@pytest.mark.parametrize("law", [stats.uniform(0.8, 0.1), stats.beta(80, 12)])
@pytest.mark.parametrize("m", [1, 10, 1000])
def test_drawn_thetas(law, m):
    """E over P(theta) of one classifier's cdf, to the power m."""
    n = 200
    u = (np.arange(20_000) + 0.5) / 20_000
    grid = np.linspace(0.5, 1.0, 2001)
    # Midpoints in u; the cdf of each theta by interpolation on a fine grid.
    cdf = np.array([stats.binom.cdf(x, n, grid) for x in range(n + 1)])
    mean = np.array([np.interp(law.ppf(u), grid, row).mean() for row in cdf])
    got = full(n, independent_cdf(n, of_law(law.ppf, m)))
    np.testing.assert_allclose(got, mean**m, atol=2e-6 * m + 1e-6)


@pytest.mark.parametrize(
    ("dependence", "rho", "slack"),
    [("boland", 0.0, 0.0), ("boland", 0.5, 0.0), ("copula", 0.5, 0.02)],
)
def test_simulators_follow_the_laws(dependence, rho, slack):
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
    cdf = full(n, law)
    empirical = np.searchsorted(np.sort(best), np.arange(n + 1), side="right") / boards
    # Kolmogorov's distance at level 0.001; the copula's law is a normal approximation.
    assert abs(empirical - cdf).max() < 1.95 / np.sqrt(boards) + slack
    mean, sd = moments(n, *law)
    assert best.mean() / n == pytest.approx(mean, abs=4 * sd / np.sqrt(boards) + slack * sd)


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
    cdf = np.array([0.25, 0.5, 1.0])
    assert moments(4, 1, cdf) == (pytest.approx(2.25 / 4), pytest.approx(np.sqrt(0.6875) / 4))
    np.testing.assert_allclose(
        quantiles(4, 1, cdf, np.array([0.25, 0.3, 1.0])), [1 / 4, 2 / 4, 3 / 4]
    )
