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

from typing import NamedTuple

import numba
import numpy as np
from scipy.special import expit, ndtr, ndtri

from leaderbayes._types import Floats

_QUANTILES = 400  # that stand for the draws of a difference
_TRUTHS = 5  # every which quantile is a truth, of whose later interval the width is taken
_FEW = 20.0  # draws in effect, below which an interval goes by the votes alone
# Of a normal number: where it is looked at, and the shares.
_NOISE = ((-np.sqrt(3.0), 1.0 / 6.0), (0.0, 2.0 / 3.0), (np.sqrt(3.0), 1.0 / 6.0))
_BEYOND = 8.0  # sd of y beyond the draws: what needs more does not come


class Gap(NamedTuple):
    """What is known of a difference of strengths."""

    draws: Floats  # quantiles, in log-odds
    theta: Floats  # the same in the scale of y
    ahead: float  # share of the draws that are above 0
    stiff: float  # p (1 - p) at the estimate


def gap_of(draws: Floats, at: float) -> Gap:
    """Take draws (draw,) of a difference whose estimate is at, both in log-odds."""
    spots = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    spread = np.quantile(draws, spots)
    theta = np.arcsin(np.sqrt(expit(spread)))
    return Gap(spread, theta, float((draws > 0.0).mean()), float(expit(at) * expit(-at)))


def decides(gap: Gap, information: float, prob: float) -> tuple[float, float]:
    """Give the probabilities that further votes decide for the first, and for the second.

    Parameters
    ----------
    gap : Gap
    information : float
        That further votes carry on the difference, per squared log-odds.
    prob : float
        Posterior probability that decides.
    """
    sd = _noise(gap, information)
    first = _beyond(gap.theta, gap.ahead, sd, prob)
    second = _beyond(gap.theta, gap.ahead, sd, 1.0 - prob)
    return (
        float(ndtr((gap.theta - first) / sd).mean()),
        float(ndtr((second - gap.theta) / sd).mean()),
    )


def width_after(gap: Gap, information: float, prob: float) -> float:
    """Give the mean width of the difference's interval after further votes, in log-odds.

    Parameters are those of `decides`, prob being of the interval.
    """
    return float(
        _widths(
            gap.draws, gap.theta, _noise(gap, information), prob, float(ndtri(0.5 + 0.5 * prob))
        ).mean()
    )


def _noise(gap: Gap, information: float) -> float:
    """Give the standard deviation of y."""
    return float(0.5 * np.sqrt(gap.stiff / max(information, 1e-300)))


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
def _log_odds(theta: Floats, ahead: float, sd: float, y: float) -> float:
    """Log-odds, after y, that the first is better."""
    peak = -np.inf
    for t in theta:
        peak = max(peak, -0.5 * ((y - t) / sd) ** 2)
    better, worse, number = 0.0, 0.0, 0
    for t in theta:
        weight = np.exp(-0.5 * ((y - t) / sd) ** 2 - peak)
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
    """Find the y after which the first is better with this probability, by halving."""
    wanted = np.log(prob) - np.log1p(-prob)
    low, high = theta.min() - _BEYOND * sd, theta.max() + _BEYOND * sd
    if _log_odds(theta, ahead, sd, high) < wanted:
        return np.inf
    if _log_odds(theta, ahead, sd, low) > wanted:
        return -np.inf
    while high - low > 1e-4 * sd:
        middle = 0.5 * (low + high)
        if _log_odds(theta, ahead, sd, middle) < wanted:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
