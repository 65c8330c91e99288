"""Further votes on two, against votes that are drawn and counted."""

import numpy as np
import pytest
from scipy.special import expit, ndtr, ndtri
from scipy.stats import binom

from leaderbayes._numerics.further_gap import decides, gaps_of, width_after

# (draws of a difference, its estimate): even, apart, and of a player who never lost.
KNOWN = {
    "even": lambda rng: (rng.normal(0.2, 0.5, 2000), 0.2),
    "apart": lambda rng: (rng.normal(1.0, 0.7, 2000), 1.0),
    "never lost": lambda rng: (rng.gamma(2.0, 1.5, 2000) - 0.5, 2.5),
}


@pytest.fixture(params=KNOWN)
def known(request):
    return KNOWN[request.param](np.random.default_rng(1))


PAIRS = np.array([[0, 1], [1, 0]])


def gap_of(draws, at, prob):
    """Both ways, of two players between whom the difference is this."""
    epp = np.column_stack([0.5 * draws, -0.5 * draws])
    return gaps_of(epp, np.array([0.5 * at, -0.5 * at]), PAIRS, prob)


def after(draws, n, won):
    """Weights (draw,) of draws after so many wins in n votes."""
    weight = binom.pmf(won, n, expit(draws))
    return weight / weight.sum()


@pytest.mark.parametrize("n", [40, 150, 600])
def test_counted_votes_decide_as_often_and_leave_intervals_as_wide(known, n):
    draws, at = known
    prob = 0.95
    order = np.sort(draws)
    chance, width = np.zeros(2), 0.0
    predicted = binom.pmf(np.arange(n + 1)[:, None], n, expit(order)).mean(axis=1)
    for won in np.flatnonzero(predicted > 1e-6):
        weight = after(order, n, won)
        ahead = weight[order > 0.0].sum()
        chance += predicted[won] * np.array([ahead >= prob, ahead <= 1.0 - prob])
        share = np.cumsum(weight) - 0.5 * weight
        ends = np.interp([0.025, 0.975], share, order)
        width += predicted[won] * (ends[1] - ends[0])
    gap, information = gap_of(draws, at, prob), n * expit(at) * expit(-at)
    # Votes come in whole numbers: that moves where it is decided by half a vote.
    assert decides(gap, np.full(2, information)) == pytest.approx(chance, abs=0.06)
    assert width_after(gap, 0, information, prob) == pytest.approx(width, rel=0.08)


@pytest.mark.parametrize("gain", [0.5, 3.0, 30.0])
def test_where_all_is_normal_it_is_the_normal_law(gain):
    """Small differences, in which the scale is straight."""
    mean, sd, small = 0.4, 0.5, 0.01
    spots = ndtri((np.arange(20000) + 0.5) / 20000)
    gap = gap_of(small * (mean + sd * spots), 0.0, 0.95)
    later = 1.0 / (1.0 / sd**2 + gain)
    moves, needs = np.sqrt(sd**2 - later), float(ndtri(0.95)) * np.sqrt(later)
    found = decides(gap, np.full(2, gain / small**2))
    assert found == pytest.approx(
        [ndtr((mean - needs) / moves), ndtr((-mean - needs) / moves)], abs=0.005
    )
    wide = 2.0 * float(ndtri(0.975)) * np.sqrt(later) * small
    assert width_after(gap, 0, gain / small**2, 0.95) == pytest.approx(wide, rel=0.03)


def test_the_ends():
    draws = np.random.default_rng(2).normal(0.3, 1.0, 4000)
    gap = gap_of(draws, 0.3, 0.95)
    assert decides(gap, np.zeros(2)) == pytest.approx((0.0, 0.0), abs=1e-9)
    wide = float(np.subtract(*np.quantile(draws, [0.975, 0.025])))
    assert width_after(gap, 0, 0.0, 0.95) == pytest.approx(wide, rel=0.02)
    ahead = float((draws > 0).mean())
    assert decides(gap, np.full(2, 1e9)) == pytest.approx((ahead, 1.0 - ahead), abs=0.005)
    assert width_after(gap, 0, 1e9, 0.95) < 0.001
    assert decides(gap_of(np.abs(draws) + 0.1, 1.0, 0.95), np.zeros(2)) == pytest.approx(
        (1.0, 0.0), abs=1e-9
    )
