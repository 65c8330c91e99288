r"""Density of few players' effects given their scale, their mean integrated out.

.. math:: p(\mu \mid \tau) = \int \prod_i t_d(\mu_i + c; 0, \tau)\, dc, \quad
          \textstyle\sum_i \mu_i = 0

is what ``b_i ~ t_d(0, tau)`` says of ``mu = b - mean(b)``. Of two or three players b itself has
several modes (which one is far out?), and no sampler's step suits them all; mu has one. The
integral is by the trapezoid rule in coordinates in which it converges exponentially,

.. math:: c = -\mu_i + \tau \sqrt{d} \sinh v,

for each player i in turn, whose part of the integrand is its share in a partition of unity, so
that players who are far apart get nodes each.
"""

import math

import numba
import numpy as np

from leaderbayes._types import Floats

FEW = 3  # players: of more mean(b) is known well enough, and the integral takes longer
_STEP = 0.6  # of v, in standard deviations of what is narrowest
_FAR = 4.5  # v, at most


def nodes(players: int, df: float) -> tuple[Floats, Floats]:
    """Give distances from a player (node,), in units of tau, and logarithms of their weights."""
    # A product of m of Student's laws is as narrow, in v, as a normal one of precision m (d + 1).
    step = _STEP / math.sqrt(players * (df + 1.0))
    v = step * np.arange(-math.ceil(_FAR / step), math.ceil(_FAR / step) + 1.0)
    return math.sqrt(df) * np.sinh(v), np.log(step * math.sqrt(df) * np.cosh(v))


@numba.njit(cache=True, error_model="numpy", nogil=True)
def log_prior(
    effect: Floats, tau: float, df: float, x: Floats, log_x: Floats
) -> tuple[float, Floats, float]:
    """Give the log-density of effects (player,) that sum to 0, up to a constant.

    With its gradient by effects, and its slope by log tau. Cost: players squared times nodes.
    """
    m = effect.size
    part, by, slope = np.empty(m), np.empty(m), np.zeros(m)
    top, total = -np.inf, 0.0
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
            log = log_x[k] - 0.5 * (df + 1.0) * math.log(product)
            if log > top:
                scaled = math.exp(top - log)
                total *= scaled
                slope *= scaled
                top = log
            weight = part[i] / shares * math.exp(log - top)
            total += weight
            for j in range(m):
                slope[j] -= weight * by[j]
    gradient = (df + 1.0) / (df * tau) * slope / total
    # Of c there is one tau for m densities; else all depends on effects in units of tau.
    value = top + math.log(total) - (m - 1.0) * math.log(tau)
    return value, gradient, -(m - 1.0) - (effect * gradient).sum()
