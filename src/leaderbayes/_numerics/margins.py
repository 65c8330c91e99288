r"""Margins of a posterior that is nearly, and not quite, normal: along one way at a time.

A way :math:`w_j` is a column of :math:`G^{-T}`, with :math:`G G^T` the information: from the mode,
independent standard normal numbers along the ways make the normal approximation. As it is
triangular, player j goes, those before it follow by some share, and those after it stay. The
log-density along way j is

.. math:: -\tfrac12 u^2 + R_j(u),

with R what the priors and matches of those who go add to their second order. A normal number gets
this margin by

.. math:: u_j = F_j^{-1}(\Phi(z_j)),

piecewise linear between points of a grid, so that the density of what comes out is known.
"""

from typing import NamedTuple

import numba
import numpy as np
from scipy.special import ndtri

from leaderbayes._types import Floats

# In standard deviations; Student's tails of an undefeated player reach far.
_POINTS = 600.0 * np.sinh(np.linspace(-7.6, 7.6, 141)) / np.sinh(7.6)

_FOLLOW = 3.0  # how fast, in variances, what is left out ceases to hold back
_WITH = 0.3  # share of a way above which a player goes along
_STAYS = 0.03  # and below which it stays
_FAR = 150.0  # log-odds, at which numbers become too large
_TOGETHER = 8  # points
_LARGE = 1e150  # products whose logarithm is taken
_TAIL = 4.0  # standard deviations: margins that have gone farther there have a long tail
_WIDER = 0.9  # by how much all of these together are widened


class Margins(NamedTuple):
    """Table of the map from normal numbers."""

    normal: Floats  # (way, point): z
    moved: Floats  # (point,): u
    log_mass: float  # log of the masses' product, those of normal margins being 1
    wider: Floats  # (way,): by how much to widen normal numbers
    lean: Floats  # (way,): third derivatives


def margins(mode: Floats, way: Floats, n: Floats, scale: float, df: float) -> Margins:
    """Tabulate the margins.

    Parameters
    ----------
    mode : (player,)
    way : (player, way)
        Upper triangular.
    n : (player, opponent)
        Matches, by weight.
    scale, df : float
        Of the strengths' Student-t law.
    """
    m = len(mode)
    log_density, first, second, lean = _along(
        mode, np.ascontiguousarray(way.T), n, scale, df, _POINTS
    )
    # At the mode what is left out balances the first order, but no more when a player goes far; it
    # holds back less and less, and where it is convex, as priors far out, not at all.
    far = 1.0 + _POINTS**2 / (2.0 * _FOLLOW)
    log_density += first[:, None] * _POINTS * (1.0 - 1.0 / np.sqrt(far))
    log_density -= np.maximum(0.0, 1.0 - second)[:, None] * _FOLLOW * np.log(far)
    top = log_density.max(axis=1, keepdims=True)
    density = np.exp(log_density - top)
    cell = 0.5 * (density[:, 1:] + density[:, :-1]) * np.diff(_POINTS)
    mass = cell.sum(axis=1, keepdims=True)
    below = np.cumsum(cell, axis=1)[:, :-1] / mass
    above = np.cumsum(cell[:, ::-1], axis=1)[:, -2::-1] / mass
    low, high = (ndtri(np.maximum(tail, 1e-300)) for tail in (below, above))
    moved = _POINTS[1:-1]
    # Where nothing can be drawn it still rises.
    normal = np.where(below < 0.5, low, -high) + 1e-9 * moved
    reach = np.array([np.abs(np.interp([-_TAIL, _TAIL], row, moved)).max() for row in normal])
    long = np.clip(np.log(reach / _TAIL), 0.0, 1.0)
    # Tails decide how good weights are. Where all are long widening each would cost too much.
    wider = 1.0 + 1.0 / m + _WIDER * long / max(long.sum(), 1.0)
    log_mass = float((np.log(mass) + top).sum()) - 0.5 * m * np.log(2.0 * np.pi)
    return Margins(normal, moved, log_mass, wider, lean)


@numba.njit(cache=True, error_model="numpy")
def _along(
    mode: Floats, way: Floats, n: Floats, scale: float, df: float, points: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Sum what priors and matches of those who go add to their first order (way, point).

    Returns this, and the first, second (less) and third order (way,).

    Parameters
    ----------
    way : (way, player)
    """
    m = mode.size
    out = np.zeros((m, points.size))
    first, second, third = np.zeros(m), np.zeros(m), np.zeros(m)
    for j in range(m):
        w = way[j]
        goes, stays = np.abs(w) >= _WITH * abs(w[j]), np.abs(w) < _STAYS * abs(w[j])
        for i in np.flatnonzero(goes):
            curvature, lean = _add_prior(out[j], mode[i], w[i], scale, df, points)
            second[j] += curvature * w[i] ** 2
            third[j] += lean * w[i] ** 3
            odds = np.exp(np.minimum(np.maximum(mode[i] - mode, -_FAR), _FAR))
            behind = np.flatnonzero(stays & (n[i] > 0.0))
            met, lean = _add_matches(out[j], odds[behind], n[i][behind], w[i], points)
            second[j] += met * w[i] ** 2
            third[j] += lean * w[i] ** 3
            # Each pair once.
            for k in np.flatnonzero(~stays & (n[i] > 0.0)):
                rate = w[i] - w[k]
                if (goes[k] and k > i) or abs(rate) < _STAYS * abs(w[j]):
                    continue
                one = slice(k, k + 1)
                met, lean = _add_matches(out[j], odds[one], n[i][one], rate, points)
                second[j] += met * rate**2
                third[j] += lean * rate**3
        # At the mode everything balances: what is left out are the others' priors, as far as their
        # matches with those who go do.
        for i in np.flatnonzero(~goes & ~stays):
            odds = np.exp(np.minimum(np.maximum(mode[i] - mode, -_FAR), _FAR))
            met_all = n[i] * odds / (1.0 + odds) ** 2
            if met_all.sum() > 0.0:
                slope = -(df + 1.0) * mode[i] / (df * scale**2 + mode[i] ** 2)
                first[j] -= w[i] * slope * (goes * met_all).sum() / met_all.sum()
    return out, first, second, third


@numba.njit(cache=True, error_model="numpy")
def _add_prior(
    out: Floats, mode: float, rate: float, scale: float, df: float, points: Floats
) -> tuple[float, float]:
    """Add the log-density of one strength's prior, less its first order (point,).

    Returns its second (less) and third order in the strength.
    """
    q = df * scale**2 + mode**2
    slope = -(df + 1.0) * mode / q
    for k in range(points.size):
        far = rate * points[k]
        out[k] -= 0.5 * (df + 1.0) * np.log1p((2.0 * mode + far) * far / q) + slope * far
    second = (df + 1.0) * (q - 2.0 * mode**2) / q**2
    third = 2.0 * (df + 1.0) * mode * (3.0 * q - 4.0 * mode**2) / q**3
    return second, third


@numba.njit(cache=True, error_model="numpy")
def _add_matches(
    out: Floats, odds: Floats, met: Floats, rate: float, points: Floats
) -> tuple[float, float]:
    """Add the log-likelihood of matches, less its first order (point,).

    Returns its second (less) and third order in the strength.

    Parameters
    ----------
    odds, met : (opponent,)
        At the mode of a player who leaves these opponents behind at a rate.
    """
    first, second, third, start, played = 0.0, 0.0, 0.0, 0.0, met.sum()
    for j in range(odds.size):
        p = odds[j] / (1.0 + odds[j])
        first += met[j] * p
        second += met[j] * p * (1.0 - p)
        third += met[j] * p * (1.0 - p) * (2.0 * p - 1.0)
        start += met[j] * np.log1p(odds[j])
    # Some points at a time, which processors multiply together.
    factor, total, product = np.empty(_TOGETHER), np.empty(_TOGETHER), np.empty(_TOGETHER)
    for begin in range(0, points.size, _TOGETHER):
        size = min(_TOGETHER, points.size - begin)
        for k in range(_TOGETHER):
            # Of the last few once more.
            far = rate * points[begin + min(k, size - 1)]
            factor[k] = np.exp(min(max(far, -_FAR), _FAR))
            # Beyond that the logarithms go on along lines.
            total[k], product[k] = played * max(far - _FAR, 0.0), 1.0
        count, large = 0.0, 0
        for j in range(odds.size):
            # One logarithm for many opponents that were met as often.
            if met[j] != count or large:
                for k in range(_TOGETHER):
                    if met[j] != count or product[k] > _LARGE:
                        total[k] += count * np.log(product[k])
                        product[k] = 1.0
                count = met[j]
            large, mine = 0, odds[j]
            for k in range(_TOGETHER):
                product[k] *= 1.0 + mine * factor[k]
                large += product[k] > _LARGE
        for k in range(size):
            total[k] += count * np.log(product[k])
            out[begin + k] += start - total[k] + first * (rate * points[begin + k])
    return second, third


@numba.njit(cache=True, error_model="numpy")
def stretch(normal: Floats, table: Floats, moved: Floats) -> tuple[Floats, Floats]:
    """Give standard normal numbers (draw, way) the margins of a table.

    Parameters
    ----------
    normal : (draw, way)
    table, moved
        ``normal`` and ``moved`` of `Margins`.

    Returns
    -------
    moved : (draw, way)
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
