r"""How probable a count is as the best of k variants of a team, of that of one variant's counts.

With F the probability that a variant has as many right at most, p that it has just as many, and
:math:`G = F - p` that it has fewer, the best of k has as many with probability
:math:`F^k - G^k = p\, T_k`, where

.. math:: T_k = \frac{F^k - G^k}{F - G} = F^{k - 1} \frac{1 - (1 - p / F)^k}{p / F}, \quad
          T_{k + 1} = F\, T_k + G^k.
"""

import math

import numba
import numpy as np
from scipy.special import betainc

from leaderbayes._numerics.flexible_law import NEAR, Cells
from leaderbayes._types import Bools, Floats

_LEAST = 1e-300  # of F


def at_most(given: Cells, x: Floats, node: Floats, p: Floats) -> Floats:
    """Probability F of each score x (score,), or a lower one, in its cells, (cell of any,).

    p (cell of any,): of the score itself. Of scores near each other F goes on from the one to the
    next, by the probabilities of the counts between them.

    node (cell, 5): `counts.conditional` of each cell's theta.
    """
    fresh = np.ones(given.row[-1], bool)
    _known(given, x, fresh)
    at = np.flatnonzero(fresh)
    score = np.searchsorted(given.row, at, side="right") - 1
    shift, size, _, log_q, _ = node[given.first[score] + at - given.row[score]].T
    y = np.clip(x[score] - shift, 1e-12 - 1.0, size - 1e-12)
    upto = np.empty(len(fresh))
    upto[at] = betainc(size - y, y + 1.0, np.exp(log_q))
    _go_on(given, x, node, p, fresh, upto)
    return upto


@numba.njit(cache=True, nogil=True)
def _known(given: Cells, x: Floats, fresh: Bools) -> None:
    """Mark no cell of a score that the one before, which is near, has too."""
    for u in range(1, x.size):
        if x[u] - x[u - 1] <= NEAR:
            last = given.first[u - 1] + given.row[u] - given.row[u - 1]
            for k in range(given.row[u + 1] - given.row[u]):
                cell = given.first[u] + k
                fresh[given.row[u] + k] = cell < given.first[u - 1] or cell >= last


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _go_on(given: Cells, x: Floats, node: Floats, p: Floats, fresh: Bools, upto: Floats) -> None:
    for u in range(1, x.size):
        steps = int(x[u] - x[u - 1])
        for here in range(given.row[u], given.row[u + 1]):
            if fresh[here]:
                continue
            cell = given.first[u] + here - given.row[u]
            before = given.row[u - 1] + cell - given.first[u - 1]
            size, odds = node[cell, 1], math.exp(node[cell, 2] - node[cell, 3])
            y, chance, total = x[u - 1] - node[cell, 0], p[before], upto[before]
            for _ in range(steps):
                # Beyond as many as there are nothing is left.
                chance *= max(size - y, 0.0) * odds / (y + 1.0)
                y += 1.0
                total += chance
            upto[here] = min(total, 1.0)


@numba.njit(cache=True, error_model="numpy", nogil=True)
def chosen(p: Floats, upto: Floats, fewest: float, weight: Floats) -> Floats:
    """Sum of T_k by the ``weight`` (number,) of k, from ``fewest`` on: (cell of any,)."""
    out = np.empty(p.size)
    for i in range(p.size):
        most = max(upto[i], _LEAST)
        u = min(p[i] / most, 1.0)
        fewer = most * (1.0 - u)
        tied = fewest if u == 0.0 else -math.expm1(fewest * math.log1p(-u)) / u
        term, power = most ** (fewest - 1.0) * tied, fewer**fewest
        total = 0.0
        for k in range(weight.size):
            total += weight[k] * term
            term = most * term + power
            power *= fewer
        out[i] = total
    return out
