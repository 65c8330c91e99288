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

import math
from typing import NamedTuple

import numba
import numpy as np
from scipy.special import ndtri

from leaderbayes._types import Floats, Ints

# In standard deviations; Student's tails of an undefeated player reach far.
# The one in the middle is the mode.
_POINTS = 600.0 * np.sinh(np.linspace(-7.6, 7.6, 141)) / np.sinh(7.6)

_FOLLOW = 3.0  # how fast, in variances, what is left out ceases to hold back
_WITH = 0.3  # share of a way above which a player goes along
_STAYS = 0.03  # and below which it stays
_FAR = 150.0  # log-odds, at which numbers become too large
_NOTHING = 39.0  # log-odds, at which the lesser of two numbers is lost in their sum
_LARGE = 1e150  # products whose power of two is taken out
_LOG_2 = math.log(2.0)
_LOG2_E, _WHOLE = 1.4426950408889634, 1.5 * 2.0**52
_LN_2, _LN_2_REST = 0.693147180369123816490, 1.90821492927058770002e-10  # of 32 bits, and the rest
_REACH, _CELLS = 8, 16  # of normal numbers, and in how many cells each unit of them is looked up
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
    lower = below < 0.5
    quantile = ndtri(np.maximum(np.where(lower, below, above), 1e-300))
    moved = _POINTS[1:-1]
    # Where nothing can be drawn it still rises.
    normal = np.where(lower, quantile, -quantile) + 1e-9 * moved
    long = np.clip(np.log(_reach(normal, moved) / _TAIL), 0.0, 1.0)
    # Tails decide how good weights are. Where all are long widening each would cost too much.
    wider = 1.0 + 1.0 / m + _WIDER * long / max(long.sum(), 1.0)
    log_mass = float((np.log(mass) + top).sum()) - 0.5 * m * np.log(2.0 * np.pi)
    return Margins(normal, moved, log_mass, wider, lean)


@numba.njit(cache=True, error_model="numpy")
def _reach(normal: Floats, moved: Floats) -> Floats:
    """Find how far margins (way, point) have gone at `_TAIL` standard deviations, (way,)."""
    out = np.empty(len(normal))
    for j in range(out.size):
        low, high = np.interp(np.array([-_TAIL, _TAIL]), normal[j], moved)
        out[j] = max(abs(low), abs(high))
    return out


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
    # One logarithm for many pairs that met as often: of the product of what they add.
    total, product = np.empty(points.size), np.empty(points.size)
    powers, factor, shifted = np.zeros(points.size), np.empty(points.size), np.empty(points.size)
    log_odds = np.minimum(np.maximum(mode[:, None] - mode, -_FAR), _FAR)
    odds = np.exp(log_odds)
    information = n * odds / (1.0 + odds) ** 2
    every = information.sum(axis=1)
    for j in range(m):
        w = way[j]
        goes, stays = np.abs(w) >= _WITH * abs(w[j]), np.abs(w) < _STAYS * abs(w[j])
        total[:], product[:], count, slope = 0.0, 1.0, 0.0, 0.0
        for i in np.flatnonzero(goes):
            curvature, lean = _add_prior(out[j], mode[i], w[i], scale, df, points)
            second[j] += curvature * w[i] ** 2
            third[j] += lean * w[i] ** 3
            ahead, behind = np.max(log_odds[i]), -np.min(log_odds[i])
            # Those who stay first, who are left behind alike; of others each pair once.
            for others in (stays, ~stays):
                alike, low, high, matches, line = np.nan, 0, 0, 0.0, 0.0
                for k in np.flatnonzero(others & (n[i] > 0.0)):
                    rate = w[i] if stays[k] else w[i] - w[k]
                    if (goes[k] and k > i) or abs(rate) < _STAYS * abs(w[j]):
                        continue
                    if rate != alike:
                        _add_line(total, points, alike, low, high, matches, line)
                        low, high = _between(rate, ahead, behind, points)
                        _exponentials(rate, points[low:high], factor[low:high], shifted)
                        alike, matches, line = rate, 0.0, 0.0
                    if n[i, k] != count:
                        _take_logarithms(total, product, powers, count)
                        count = n[i, k]
                    _multiply(product[low:high], powers[low:high], odds[i, k], factor[low:high])
                    matches += count
                    line += count * log_odds[i, k]
                    p = odds[i, k] / (1.0 + odds[i, k])
                    slope += count * p * rate
                    second[j] += count * p * (1.0 - p) * rate**2
                    third[j] += count * p * (1.0 - p) * (2.0 * p - 1.0) * rate**3
                _add_line(total, points, alike, low, high, matches, line)
        _take_logarithms(total, product, powers, count)
        out[j] += total[points.size // 2] - total + slope * points
        # At the mode everything balances: what is left out are the others' priors, as far as their
        # matches with those who go do.
        for i in np.flatnonzero(~goes & ~stays):
            if every[i] > 0.0:
                pull = -(df + 1.0) * mode[i] / (df * scale**2 + mode[i] ** 2)
                first[j] -= w[i] * pull * information[i][goes].sum() / every[i]
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
def _between(rate: float, ahead: float, behind: float, points: Floats) -> tuple[int, int]:
    """Bounds of the points (point,) at which pairs add neither nothing nor a line, to all digits.

    Parameters
    ----------
    ahead, behind : float
        Log-odds by which the player leads the last and trails the first, at most.
    """
    if rate > 0.0:
        least, most = -(_NOTHING + ahead) / rate, (_NOTHING + behind) / rate
    else:
        least, most = (_NOTHING + behind) / rate, -(_NOTHING + ahead) / rate
    return int(np.searchsorted(points, least)), int(np.searchsorted(points, most))


@numba.njit(cache=True, error_model="numpy")
def _add_line(
    total: Floats, points: Floats, rate: float, low: int, high: int, matches: float, line: float
) -> None:
    """Add sums of log(odds e^(rate point)) to points (point,) where odds are all that counts."""
    first, last = (high, points.size) if rate > 0.0 else (0, low)
    for k in range(first, last):
        total[k] += line + matches * rate * points[k]


@numba.njit(cache=True, error_model="numpy")
def _multiply(product: Floats, powers: Floats, odds: float, factor: Floats) -> None:
    """Multiply what a pair adds into the products (point,), of which none becomes too large.

    Their ``powers`` of two (point,) are taken out before.
    """
    large = 0
    for k in range(product.size):
        product[k] *= 1.0 + odds * factor[k]
        large += product[k] > _LARGE
    if large:
        bits = product.view(np.int64)
        for k in range(product.size):
            power = (bits[k] >> 52) - 1023
            powers[k] += power
            bits[k] -= power << 52


@numba.njit(cache=True, error_model="numpy")
def _take_logarithms(total: Floats, product: Floats, powers: Floats, count: float) -> None:
    """Add the logarithms of the products, which begin anew at 1."""
    for k in range(product.size):
        total[k] += count * (np.log(product[k]) + _LOG_2 * powers[k])
        product[k], powers[k] = 1.0, 0.0


@numba.njit(cache=True, error_model="numpy", fastmath={"contract"})
def _exponentials(rate: float, points: Floats, out: Floats, shifted: Floats) -> None:
    """Fill in exp(rate * point), which is neither too large nor too small.

    By arithmetic alone, so that processors take several points at a time: of the power of two
    nearest to it, and the series of what is left (to the last bit or two). ``shifted`` (point,) is
    written over.
    """
    bits = shifted.view(np.int64)
    for k in range(points.size):
        x = rate * points[k]
        # The last bits of the sum are the whole number next to x / log 2.
        shifted[k] = x * _LOG2_E + _WHOLE
        n = shifted[k] - _WHOLE
        r = (x - n * _LN_2) - n * _LN_2_REST
        series = 1.0 / 6227020800.0
        series = series * r + 1.0 / 479001600.0
        series = series * r + 1.0 / 39916800.0
        series = series * r + 1.0 / 3628800.0
        series = series * r + 1.0 / 362880.0
        series = series * r + 1.0 / 40320.0
        series = series * r + 1.0 / 5040.0
        series = series * r + 1.0 / 720.0
        series = series * r + 1.0 / 120.0
        series = series * r + 1.0 / 24.0
        series = series * r + 1.0 / 6.0
        series = series * r + 0.5
        out[k] = series * r * r + r + 1.0
    for k in range(points.size):
        bits[k] = (bits[k] + 1023) << 52
    for k in range(points.size):
        out[k] *= shifted[k]


@numba.njit(cache=True, error_model="numpy")
def stretch(normal: Floats, table: Floats, moved: Floats, wider: Floats) -> tuple[Floats, Floats]:
    """Give standard normal numbers (draw, way), widened, the margins of a table.

    Parameters
    ----------
    normal : (draw, way)
    table, moved, wider
        ``normal``, ``moved`` and ``wider`` of `Margins`.

    Returns
    -------
    moved : (draw, way)
    log_slope : (draw,)
        Log of the product of the slopes of the map.
    """
    draws, ways = normal.shape
    out, log_slope, product = np.empty(normal.shape), np.zeros(draws), np.ones(draws)
    guide, slopes = np.empty(2 * _REACH * _CELLS, np.int32), np.empty(moved.size - 1)
    # One way after the other, whose table processors keep at hand.
    for i in range(ways):
        row = table[i]
        _write_guide(row, guide)
        for k in range(slopes.size):
            slopes[k] = (moved[k + 1] - moved[k]) / (row[k + 1] - row[k])
        for d in range(draws):
            z = wider[i] * normal[d, i]
            k = min(max(_rank(z, row, guide) - 1, 0), slopes.size - 1)
            out[d, i] = moved[k] + slopes[k] * (z - row[k])
            product[d] *= slopes[k]
            if product[d] > 1e200 or product[d] < 1e-200:
                log_slope[d] += np.log(product[d])
                product[d] = 1.0
    return out, log_slope + np.log(product)


@numba.njit(cache=True, error_model="numpy")
def _write_guide(row: Floats, out: Ints) -> None:
    """Count the numbers of an ordered row below the edges of even cells; below the first, none."""
    below = 0
    for cell in range(out.size):
        while below < row.size and row[below] < cell / _CELLS - _REACH:
            below += 1
        out[cell] = below if cell else 0


@numba.njit(cache=True, error_model="numpy")
def _rank(z: float, row: Floats, guide: Ints) -> int:
    """Count the numbers of an ordered row below z: near those below its cell's edge."""
    if np.isnan(z):
        return row.size  # as by bisection
    k = guide[int(min(max((z + _REACH) * _CELLS, 0.0), guide.size - 1.0))]
    while k < row.size and row[k] < z:
        k += 1
    while k > 0 and row[k - 1] >= z:
        k -= 1
    return int(k)
