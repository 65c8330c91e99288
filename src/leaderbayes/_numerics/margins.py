r"""Margins of strengths that are nearly, and not quite, normal.

In units u of its standard deviation, from its mode, a strength's log-density is

.. math:: -\tfrac12 u^2 + R_i(u),

with R_i what its own prior and its own matches add to their second order, while the others follow
it by a share of its way. A normal vector gets these margins by

.. math:: u_i = F_i^{-1}(\Phi(z_i)),

piecewise linear between points of a grid, so that the density of what comes out is known.
"""

from typing import NamedTuple

import numba
import numpy as np
from scipy.special import ndtri

from leaderbayes._types import Floats

# In standard deviations; Student's tails of an undefeated player reach far.
_POINTS = 60.0 * np.sinh(np.linspace(-5.3, 5.3, 107)) / np.sinh(5.3)

_FOLLOW = 3.0  # how fast, in variances, others cease to follow


class Margins(NamedTuple):
    """Table of the map from normal numbers."""

    normal: Floats  # (player, point): z
    moved: Floats  # (point,): u
    log_mass: float  # log of the masses' product, those of normal margins being 1


def margins(
    mode: Floats, sd: Floats, own: Floats, n: Floats, scale: float, df: float
) -> Margins:  # fmt: skip
    """Tabulate the margins.

    Parameters
    ----------
    mode, sd : (player,)
    own : (player,)
        Share of a player's way by which it leaves the others behind.
    n : (player, opponent)
        Matches, by weight.
    scale, df : float
        Of the strengths' Student-t law.
    """
    way = sd[:, None] * _POINTS
    q = df * scale**2 + mode[:, None] ** 2
    slope = -(df + 1.0) * mode[:, None] / q
    curvature = (df + 1.0) * (q - 2.0 * mode[:, None] ** 2) / q**2
    gain = np.log1p((2.0 * mode[:, None] + way) * way / q)
    log_density = -0.5 * (df + 1.0) * gain - slope * way + 0.5 * curvature * way**2
    matches, informed = _matches(mode, own * sd, n, _POINTS)
    log_density += matches
    # The sums above are less their first and second orders. At the mode the others balance these,
    # as far as they follow: no farther when a player goes far. Where their priors are convex their
    # second order is below 0, and the margin would not fall.
    first = slope * (1.0 - own[:, None]) * sd[:, None]
    second = informed[:, None] + curvature * sd[:, None] ** 2
    far = 1.0 + _POINTS**2 / (2.0 * _FOLLOW)
    log_density += first * _POINTS * (1.0 - 1.0 / np.sqrt(far)) - 0.5 * second * _POINTS**2
    log_density -= np.maximum(0.0, 1.0 - second) * _FOLLOW * np.log(far)
    top = log_density.max(axis=1, keepdims=True)
    density = np.exp(log_density - top)
    cell = 0.5 * (density[:, 1:] + density[:, :-1]) * np.diff(_POINTS)
    mass = cell.sum(axis=1, keepdims=True)
    below = np.cumsum(cell, axis=1)[:, :-1] / mass
    above = np.cumsum(cell[:, ::-1], axis=1)[:, -2::-1] / mass
    low, high = (ndtri(np.maximum(tail, 1e-300)) for tail in (below, above))
    # Where nothing can be drawn it still rises.
    normal = np.where(below < 0.5, low, -high) + 1e-9 * _POINTS[1:-1]
    log_mass = float((np.log(mass) + top).sum()) - 0.5 * len(mode) * np.log(2.0 * np.pi)
    return Margins(normal, _POINTS[1:-1], log_mass)


@numba.njit(cache=True, error_model="numpy")
def _matches(mode: Floats, way: Floats, n: Floats, points: Floats) -> tuple[Floats, Floats]:
    """Sum what matches add to their second order, (player, point), and that order (player,)."""
    m = mode.size
    out, informed = np.zeros((m, points.size)), np.zeros(m)
    odds, met = np.empty(m), np.empty(m)
    for i in range(m):
        size, first, second, start = 0, 0.0, 0.0, 0.0
        for j in range(m):
            if n[i, j] == 0.0:
                continue
            gap = min(max(mode[i] - mode[j], -150.0), 150.0)
            p = 1.0 / (1.0 + np.exp(-gap))
            first += n[i, j] * p
            second += n[i, j] * p * (1.0 - p)
            odds[size], met[size] = p / (1.0 - p) if p < 1.0 else np.exp(gap), n[i, j]
            start += met[size] * np.log1p(odds[size])
            size += 1
        informed[i] = second * way[i] ** 2
        for k in range(points.size):
            far = way[i] * points[k]
            factor = np.exp(min(max(far, -150.0), 150.0))
            total, product, count = 0.0, 1.0, 0.0
            for j in range(size):
                # One logarithm for many opponents that were met as often.
                if met[j] != count or product > 1e150:
                    total += count * np.log(product)
                    product, count = 1.0, met[j]
                product *= 1.0 + odds[j] * factor
            total += count * np.log(product)
            out[i, k] = start - total + first * far + 0.5 * second * far * far
    return out, informed


@numba.njit(cache=True, error_model="numpy")
def stretch(normal: Floats, table: Floats, moved: Floats) -> tuple[Floats, Floats]:
    """Give standard normal numbers (draw, player) the margins of a table.

    Parameters
    ----------
    normal : (draw, player)
    table, moved
        ``normal`` and ``moved`` of `Margins`.

    Returns
    -------
    moved : (draw, player)
    log_slope : (draw,)
        Log of the product of the slopes of the map.
    """
    out, log_slope = np.empty(normal.shape), np.zeros(len(normal))
    last = moved.size - 2
    for d in range(normal.shape[0]):
        product = 1.0
        for i in range(normal.shape[1]):
            z, row = normal[d, i], table[i]
            k = min(max(np.searchsorted(row, z) - 1, 0), last)
            slope = (moved[k + 1] - moved[k]) / (row[k + 1] - row[k])
            out[d, i] = moved[k] + slope * (z - row[k])
            product *= slope
            if product > 1e200 or product < 1e-200:
                log_slope[d] += np.log(product)
                product = 1.0
        log_slope[d] += np.log(product)
    return out, log_slope
