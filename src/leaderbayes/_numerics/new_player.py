r"""Strength of a new player among players of known strengths, in Bradley-Terry's model.

Old players' strengths b sum to zero. The new player's difference d to their mean is, under
ZeroSumNormal, independent of b a priori:

.. math:: d \sim N(0, \sigma^2 (1 + 1/m)), \quad
          p(y \mid d, b)^\eta
          = \prod_j \frac{e^{\eta (w_j d + l_j b_j)}}{(e^d + e^{b_j})^{\eta n_j}}

The log-density is concave, so that a grid between two points far below its mode holds all of it.
"""

import numba
import numpy as np

from leaderbayes._types import Floats

_POINTS = 128  # of the grid
_DROP = 25.0  # of the log-density, where the grid ends


@numba.njit(cache=True, error_model="numpy")
def _parts(
    d: float, epp: Floats, wins: Floats, n: Floats, precision: float
) -> tuple[float, float, float]:
    """Log-density of d up to the prior's constant, its slope, and minus its curvature."""
    value, slope, curvature = -0.5 * precision * d * d, -precision * d, precision
    for j in range(epp.size):
        if n[j] == 0.0:
            continue
        gap = d - epp[j]
        small = np.exp(-abs(gap))
        p = (1.0 if gap > 0.0 else small) / (1.0 + small)
        value += wins[j] * min(gap, 0.0) - (n[j] - wins[j]) * max(gap, 0.0)
        value -= n[j] * np.log1p(small)
        slope += wins[j] - n[j] * p
        curvature += n[j] * p * (1.0 - p)
    return value, slope, curvature


@numba.njit(cache=True, error_model="numpy")
def _mode(epp: Floats, wins: Floats, n: Floats, precision: float) -> float:
    """Where the slope, which falls everywhere, is zero: nearly, as a grid's middle needs it."""
    low, high = -1.0, 1.0
    while _parts(low, epp, wins, n, precision)[1] < 0.0:
        low *= 2.0
    while _parts(high, epp, wins, n, precision)[1] > 0.0:
        high *= 2.0
    for _ in range(20):
        middle = 0.5 * (low + high)
        if _parts(middle, epp, wins, n, precision)[1] > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@numba.njit(cache=True, error_model="numpy")
def draw_strength(
    epp: Floats, scale: Floats, wins: Floats, n: Floats, weight: float, uniform: Floats
) -> tuple[Floats, Floats]:
    """Draw d given each draw of the others, and the likelihood of the new matches.

    Parameters
    ----------
    epp : (draw, player)
        Old players' strengths, sum to zero.
    scale : (draw,)
        Players' standard deviation, sigma.
    wins, n : (player,)
        The new player's wins against each old player, and matches.
    weight : float
        Power of the likelihood, eta.
    uniform : (draw,)
        Uniform numbers, one for each draw of d.

    Returns
    -------
    strength : (draw,)
        d, the new player's difference to the mean of the old ones.
    log_marginal : (draw,)
        Logarithm of the integral of p(y | d, b)^eta over the prior of d.
    """
    draws, m = epp.shape
    strength, log_marginal = np.empty(draws), np.empty(draws)
    wins, n = weight * wins, weight * n
    below = np.zeros(_POINTS)
    for k in range(draws):
        precision = 1.0 / (scale[k] ** 2 * (1.0 + 1.0 / m))
        mode = _mode(epp[k], wins, n, precision)
        top, _, curvature = _parts(mode, epp[k], wins, n, precision)
        ends = [mode, mode]
        for side in range(2):
            step = (2.0 * side - 1.0) / np.sqrt(curvature)
            while _parts(ends[side], epp[k], wins, n, precision)[0] > top - _DROP:
                ends[side] += step
        width = (ends[1] - ends[0]) / (_POINTS - 1)
        before = 0.0
        for i in range(_POINTS):
            at = ends[0] + i * width
            density = np.exp(_parts(at, epp[k], wins, n, precision)[0] - top)
            # Trapezoids; both ends are as good as zero.
            below[i] = 0.0 if i == 0 else below[i - 1] + 0.5 * width * (before + density)
            before = density
        strength[k] = np.interp(
            uniform[k] * below[-1], below, np.linspace(ends[0], ends[1], _POINTS)
        )
        log_marginal[k] = top + np.log(below[-1]) + 0.5 * np.log(precision / (2.0 * np.pi))
    return strength, log_marginal
