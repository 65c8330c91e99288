r"""How probably further votes decide which of two is better, however skew what is known of them.

What is known of a difference g of strengths is its draws. Further votes are taken for as many
votes on the two as carry the same information, whose share of wins is normal in

.. math:: \theta(g) = \arcsin \sqrt{\mathrm{logit}^{-1} g}, \qquad
          \sigma = \tfrac12 \sqrt{p (1 - p) / I}, \qquad y \sim N(\theta(g), \sigma),

with p the probability of a win at the estimate, and I the information on g there: in that scale it
does not depend on g. After y a draw has weight :math:`\exp(-(y - \theta(g))^2 / 2 \sigma^2)`, and
the share of those with g > 0 rises with y: it is decided beyond one y for either player, and how
probably that comes is the mean over the draws.
"""

import math
from typing import NamedTuple

import numba
import numpy as np
from scipy.special import expit, ndtr, ndtri

from leaderbayes._types import Floats, Longs

_QUANTILES = 400  # that stand for the draws of a difference
_TRUTHS = 5  # every which quantile is a truth, of whose later interval the width is taken
_FEW = 20.0  # draws in effect, below which an interval goes by the votes alone
# Of a normal number: where it is looked at, and the shares.
_NOISE = ((-np.sqrt(3.0), 1.0 / 6.0), (0.0, 2.0 / 3.0), (np.sqrt(3.0), 1.0 / 6.0))
_GRID = np.geomspace(1e-4, 100.0, 40)  # sd of y at which chances are known
_BEYOND = 8.0  # sd of y beyond the draws: what needs more does not come


class Gaps(NamedTuple):
    """What is known of differences of strengths."""

    theta: Floats  # (gap, quantile): draws, in the scale of y
    stiff: Floats  # (gap,): p (1 - p) at the estimate
    chances: Floats  # (gap, noise): normal quantiles of the chance of a decision for the first


def gaps_of(epp: Floats, at: Floats, pairs: Longs, prob: float) -> Gaps:
    """Take draws of strengths (draw, player), their estimate (player,), and pairs (gap, 2).

    It is decided by posterior probability ``prob``.
    """
    spots = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    theta, chances = np.empty((len(pairs), _QUANTILES)), np.empty((len(pairs), _GRID.size))
    for k, (i, j) in enumerate(pairs):
        gap = epp[:, i] - epp[:, j]
        theta[k] = np.arcsin(np.sqrt(expit(np.quantile(gap, spots))))
        chances[k] = _chances(theta[k], float((gap > 0.0).mean()), prob)
    apart = at[pairs[:, 0]] - at[pairs[:, 1]]
    return Gaps(theta, expit(apart) * expit(-apart), ndtri(np.clip(chances, 1e-12, 1.0 - 1e-12)))


def decides(gaps: Gaps, information: Floats) -> Floats:
    """Give the probabilities that further votes decide for the first (gap,).

    Parameters
    ----------
    gaps : Gaps
    information : (gap,)
        That further votes carry on the differences, per squared log-odds.
    """
    step = np.log(_GRID[1] / _GRID[0])
    place = np.log(_noise(gaps.stiff, information) / _GRID[0]) / step
    place = np.clip(place, 0.0, _GRID.size - 1.0)
    left = np.minimum(place.astype(int), _GRID.size - 2)
    row, part = np.arange(len(place)), place - left
    chances = gaps.chances
    return np.asarray(ndtr((1.0 - part) * chances[row, left] + part * chances[row, left + 1]))


def width_after(gaps: Gaps, which: int, information: float, prob: float) -> float:
    """Give the mean width of one difference's interval after further votes, in log-odds.

    Of the interval with probability ``prob``; ``information`` as of `decides`.
    """
    theta, sd = gaps.theta[which], float(_noise(gaps.stiff, np.asarray(information))[which])
    draws = 2.0 * np.log(np.tan(theta))
    return float(_widths(draws, theta, sd, prob, float(ndtri(0.5 + 0.5 * prob))).mean())


def _noise(stiff: Floats, information: Floats) -> Floats:
    """Give the standard deviation of y."""
    return 0.5 * np.sqrt(stiff / np.maximum(information, 1e-300))


@numba.njit(cache=True)
def _widths(draws: Floats, theta: Floats, sd: float, prob: float, z: float) -> Floats:
    """Mean width of the interval after what y may be of each truth."""
    truths = theta[_TRUTHS // 2 :: _TRUTHS]
    out = np.zeros(truths.size)
    for s, truth in enumerate(truths):
        for off, share_of in _NOISE:
            y = truth + off * sd
            weight = np.exp(-0.5 * ((y - theta) / sd) ** 2)
            if weight.sum() ** 2 <= _FEW * (weight**2).sum():
                ends = np.interp(np.array([y - z * sd, y + z * sd]), theta, draws)
            else:
                share = (np.cumsum(weight) - 0.5 * weight) / weight.sum()
                ends = np.interp(np.array([0.5 - 0.5 * prob, 0.5 + 0.5 * prob]), share, draws)
            out[s] += share_of * (ends[1] - ends[0])
    return out


@numba.njit(cache=True)
def _chances(theta: Floats, ahead: float, prob: float) -> Floats:
    """Chances of a decision for the first at each noise (noise,)."""
    out = np.zeros(_GRID.size)
    some = theta[1::2].copy()  # enough of them
    for k, sd in enumerate(_GRID):
        beyond = _beyond(some, ahead, sd, prob)
        for t in some:
            out[k] += 0.5 * math.erfc(np.sqrt(0.5) * (beyond - t) / sd) / some.size
    return out


@numba.njit(cache=True)
def _log_odds(theta: Floats, ahead: float, sd: float, y: float) -> float:
    """Log-odds, after y, that the first is better."""
    nearest = np.abs(theta - y).min() / sd
    better, worse, number = 0.0, 0.0, 0
    for t in theta:
        weight = np.exp(0.5 * (nearest**2 - ((y - t) / sd) ** 2))
        if t > 0.25 * np.pi:
            better += weight
            number += 1
        else:
            worse += weight
    if number == 0 or number == theta.size:
        return np.inf if number else -np.inf
    better *= ahead / number
    worse *= (1.0 - ahead) / (theta.size - number)
    return float(np.log(max(better, 1e-300)) - np.log(max(worse, 1e-300)))


@numba.njit(cache=True)
def _beyond(theta: Floats, ahead: float, sd: float, prob: float) -> float:
    """Find the y after which the first is better with this probability.

    Log-odds are nearly straight in y: a chord of the bracket finds it, with the value at an end
    that stays halved (Illinois).
    """
    wanted = np.log(prob) - np.log1p(-prob)
    low, high = theta.min() - _BEYOND * sd, theta.max() + _BEYOND * sd
    below = _log_odds(theta, ahead, sd, low) - wanted
    above = _log_odds(theta, ahead, sd, high) - wanted
    if above < 0.0:
        return np.inf
    if below > 0.0:
        return -np.inf
    kept = 0
    for _ in range(60):
        y = low + (high - low) * below / (below - above)
        value = _log_odds(theta, ahead, sd, y) - wanted
        if abs(value) < 1e-3 or high - low < 1e-4 * sd:
            break
        if value < 0.0:
            low, below = y, value
            above *= 0.5 if kept < 0 else 1.0
            kept = -1
        else:
            high, above = y, value
            below *= 0.5 if kept > 0 else 1.0
            kept = 1
    return float(y)
