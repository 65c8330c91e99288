r"""Prior density of few players' effects, their scale and their mean integrated out.

.. math:: p(\mu) = \int \int \prod_i t_d(\mu_i + c; 0, \tau(t))\, dc\; 2 \varphi(t)\, dt, \quad
          \tau = a \sqrt{t^2 + F^2}, \quad \textstyle\sum_i \mu_i = 0

is what ``b_i ~ t_d(0, tau)`` says of ``mu = b - mean(b)``. Of two or three players b itself has
several modes (which one is far out?), and its scale follows it into a funnel: no sampler's step
suits all of that. mu has neither. Both integrals are by the trapezoid rule in coordinates in which
it converges exponentially:

.. math:: t = \sinh^{-1}(F \sinh s), \quad c = -\mu_i + \tau \sqrt{d} \sinh v

for each player i in turn, whose part of the integrand is its share in a partition of unity, so
that players who are far apart get nodes each.
"""

import math
from typing import NamedTuple

import numba
import numpy as np
from scipy.interpolate import CubicSpline

from leaderbayes._numerics.mean_score import FLOOR
from leaderbayes._types import Floats

FEW = 3  # players: of more the scale is known well enough, and the integral takes longer
_STEP = 0.5  # of s
_FAR = 3.5  # v, at most
_NARROW = 1.1  # step of v, in standard deviations of what is narrowest
_FINER = 16  # steps in a step of s, where t is drawn


class Nodes(NamedTuple):
    """Where the integrals are summed."""

    t: Floats  # (outer,)
    log_t: Floats  # (outer,), logarithms of weights, the density of t in them
    x: Floats  # (inner,), distances from a player in units of tau
    log_x: Floats  # (inner,), logarithms of weights


def nodes(effect: Floats, prior_scale: float, df: float) -> Nodes:
    """Choose nodes for effects about as large as these (player,)."""
    m = len(effect)
    # Where the density of t is highest if effects are far out: of power laws, and of normal ones.
    highest = min(math.sqrt(df * (m - 1)), math.sqrt(float(np.abs(effect).max()) / prior_scale))
    s = np.arange(0.0, math.asinh(math.sinh(6.0 + highest) / FLOOR) + _STEP, _STEP)
    t = np.arcsinh(FLOOR * np.sinh(s))
    slope = FLOOR * np.cosh(s) / np.cosh(t)
    log_t = np.log(_STEP * slope) - 0.5 * t**2
    log_t[0] -= math.log(2.0)
    # A product of m of Student's laws is as narrow, in v, as a normal one of precision m (d + 1).
    step = _NARROW / math.sqrt(m * (df + 1.0))
    v = step * np.arange(-math.ceil(_FAR / step), math.ceil(_FAR / step) + 1.0)
    return Nodes(t, log_t, math.sqrt(df) * np.sinh(v), np.log(step * math.sqrt(df) * np.cosh(v)))


def log_prior(effect: Floats, prior_scale: float, df: float, at: Nodes) -> tuple[float, Floats]:
    """Give the log-density of effects (player,) that sum to 0, up to a constant, and its gradient.

    Cost: players squared times nodes.
    """
    value, gradient, _ = _log_prior(effect, prior_scale, df, *at)
    return value, gradient


def log_terms(effect: Floats, prior_scale: float, df: float, at: Nodes) -> Floats:
    """Give the logarithms of what the sum over t has (outer,): t's law given effects (player,)."""
    return np.asarray(_log_prior(effect, prior_scale, df, *at)[2])


def draw_raw_scale(
    effect: Floats, prior_scale: float, df: float, at: Nodes, rng: np.random.Generator
) -> Floats:
    """Draw t (draw,) given effects (draw, player)."""
    s = np.arcsinh(np.sinh(at.t) / FLOOR)
    log = np.array([log_terms(each, prior_scale, df, at) for each in effect])
    # Between nodes the logarithm of a density is a spline, and between these the density a line.
    fine = np.linspace(s[0], s[-1], _FINER * len(s))
    first = log[:, :1] + math.log(2.0)  # half a step is before it
    log = np.hstack([first, log[:, 1:]]) - log.max(axis=1, keepdims=True)
    height = np.exp(CubicSpline(s, log, axis=1)(fine))
    mass = np.cumsum(height[:, 1:] + height[:, :-1], axis=1)
    mass /= mass[:, -1:]
    mass = np.hstack([np.zeros((len(mass), 1)), mass])
    u = rng.random((len(effect), 1))
    last = (mass < u).sum(axis=1, keepdims=True)
    low, high = (np.take_along_axis(mass, last + k, axis=1) for k in (-1, 0))
    drawn = fine[last - 1] + (u - low) / (high - low) * (fine[1] - fine[0])
    return np.asarray(np.arcsinh(FLOOR * np.sinh(drawn[:, 0])))


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _log_prior(
    effect: Floats, prior_scale: float, df: float,
    t: Floats, log_t: Floats, x: Floats, log_x: Floats,
) -> tuple[float, Floats, Floats]:  # fmt: skip
    m = effect.size
    value = -np.inf
    gradient, by_t = np.zeros(m), np.full(t.size, -np.inf)
    part, by, slope = np.empty(m), np.empty(m), np.empty(m)
    for o in range(t.size):
        tau = prior_scale * math.sqrt(t[o] * t[o] + FLOOR * FLOOR)
        # Of c there is one tau for m densities.
        constant = log_t[o] - (m - 1.0) * math.log(tau)
        top, total = -np.inf, 0.0
        slope[:] = 0.0
        for i in range(m):
            for k in range(x.size):
                product, shares = 1.0, 0.0
                for j in range(m):
                    y = x[k] + (effect[j] - effect[i]) / tau
                    a = 1.0 + y * y / df
                    part[j] = 1.0 / (a * a * a)
                    by[j] = y / a
                    product *= a
                    shares += part[j]
                log = constant + log_x[k] - 0.5 * (df + 1.0) * math.log(product)
                if log > top:
                    scaled = math.exp(top - log)
                    total *= scaled
                    slope *= scaled
                    top = log
                weight = part[i] / shares * math.exp(log - top)
                total += weight
                for j in range(m):
                    slope[j] -= weight * by[j]
        by_t[o] = top + math.log(total)
        if by_t[o] > value:
            gradient *= math.exp(value - by_t[o])
            value, whole = by_t[o], by_t[o]
        else:
            whole = value
        gradient += (df + 1.0) / (df * tau) * slope / total * math.exp(by_t[o] - whole)
    highest = by_t.max()
    total = np.exp(by_t - highest).sum()
    return highest + math.log(total), gradient / total, by_t
