r"""A law of thetas that is learnt from a board: a Dirichlet process on a fine grid.

.. math:: P = \sum_k w_k \delta_k, \quad w \sim \mathrm{Dirichlet}(\alpha b), \quad
          \alpha \in \{1, 1.5, 2, 3, 4\}

on cells of a scale on which scores err alike, with a base b that is uniform over the scale. Nothing
is assumed of its shape: a few values that many share, hard edges, several groups, and failures far
below, which are only one value more. Drawn by Gibbs' blocked sampler, which is told the likelihood
of each different score in each cell near it, whatever law scores have.

References
----------
Ishwaran, James (2001), Gibbs sampling methods for stick-breaking priors, JASA 96.
"""

import math
from typing import NamedTuple

import numba
import numpy as np

from leaderbayes._numerics.counts import log_probability
from leaderbayes._types import Floats, Longs

# Concentrations that the Dirichlet process may have, equally likely: with 1 alone the best of
# hundreds that all differ were too low, with more alone the edges that many share too high.
ALPHAS = np.array([1.0, 1.5, 2.0, 3.0, 4.0])
_STEP = 0.5  # of cells, in units: standard errors on the scale
_BEYOND = 4.0  # units of the lowest and highest score, in which there are thetas
REACH = 7.0  # units of a score beyond which no theta explains it
_APART = 6  # cells of a pair between which weight is moved, at most
_STEPS, _FAR = 16, 12.0  # of the log-odds of their shares
_LIGHT = 1e-3  # weight of a pair that is left alone
_LOST = -600.0  # log-probability to be above the floor, below which there is none


class Cells(NamedTuple):
    """Where thetas may lie, and which cells each different score can come from."""

    edge: Floats  # (cell + 1,)
    first: Longs  # (score,): its first cell
    row: Longs  # (score + 1,): where its cells are in a list of all scores' cells


def cells(centre: Floats, unit: Floats, low: float, high: float, fine: float = 1.0) -> Cells:
    """Cut the scale into cells, of scores (score,) with their standard errors on it.

    Where no score is near, one cell reaches from one neighbourhood to the next. fine: how much
    smaller standard errors may yet be.
    """
    begin = max(float((centre - _BEYOND * unit).min()), low)
    end = min(float((centre + _BEYOND * unit).max()), high)
    edge = _edges(centre, unit, begin, end, _STEP * fine)
    first = np.searchsorted(edge, centre - REACH * unit, side="right") - 1
    last = np.searchsorted(edge, centre + REACH * unit, side="left")
    first, last = np.maximum(first, 0), np.minimum(last, len(edge) - 1)
    row = np.concatenate([[0], np.cumsum(last - first)])
    return Cells(edge, first.astype(np.int64), row.astype(np.int64))


@numba.njit(cache=True, error_model="numpy")
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


@numba.njit(cache=True, error_model="numpy", nogil=True)
def of_counts(given: Cells, x: Floats, node: Floats, seen: Floats) -> tuple[Floats, Floats]:
    """Likelihood of counts x (score,) above a floor, and the logarithm of each one's factor.

    node (cell, 5): `counts.conditional` of each cell's theta; seen (cell,): the logarithm of its
    probability to be above the floor.
    """
    value, top = np.empty(given.row[-1]), np.empty(x.size)
    for u in range(x.size):
        mine = value[given.row[u] : given.row[u + 1]]
        for k in range(mine.size):
            at, above = node[given.first[u] + k], seen[given.first[u] + k]
            mine[k] = -math.inf
            if above > _LOST:
                mine[k] = log_probability(x[u], at[0], at[1], at[2], at[3], at[4]) - above
        top[u] = mine.max()
        for k in range(mine.size):
            mine[k] = math.exp(mine[k] - top[u]) if top[u] > -math.inf else 0.0
    return value, top


def start(given: Cells, rng: np.random.Generator) -> Floats:
    """Begin a chain with P(theta), (cell,), drawn from a few values more than the prior has."""
    width = np.diff(given.edge)
    weight = rng.standard_gamma(10.0 * width / width.sum()) + 1e-6 * width / width.sum()
    return np.asarray(weight / weight.sum())


@numba.njit(cache=True, error_model="numpy", nogil=True)
def sweep(
    given: Cells,
    value: Floats,
    times: Longs,
    weight: Floats,
    alpha: float,
    count: int,
    rng: np.random.Generator,
) -> float:
    """Move P(theta), ``weight`` (cell,), so many times, in place; and alpha, which is returned.

    value: likelihood of each score in its cells, in the order of ``given.row``, each score's up to
    a factor; times (score,): how many have it.
    """
    size, m = weight.size, times.sum()
    share = np.diff(given.edge) / (given.edge[-1] - given.edge[0])
    base = alpha * share
    ahead, atoms = np.empty(size), np.empty(size)
    at, of = np.empty(m, np.int64), np.empty(m, np.int64)
    log = np.log(value)
    for _ in range(count):
        atoms[:] = 0.0
        j = 0
        for u in range(times.size):
            begin, near = given.row[u], given.row[u + 1] - given.row[u]
            total = 0.0
            for k in range(near):
                total += weight[given.first[u] + k] * value[begin + k]
                ahead[k] = total
            for _ in range(times[u]):
                mine = int(np.searchsorted(ahead[:near], rng.random() * total, side="right"))
                at[j], of[j] = given.first[u] + min(mine, near - 1), u
                atoms[at[j]] += 1.0
                j += 1
        _relocate(given, log, base, at, of, atoms, rng)
        alpha = _concentrate(share, atoms, m, rng)
        base = alpha * share
        total = 0.0
        for k in range(size):
            weight[k] = rng.standard_gamma(base[k] + atoms[k])
            total += weight[k]
        weight /= total
    return alpha


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _concentrate(share: Floats, atoms: Floats, m: int, rng: np.random.Generator) -> float:
    """Draw alpha, given how many are in each cell, weights out."""
    log = np.empty(ALPHAS.size)
    for a in range(ALPHAS.size):
        alpha = ALPHAS[a]
        log[a] = math.lgamma(alpha) - math.lgamma(alpha + m)
        for k in range(share.size):
            if atoms[k] > 0.0:
                base = alpha * share[k]
                log[a] += math.lgamma(base + atoms[k]) - math.lgamma(base)
    chance = np.cumsum(np.exp(log - log.max()))
    at = np.searchsorted(chance, rng.random() * chance[-1], side="right")
    return float(ALPHAS[min(at, ALPHAS.size - 1)])


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _relocate(
    given: Cells,
    log: Floats,
    base: Floats,
    at: Longs,
    of: Longs,
    atoms: Floats,
    rng: np.random.Generator,
) -> None:
    """Move whole values, with all who share them, to other cells that nobody is in.

    Without this one cell's many would move one by one. at, of (classifier,): cell and score of
    each; atoms (cell,): how many are there, changed in place.
    """
    occupied = np.flatnonzero(atoms > 0.0)
    slot = np.full(atoms.size, -1)
    slot[occupied] = np.arange(occupied.size)
    # Cells that explain one of a value's players are all that can explain every one of them.
    begin, end = np.zeros(occupied.size, np.int64), np.zeros(occupied.size, np.int64)
    for j in range(at.size):
        mine, first = slot[at[j]], given.first[of[j]]
        last = first + given.row[of[j] + 1] - given.row[of[j]]
        new = end[mine] == 0
        begin[mine] = first if new else max(begin[mine], first)
        end[mine] = last if new else min(end[mine], last)
    here = np.zeros((occupied.size, (end - begin).max()))
    for j in range(at.size):
        mine = slot[at[j]]
        shift = given.row[of[j]] - given.first[of[j]] + begin[mine]
        for k in range(end[mine] - begin[mine]):
            here[mine, k] += log[shift + k]
    chance = np.empty(here.shape[1])
    for mine in range(occupied.size):
        old, first, size = occupied[mine], begin[mine], end[mine] - begin[mine]
        many, top = atoms[old], -math.inf
        for k in range(size):
            cell = first + k
            chance[k] = -math.inf
            if cell == old or atoms[cell] == 0.0:
                prior = math.lgamma(base[cell] + many) - math.lgamma(base[cell])
                chance[k] = here[mine, k] + prior
                top = max(top, chance[k])
        total = 0.0
        for k in range(size):
            total += math.exp(chance[k] - top)
            chance[k] = total
        new_cell = int(np.searchsorted(chance[:size], rng.random() * total, side="right"))
        atoms[old] = 0.0
        atoms[first + min(new_cell, size - 1)] = many


@numba.njit(cache=True, error_model="numpy", nogil=True)
def share_out(
    given: Cells,
    value: Floats,
    times: Longs,
    weight: Floats,
    alpha: float,
    rng: np.random.Generator,
) -> None:
    r"""Move weight between cells of a pair, all pairs so far apart, in place; thetas out.

    Given their sum the share f of one is Beta by itself, in log-odds t all but flat from where it
    is nothing to where it is all. It is proposed as its law is at steps of t, and beyond them as it
    exactly is there, and taken by Metropolis' rule: one value becomes two, or two become one, at
    once, where `sweep` moves players one by one.
    """
    size = weight.size
    base = alpha * np.diff(given.edge) / (given.edge[-1] - given.edge[0])
    apart = rng.integers(1, _APART + 1)
    total = np.empty(times.size)
    for u in range(times.size):
        total[u] = 0.0
        for k in range(given.row[u + 1] - given.row[u]):
            total[u] += weight[given.first[u] + k] * value[given.row[u] + k]
    touched = np.empty(times.size, np.int64)
    one, two = np.empty(times.size), np.empty(times.size)
    log = np.empty(_STEPS + 2)
    for first in range(size - apart):
        second = first + apart
        both = weight[first] + weight[second]
        if both < _LIGHT:  # which the move does not change
            continue
        count = 0
        for u in range(times.size):
            begin, end = given.first[u], given.first[u] + given.row[u + 1] - given.row[u]
            if begin <= second and first < end:
                shift = given.row[u] - begin
                one[count] = value[shift + first] if first >= begin else 0.0
                two[count] = value[shift + second] if second < end else 0.0
                touched[count] = u
                count += 1
        now = weight[second] / both
        shape = base[second], base[first]
        span = 2.0 * _FAR / _STEPS
        for i in range(_STEPS):
            f = 1.0 / (1.0 + math.exp(_FAR - (i + 0.5) * span))
            prior = shape[0] * math.log(f) + shape[1] * math.log1p(-f) + math.log(span)
            log[i + 1] = prior + _gain(f, now, both, one, two, total, touched, times, count)
        ends = (0.0, shape[0]), (1.0, shape[1])
        for i in range(2):
            f, rate = ends[i]
            gain = _gain(f, now, both, one, two, total, touched, times, count)
            log[i * (_STEPS + 1)] = gain - rate * _FAR - math.log(rate)
        chance = np.cumsum(np.exp(log - log.max()))
        at = int(np.searchsorted(chance, rng.random() * chance[-1], side="right"))
        if at == 0:
            t = -_FAR + math.log(rng.random() + 1e-300) / shape[0]
        elif at == _STEPS + 1:
            t = _FAR - math.log(rng.random() + 1e-300) / shape[1]
        else:
            t = -_FAR + (at - 1 + rng.random()) * span
        then = 1.0 / (1.0 + math.exp(min(-t, 700.0)))
        left = math.exp(min(max(t, -700.0), 0.0)) if t < -30.0 else then
        gain = 0.0
        for f, sign in ((left, 1.0), (now, -1.0)):
            odds = math.log(max(f, 1e-300)) - math.log(max(1.0 - f, 1e-300))
            if abs(odds) < _FAR:
                cell = min(int((odds + _FAR) / span), _STEPS - 1)
                prior = shape[0] * math.log(f) + shape[1] * math.log1p(-f) + math.log(span)
                own = _gain(f, now, both, one, two, total, touched, times, count)
                gain += sign * (prior + own - log[cell + 1])
        if not math.log(rng.random() + 1e-300) < gain:
            continue
        for c in range(count):
            moved = both * (left - now)
            total[touched[c]] += moved * (two[c] - one[c])
        weight[second] = both * left
        weight[first] = both * (1.0 - left)


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _gain(
    f: float,
    now: float,
    both: float,
    one: Floats,
    two: Floats,
    total: Floats,
    touched: Longs,
    times: Longs,
    count: int,
) -> float:
    """Log-likelihood with the share f, less that of now."""
    gain = 0.0
    for c in range(count):
        u = touched[c]
        rest = total[u] - both * ((1.0 - now) * one[c] + now * two[c])
        then = max(rest, 0.0) + both * ((1.0 - f) * one[c] + f * two[c])
        if not then > 0.0:
            return -math.inf
        gain += times[u] * math.log(then / total[u])
    return gain


@numba.njit(cache=True, error_model="numpy", nogil=True)
def log_sums(given: Cells, value: Floats, share: Floats) -> Floats:
    """Logarithm of each score's likelihood under P(theta), but for its factor, (score,)."""
    log = np.empty(given.first.size)
    for u in range(log.size):
        begin, total = given.row[u], 0.0
        for k in range(given.row[u + 1] - begin):
            total += share[given.first[u] + k] * value[begin + k]
        log[u] = math.log(total) if total > 0.0 else -math.inf
    return log


@numba.njit(cache=True, error_model="numpy", nogil=True)
def place(
    given: Cells, value: Floats, share: Floats, of: Longs, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw where each one's theta is on the scale, (classifier,), given P(theta) and its score.

    Who is in one cell has one theta: values are shared, and the best of many in a cell is no
    better than one of them.

    of (classifier,): position of each one's score. Also the logarithm of each score's likelihood,
    (score,), with its factor.
    """
    log = np.empty(given.first.size)
    ahead = np.empty(value.size)
    for u in range(log.size):
        total = 0.0
        for k in range(given.row[u], given.row[u + 1]):
            total += share[given.first[u] + k - given.row[u]] * value[k]
            ahead[k] = total
        log[u] = math.log(total) if total > 0.0 else -math.inf
    inside = _inside(given, rng)
    found = np.empty(of.size)
    for j in range(of.size):
        u = of[j]
        mine = ahead[given.row[u] : given.row[u + 1]]
        k = np.searchsorted(mine, rng.random() * mine[-1], side="right")
        found[j] = inside[given.first[u] + min(k, mine.size - 1)]
    return found, log


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _inside(given: Cells, rng: np.random.Generator) -> Floats:
    """Draw the value that each cell stands for, (cell,)."""
    value = np.empty(given.edge.size - 1)
    for k in range(value.size):
        value[k] = given.edge[k] + rng.random() * (given.edge[k + 1] - given.edge[k])
    return value


def draw(given: Cells, share: Floats, size: int, rng: np.random.Generator) -> Floats:
    """Draw as many from P(theta), on the scale, (classifier,)."""
    k = np.searchsorted(np.cumsum(share)[:-1], rng.random(size) * share.sum(), side="right")
    return np.asarray(_inside(given, rng)[k])
