r"""A set of tied players in a ranking: the mean over all orders that it could have.

Ranked from the worst up, t tied players D above others of total weight W join one by one, and
what a ranking's likelihood needs of them is a mean over the orders in which they do:

.. math:: \sum_{k=1}^t E_K \log X_K, \quad X_K = W + \sum_{i \in K} w_i,
          \quad K \subseteq D \text{ drawn at random among those of } k \text{ players.}

Its derivatives in the weights are the like means of :math:`1 / X_K` and :math:`1 / X_K^2`, over
the K that hold a player, or a pair. Small sets are summed over all K. For larger ones K is
whoever joined before a uniform time v, each player on its own, so that
:math:`E e^{-s X}` is a product over players, a polynomial in v (Gauss-Legendre); and

.. math:: \log x = \int_0^\infty \frac{e^{-s} - e^{-s x}}{s} ds, \quad
          \frac1x = \int_0^\infty e^{-s x} ds, \quad
          \frac1{x^2} = \int_0^\infty s\, e^{-s x} ds

by the trapezoid rule in log s, which converges like :math:`e^{-\pi^2 / h}` in its step h.
"""

import numba
import numpy as np

from leaderbayes._types import Floats

LARGEST_SUM = 8  # players of a set that is summed over its subsets; beyond, quadrature is faster

_STEP = 0.4  # of log s: an error of some 1e-11
_FIRST, _LAST = np.log(1e-5), np.log(25.0)  # of log(s x) at the largest x, and at the least
_NOTHING = 1e-30  # in E e^(-s X)


def time_rule(largest: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on (0, 1) for tied sets of up to so many players.

    Exact for t players with t / 2 nodes; e^(-t v), the steepest they could be asked for, needs
    some sqrt(t) only. None where no set is that large.
    """
    if largest <= LARGEST_SUM:
        return np.empty(0), np.empty(0)
    node, weight = np.polynomial.legendre.leggauss(
        min((largest + 1) // 2, 8 + int(2.2 * np.sqrt(largest)))
    )
    return 0.5 * (node + 1.0), 0.5 * weight


@numba.njit(cache=True, error_model="numpy")
def mean_log(rest: float, w: Floats, node: Floats, weight: Floats) -> float:
    """Mean of the sum of log X_K over the orders of players of weights ``w`` above ``rest``.

    ``node`` and ``weight`` are of `time_rule`.
    """
    nothing = np.empty(0)
    value: float = _sums(rest, w, node, weight, nothing, np.empty((0, 0)))[0]
    return value


@numba.njit(cache=True, error_model="numpy")
def mean_log_and_inverse(
    rest: float, w: Floats, node: Floats, weight: Floats, first: Floats
) -> tuple[float, float]:
    """Mean of the sums of log X_K and of 1 / X_K; fills ``first`` as `mean_inverses`."""
    value, once, _ = _sums(rest, w, node, weight, first, np.empty((0, 0)))
    return value, once


@numba.njit(cache=True, error_model="numpy")
def mean_inverses(
    rest: float, w: Floats, node: Floats, weight: Floats, first: Floats, second: Floats
) -> tuple[float, float]:
    """Mean of the sums of 1 / X_K and of 1 / X_K^2.

    Fills ``first`` (player,) with that of 1 / X_K over the K that hold the player, and ``second``
    (player, player), unless it is empty, with that of 1 / X_K^2 over those that hold both.
    """
    _, once, twice = _sums(rest, w, node, weight, first, second)
    return once, twice


@numba.njit(cache=True, error_model="numpy")
def _sums(
    rest: float, w: Floats, node: Floats, weight: Floats, first: Floats, second: Floats
) -> tuple[float, float, float]:
    if w.size == 1:
        x = rest + w[0]
        first[:] = 1.0 / x
        second[:] = 1.0 / (x * x)
        return np.log(x), 1.0 / x, 1.0 / (x * x)
    first[:] = 0.0
    second[:] = 0.0
    sums: tuple[float, float, float]
    if w.size <= LARGEST_SUM:
        sums = _over_subsets(rest, w, first, second)
    else:
        sums = _over_time(rest, w, node, weight, first, second)
    return sums


@numba.njit(cache=True, error_model="numpy")
def _over_subsets(
    rest: float, w: Floats, first: Floats, second: Floats
) -> tuple[float, float, float]:
    t = w.size
    # Subset number c holds player a where bit a of c is set.
    x, size = np.empty(1 << t), np.empty(1 << t, np.int64)
    x[0], size[0] = rest, 0
    for a in range(t):
        half = 1 << a
        for c in range(half):
            x[half + c] = x[c] + w[a]
            size[half + c] = size[c] + 1
    share = np.ones(t + 1)  # of each subset among those of its size
    for k in range(1, t):
        share[k] = share[k - 1] * k / (t - k + 1)
    value, once, twice = 0.0, 0.0, 0.0
    for c in range(1, 1 << t):
        p = share[size[c]]
        value += p * np.log(x[c])
        if first.size == 0:
            continue
        inverse = 1.0 / x[c]
        square = inverse * inverse
        once += p * inverse
        twice += p * square
        for a in range(t):
            if (c >> a) & 1:
                first[a] += p * inverse
                if second.size > 0:
                    for b in range(t):
                        if (c >> b) & 1:
                            second[a, b] += p * square
    return value, once, twice


@numba.njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _over_time(
    rest: float, w: Floats, node: Floats, weight: Floats, first: Floats, second: Floats
) -> tuple[float, float, float]:
    t = w.size
    mean = 0.5 * (t + 1.0)  # sets K that a player is in
    total = rest + np.sum(w)
    steps = int((_LAST - _FIRST + np.log(total / (rest + np.min(w)))) / _STEP) + 1
    # Steps before the first form a geometric series: there e^(-s x) is 1 - s x, or 1.
    before = _STEP * np.exp(_FIRST) / total / (np.exp(_STEP) - 1.0)
    value = t * np.log(total) + before * (t * rest + mean * np.sum(w) - t * total)
    once, twice = before * t, 0.0
    first[:] = before * mean
    q, g = np.empty(t), np.empty(t)
    for n in range(steps):
        at = np.exp(_FIRST + n * _STEP)  # s times the total
        s = at / total
        for a in range(t):
            q[a] = np.exp(-s * w[a])
        below = _STEP * np.exp(-s * rest)
        value += _STEP * t * np.exp(-at)
        for u in range(node.size):
            v = node[u]
            # One player joins at v; g is how likely each of the others is in, given e^(-s X).
            product, held = 1.0, 0.0
            for a in range(t):
                f = 1.0 - v + v * q[a]
                product *= f
                g[a] = v * q[a] / f
                held += g[a]
            if product < _NOTHING:
                break  # as at all later times
            p = below * weight[u] * product / v
            value -= p * held
            once += p * s * held
            twice += p * s * s * held
            if first.size > 0:
                for a in range(t):
                    first[a] += p * s * g[a] * (held + 1.0 - g[a])
            if second.size > 0:
                for a in range(t):
                    second[a, a] += p * s * s * g[a] * (held + 1.0 - g[a])
                    for b in range(a):
                        second[a, b] += p * s * s * g[a] * g[b] * (held + 2.0 - g[a] - g[b])
    for a in range(len(second)):
        for b in range(a):
            second[b, a] = second[a, b]
    return value, once, twice
