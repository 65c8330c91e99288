"""A law of thetas learnt from a board: its cells, its likelihood, and its sampler."""

import numpy as np
import pytest
from scipy import stats

from leaderbayes._numerics import flexible_law as law
from leaderbayes._numerics import theta_cells as cell
from leaderbayes._numerics.counts import conditionals_at, log_probability


def everywhere(edge, scores):
    """Cells that any score can come from."""
    size = len(edge) - 1
    share = np.diff(edge) / np.ptp(edge)
    return cell.Cells(edge, np.zeros(scores, np.int64), np.arange(scores + 1) * size, share)


def likelihood(edge, x, n):
    middle = 0.5 * (edge[1:] + edge[:-1])
    return stats.binom.pmf(x[:, None], n, np.sin(middle) ** 2).ravel()


def test_cells_are_fine_where_scores_are_and_skip_the_rest():
    centre, unit = np.array([0.0, 0.3, 100.0]), np.array([1.0, 0.2, 1.0])
    given = cell.cells(centre, unit, -np.inf, np.inf)
    assert given.edge[0] == -4.0
    assert given.edge[-1] == 104.0
    width = np.diff(given.edge)
    assert (width > 0.0).all()
    near = (given.edge[:-1] > -1.0) & (given.edge[:-1] < 1.5)
    np.testing.assert_allclose(width[near], 0.1)
    assert width.max() == pytest.approx(86.0, abs=0.6)  # nobody is there
    for u, (c, s) in enumerate(zip(centre, unit, strict=True)):
        first, size = given.first[u], given.row[u + 1] - given.row[u]
        assert given.edge[first] <= max(c - cell.REACH * s, -4.0) + 1e-12
        assert given.edge[first + size] >= min(c + cell.REACH * s, 104.0) - 1e-12


def test_cells_keep_within_the_scale():
    given = cell.cells(np.array([0.01, 1.56]), np.array([0.1, 0.1]), 1e-7, 1.57)
    assert given.edge[0] == 1e-7
    assert given.edge[-1] == 1.57


def test_likelihood_of_counts_above_a_floor():
    n, x = 40, np.array([12.0, 30.0])
    theta = np.linspace(0.2, 0.9, 8)
    node = conditionals_at(n, np.log(theta / (1.0 - theta)), 0.0, 0.5, 0.0)
    seen = stats.binom.logsf(10, n, theta)
    given = everywhere(np.linspace(0.0, 1.0, 9), 2)
    value, factor = cell.of_counts(given, x, node, seen)
    exact = stats.binom.logpmf(x[:, None], n, theta) - seen
    np.testing.assert_allclose(np.log(value.reshape(2, -1)) + factor[:, None], exact, atol=1e-9)


def test_counts_follow_from_their_neighbours_exactly():
    """Steps of one, gaps, all right, and what is too improbable for numbers that are no logs."""
    for n, theta_0, rho, z in ((60, 0.5, 0.0, 0.0), (60, 0.9, 0.6, -1.5), (10_000, 0.9, 0.6, 1.0)):
        x = np.unique(np.round(n * np.array([0.3, 0.7, 0.71, 0.72, 0.8, 0.801, 0.99, 1.0])))
        x = np.union1d(x, np.arange(n - 4.0, n + 1.0))
        theta = np.array([1e-4, 0.3, 0.6, 0.72, 0.8, 0.95, 0.9999])
        node = conditionals_at(n, np.log(theta / (1.0 - theta)), rho, theta_0, z)
        seen = np.linspace(-3.0, 0.0, theta.size)
        seen[0] = -700.0  # hardly ever above the floor
        value, factor = cell.of_counts(everywhere(np.arange(8.0), len(x)), x, node, seen)
        exact = np.array([[log_probability(one, *at) for at in node] for one in x]) - seen
        exact[:, 0] = -np.inf
        np.testing.assert_allclose(factor, exact.max(axis=1), rtol=1e-9)
        found = value.reshape(len(x), -1)
        np.testing.assert_allclose(found, np.exp(exact - factor[:, None]), rtol=1e-7, atol=1e-200)


def test_gains_are_sums_of_logarithms():
    """Of many, equal and extreme factors, and of one that is nothing at an end."""
    rng, f = np.random.default_rng(5), np.array([0.0, 1e-6, 0.3, 0.7, 1.0])
    for spread in (0.5, 30.0):
        one, other = np.exp(rng.normal(0.0, spread, (2, 400)))
        other[7] = 0.0
        many = rng.integers(1, 12, 400)
        rest, slope = one, other - one
        found = law._gains(f, rest, slope, many)
        exact = np.log(np.maximum(rest + slope * f[:, None], 1e-300)) @ many
        np.testing.assert_allclose(found, exact, rtol=1e-11, atol=1e-9)
        assert found[-1] < -600.0  # impossible


def test_sums_are_of_shares_and_likelihoods():
    edge, x = np.linspace(0.5, 1.2, 11), np.array([20.0, 35.0])
    value = likelihood(edge, x, 50)
    share = np.random.default_rng(0).dirichlet(np.ones(10))
    found = law.log_sums(everywhere(edge, 2), value, share)
    np.testing.assert_allclose(found, np.log(value.reshape(2, -1) @ share))


def test_places_follow_shares_and_likelihoods():
    edge, x = np.linspace(0.5, 1.2, 8), np.array([30.0])
    value = likelihood(edge, x, 50)
    share = np.full(7, 1.0 / 7.0)
    of = np.zeros(20_000, np.int64)
    at, log = law.place(everywhere(edge, 1), value, share, of, np.random.default_rng(1))
    expected = value * share / (value * share).sum()
    found = np.histogram(at, edge)[0]
    assert stats.chisquare(found, expected * found.sum()).pvalue > 1e-3
    assert log[0] == pytest.approx(np.log((value * share).sum()))
    drawn = law.draw(everywhere(edge, 1), expected, 20_000, np.random.default_rng(2))
    assert stats.chisquare(np.histogram(drawn, edge)[0], expected * 20_000).pvalue > 1e-3


def test_two_teams_by_all_their_partitions():
    """Two counts, four cells: the chance to share a cell, and where, by enumeration."""
    edge, x, n = np.linspace(0.7, 1.1, 5), np.array([25.0, 31.0]), 50
    value = likelihood(edge, x, n)
    given, pair = everywhere(edge, 2), value.reshape(2, -1)
    chance = np.zeros((4, 4))
    for alpha, prior in zip(law.ALPHAS, law.ALPHAS_PRIOR, strict=True):
        base = alpha / 4.0
        both = base * (base + np.eye(4)) / (alpha * (alpha + 1.0))
        chance += prior * pair[0][:, None] * pair[1] * both
    chance /= chance.sum()
    rng, found = np.random.default_rng(3), np.zeros((4, 4))
    weight, of, alpha = law.start(given, rng), np.arange(2), 1.0
    for _ in range(20_000):
        alpha = law.sweep(given, value, np.log(value), np.ones(2, np.int64), weight, alpha, 1, rng)
        law.share_out(given, value, np.ones(2, np.int64), weight, alpha, rng)
        at, _ = law.place(given, value, weight, of, rng)
        a, b = np.minimum(np.searchsorted(edge, at, side="right") - 1, 3)
        found[a, b] += 1.0
    # Draws hang together: about one in three is worth a new one.
    np.testing.assert_allclose(found / found.sum(), chance, atol=4.0 * np.sqrt(0.25 / 6000.0))


@pytest.mark.slow
def test_ranks_of_the_best_are_uniform():
    """Simulation-based calibration of the sampler, on cells that do not depend on the board."""
    rng, edge, n, m = np.random.default_rng(4), np.linspace(0.6, 1.4, 31), 60, 12
    size, kept = len(edge) - 1, 39
    ranks = []
    for _ in range(400):
        alpha = rng.choice(law.ALPHAS, p=law.ALPHAS_PRIOR)
        share = rng.dirichlet(np.full(size, alpha / size))
        drawn = rng.choice(size, m, p=share)
        middle = 0.5 * (edge[1:] + edge[:-1])
        right = rng.binomial(n, np.sin(middle[drawn]) ** 2)
        x, of, times = np.unique(right, return_inverse=True, return_counts=True)
        value, given = likelihood(edge, x.astype(float), n), everywhere(edge, len(x))
        weight, best = law.start(given, rng), []
        log = np.log(value)
        alpha = law.sweep(given, value, log, times, weight, 1.0, 100, rng)
        for _ in range(kept):
            alpha = law.sweep(given, value, log, times, weight, alpha, 5, rng)
            law.share_out(given, value, times, weight, alpha, rng)
            best.append(law.place(given, value, weight, of, rng)[0].max())
        true = edge[drawn.max()] + rng.random() * (edge[1] - edge[0])
        ranks.append(int((np.array(best) < true).sum()))
    counts = np.bincount(np.array(ranks) // 4, minlength=10)
    assert stats.chisquare(counts).pvalue > 1e-3
