"""Medians and interquartile means over rounds of unknown law."""

import numpy as np
import pytest
from scipy.stats import binom, gamma

from leaderbayes._numerics import rounds

DRAWS = 4000


# Of the sum of two exponential laws, of means 1 and s, which has a gamma law for s = 1.
MEDIANS = [float(gamma(2.0).median()), float(-2.0 * np.log(1.0 - np.sqrt(0.5)))]


def drawn(scores, statistic, luck=0.0, seed=1):
    return rounds.flat(scores, luck, statistic, DRAWS, np.random.default_rng(seed))


def test_mass_widens_as_students_law():
    """A mean by these weights would have the variance of the correlated t's, but for its tails."""
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(12, 2))
    for luck in (0.0, 0.1):
        mass = rounds.mass(12, luck)
        weights = rng.dirichlet(np.full(12, mass / 12), 40_000)
        centred = scores - scores.mean(axis=0)
        wanted = (centred**2).sum(axis=0) / 11 * (1 / 12 + luck)
        # A variance of 40 000 draws: 0.7 % of Monte Carlo error, more of heavy tails.
        np.testing.assert_allclose((weights @ scores).var(axis=0), wanted, rtol=0.05)


@pytest.mark.parametrize("statistic", ["median", "iqm"])
def test_brute_force(statistic):
    """Of weights in whole parts: the statistic of so many copies of each round."""
    rng = np.random.default_rng(3)
    ranked = np.sort(rng.normal(size=9))
    counts = rng.integers(1, 6, size=(50, 9)) * 4
    for one in counts:
        copies = np.repeat(ranked, one)
        ours = rounds._between(ranked, (one / one.sum())[None], statistic)[0]
        if statistic == "iqm":
            n = len(copies)
            assert ours == pytest.approx(copies[n // 4 : n - n // 4].mean())
        else:
            # Between two neighbours, the nearer to that whose middle is nearer to a half.
            at = np.searchsorted(ranked, np.median(copies))
            assert ranked[max(at - 1, 0)] <= ours <= ranked[min(at + 1, 8)]


def test_median_is_covered():
    """Of skewed rounds, and the difference of two players' medians."""
    rng = np.random.default_rng(4)
    boards, inside = 300, 0
    for _ in range(boards):
        effect = rng.exponential(size=(10, 1))
        scores = effect + rng.exponential(size=(10, 2)) * [1.0, 2.0]
        gap = np.diff(rounds.flat(scores, 0.0, "median", 500, rng), axis=1)
        low, high = np.quantile(gap, [0.025, 0.975])
        inside += low <= MEDIANS[1] - MEDIANS[0] <= high
    # At least 0.95, by a test of 1 in 1000; it is 0.94 to 0.98 in a wider grid.
    assert inside >= binom(boards, 0.95).ppf(0.001)


def test_odd_rounds_do_not_move_it():
    rng = np.random.default_rng(7)
    scores = 0.01 * rng.normal(size=(30, 3)) + [0.5, 0.52, 0.54]
    odd = scores.copy()
    odd[0, 2] = -10.0
    for statistic in ("median", "iqm"):
        a, b = drawn(scores, statistic).mean(axis=0), drawn(odd, statistic).mean(axis=0)
        np.testing.assert_allclose(a, b, atol=0.01)
        assert b.argmax() == 2
    assert odd.mean(axis=0).argmax() < 2  # means it does


def test_rounds_stay_whole():
    """What rounds share moves the players together, and not their difference."""
    rng = np.random.default_rng(8)
    shared = 10.0 * rng.normal(size=(20, 1))
    scores = shared + [0.0, 1.0] + 0.01 * rng.normal(size=(20, 2))
    for statistic in ("median", "iqm"):
        medians = drawn(scores, statistic)
        assert medians[:, 0].std() > 1.0
        assert np.diff(medians, axis=1).std() < 0.05


def test_few_rounds_of_many_folds():
    """Mass below 1, at which all weights of a draw can vanish."""
    scores = np.random.default_rng(9).normal(size=(100, 2))
    values = drawn(scores, "median", luck=0.95)
    assert 0.0 < rounds.mass(100, 0.95) < 0.05
    assert np.isfinite(values).all()
    assert rounds.mass(2, 0.0) <= 0.0
