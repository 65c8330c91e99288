"""The nested Laplace approximation against quadrature, and calibrated on its own prior."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, log_expit

from leaderbayes._numerics.laplace import sample


def pairs(m, n, rng, sigma):
    """Strengths from the prior, and wins (player, opponent) of n independent matches a pair."""
    b = sigma * rng.standard_normal(m)
    b -= b.mean()
    wins = np.zeros((m, m))
    upper = np.triu_indices(m, 1)
    wins[upper] = rng.binomial(n, expit(b[upper[0]] - b[upper[1]]))
    wins.T[upper] = n - wins[upper]
    return b, wins, n * (1.0 - np.eye(m))


@pytest.mark.parametrize(("won", "of"), [(3, 6), (5, 6), (6, 6), (20, 20)])
def test_two_players(won, of):
    """One gap and one scale: both by quadrature."""
    gap, log_scale = np.meshgrid(np.linspace(-30, 30, 2401), np.linspace(-8, 3, 441))
    scale = np.exp(log_scale)
    # b = (gap / 2, -gap / 2), of which ZeroSumNormal has gap / sqrt(2) ~ N(0, sigma^2).
    log = won * log_expit(gap) + (of - won) * log_expit(-gap)
    log += -(gap**2) / (4 * scale**2) - log_scale - 0.5 * (scale / 2.0) ** 2 + log_scale
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    wins = np.array([[0.0, won], [of - won, 0.0]])
    n = of * (1.0 - np.eye(2))
    made = sample(wins.sum(axis=1), n, 1.0, 2.0, 100_000, np.random.default_rng(1))
    drawn = made.epp[:, 0] - made.epp[:, 1]
    mean = (weight * gap).sum()
    sd = np.sqrt((weight * gap**2).sum() - mean**2)
    # What the approximation gives away on six matches: a tenth of a standard deviation, 0.27 of
    # its size where one of the two won every match, 0.04 of a probability.
    assert drawn.mean() == pytest.approx(mean, abs=0.1 * sd)
    assert drawn.std() == pytest.approx(sd, rel=0.29 if won == of else 0.15)
    assert made.scale.mean() == pytest.approx((weight * scale).sum(), rel=0.05)
    assert (drawn > 0).mean() == pytest.approx(
        weight[gap > 0].sum() + weight[gap == 0].sum() / 2, abs=0.045
    )


def test_ranks_of_the_truth_are_uniform():
    """Strengths and scale from the prior: calibrated, but for the tails that it cuts."""
    rng = np.random.default_rng(2)
    simulations, draws = 400, 99
    ranks = np.empty((simulations, 2))
    for k in range(simulations):
        sigma = abs(2.0 * rng.standard_normal())
        b, wins, n = pairs(6, 8, rng, sigma)
        made = sample(wins.sum(axis=1), n, 1.0, 2.0, draws, rng)
        ranks[k] = (made.epp[:, 0] < b[0]).sum(), (made.scale < sigma).sum()
    for column in ranks.T:
        counts = np.bincount((column // 10).astype(int), minlength=10)
        assert stats.chisquare(counts).pvalue > 1e-3


def test_sums_to_zero_and_repeats():
    rng = np.random.default_rng(3)
    _, wins, n = pairs(7, 5, rng, 1.0)
    one, two = (sample(wins.sum(1), n, 0.5, 2.0, 50, np.random.default_rng(9)) for _ in range(2))
    np.testing.assert_allclose(one.epp.sum(axis=1), 0.0, atol=1e-12)
    np.testing.assert_array_equal(one.epp, two.epp)


@pytest.mark.parametrize("m", [2, 3, 30])
def test_boards_that_decide_everything(m):
    """The first wins every match, the second every other, and so on: finite, and in order."""
    wins = 40.0 * np.triu(np.ones((m, m)), 1)
    made = sample(wins.sum(1), wins + wins.T, 1.0, 2.0, 400, np.random.default_rng(4))
    assert np.isfinite(made.epp).all()
    assert (np.diff(made.epp.mean(axis=0)) < 0.0).all()


def test_players_who_never_met():
    """Two pairs that never met: their gap has the prior's spread."""
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = wins[2, 3] = wins[3, 2] = 5.0
    made = sample(wins.sum(1), wins + wins.T, 1.0, 2.0, 4000, np.random.default_rng(5))
    apart = made.epp[:, 0] + made.epp[:, 1] - made.epp[:, 2] - made.epp[:, 3]
    assert abs(apart.mean()) < 5.0 * apart.std() / np.sqrt(4000)
    # (b0 + b1) - (b2 + b3) has variance 4 sigma^2.
    assert (apart**2).mean() == pytest.approx((4.0 * made.scale**2).mean(), rel=0.3)
