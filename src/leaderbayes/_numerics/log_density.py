r"""Log-density of Bradley-Terry's posterior and its gradient, compiled once on a machine, for NUTS.

.. math:: \sigma \sim \mathrm{HalfNormal}(s), \quad a_i \sim t_\nu(0, \sigma), \quad
          \prod_k p(y_k \mid a)^{\eta_k}

is ``models.bradley_terry``, its matches counted over all rounds. It is sampled in coordinates
(log sigma, z) in which it is nearly normal:

.. math:: a_i = \sigma^{1 - c_i} \sigma_0^{c_i} T(z_i), \quad
          T(z)^2 = \nu \left(e^{z^2 / (\nu + 1)} - 1\right).

T makes Student's law of normal numbers, nearly, so that one that matches say little of, as of
players who won them all, has no heavy tail. c is 1 for a player that its matches leave where it is
whatever sigma, and 0 for one that the prior alone holds. Other models of a board, which have this
prior and a likelihood of their own, are sampled so too (`pooled`).
"""

from typing import NamedTuple

import numba
import numpy as np

from leaderbayes._numerics.laplace import Board, peak
from leaderbayes._numerics.student import student
from leaderbayes._types import Floats


class Coordinates(NamedTuple):
    """Where the posterior is sampled."""

    centring: Floats  # (player,): c
    log_scale: float  # of sigma_0
    start: Floats  # (1 + player,): near the highest density


def coordinates(board: Board) -> Coordinates:
    """Choose coordinates: c is the share of the prior's variance that matches take away."""
    log_scale, mode, variance = peak(board)
    t = mode * np.exp(-log_scale)
    z = np.sign(t) * np.sqrt((board.df + 1.0) * np.log1p(t**2 / board.df))
    centring = np.clip(1.0 - variance * np.exp(-2.0 * log_scale), 0.0, 1.0)
    return Coordinates(centring, log_scale, np.concatenate([[log_scale], z]))


def log_density(x: Floats, board: Board, at: Coordinates) -> tuple[float, Floats]:
    """Give the log-density of x (1 + player,), up to a constant, and its gradient."""
    value, gradient = _log_density(x, *at[:2], *board)
    return value, gradient


@numba.njit(cache=True, error_model="numpy", nogil=True)
def strengths(x: Floats, centring: Floats, log_scale: float, df: float) -> Floats:
    """Give epp (player,), of mean 0, of coordinates x (1 + player,)."""
    a = np.empty(centring.size)
    for i in range(a.size):
        power = (1.0 - centring[i]) * x[0] + centring[i] * log_scale
        a[i] = np.exp(power) * student(x[1 + i], df)[0]
    return a - a.mean()


@numba.njit(cache=True, error_model="numpy", nogil=True)
def many_priors(
    x: Floats, centring: Floats, log_scale: float, prior_scale: float, df: float
) -> tuple[Floats, Floats, Floats]:
    """Log prior (point,) of many x; and strengths, with their mean off and as they are.

    Both are (point, player). Rows of x begin as in `strengths`, and may go on.
    """
    count, m = len(x), centring.size
    value, epp, a = np.empty(count), np.empty((count, m)), np.empty((count, m))
    for k in range(count):
        value[k], _, a[k], _, _, _ = prior_parts(x[k], centring, log_scale, prior_scale, df)
        epp[k] = a[k] - a[k].mean()
    return value, epp, a


@numba.njit(cache=True, error_model="numpy", nogil=True)
def add_matches(value: float, gradient: Floats, a: Floats, points: Floats, n: Floats) -> float:
    """Add matches' log-likelihood at strengths a (player,); and its gradient to one (player,)."""
    gradient += points
    # Relative to the highest: sums of far strengths would leave nothing of what they differ by.
    top = np.max(a)
    odds = np.exp(np.maximum(a - top, -700.0))
    for i in range(a.size):
        value += points[i] * (a[i] - top)
        # One logarithm for many opponents that were met as often.
        product, count = 1.0, 0.0
        for j in range(i):
            met = n[i, j]
            if met == 0.0:
                continue
            total = odds[i] + odds[j]
            if total < 1e-130:
                less = np.exp(-abs(a[i] - a[j]))
                value -= met * (max(a[i], a[j]) - top + np.log1p(less))
                won = met * (1.0 if a[i] > a[j] else less) / (1.0 + less)
            else:
                if met != count or product < 1e-150:
                    value -= count * np.log(product)
                    product, count = 1.0, met
                product *= total
                won = met * odds[i] / total
            gradient[i] -= won
            gradient[j] -= met - won
        value -= count * np.log(product)
    return value


@numba.njit(cache=True, error_model="numpy", nogil=True)
def prior_parts(
    x: Floats, centring: Floats, log_scale: float, prior_scale: float, df: float
) -> tuple[float, float, Floats, Floats, Floats, Floats]:
    """Prior of x: its logarithm, and what a gradient is made of by `fold`.

    Derivatives in log sigma, but for that of strengths; strengths (player,) and their slopes in z;
    derivatives in strengths (player,), in z (1 + player,), the first of which is free.
    """
    m = centring.size
    a, slope, by_strength, gradient = np.empty(m), np.empty(m), np.empty(m), np.empty(m + 1)
    square, law = np.exp(2.0 * x[0]) / prior_scale**2, df * np.exp(2.0 * x[0])
    # One for the Jacobian of log sigma.
    value, by_scale = x[0] - 0.5 * square, 1.0 - square
    for i in range(m):
        t, t_slope, log_slope, log_slope_slope = student(x[1 + i], df)
        power = np.exp((1.0 - centring[i]) * x[0] + centring[i] * log_scale)
        a[i], slope[i] = power * t, power * t_slope
        q = a[i] ** 2 / law
        value += log_slope - centring[i] * x[0] - 0.5 * (df + 1.0) * np.log1p(q)
        by_scale += (df + 1.0) * q / (1.0 + q) - centring[i]
        by_strength[i] = -(df + 1.0) * a[i] / (law + a[i] ** 2)
        gradient[1 + i] = log_slope_slope
    return value, by_scale, a, slope, by_strength, gradient


@numba.njit(cache=True, error_model="numpy", nogil=True)
def fold(
    by_scale: float, by_strength: Floats, a: Floats, slope: Floats, centring: Floats,
    gradient: Floats,
) -> None:  # fmt: skip
    """Add what depends on x by way of the strengths to the gradient (1 + player,)."""
    for i in range(a.size):
        gradient[1 + i] += by_strength[i] * slope[i]
        by_scale += (1.0 - centring[i]) * by_strength[i] * a[i]
    gradient[0] = by_scale


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _log_density(
    x: Floats, centring: Floats, log_scale: float, points: Floats, n: Floats, prior_scale: float,
    df: float,
) -> tuple[float, Floats]:  # fmt: skip
    value, by_scale, a, slope, by_strength, gradient = prior_parts(
        x, centring, log_scale, prior_scale, df
    )
    value = add_matches(value, by_strength, a, points, n)
    fold(by_scale, by_strength, a, slope, centring, gradient)
    return value, gradient
