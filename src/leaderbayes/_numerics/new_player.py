r"""Strength of a new player among players of known strengths, in Bradley-Terry's model.

Old players' strengths b, which sum to zero, are a - level with a of Student's law. The new player's
is of that law too; its difference d to the mean of the old ones has

.. math:: d + level \sim t_\nu(0, \sigma), \quad
          p(y \mid d, b)
          = \prod_j \frac{e^{w_j d + l_j b_j}}{(e^d + e^{b_j})^{n_j}}, \quad
          p(level \mid b) \propto \prod_j t_\nu(b_j + level; 0, \sigma),

with wins w, losses l and matches n by their weights. Both d and the level are drawn on grids that
hold nearly all of their densities.
"""

import numba
import numpy as np

from leaderbayes._types import Floats

_POINTS = 129  # of a grid
_DROP = 16.0  # of the log-density of d, where the grid ends
_REACH = 12.0  # of the level's grid, in sigma over the root of the players' number
# From the middle to an end, denser at the middle.
_WAY = np.sinh(np.linspace(-3.0, 3.0, _POINTS)) / np.sinh(3.0)


@numba.njit(cache=True, error_model="numpy")
def _parts(
    d: float, epp: Floats, wins: Floats, n: Floats, level: float, scale: float, df: float
) -> tuple[float, float, float]:
    """Log-density of d up to the prior's constant, its slope, and minus its curvature."""
    a, q = d + level, df * scale**2 + (d + level) ** 2
    value = -0.5 * (df + 1.0) * np.log(q / (df * scale**2))
    slope, curvature = -(df + 1.0) * a / q, (df + 1.0) * (q - 2.0 * a**2) / q**2
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
def _mode(epp: Floats, wins: Floats, n: Floats, level: float, scale: float, df: float) -> float:
    """Where the slope turns from rising to falling: nearly, as a grid's middle needs it."""
    low, high = -1.0, 1.0
    while _parts(low, epp, wins, n, level, scale, df)[1] < 0.0:
        low *= 2.0
    while _parts(high, epp, wins, n, level, scale, df)[1] > 0.0:
        high *= 2.0
    for _ in range(20):
        middle = 0.5 * (low + high)
        if _parts(middle, epp, wins, n, level, scale, df)[1] > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@numba.njit(cache=True, error_model="numpy")
def _pick(at: Floats, density: Floats, uniform: float) -> tuple[float, float]:
    """Draw from a density that is known at points, and integrate it (trapezoids)."""
    below = np.zeros(at.size)
    for i in range(1, at.size):
        below[i] = below[i - 1] + 0.5 * (at[i] - at[i - 1]) * (density[i - 1] + density[i])
    return np.interp(uniform * below[-1], below, at), below[-1]


@numba.njit(cache=True, error_model="numpy")
def _draw_level(epp: Floats, scale: float, df: float, uniform: float) -> float:
    """Draw the mean of the strengths that epp are the differences to."""
    middle = -np.median(epp)
    for _ in range(10):
        weight = 1.0 / (df * scale**2 + (epp + middle) ** 2)
        middle = -(weight * epp).sum() / weight.sum()
    at = middle + _REACH * scale / np.sqrt(epp.size) * _WAY
    log_density = np.zeros(at.size)
    for j in range(epp.size):
        log_density -= 0.5 * (df + 1.0) * np.log1p(((epp[j] + at) / scale) ** 2 / df)
    drawn: float = _pick(at, np.exp(log_density - log_density.max()), uniform)[0]
    return drawn


@numba.njit(cache=True, error_model="numpy")
def draw_strength(
    epp: Floats, scale: Floats, df: float, wins: Floats, n: Floats, uniform: Floats
) -> tuple[Floats, Floats]:
    """Draw d given each draw of the others, and the likelihood of the new matches.

    Parameters
    ----------
    epp : (draw, player)
        Old players' strengths, sum to zero.
    scale : (draw,)
        Scale of the players' law, sigma.
    df : float
        Its degrees of freedom.
    wins, n : (player,)
        The new player's wins against each old player, and matches, by their weights.
    uniform : (draw, 2)
        Uniform numbers, for the level and for d.

    Returns
    -------
    strength : (draw,)
        d, the new player's difference to the mean of the old ones.
    log_marginal : (draw,)
        Logarithm of the integral of p(y | d, b) over the prior of d given the level, up to a
        constant.
    """
    draws = len(epp)
    strength, log_marginal = np.empty(draws), np.empty(draws)
    at, density = np.empty(_POINTS), np.empty(_POINTS)
    for k in range(draws):
        level = _draw_level(epp[k], scale[k], df, uniform[k, 0])
        mode = _mode(epp[k], wins, n, level, scale[k], df)
        top, _, curvature = _parts(mode, epp[k], wins, n, level, scale[k], df)
        sd = 1.0 / np.sqrt(max(curvature, 1e-2 / scale[k] ** 2))
        ends = np.array([sd, sd])
        for side in range(2):
            sign = 2.0 * side - 1.0
            while (
                _parts(mode + sign * ends[side], epp[k], wins, n, level, scale[k], df)[0]
                > top - _DROP
            ):
                ends[side] *= 1.25
        for i in range(_POINTS):
            at[i] = mode + _WAY[i] * (ends[0] if _WAY[i] < 0.0 else ends[1])
            value = _parts(at[i], epp[k], wins, n, level, scale[k], df)[0]
            density[i] = np.exp(value - top)
        strength[k], mass = _pick(at, density, uniform[k, 1])
        log_marginal[k] = top + np.log(mass) - np.log(scale[k])
    return strength, log_marginal
