"""Thetas integrated out of a board's likelihood, against brute force."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln, gammaln, logsumexp

from leaderbayes.numerics.hierarchy import (
    Law,
    _conditionals,
    above,
    allowed,
    beta_law,
    counts,
    draw_thetas,
    empirical_law,
    fixed_law,
    marginals,
    of_maximum,
    shifted_binomial,
    statistics,
)
from leaderbayes.numerics.maximum import _two_binomials, conditionals


def law_of(board, a, b, weight=(1.0,), fine=1.0, low=None, high=None):
    low = board.x[0] if low is None else low
    high = board.x[-1] if high is None else high
    arrays = (np.atleast_1d(np.asarray(v, dtype=float)) for v in (a, b, weight))
    return Law(*beta_law(board.n, low, high, *arrays, fine))


def exact_law_given(n, theta, rho, theta_0, s):
    up, down = conditionals(np.array([theta]), allowed(theta, rho, theta_0), theta_0)
    cdf = _two_binomials(s, n, np.clip(up, 0, 1), np.clip(down, 0, 1), 0, n)[0]
    return np.diff(cdf, prepend=0.0)


# Total variations that the module's docstring states.
@pytest.mark.parametrize(("n", "most"), [(50, 0.014), (500, 0.0011), (3000, 0.0002)])
@pytest.mark.parametrize("away", [-2, 0, 1])
def test_shifted_binomial_is_nearly_the_sum_of_two(n, most, away):
    theta, rho, theta_0 = 0.9, 0.6, 0.9
    sd = math.sqrt(n * theta_0 * (1 - theta_0))
    s = round(n * theta_0 + away * sd)
    shift, size, p = shifted_binomial(n, theta, rho, theta_0, (s - n * theta_0) / sd)
    y = np.arange(n + 1) - shift
    inside = (y > -1) & (y < size + 1)
    log = gammaln(size + 1) - gammaln(y[inside] + 1) - gammaln(size - y[inside] + 1)
    pmf = np.zeros(n + 1)
    pmf[inside] = np.exp(log + y[inside] * np.log(p) + (size - y[inside]) * np.log1p(-p))
    exact = exact_law_given(n, theta, rho, theta_0, s)
    assert 0.5 * abs(pmf - exact).sum() < most
    x = np.arange(n + 1)
    assert pmf @ x == pytest.approx(exact @ x, abs=0.02 * n**0.5)


def test_independent_betas_are_beta_binomials():
    rng = np.random.default_rng(1)
    n, a, b, weight = 400, np.array([30.0, 400.0]), np.array([5.0, 45.0]), np.array([0.3, 0.7])
    board = counts(rng.binomial(n, rng.beta(a[0], b[0], 60)) / n, n)
    found = np.log(marginals(board, law_of(board, a, b, weight), 0.0, 0.9, 0.0))
    x = board.x[:, None]
    log = betaln(a + x, b + n - x) - betaln(a, b) + np.log(weight)
    log += gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    np.testing.assert_allclose(found, logsumexp(log, axis=1), atol=1e-5)


# From nearly equal classifiers to nearly uniform ones, and laws with peaks at 0 and 1.
@pytest.mark.parametrize(("a", "b"), [(9e4, 1e4), (1.1, 1.3), (0.7, 0.8), (50.0, 2.0)])
def test_narrow_and_wide_betas(a, b):
    n = 150
    board = counts(np.array([0.0, 0.3, 0.85, 0.9, 1.0]), n)
    found = np.log(marginals(board, law_of(board, a, b), 0.0, 0.9, 0.0))
    expected = stats.betabinom(n, a, b).logpmf(board.x)
    # Of a classifier that P(theta) all but excludes only the order of magnitude counts.
    near = expected > -100.0
    np.testing.assert_allclose(found[near], expected[near], rtol=0.01, atol=0.01)


def test_floor_is_a_truncation():
    n, floor = 300, 200
    board = counts(np.array([0.7, 0.75, 0.8, 0.5]), n, floor)
    assert board.x.min() > floor
    law = law_of(board, 20.0, 6.0, low=floor, high=n)
    found = marginals(board, law, 0.0, 0.9, 0.0)
    whole = stats.betabinom(n, 20.0, 6.0)
    np.testing.assert_allclose(found, whole.pmf(board.x) / whole.sf(floor), rtol=1e-3)
    node = _conditionals(n, law.phi, law.share, 0.0, 0.9, 0.0)
    exact = stats.binom(n, np.sin(law.phi) ** 2).sf(floor)
    np.testing.assert_allclose(above(floor, node), exact, atol=1e-8)


def test_drawn_thetas_have_the_conjugate_law():
    """Without dependence theta given x is Beta(a + x, b + n - x)."""
    n, a, b, many = 200, 18.0, 3.0, 2000
    board = counts(np.repeat([0.8, 0.95], many), n)
    law = law_of(board, a, b, fine=0.25)
    uniform = np.random.default_rng(2).random((2 * many, 2))
    theta, share = draw_thetas(board, law, 0.0, 0.9, 0.0, uniform)
    np.testing.assert_allclose(share, marginals(board, law, 0.0, 0.9, 0.0))
    for x, drawn in ((160, theta[:many]), (190, theta[many:])):
        assert stats.kstest(drawn, stats.beta(a + x, b + n - x).cdf).pvalue > 1e-3


def test_dependence_by_brute_force():
    """P(x | s) with theta integrated by a fine sum, from the sum of two binomials itself."""
    n, a, b, rho, theta_0, s = 500, 40.0, 8.0, 0.5, 0.85, 432
    z = (s - n * theta_0) / math.sqrt(n * theta_0 * (1 - theta_0))
    board = counts(np.array([380, 410, 431, 450]) / n, n)
    found = marginals(board, law_of(board, a, b), rho, theta_0, z)
    theta = np.linspace(0.6, 0.99, 391)
    density = stats.beta(a, b).pdf(theta) * (theta[1] - theta[0])
    rows = np.array([exact_law_given(n, t, rho, theta_0, s)[board.x.astype(int)] for t in theta])
    np.testing.assert_allclose(found, density @ rows, rtol=2e-3)


def test_weak_classifiers_depend_as_much_as_they_can():
    assert allowed(0.9, 0.6, 0.9) == 0.6
    weak = allowed(0.3, 0.6, 0.9)
    assert 0.0 < weak < 0.6
    _, down = conditionals(np.array([0.3]), weak, 0.9)
    assert down[0] == pytest.approx(0.0, abs=1e-12)


def test_law_of_the_maximum():
    """P(best theta, best count) by drawing boards, of independent and of dependent classifiers."""
    rng, n, m, theta_0, boards = np.random.default_rng(3), 200, 30, 0.9, 200_000
    p = stats.beta(40.0, 10.0)
    law = fixed_law(n, p.ppf, p.cdf)
    assert law.share.sum() == pytest.approx(1.0)
    theta = p.rvs((boards, m), random_state=rng)
    best, x = theta.max(axis=1), rng.binomial(n, theta).max(axis=1)
    for count in (172, 180):
        board = counts(np.append(np.full(m - 1, 0.5), count / n), n)
        log, node, chance = of_maximum(board, law, 0.0, theta_0, 0.0)
        share = (x == count).mean()
        assert math.exp(log) == pytest.approx(share, abs=4 * math.sqrt(share / boards))
        mean, sd = node @ chance, math.sqrt(node**2 @ chance - (node @ chance) ** 2)
        seen = best[x == count]
        assert mean == pytest.approx(seen.mean(), abs=4 * sd / math.sqrt(len(seen)))
        assert sd == pytest.approx(seen.std(), rel=4 / math.sqrt(2 * len(seen)))


def test_empirical_law_is_equation_9():
    board = counts(np.array([0.5, 0.8, 0.8, 0.9]), 100)
    law = empirical_law(board, 0.9, 0.25)
    np.testing.assert_allclose(np.sin(law.phi) ** 2, 0.9 * board.x / 100 + 0.1 * 0.25)
    np.testing.assert_allclose(law.share, [0.25, 0.5, 0.25])


def test_statistics_are_quantiles():
    boards = np.random.default_rng(4).random((3, 5, 17))
    expected = np.quantile(boards, [1.0, 0.9, 0.5, 0.1], axis=-1)
    np.testing.assert_allclose(statistics(boards), np.moveaxis(expected, 0, -1))
    np.testing.assert_allclose(statistics(np.array([0.3])), 0.3)


def test_grouped_scores_have_the_likelihood_of_all():
    """Seven hundred different scores as two hundred: a tenth of a log unit over the whole board."""
    rng, n = np.random.default_rng(0), 13840
    score = rng.binomial(n, rng.beta(450, 50, 2000)) / n
    board = counts(score, n)
    whole, grouped = (empirical_law(board, 0.998, 0.5, step) for step in (0.0, 0.1))
    assert len(grouped.phi) < 0.5 * len(whole.phi)
    assert grouped.share.sum() == pytest.approx(1.0)
    found = [board.times @ np.log(marginals(board, law, 0.6, 0.9, 0.3)) for law in (whole, grouped)]
    assert found[0] == pytest.approx(found[1], abs=0.1)
