r"""Likelihood of a board's counts with thetas integrated out, and thetas given the counts.

.. math:: \theta_j \sim P(\theta), \quad X_j \mid \theta_j, z \sim
          \mathrm{Bin}(s, p_{1j}) + \mathrm{Bin}(n - s, p_{0j}), \quad
          s = n \theta_0 + z \sqrt{n \theta_0 (1 - \theta_0)}

with the conditional probabilities of Boland's model (`maximum.conditionals`); where equation 8
forbids rho to a classifier, it has the largest that is allowed. Thetas are integrated out over
:math:`\eta = \log \theta / (1 - \theta)`, and all sums are of logarithms: a count that P(theta) all
but excludes costs what it costs.

Under a beta each count has nodes of its own, in even steps from where theta is likeliest given the
count until nothing is left on either side. Without dependence theta given the count is a beta
again, and with it nearly so, which says where to start and how long the steps are; in log-odds
no beta is singular, and sums of even steps are all but exact. Known and empirical laws have nodes
once for all.

The sum of two binomials is taken as the shifted binomial with its first three cumulants, of a size
that need not be whole: no count's probability is lost, and the law is within a total variation of
0.011 at n = 50, 0.001 at 500, 0.0002 at 3000 (rho 0.6, theta 0.9); without dependence it is the
binomial itself.
"""

import math
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
from scipy.special import betainc, betaincc, betaln, expit, logit, logsumexp

from leaderbayes._errors import LeaderbayesError
from leaderbayes._types import Floats, Longs

_REACH = 8.0  # of a count, in units of 1 / (2 sqrt n), beyond which few thetas explain it
_POOR = -6.0  # log-likelihood within reach, against the most there can be: look everywhere
_WIDTH = 12.0  # of a beta, in standard deviations
_DROP = 25.0  # of the log density, beyond which nothing is left
_STEEP = 1.0  # of the log density, by which steps must not fall on both sides of the summit
_NODES = 1024  # of a count, under a beta
_END = math.log(1e12)  # of log-odds: closer to 0 and 1 theta - theta^2 has no digits
_TINY = 1e-12
_STEP = 0.1  # of known laws' grids, in units of 1 / (2 sqrt n)
_OWN_STEP = 0.05  # of known laws' grids, in their standard deviations
_MOST_CELLS = 100_000

STATISTICS = ("maximum", "quantile 0.9", "median", "quantile 0.1")  # of a board


class Counts(NamedTuple):
    """Counts of a board; classifiers with the same are alike."""

    n: int
    floor: int  # classifiers with this count or a lower one are left out
    x: Floats  # (count,): the different ones, ascending
    times: Longs  # (count,): classifiers that have it
    of: Longs  # (classifier,): position of each one's count


class Law(NamedTuple):
    """P(theta): a mixture of betas, or shares of thetas; the other one's arrays are empty."""

    a: Floats  # (component,)
    b: Floats  # (component,)
    log_weight: Floats  # (component,)
    eta: Floats  # (node,): log-odds, ascending
    log_share: Floats  # (node,)
    width: Floats  # (node,): of cells, in log-odds; 0 for an atom


def counts(score: Floats, n: int, floor: int = -1) -> Counts:
    """Count right answers, of shares (classifier,), which may be rounded."""
    right = np.round(score * n)
    x, of, times = np.unique(right[right > floor], return_inverse=True, return_counts=True)
    return Counts(n, floor, x, times.astype(np.int64), of.astype(np.int64))


def floor_count(n: int, chance: float, floor: float | None) -> int:
    """Give the highest count that is left out: chance, or a higher floor."""
    return math.floor(max(chance, floor or 0.0) * n + 1e-9)


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
    eta = logit(np.clip(theta, _TINY, 1.0 - _TINY))
    none = np.empty(0)
    return Law(none, none, none, eta, np.log(share), np.zeros(len(eta)))


def beta_law(a: Floats, b: Floats, weight: Floats) -> Law:
    """Mixture of betas."""
    none = np.empty(0)
    with np.errstate(divide="ignore"):
        return Law(a, b, np.log(weight), none, none, none)


def known_law(board: Counts, law: Any) -> Law:
    """Give a frozen scipy.stats law on a grid: where it has its mass, and where the counts are.

    Raises
    ------
    LeaderbayesError
        If the test set is so large that the grid would be too coarse for it.
    """
    unit = 0.5 / math.sqrt(board.n)
    ends = np.arcsin(np.sqrt(board.x[[0, -1]] / board.n)) + _REACH * unit * np.array([-1.0, 1.0])
    ends = np.sin(np.clip(ends, 0.0, 0.5 * math.pi)) ** 2
    low = max(min(float(law.ppf(_TINY)), ends[0]), law.support()[0], 0.0)
    high = min(max(float(law.ppf(1.0 - _TINY)), ends[1]), law.support()[1], 1.0)
    first, last = math.asin(math.sqrt(low)), math.asin(math.sqrt(high))
    middle = np.arcsin(np.sqrt(np.clip(law.ppf([0.16, 0.84]), 0.0, 1.0)))
    step = min(_STEP * unit, _OWN_STEP * 0.5 * (middle[1] - middle[0]))
    cells = min(max(math.ceil((last - first) / step), 256), _MOST_CELLS)
    if (last - first) / cells > unit:
        raise LeaderbayesError(
            f"n={board.n}: a known law is computed for smaller test sets; take law='beta'."
        )
    edge = np.linspace(first, last, cells + 1)
    below, above = law.cdf(np.sin(edge) ** 2), law.sf(np.sin(edge) ** 2)
    # Of two numbers next to 1 the difference has no digits.
    share = np.where(below[1:] < 0.5, np.diff(below), -np.diff(above))
    phi = (edge[1:] + edge[:-1]) / 2.0
    eta = np.clip(2.0 * np.log(np.tan(phi)), -_END, _END)
    none = np.empty(0)
    with np.errstate(divide="ignore"):
        log_share = np.log(share) - math.log(share.sum())
    return Law(none, none, none, eta, log_share, 4.0 / np.sin(2.0 * phi) * (edge[1] - edge[0]))


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
def _conditional(
    n: float, eta: float, rho: float, theta_0: float, z: float
) -> tuple[float, float, float, float, float]:
    """Shift, size, logarithms of p, 1 - p and size!, of X given log-odds and z."""
    if rho == 0.0:
        log_p = -math.log1p(math.exp(-eta))
        return 0.0, n, log_p, log_p - eta, math.lgamma(n + 1.0)
    shift, size, p = shifted_binomial(n, 1.0 / (1.0 + math.exp(-eta)), rho, theta_0, z)
    return shift, size, math.log(p), math.log1p(-p), math.lgamma(size + 1.0)


@numba.njit(cache=True, error_model="numpy", nogil=True)
def conditionals_at(n: float, eta: Floats, rho: float, theta_0: float, z: float) -> Floats:
    """`_conditional` at nodes, (node, 5)."""
    out = np.empty((eta.size, 5))
    for k in range(eta.size):
        out[k] = _conditional(n, eta[k], rho, theta_0, z)
    return out


@numba.njit(cache=True, error_model="numpy")
def log_probability(
    x: float, shift: float, size: float, log_p: float, log_q: float, ways: float
) -> float:
    """Log P(x) of a shifted binomial, of the numbers that `_conditional` gives."""
    y, rest = x - shift, size - x + shift
    if not (y > -1.0 and rest > -1.0):
        return -math.inf
    return ways - math.lgamma(y + 1.0) - math.lgamma(rest + 1.0) + y * log_p + rest * log_q


@numba.njit(cache=True, error_model="numpy")
def _posterior(
    x: float, n: int, a: float, b: float, rho: float, theta_0: float, z: float
) -> tuple[float, float]:
    """Mean and size of the beta that theta has given its count; with dependence, nearly."""
    size = float(n)
    if rho > 0.0:
        seen = (x + 0.5) / (n + 1.0)
        own = allowed(seen, rho, theta_0)
        size = n / (1.0 - own**2)
        lucky = z * own * math.sqrt(n * seen * (1.0 - seen))
        x = min(max(x - lucky, 0.0), float(n)) * size / n
    mean = (a + x) / (a + b + size)
    return min(max(mean, _TINY), 1.0 - _TINY), a + b + size


@numba.njit(cache=True, error_model="numpy")
def _log_joint(
    x: float, n: int, eta: float, a: float, b: float, rho: float, theta_0: float, z: float
) -> float:
    """Log density of log-odds under Beta(a, b), and log P(x), but for `_constant`."""
    if abs(eta) > _END:
        return -math.inf
    if rho == 0.0:
        return -(a + b + n) * math.log1p(math.exp(-eta)) - (b + n - x) * eta
    shift, size, log_p, log_q, ways = _conditional(n, eta, rho, theta_0, z)
    own = -(a + b) * math.log1p(math.exp(-eta)) - b * eta
    log: float = own + log_probability(x, shift, size, log_p, log_q, ways)
    return log


@numba.njit(cache=True, error_model="numpy")
def _constant(x: float, n: int, a: float, b: float, rho: float) -> float:
    """Give what is the same at all log-odds: of the beta, and of independent counts."""
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    if rho == 0.0:
        log += math.lgamma(n + 1.0) - math.lgamma(x + 1.0) - math.lgamma(n - x + 1.0)
    return log


@numba.njit(cache=True, error_model="numpy")
def _summit(
    x: float, n: int, a: float, b: float, rho: float, theta_0: float, z: float, step: float
) -> tuple[float, float, float]:
    """Likeliest log-odds given a count, their `_log_joint`, and steps, in standard deviations."""
    mean, size = _posterior(x, n, a, b, rho, theta_0, z)
    eta = math.log(mean / (1.0 - mean))
    step *= min(1.0 / math.sqrt(size * mean * (1.0 - mean)), 0.5)
    top = _log_joint(x, n, eta, a, b, rho, theta_0, z)
    aim = math.log((x + 0.5) / (n - x + 0.5))
    for _ in range(60):  # some thetas do not have so high or low a count at all
        if top > -math.inf:
            break
        eta = 0.5 * (eta + aim)
        top = _log_joint(x, n, eta, a, b, rho, theta_0, z)
    move = step
    for _ in range(500):
        left = _log_joint(x, n, eta - move, a, b, rho, theta_0, z)
        right = _log_joint(x, n, eta + move, a, b, rho, theta_0, z)
        best = max(left, right)
        if best > top:
            eta, top, move = eta + move if right > left else eta - move, best, 2.0 * move
        elif move > step:
            move = step
        elif best < top - _STEEP and top > -math.inf:
            step = move = 0.5 * step
        else:
            break
    return eta, top, step


@numba.njit(cache=True, error_model="numpy")
def _explain_by_betas(
    x: float, n: int, law: Law, rho: float, theta_0: float, z: float, step: float, out: Floats
) -> int:
    """List the nodes that explain a count, (node, 3): log-odds, width, log P(theta, x).

    Returns how many they are.
    """
    count = 0
    for c in range(law.a.size):
        a, b = law.a[c], law.b[c]
        middle, top, width = _summit(x, n, a, b, rho, theta_0, z, step)
        if not top > -math.inf:
            continue
        log = law.log_weight[c] + _constant(x, n, a, b, rho) + math.log(width)
        most = (c + 1) * _NODES
        out[count] = middle, width, log + top
        count += 1
        for side, rate in ((-1.0, a + x), (1.0, b + n - x)):
            k, height = 1, top
            while height > top - _DROP and count < most:
                eta = middle + side * k * width
                if abs(eta) > _END:  # all that lies beyond; it falls at this rate
                    height -= math.log(math.expm1(min(rate * width, 700.0)))
                    out[count] = side * _END, 0.0, log + height
                    count += 1
                    break
                height = _log_joint(x, n, eta, a, b, rho, theta_0, z)
                out[count] = eta, width, log + height
                count += 1
                k += 1
    return count


@numba.njit(cache=True, error_model="numpy")
def _explain_by_nodes(x: float, n: int, law: Law, node: Floats, luck: float, out: Floats) -> int:
    """`_explain_by_betas`, for nodes that are there once for all; luck is a shift, in phi."""
    middle, reach = math.asin(math.sqrt(x / n)), _REACH * 0.5 / math.sqrt(n)
    first = max(middle - reach - max(luck, 0.0), 1e-9)
    last = min(middle + reach - min(luck, 0.0), 0.5 * math.pi - 1e-9)
    near = np.searchsorted(law.eta, 2.0 * np.log(np.tan(np.array([first, last]))))
    most = -0.5 * math.log(2.0 * math.pi * (x * (n - x) / n + 1.0))
    start, end, count = near[0], near[1], 0
    for _ in range(2):
        count, top = 0, -math.inf
        for k in range(start, end):
            given = node[k]
            height = law.log_share[k] + log_probability(
                x, given[0], given[1], given[2], given[3], given[4]
            )
            out[count] = law.eta[k], law.width[k], height
            top = max(top, height)
            count += 1
        if top > most + _POOR:
            break
        start, end = 0, law.eta.size
    return count


@numba.njit(cache=True, error_model="numpy")
def _log_sum(log: Floats) -> float:
    """Logarithm of the sum of exponentials."""
    top = log.max() if log.size else -math.inf
    return top + math.log(np.sum(np.exp(log - top))) if top > -math.inf else -math.inf


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _integrate(
    board: Counts, law: Law, rho: float, theta_0: float, z: float, step: float, uniform: Floats
) -> tuple[Floats, Floats]:
    """Log P(x | z, P(theta)) of each different count, (count,); and drawn thetas, (classifier,).

    Without uniform numbers (classifier, 2) none are drawn.
    """
    given = conditionals_at(board.n, law.eta, rho, theta_0, z)
    luck = 0.5 * rho * z / math.sqrt(board.n)
    node = np.empty((max(law.eta.size, _NODES * law.a.size), 3))
    log, theta = np.empty(board.x.size), np.empty(len(uniform))
    order = np.argsort(board.of, kind="mergesort") if len(uniform) else np.empty(0, np.int64)
    done = 0
    for u in range(board.x.size):
        if law.a.size:
            count = _explain_by_betas(board.x[u], board.n, law, rho, theta_0, z, step, node)
        else:
            count = _explain_by_nodes(board.x[u], board.n, law, given, luck, node)
        log[u] = _log_sum(node[:count, 2])
        if not len(uniform):
            continue
        below = np.cumsum(np.exp(node[:count, 2] - log[u]))
        for j in order[done : done + board.times[u]]:
            # Without any explanation there is no theta either.
            k = min(np.searchsorted(below, uniform[j, 0] * below[-1]), count - 1) if count else -1
            eta = node[k, 0] + (uniform[j, 1] - 0.5) * node[k, 1] if count else math.nan
            theta[j] = 1.0 / (1.0 + math.exp(-eta))
        done += board.times[u]
    return log, theta


def marginals(
    board: Counts, law: Law, rho: float, theta_0: float, z: float, step: float = 1.0
) -> Floats:
    """Log P(x | z, P(theta), x above the floor) of each different count, (count,).

    The step is that of the nodes under a beta, in standard deviations of theta given the count.
    """
    log, _ = _integrate(board, law, rho, theta_0, z, step, np.empty((0, 2)))
    return np.asarray(log - log_seen(board, law, rho, theta_0, z))


def draw_thetas(
    board: Counts,
    law: Law,
    rho: float,
    theta_0: float,
    z: float,
    uniform: Floats,
    step: float = 0.25,
) -> tuple[Floats, Floats]:
    """Draw every classifier's theta given its count, (classifier,); and `marginals`.

    From uniform numbers (classifier, 2): which cell, and where in it.
    """  # fmt: skip
    log, theta = _integrate(board, law, rho, theta_0, z, step, uniform)
    return theta, log - log_seen(board, law, rho, theta_0, z)


def log_seen(board: Counts, law: Law, rho: float, theta_0: float, z: float) -> float:
    """Log P(X > floor | z, P(theta))."""
    if board.floor < 0:
        return 0.0
    given = rho, theta_0, z
    parts = [w + _log_seen_of_beta(board, a, b, *given)
             for a, b, w in zip(law.a, law.b, law.log_weight, strict=True)]  # fmt: skip
    if law.eta.size:
        parts.append(_log_above(board, law.eta, law.log_share, *given))
    return float(logsumexp(parts))


def _log_above(
    board: Counts, eta: Floats, log_share: Floats, rho: float, theta_0: float, z: float
) -> float:
    """Log of the sum of shares times P(X > floor)."""
    # Whoever is far enough above the floor passes it for certain.
    far = math.asin(math.sqrt((board.floor + 1.0) / board.n))
    far += (_REACH + rho * abs(z)) * 0.5 / math.sqrt(board.n)
    near = np.searchsorted(eta, 2.0 * math.log(math.tan(far)) if far < 0.5 * math.pi else math.inf)
    shift, size, log_p, _, _ = conditionals_at(board.n, eta[:near], rho, theta_0, z).T
    y = np.clip(board.floor + 1.0 - shift, _TINY, size + 1.0 - _TINY)
    with np.errstate(divide="ignore"):
        passes = np.log(betainc(y, size - y + 1.0, np.exp(log_p)))
    return float(logsumexp(np.append(log_share[:near] + passes, log_share[near:])))


def _log_seen_of_beta(
    board: Counts, a: float, b: float, rho: float, theta_0: float, z: float
) -> float:
    """`log_seen` of Beta(a, b): by Gauss and Legendre next to the floor, above it P(theta) itself.

    In phi, the arc sine of the root of theta, on which a count tells 1 / (2 sqrt n) everywhere.
    """
    unit, own = 0.5 / math.sqrt(board.n), 0.5 / math.sqrt(a + b + 1.0)
    middle = math.asin(math.sqrt(a / (a + b)))
    mean, size = _posterior(board.floor + 1.0, board.n, a, b, rho, theta_0, z)
    peak, sd = math.asin(math.sqrt(mean)), 0.5 / math.sqrt(size)
    barrier = math.asin(math.sqrt((board.floor + 1.0) / board.n))
    passed = min(barrier + (_REACH + rho * abs(z)) * unit, 0.5 * math.pi)
    if betainc(a, b, math.sin(passed) ** 2) < _TINY:
        return 0.0
    last = min(passed, max(middle + _WIDTH * own, peak + _REACH * sd))
    first = min(max(peak - _REACH * sd, 0.0), last)
    node, weight = _legendre()
    phi = first + 0.5 * (last - first) * (node + 1.0)
    eta = np.clip(2.0 * np.log(np.tan(phi)), -_END, _END) if last > first else np.empty(0)
    with np.errstate(divide="ignore"):
        width = np.log((last - first) * weight / np.sin(2.0 * phi) * 2.0)
        beyond = np.log(betaincc(a, b, math.sin(last) ** 2)) if last == passed else -math.inf
    density = -a * np.log1p(np.exp(-eta)) - b * np.log1p(np.exp(eta)) - betaln(a, b)
    if not len(eta):
        return float(beyond)
    return float(np.logaddexp(_log_above(board, eta, density + width, rho, theta_0, z), beyond))


@cache
def _legendre() -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(64)


def of_maximum(
    board: Counts, law: Law, rho: float, theta_0: float, z: float
) -> tuple[float, Floats, Floats]:
    r"""Log-probability of the best count alone; thetas ascending, and the best one's law, (node,).

    With :math:`A_k(x) = \sum_{i \le k} P(\theta_i) P(X \le x \mid \theta_i, z)`, the best theta
    of m is at most theta_k, and the best count at most x, with probability :math:`A_k(x)^m`. The
    law is one of nodes. Of a best count that is all but impossible the logarithm is minus infinity,
    and nobody's chance above 0.
    """
    share, m, best = np.exp(law.log_share), len(board.of), board.x[-1]
    theta = expit(law.eta)
    # Whoever is too weak is below the best count for certain.
    far = math.asin(math.sqrt(best / board.n)) - 8.0 / math.sqrt(board.n)
    weak = int(np.searchsorted(np.arcsin(np.sqrt(theta)), far))
    shift, size, _, log_q, _ = conditionals_at(board.n, law.eta[weak:], rho, theta_0, z).T

    def log_at_most(x: float) -> Floats:
        y = np.clip(x - shift, 1e-9 - 1.0, size - 1e-9)
        below = share[weak:] * betainc(size - y, y + 1.0, np.exp(log_q))
        with np.errstate(divide="ignore"):
            return np.asarray(m * np.log(np.cumsum(np.concatenate([share[:weak], below]))))

    upper, lower = log_at_most(best), log_at_most(best - 1.0)
    if not np.isfinite(upper[-1]):
        return -math.inf, theta, np.zeros(len(theta))
    at_best = np.exp(upper - upper[-1]) - np.exp(lower - upper[-1])
    if at_best[-1] < 1e-14 * m:  # rounding
        return -math.inf, theta, np.zeros(len(theta))
    chance = np.maximum(np.diff(at_best, prepend=0.0), 0.0)
    return float(upper[-1] + math.log(at_best[-1])), theta, chance / chance.sum()
