r"""Likelihood of a board's counts with thetas integrated out, and thetas given the counts.

.. math:: \theta_j \sim P(\theta), \quad X_j \mid \theta_j, z \sim
          \mathrm{Bin}(s, p_{1j}) + \mathrm{Bin}(n - s, p_{0j}), \quad
          s = n \theta_0 + z \sqrt{n \theta_0 (1 - \theta_0)}

with the conditional probabilities of Boland's model (`maximum.conditionals`); where equation 8
forbids rho to a classifier, it has the largest that is allowed. Thetas are integrated out on grids
in :math:`\varphi = \arcsin \sqrt \theta`, on which a count tells as much everywhere: to
:math:`1 / (2 \sqrt n)`.

The sum of two binomials is taken as the shifted binomial with its first three cumulants, of a size
that need not be whole: no count's probability is lost, and the law is within a total variation of
0.011 at n = 50, 0.001 at 500, 0.0002 at 3000 (rho 0.6, theta 0.9); without dependence it is the
binomial itself.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

_REACH = 7.0  # of a count, in units of 1 / (2 sqrt n), beyond which few thetas explain it
_WIDTH = 12.0  # of a component of P(theta), in standard deviations
_OWN_STEP = 0.25  # of the grid, in standard deviations of the component
_END = 1e-6  # of phi, the least and the largest
_END_STEP = 0.25  # of grids that end at theta 0 or 1, in units of 1 / (2 sqrt n)
_TINY = 1e-25  # a likelihood below it is summed over all thetas
_LEAST = 1e-300
_NARROWEST = 1e10  # concentration

STATISTICS = ("maximum", "quantile 0.9", "median", "quantile 0.1")  # of a board


class Counts(NamedTuple):
    """Counts of a board; classifiers with the same are alike."""

    n: int
    floor: int  # classifiers with this count or a lower one are left out
    x: Floats  # (count,): the different ones, ascending
    times: Longs  # (count,): classifiers that have it
    of: Longs  # (classifier,): position of each one's count


class Law(NamedTuple):
    """P(theta) on grids, one a component."""

    start: Longs  # (component + 1,)
    phi: Floats  # (node,), ascending within components
    share: Floats  # (node,): probabilities
    width: Floats  # (component,): of cells, in phi; 0 for a discrete law
    power: Floats  # (component, 2): the law of phi rises from 0, and from pi / 2, as d(phi^power)


def counts(score: Floats, n: int, floor: int = -1) -> Counts:
    """Count right answers, of shares (classifier,), which may be rounded."""
    right = np.round(score * n)
    x, of, times = np.unique(right[right > floor], return_inverse=True, return_counts=True)
    return Counts(n, floor, x, times.astype(np.int64), of.astype(np.int64))


def floor_count(n: int, classes: int, floor: float | None) -> int:
    """Give the highest count that is left out: chance, or a higher floor."""
    return math.floor(max(1.0 / classes, floor or 0.0) * n + 1e-9)


def statistics(score: Floats) -> Floats:
    """`STATISTICS` of boards (..., classifier), (..., statistic)."""
    ascending = np.sort(score, axis=-1)
    at = np.array([0.9, 0.5, 0.1]) * (score.shape[-1] - 1)
    below = at.astype(np.int64)
    above = np.minimum(below + 1, score.shape[-1] - 1)
    quantile = ascending[..., below] * (1.0 - at + below) + ascending[..., above] * (at - below)
    return np.concatenate([ascending[..., -1:], quantile], axis=-1)


def empirical_law(board: Counts, weight: float, chance: float, step: float = 0.0) -> Law:
    """Scores themselves, shrunk towards chance by a weight (equation 9).

    Those within a step, in units of 1 / (2 sqrt n), are taken as one, at their mean.
    """
    score = board.x / board.n
    share = board.times / len(board.of)
    if step:
        cell = np.floor(2.0 * math.sqrt(board.n) * np.arcsin(np.sqrt(score)) / step)
        first = np.flatnonzero(np.diff(cell, prepend=-1.0))
        mass = np.add.reduceat(share, first)
        score, share = np.add.reduceat(share * score, first) / mass, mass
    theta = weight * score + (1.0 - weight) * chance
    # Nobody is always right or always wrong.
    phi = np.arcsin(np.sqrt(np.clip(theta, 1e-12, 1.0 - 1e-12)))
    return Law(np.array([0, len(phi)]), phi, share, np.zeros(1), np.ones((1, 2)))


@numba.njit(cache=True, error_model="numpy", nogil=True)
def beta_law(
    n: int, low: float, high: float, a: Floats, b: Floats, weight: Floats, fine: float
) -> Law:
    """Mixture of betas, for counts between low and high.

    Grids have steps of ``fine`` in units of 1 / (2 sqrt n), or finer where a beta is narrow, or
    reaches 0 or 1, where it may be singular.
    """
    # Narrower ones look the same in the counts, and their logarithms would cancel.
    most = np.minimum(1.0, _NARROWEST / (a + b))
    a, b = a * most, b * most
    unit = 0.5 / math.sqrt(n)
    ends = np.empty((a.size, 2))
    start, width = np.zeros(a.size + 1, np.int64), np.empty(a.size)
    for c in range(a.size):
        own = 0.5 / math.sqrt(a[c] + b[c] + 1.0)
        middle = math.asin(math.sqrt(a[c] / (a[c] + b[c])))
        first = max(math.asin(math.sqrt(low / n)) - _REACH * unit, middle - _WIDTH * own, 0.0)
        last = min(
            math.asin(math.sqrt(high / n)) + _REACH * unit,
            middle + _WIDTH * own,
            0.5 * math.pi,
        )
        if last <= first:  # nobody is where this component is
            first, last = max(middle - own, 0.0), min(middle + own, 0.5 * math.pi)
        step = min(fine, _END_STEP) if first == 0.0 or last == 0.5 * math.pi else fine
        cells = max(math.ceil((last - first) / min(step * unit, _OWN_STEP * own)), 1)
        start[c + 1] = start[c] + cells
        width[c] = (last - first) / cells
        ends[c] = first, last
    phi, share = np.empty(start[-1]), np.empty(start[-1])
    power = np.column_stack((2.0 * a, 2.0 * b))
    for c in range(a.size):
        log = math.lgamma(a[c] + b[c]) - math.lgamma(a[c]) - math.lgamma(b[c])
        for k in range(start[c], start[c + 1]):
            phi[k] = ends[c, 0] + (k - start[c] + 0.5) * width[c]
            density = (2.0 * a[c] - 1.0) * math.log(math.sin(phi[k]))
            density += (2.0 * b[c] - 1.0) * math.log(math.cos(phi[k]))
            share[k] = weight[c] * 2.0 * math.exp(log + density) * width[c]
        # The mass of a power of the distance, and its second moment.
        for end, k in enumerate((start[c], start[c + 1] - 1)):
            rise = power[c, end]
            if ends[c, end] == 0.5 * math.pi * end and rise < 50.0:
                share[k] *= 2.0 ** (rise - 1.0) / rise
                phi[k] = abs(0.5 * math.pi * end - width[c] * math.sqrt(rise / (rise + 2.0)))
    # Closer to an end, 1 - theta has no digits.
    phi = np.minimum(np.maximum(phi, _END), 0.5 * math.pi - _END)
    return Law(start, phi, share, width, power)


@numba.njit(cache=True, error_model="numpy")
def allowed(theta: Any, rho: Any, theta_0: float) -> Any:
    """Give rho, or the largest that equation 8 and its like for p_1 allow; numbers or arrays."""
    odds = theta / (1.0 - theta) * (1.0 - theta_0) / theta_0
    return np.minimum(rho, np.sqrt(np.minimum(odds, 1.0 / odds)))


@numba.njit(cache=True, error_model="numpy")
def shifted_binomial(
    n: float, theta: float, rho: float, theta_0: float, z: float
) -> tuple[float, float, float]:
    """Shift, size and probability of the binomial with the cumulants of X given theta and z."""
    if rho == 0.0:
        return 0.0, n, theta
    s = n * theta_0 + z * math.sqrt(n * theta_0 * (1.0 - theta_0))
    spread = allowed(theta, rho, theta_0) * math.sqrt(theta * (1.0 - theta))
    up = min(theta + spread * math.sqrt((1.0 - theta_0) / theta_0), 1.0)
    down = max(theta - spread * math.sqrt(theta_0 / (1.0 - theta_0)), 0.0)
    first, second = s * up * (1.0 - up), (n - s) * down * (1.0 - down)
    variance = first + second
    third = first * (1.0 - 2.0 * up) + second * (1.0 - 2.0 * down)
    p = 0.5 * (1.0 - third / variance)
    size = variance / (p * (1.0 - p))
    return s * up + (n - s) * down - size * p, size, p


@numba.njit(cache=True, error_model="numpy")
def _conditionals(
    n: float, phi: Floats, share: Floats, rho: float, theta_0: float, z: float
) -> Floats:
    """Prepare what `_weight` needs of each node, (node, 5)."""
    out = np.empty((phi.size, 5))
    for k in range(phi.size):
        shift, size, p = shifted_binomial(n, math.sin(phi[k]) ** 2, rho, theta_0, z)
        log = math.log(max(share[k], _LEAST)) + math.lgamma(size + 1.0)
        out[k] = shift, size, math.log(p), math.log1p(-p), log
    return out


@numba.njit(cache=True, error_model="numpy")
def _weight(x: float, node: Floats) -> float:
    """P(theta) P(x | theta) at a node."""
    y = x - node[0]
    rest = node[1] - y
    if y <= -1.0 or rest <= -1.0:
        return 0.0
    log = node[4] - math.lgamma(y + 1.0) - math.lgamma(rest + 1.0) + y * node[2] + rest * node[3]
    return math.exp(log)


@numba.njit(cache=True, error_model="numpy")
def _explain(
    x: float, n: int, shift: float, law: Law, node: Floats, at: Longs, below: Floats
) -> int:
    """List the nodes that explain a count: positions, and sums of P(theta, x) up to each.

    Returns how many they are.
    """
    middle, reach = math.asin(math.sqrt(x / n)) - shift, _REACH * 0.5 / math.sqrt(n)
    for everywhere in (False, True):
        count, total = 0, 0.0
        for c in range(law.width.size):
            first, last = law.start[c], law.start[c + 1]
            if not everywhere:
                own = law.phi[first:last]
                last = first + np.searchsorted(own, middle + reach)
                first += np.searchsorted(own, middle - reach)
            for k in range(first, last):
                total += _weight(x, node[k])
                at[count], below[count] = k, total
                count += 1
        if total > _TINY:
            break
    return count


@numba.njit(cache=True, error_model="numpy")
def above(count: float, node: Floats) -> Floats:
    """P(X > count) at each node, (node,), by summing it up from the next count."""
    out = np.ones(len(node))
    for k in range(len(node)):
        shift, size, p, q = node[k, 0], node[k, 1], math.exp(node[k, 2]), math.exp(node[k, 3])
        # Rare mistakes have a heavier tail than the normal law.
        if count + 12.0 < shift + size * p - 6.0 * math.sqrt(size * p * q):
            continue
        y, total, term = count + 1.0 - shift, 0.0, 0.0
        if y < size + 1.0:
            log = math.lgamma(size + 1.0) - math.lgamma(y + 1.0) - math.lgamma(size - y + 1.0)
            term = math.exp(log + y * node[k, 2] + (size - y) * node[k, 3])
        while term > 1e-10 * total:
            total += term
            term *= max(size - y, 0.0) / (y + 1.0) * p / q
            y += 1.0
        out[k] = min(total, 1.0)
    return out


@numba.njit(cache=True, error_model="numpy", nogil=True)
def marginals(board: Counts, law: Law, rho: float, theta_0: float, z: float) -> Floats:
    """P(x | z, P(theta), x above the floor) of each different count, (count,)."""
    node = _conditionals(board.n, law.phi, law.share, rho, theta_0, z)
    seen = np.sum(law.share * above(board.floor, node)) if board.floor >= 0 else 1.0
    shift = 0.5 * rho * z / math.sqrt(board.n)
    at, below = np.empty(law.phi.size, np.int64), np.empty(law.phi.size)
    out = np.empty(board.x.size)
    for u in range(board.x.size):
        count = _explain(board.x[u], board.n, shift, law, node, at, below)
        out[u] = max(below[count - 1] / max(seen, _LEAST), _LEAST)
    return out


@numba.njit(cache=True, error_model="numpy", nogil=True)
def draw_thetas(
    board: Counts, law: Law, rho: float, theta_0: float, z: float, uniform: Floats
) -> tuple[Floats, Floats]:
    """Draw every classifier's theta given its count, (classifier,); and `marginals`.

    From uniform numbers (classifier, 2): which cell, and where in it.
    """
    node = _conditionals(board.n, law.phi, law.share, rho, theta_0, z)
    seen = np.sum(law.share * above(board.floor, node)) if board.floor >= 0 else 1.0
    shift = 0.5 * rho * z / math.sqrt(board.n)
    cell = np.empty(law.phi.size)
    for c in range(law.width.size):
        cell[law.start[c] : law.start[c + 1]] = law.width[c]
    at, below = np.empty(law.phi.size, np.int64), np.empty(law.phi.size)
    out, share = np.empty(board.of.size), np.empty(board.x.size)
    order = np.argsort(board.of, kind="mergesort")
    done = 0
    for u in range(board.x.size):
        count = _explain(board.x[u], board.n, shift, law, node, at, below)
        share[u] = max(below[count - 1] / max(seen, _LEAST), _LEAST)
        for j in order[done : done + board.times[u]]:
            drawn = uniform[j, 0] * below[count - 1]
            k = at[min(np.searchsorted(below[:count], drawn, side="right"), count - 1)]
            phi = law.phi[k] + (uniform[j, 1] - 0.5) * cell[k]
            c = np.searchsorted(law.start, k, side="right") - 1
            if law.phi[k] < cell[k]:
                phi = cell[k] * uniform[j, 1] ** (1.0 / law.power[c, 0])
            elif 0.5 * math.pi - law.phi[k] < cell[k]:
                phi = 0.5 * math.pi - cell[k] * uniform[j, 1] ** (1.0 / law.power[c, 1])
            out[j] = math.sin(phi) ** 2
        done += board.times[u]
    return out, share


def of_maximum(
    board: Counts, law: Law, rho: float, theta_0: float, z: float
) -> tuple[float, Floats, Floats]:
    r"""Log-probability of the best count alone; thetas ascending, and the best one's law, (node,).

    With :math:`A_k(x) = \sum_{i \le k} P(\theta_i) P(X \le x \mid \theta_i, z)`, the best theta
    of m is at most theta_k, and the best count at most x, with probability :math:`A_k(x)^m`. The
    law of theta must cover all of P(theta).
    """
    order = np.argsort(law.phi)
    phi, share = law.phi[order], law.share[order] / law.share.sum()
    m, best = len(board.of), board.x[-1]
    # Whoever is too weak is below the best count for certain.
    weak = int(
        np.searchsorted(phi, math.asin(math.sqrt(best / board.n)) - 8.0 / math.sqrt(board.n))
    )
    node = _conditionals(board.n, phi[weak:], share[weak:], rho, theta_0, z)
    size, p = node[:, 1], np.exp(node[:, 3])

    def log_at_most(x: float) -> Floats:
        y = np.clip(x - node[:, 0], 1e-9 - 1.0, size - 1e-9)
        below = np.concatenate([share[:weak], share[weak:] * betainc(size - y, y + 1.0, p)])
        return np.asarray(m * np.log(np.maximum(np.cumsum(below), _LEAST)))

    upper, lower = log_at_most(best), log_at_most(best - 1.0)
    at_best = np.exp(upper - upper[-1]) - np.exp(lower - upper[-1])
    chance = np.maximum(np.diff(at_best, prepend=0.0), 0.0)
    log = float(upper[-1] + np.log(max(at_best[-1], _LEAST)))
    return log, np.sin(phi) ** 2, chance / max(chance.sum(), _LEAST)


def fixed_law(n: int, ppf: Callable[[Floats], Floats], cdf: Callable[[Floats], Floats]) -> Law:
    """Give a known P(theta) on a grid."""
    low, high = np.arcsin(np.sqrt(np.clip(ppf(np.array([1e-12, 1.0 - 1e-12])), 0.0, 1.0)))
    cells = min(max(math.ceil((high - low) / (0.1 * 0.5 / math.sqrt(n))), 256), 100_000)
    edge = np.linspace(low, high, cells + 1)
    share = np.diff(cdf(np.sin(edge) ** 2))
    phi = np.clip((edge[1:] + edge[:-1]) / 2.0, _END, 0.5 * math.pi - _END)
    share = share / share.sum()
    return Law(np.array([0, cells]), phi, share, np.array([edge[1] - edge[0]]), np.ones((1, 2)))
