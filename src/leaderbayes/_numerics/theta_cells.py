r"""Cells of a scale of thetas, and the likelihood of each different score in the cells near it.

Scores err alike on the scale: estimates as they are, counts by :math:`\arcsin \sqrt{\theta}`. The
flexible distribution of `flexible_law` puts weights on these cells.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from leaderbayes._numerics.counts import log_probability
from leaderbayes._numerics.kernels import njit
from leaderbayes._types import Floats, Longs

_STEP = 0.5  # width of a cell, in units: standard errors on the scale
_BEYOND = 4.0  # units below the lowest and above the highest score in which thetas may lie
REACH = 7.0  # units from a score beyond which no theta explains it
_MOST = 0.95  # correlation up to which cells are fine enough, where it is unknown
END = 1e-7  # of the scale of counts: closer to its ends theta is 0 or 1
_LOST = -600.0  # log-probability of being above the floor, below which it is taken as impossible
_NEAR = 8  # counts that are this close follow from one another


class Cells(NamedTuple):
    """Where thetas may lie, and which cells each different score can come from."""

    edge: Floats  # (cell + 1,)
    first: Longs  # (score,): its first cell
    row: Longs  # (score + 1,): where its cells are in a list of all scores' cells
    share: Floats  # (cell,): of the scale

    @property
    def middle(self) -> Floats:
        """Middle of each cell, (cell,)."""
        return 0.5 * (self.edge[1:] + self.edge[:-1])


def cells(centre: Floats, unit: Floats, low: float, high: float, fine: float = 1.0) -> Cells:
    """Cut the scale into cells near scores (score,); ``fine``: how much smaller errors may be."""
    begin = max(float((centre - _BEYOND * unit).min()), low)
    end = min(float((centre + _BEYOND * unit).max()), high)
    edge = _edges(centre, unit, begin, end, _STEP * fine)
    first = np.searchsorted(edge, centre - REACH * unit, side="right") - 1
    last = np.searchsorted(edge, centre + REACH * unit, side="left")
    first, last = np.maximum(first, 0), np.minimum(last, len(edge) - 1)
    row = np.concatenate([[0], np.cumsum(last - first)])
    share = np.diff(edge) / (edge[-1] - edge[0])
    return Cells(edge, first.astype(np.int64), row.astype(np.int64), share)


def own_share(rho: Any) -> tuple[float, float]:
    """Share of standard errors that is each one's own, and how much smaller it may yet be."""
    if hasattr(rho, "ppf"):
        least, most = (min(float(rho.ppf(q)), _MOST) for q in (0.001, 0.999))
        own = math.sqrt(1.0 - least**2)
        return own, math.sqrt(1.0 - most**2) / own
    return math.sqrt(1.0 - min(rho, _MOST) ** 2), 1.0


def cells_of_counts(x: Floats, n: int, rho: Any, fine: float = 1.0) -> Cells:
    r"""Cut :math:`\arcsin \sqrt{\theta}`, on which counts x (count,) err by 1 / (2 sqrt n)."""
    own, finer = own_share(rho)
    unit = np.full(len(x), 0.5 * own / math.sqrt(n))
    return cells(np.arcsin(np.sqrt(x / n)), unit, END, 0.5 * math.pi - END, fine * finer)


@njit()
def _edges(centre: Floats, unit: Floats, begin: float, end: float, step_of: float) -> Floats:
    edge = [begin]
    while edge[-1] < end:
        at, step, ahead = edge[-1], math.inf, end
        for u in range(centre.size):
            reach = REACH * unit[u]
            if at < centre[u] - reach:
                ahead = min(ahead, centre[u] - reach)
            elif at <= centre[u] + reach:
                step = min(step, step_of * unit[u])
        edge.append(min(at + step, end) if step < math.inf else ahead)
    return np.array(edge)


@njit(nogil=True)
def of_counts(given: Cells, x: Floats, node: Floats, seen: Floats) -> tuple[Floats, Floats]:
    """Likelihood of counts x (score,) above a floor, and the logarithm of each one's factor.

    node (cell, 5): `counts.conditionals_at` of each cell's theta; seen (cell,): the logarithm of
    its probability to be above the floor.
    """
    value, top, known = np.empty(given.row[-1]), np.empty(x.size), np.full(len(node), -math.inf)
    for u in range(x.size):
        mine, first = value[given.row[u] : given.row[u + 1]], given.first[u]
        steps = int(x[u] - x[u - 1]) if u > 0 else _NEAR + 1
        for k in range(mine.size):
            shift, size, log_p, log_q, ways = node[first + k]
            ratio = 1.0  # of a count's probability to that of the count before
            for step in range(1, steps + 1 if steps <= _NEAR else 0):
                y = x[u - 1] + step - shift
                ratio *= (size - y + 1.0) / y
            log = -math.inf
            if steps <= _NEAR and ratio > 0.0:
                log = known[first + k] + math.log(ratio) + steps * (log_p - log_q)
            if not log > -math.inf:
                log = log_probability(x[u], shift, size, log_p, log_q, ways)
            known[first + k] = log
            mine[k] = log - seen[first + k] if seen[first + k] > _LOST else -math.inf
        top[u] = mine.max()
        for k in range(mine.size):
            mine[k] = math.exp(mine[k] - top[u]) if top[u] > -math.inf else 0.0
    return value, top


@njit(nogil=True)
def of_estimates(given: Cells, seen: Floats, own: Floats, theta: Floats) -> tuple[Floats, Floats]:
    """Likelihood of estimates less their luck (score,), and the logarithm of each one's factor."""
    value, factor = np.empty(given.row[-1]), np.empty(seen.size)
    for u in range(seen.size):
        mine = value[given.row[u] : given.row[u + 1]]
        top = -math.inf
        for k in range(mine.size):
            gap = (seen[u] - theta[given.first[u] + k]) / own[u]
            mine[k] = -0.5 * gap * gap
            top = max(top, mine[k])
        for k in range(mine.size):
            mine[k] = math.exp(mine[k] - top)
        factor[u] = top - math.log(own[u]) - 0.5 * math.log(2.0 * math.pi)
    return value, factor
