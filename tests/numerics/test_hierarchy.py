"""Thetas integrated out of a board's likelihood, against brute force."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln, expit, gammaln, log_expit, logsumexp

from conftest import sum_of_binomials
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.counts import conditionals_at, counts
from leaderbayes._numerics.hierarchy import (
    beta_law,
    draw_thetas,
    empirical_law,
    known_law,
    log_seen,
    marginals,
    of_maximum,
)


def law_of(a, b, weight=(1.0,)):
    return beta_law(*(np.atleast_1d(np.asarray(v, dtype=float)) for v in (a, b, weight)))


def test_independent_betas_are_beta_binomials():
    rng = np.random.default_rng(1)
    n, a, b, weight = 400, np.array([30.0, 400.0]), np.array([5.0, 45.0]), np.array([0.3, 0.7])
    board = counts(rng.binomial(n, rng.beta(a[0], b[0], 60)) / n, n)
    found = marginals(board, law_of(a, b, weight), 0.0, 0.9, 0.0)
    x = board.x[:, None]
    log = betaln(a + x, b + n - x) - betaln(a, b) + np.log(weight)
    log += gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    np.testing.assert_allclose(found, logsumexp(log, axis=1), atol=1e-7)


# From nearly equal classifiers to nearly uniform ones, and laws with peaks at 0 and 1.
@pytest.mark.parametrize(("a", "b"), [(9e4, 1e4), (1.1, 1.3), (0.7, 0.8), (50.0, 2.0)])
def test_narrow_and_wide_betas(a, b):
    n = 150
    board = counts(np.array([0.0, 0.3, 0.85, 0.9, 1.0]), n)
    found = marginals(board, law_of(a, b), 0.0, 0.9, 0.0)
    # As well of a classifier that P(theta) all but excludes.
    np.testing.assert_allclose(found, stats.betabinom(n, a, b).logpmf(board.x), atol=1e-5)


@pytest.mark.parametrize("size", [0.5, 26.0, 3e3, 1e6])
@pytest.mark.parametrize("mean", [0.3, 0.66, 0.67, 0.77, 0.999])
def test_floor_is_a_truncation(mean, size):
    """Wherever P(theta) is: all of it above the floor, below it, or within the floor's width."""
    n, floor = 300, 200
    board = counts(np.array([0.7, 0.75, 0.8, 0.5]), n, floor)
    assert board.x.min() > floor
    whole = stats.betabinom(n, mean * size, (1.0 - mean) * size)
    law = law_of(mean * size, (1.0 - mean) * size)
    x = np.arange(floor + 1, n + 1)
    seen = logsumexp(whole.logpmf(x))
    assert log_seen(board, law, 0.0, 0.9, 0.0) == pytest.approx(seen, abs=1e-4)
    found = marginals(board, law, 0.0, 0.9, 0.0)
    np.testing.assert_allclose(found, whole.logpmf(board.x) - seen, atol=1e-4)


@pytest.mark.parametrize("rho", [0.0, 0.6])
@pytest.mark.parametrize("count", [0, 2, 29, 60, 171, 198])
def test_everyone_above_the_floor_is_one(count, rho):
    """Of atoms, and of betas, whatever the luck: all counts above the floor together."""
    n, theta_0, z = 200, 0.8, 0.7
    atoms = empirical_law(counts(np.linspace(0.0, 1.0, 51), n), 0.99, 0.5)
    laws = [atoms, law_of(0.8, 0.9), law_of(160.0, 40.0)]
    # Dependent classifiers who are all alike cannot have all counts: a shifted binomial ends.
    for law in laws if rho else [*laws, law_of(1.6e5, 4e4)]:
        board = counts(np.arange(count + 1, n + 1) / n, n, count)
        total = logsumexp(marginals(board, law, rho, theta_0, z))
        # The shifted binomial's counts beside 0 and n are not summed.
        assert total == pytest.approx(0.0, abs=0.01 if rho else 1e-4)


def test_drawn_thetas_have_the_conjugate_law():
    """Without dependence theta given x is Beta(a + x, b + n - x)."""
    n, a, b, many = 200, 18.0, 3.0, 2000
    board = counts(np.repeat([0.8, 0.95], many), n)
    law = law_of(a, b)
    uniform = np.random.default_rng(2).random((2 * many, 2))
    theta, share = draw_thetas(board, law, 0.0, 0.9, 0.0, uniform)
    np.testing.assert_allclose(share, marginals(board, law, 0.0, 0.9, 0.0), atol=1e-4)
    for x, drawn in ((160, theta[:many]), (190, theta[many:])):
        assert stats.kstest(drawn, stats.beta(a + x, b + n - x).cdf).pvalue > 1e-3


def test_dependence_by_brute_force():
    """P(x | s) with theta integrated by a fine sum, from the sum of two binomials itself."""
    n, a, b, rho, theta_0, s = 500, 40.0, 8.0, 0.5, 0.85, 432
    z = (s - n * theta_0) / math.sqrt(n * theta_0 * (1 - theta_0))
    board = counts(np.array([380, 410, 431, 450]) / n, n)
    found = np.exp(marginals(board, law_of(a, b), rho, theta_0, z))
    theta = np.linspace(0.6, 0.99, 391)
    density = stats.beta(a, b).pdf(theta) * (theta[1] - theta[0])
    rows = np.array([sum_of_binomials(n, t, rho, theta_0, s)[board.x.astype(int)] for t in theta])
    np.testing.assert_allclose(found, density @ rows, rtol=2e-3)


def test_law_of_the_maximum():
    """P(best theta, best count) by drawing boards, of independent and of dependent classifiers."""
    rng, n, m, theta_0, boards = np.random.default_rng(3), 200, 30, 0.9, 200_000
    p = stats.beta(40.0, 10.0)
    law = known_law(counts(np.array([0.5, 0.9]), n), p)
    assert np.exp(law.log_share).sum() == pytest.approx(1.0)
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
    np.testing.assert_allclose(expit(law.eta), 0.9 * board.x / 100 + 0.1 * 0.25)
    np.testing.assert_allclose(np.exp(law.log_share), [0.25, 0.5, 0.25])


def test_grouped_scores_have_the_likelihood_of_all():
    """Seven hundred different scores as two hundred: a tenth of a log unit over the whole board."""
    rng, n = np.random.default_rng(0), 13840
    score = rng.binomial(n, rng.beta(450, 50, 2000)) / n
    board = counts(score, n)
    whole, grouped = (empirical_law(board, 0.998, 0.5, step) for step in (0.0, 0.1))
    assert len(grouped.eta) < 0.5 * len(whole.eta)
    assert np.exp(grouped.log_share).sum() == pytest.approx(1.0)
    found = [board.times @ marginals(board, law, 0.6, 0.9, 0.3) for law in (whole, grouped)]
    assert found[0] == pytest.approx(found[1], abs=0.1)


def outlying_boards(number):
    """Boards of all sizes, of groups, ties, and classifiers far from all others."""
    rng = np.random.default_rng(8)
    for _ in range(number):
        n, m = int(10 ** rng.uniform(1.5, 9.0)), int(rng.integers(1, 40))
        score = rng.normal(rng.random(), 10 ** rng.uniform(-5.0, -1.0), m)
        far = rng.random(m) < 0.1
        score[far] = rng.random(far.sum())
        x = np.round(np.clip(score, 0.0, 1.0) * n)
        yield n, x, rng.random(), 10 ** rng.uniform(-1.0, 7.0)


@pytest.mark.parametrize(("n", "x", "mean", "size"), list(outlying_boards(50)))
def test_independent_thetas_are_conjugate_wherever_the_counts_are(n, x, mean, size):
    """P(x) is beta-binomial, and theta given x is Beta(a + x, b + n - x)."""
    rng, a, b = np.random.default_rng(9), mean * size, (1.0 - mean) * size
    board, law = counts(x / n, n), law_of(a, b)
    exact = gammaln(n + 1) - gammaln(board.x + 1) - gammaln(n - board.x + 1)
    exact += betaln(a + board.x, b + n - board.x) - betaln(a, b)
    found = marginals(board, law, 0.0, 0.9, 0.0)
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=2e-4)
    board = board._replace(of=np.repeat(board.of, 100), times=100 * board.times)
    uniform = np.column_stack(
        (np.tile((np.arange(100) + 0.5) / 100, len(x)), rng.random(100 * len(x)))
    )
    theta, log = draw_thetas(board, law, 0.0, 0.9, 0.0, uniform)
    np.testing.assert_allclose(log, exact, rtol=1e-9, atol=2e-4)
    level = stats.beta(a + x[:, None], b + n - x[:, None]).cdf(theta.reshape(-1, 100))
    np.testing.assert_allclose(level.mean(axis=1), 0.5, atol=0.04)
    np.testing.assert_allclose(level.std(axis=1), 12**-0.5, atol=0.03)


@pytest.mark.parametrize("rho", [0.3, 0.9, 0.98])
@pytest.mark.parametrize(("mean", "size"), [(0.72, 90.0), (0.72, 3e4), (0.2, 5.0), (0.97, 400.0)])
@pytest.mark.parametrize("z", [-3.0, 0.0, 2.5, 10.0])
def test_dependent_outliers_by_a_fine_sum(rho, mean, size, z):
    """Weak ones depend as much as they can, and some thetas cannot have so low a count at all."""
    n, theta_0, x = 4000, 0.75, np.array([0, 40, 1500, 2900, 3400, 3990])
    a, b = mean * size, (1.0 - mean) * size
    board = counts(x / n, n)
    found = marginals(board, law_of(a, b), rho, theta_0, z)
    eta = np.linspace(-27.0, 27.0, 400_001)
    given = conditionals_at(n, eta, rho, theta_0, z)
    density = a * log_expit(eta) + b * log_expit(-eta) - betaln(a, b) + np.log(eta[1] - eta[0])
    for count, one in zip(x, found, strict=True):
        y, rest = count - given[:, 0], given[:, 1] - count + given[:, 0]
        inside = (y > -1) & (rest > -1)
        log = given[:, 4] - gammaln(y + 1) - gammaln(rest + 1) + y * given[:, 2]
        log = np.where(inside, log + rest * given[:, 3] + density, -np.inf)
        # Beyond what a shifted binomial can be at all, only the order of magnitude matters.
        near = 5e-3 if one > -700.0 else 1.0
        assert one == pytest.approx(logsumexp(log), rel=0, abs=near)


def test_known_laws_reach_to_the_counts():
    """Six and more standard deviations from P(theta), where its own grid once ended."""
    n, a, b = 2000, 9000.0, 1000.0
    board = counts(np.array([0.8, 0.87, 0.9, 0.95]), n)
    law = known_law(board, stats.beta(a, b))
    exact = stats.betabinom(n, a, b).logpmf(board.x)
    np.testing.assert_allclose(marginals(board, law, 0.0, 0.9, 0.0), exact, atol=0.02)
    theta, _ = draw_thetas(board, law, 0.0, 0.9, 0.0, np.full((4, 2), 0.5))
    np.testing.assert_allclose(theta, stats.beta(a + board.x, b + n - board.x).median(), atol=2e-4)
    with pytest.raises(LeaderbayesError, match="smaller test sets"):
        known_law(counts(np.array([0.1, 0.9]), 10**12), stats.uniform())


def test_the_best_score_may_be_impossible():
    board = counts(np.array([0.5, 0.99]), 5000)
    log, _, chance = of_maximum(board, known_law(board, stats.beta(500, 500)), 0.0, 0.9, 0.0)
    assert log == -np.inf
    assert not chance.any()
