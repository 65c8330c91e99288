r"""PMRA's likelihood with the rounds' intercepts integrated out.

.. math:: L = \prod_k \int \phi(u) \prod_{i<j} P(y_{ijk} \mid \eta_{ij} = b_0 + s u + b_i - b_j)\,du

by Gauss and Hermite's quadrature, adapted to each round: nodes stand around the mode of the
integrand, as far apart as its curvature says. One node is Laplace's approximation.
"""

from typing import NamedTuple

import numba
import numpy as np

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.newton import Linear, maximise
from leaderbayes._numerics.round_intercept import ListedStatistics
from leaderbayes._types import Floats, Longs

_ENOUGH = 10  # nodes for the information, however few the likelihood has
_WIDE = 5.0  # s from which rounds may go all one way, and s have no finite estimate
_MANY = 30  # nodes that see the likelihood there


class Marginal(NamedTuple):
    """Marginal likelihood at (b, b_0, s); what belongs to rounds is on u's scale."""

    value: float
    gradient: Floats  # (player + 2,)
    information: Floats  # (player + 2, player + 2), by Louis' identity
    mode: Floats  # (round,)
    variance: Floats  # (round,): given the parameters


@numba.njit(cache=True, error_model="numpy")
def _sums(up: Floats, down: Floats, odds: float, slope: Floats, bend: Floats) -> tuple[float, ...]:
    """Over pairs with odds x up_i x down_j of a win: log(1 + odds), p, v = p (1 - p), v (1 - 2p).

    Adds to ``slope`` each player's sum of p (first-listed: +, second: -), to ``bend`` of v.
    """
    value, first, v_sum, w_sum = 0.0, 0.0, 0.0, 0.0
    m = up.size
    for i in range(m):
        above = odds * up[i]
        product, p_row, v_row = 1.0, 0.0, 0.0
        for j in range(i + 1, m):
            z = above * down[j]
            d = 1.0 / (1.0 + z)
            p = z * d
            v = p * d
            # One logarithm for many terms, before they overflow.
            product *= 1.0 + z
            if product > 1e150:
                value += np.log(product)
                product = 1.0
            slope[j] -= p
            bend[j] -= v
            p_row += p
            v_row += v
            w_sum += v * (d - p)
        value += np.log(product)
        slope[i] += p_row
        bend[i] += v_row
        first += p_row
        v_sum += v_row
    return value, first, v_sum, w_sum


@numba.njit(cache=True, error_model="numpy")
def _thirds(up: Floats, down: Floats, odds: float, tilt: Floats) -> None:
    """Add to ``tilt`` each player's sum of v (1 - 2p), signed as `_sums` does."""
    for i in range(up.size):
        for j in range(i + 1, up.size):
            z = odds * up[i] * down[j]
            d = 1.0 / (1.0 + z)
            w = z * d * d * (d - z * d)
            tilt[i] += w
            tilt[j] -= w


@numba.njit(cache=True, error_model="numpy")
def _marginal(
    b: Floats,
    level: float,
    scale: float,
    points: Floats,
    first: Floats,
    start: Longs,
    member: Longs,
    node: Floats,
    log_weight: Floats,
) -> tuple[float, Floats, Floats, Floats, Floats]:
    m, rounds, nodes = b.size, first.size, node.size
    value = 0.0
    gradient = np.zeros(m + 2)
    complete = np.zeros((m + 2, m + 2))  # information, were the intercepts known
    spread = np.zeros((m + 2, m + 2))  # variance of the scores over u
    mode, variance = np.zeros(rounds), np.ones(rounds)
    for k in range(rounds):
        who = member[start[k] : start[k + 1]]
        size = who.size
        centre = 0.5 * (np.max(b[who]) + np.min(b[who])) if size > 0 else 0.0
        up, down = np.exp(b[who] - centre), np.exp(centre - b[who])
        nothing, empty = np.zeros(size), np.zeros(size)
        # What does not depend on u: sum of points' strengths, less the second-listed one's of
        # each pair, as log(e^(c + b_i) + e^b_j) = b_j + log(1 + odds).
        constant = 0.0
        for a in range(size):
            constant += (points[k, who[a]] - a) * b[who[a]]

        # Mode of h(u) = log likelihood - u^2 / 2; h is concave.
        u = 0.0
        for _ in range(100):
            _, p, v, _ = _sums(up, down, np.exp(level + scale * u), nothing, empty)
            move = (scale * (first[k] - p) - u) / (scale * scale * v + 1.0)
            # A step that long would overshoot where the logistic is flat.
            move = min(max(move, -5.0), 5.0)
            u += move
            if abs(move) < 1e-12:
                break
        slope, bend, tilt = np.zeros(size), np.zeros(size), np.zeros(size)
        odds = np.exp(level + scale * u)
        _, p, v, w = _sums(up, down, odds, slope, bend)
        _thirds(up, down, odds, tilt)
        sigma = 1.0 / np.sqrt(scale * scale * v + 1.0)
        mode[k], variance[k] = u, sigma * sigma

        # Derivatives of mode and width in (b, b_0, s).
        d_mode, d_sigma = np.zeros(m + 2), np.zeros(m + 2)
        for a in range(size):
            d_mode[who[a]] = -scale * bend[a]
            d_sigma[who[a]] = scale * scale * tilt[a]
        d_mode[m] = -scale * v
        d_mode[m + 1] = first[k] - p - scale * v * u
        d_mode *= sigma * sigma
        d_sigma[m] = scale * scale * w
        d_sigma[m + 1] = 2.0 * scale * v + scale * scale * w * u
        d_sigma += scale * scale * scale * w * d_mode
        d_sigma *= -0.5 * sigma**3

        # Integrand at the nodes, then expectations under its weights.
        height = np.empty(nodes)
        scores = np.zeros((nodes, m + 2))
        bends = np.zeros((nodes, size))
        curve = np.empty((nodes, 2))
        for q in range(nodes):
            x = u + np.sqrt(2.0) * sigma * node[q]
            slope = np.zeros(size)
            total, p, v, _ = _sums(up, down, np.exp(level + scale * x), slope, bends[q])
            height[q] = (
                constant + first[k] * (level + scale * x) - total - 0.5 * x * x + log_weight[q]
            )
            for a in range(size):
                # Points of the second-listed are matches less wins of the first: a constant.
                scores[q, who[a]] = points[k, who[a]] - a - slope[a]
            scores[q, m] = first[k] - p
            scores[q, m + 1] = x * (first[k] - p)
            curve[q, 0], curve[q, 1] = x, v
        top = np.max(height)
        share = np.exp(height - top)
        total = np.sum(share)
        share /= total
        value += top + np.log(total) + np.log(sigma) - 0.5 * np.log(np.pi)
        mean = np.zeros(m + 2)
        drift, widen = 0.0, 0.0
        for q in range(nodes):
            mean += share[q] * scores[q]
            pull = scale * scores[q, m] - curve[q, 0]
            drift += share[q] * pull
            widen += share[q] * pull * np.sqrt(2.0) * node[q]
        gradient += mean + drift * d_mode + (widen + 1.0 / sigma) * d_sigma
        for q in range(nodes):
            x, v = curve[q]
            gap = scores[q] - mean
            for i in range(m + 2):
                for j in range(m + 2):
                    spread[i, j] += share[q] * gap[i] * gap[j]
            odds = np.exp(level + scale * x)
            for a in range(size):
                i = who[a]
                for c in range(a + 1, size):
                    z = odds * up[a] * down[c]
                    complete[i, who[c]] -= share[q] * z / ((1.0 + z) * (1.0 + z))
                complete[i, m] += share[q] * bends[q, a]
                complete[i, m + 1] += share[q] * x * bends[q, a]
            complete[m, m] += share[q] * v
            complete[m, m + 1] += share[q] * x * v
            complete[m + 1, m + 1] += share[q] * x * x * v
    for i in range(m):
        for j in range(i):
            both = complete[i, j] + complete[j, i]
            complete[i, j] = both
            complete[j, i] = both
            complete[i, i] -= both
            complete[j, j] -= both
        complete[m, i], complete[m + 1, i] = complete[i, m], complete[i, m + 1]
    complete[m + 1, m] = complete[m, m + 1]
    return value, gradient, complete - spread, mode, variance


def marginal(x: Floats, statistics: ListedStatistics, n_quadrature: int) -> Marginal:
    """Evaluate at x = (b, b_0, s); ``n_quadrature`` nodes a round."""
    node, weight = np.polynomial.hermite.hermgauss(n_quadrature)
    m = len(x) - 2
    log_weight = np.log(weight) + node**2
    return Marginal(
        *_marginal(
            x[:m],
            float(x[m]),
            float(x[m + 1]),
            statistics.points,
            statistics.first,
            statistics.start,
            statistics.member,
            node,
            log_weight,
        )
    )


def fit_marginal(
    statistics: ListedStatistics,
    start: Floats,
    n_quadrature: int,
    *,
    linear: Linear | None = None,
) -> tuple[Floats, Marginal]:
    """Maximise the marginal likelihood from ``start`` (player + 2,), strengths first.

    Returns
    -------
    x : (player + 2,)
        b (sum to zero), b_0, s (at least 0).
    marginal : Marginal
        There; the information by ten nodes at least.

    Raises
    ------
    NotConvergedError
        If Newton's method does not converge, or the likelihood rises without end in s.
    """

    def evaluate(x: Floats) -> Marginal:
        at = marginal(x, statistics, n_quadrature)
        if n_quadrature >= _ENOUGH:
            return at
        return at._replace(information=marginal(x, statistics, _ENOUGH).information)

    def parts(x: Floats) -> tuple[float, Floats, Floats]:
        at = evaluate(x)
        return at.value, at.gradient, at.information

    x = maximise(parts, start, len(start) - 2, linear=linear).x
    # The likelihood is even in s.
    x[-1] = abs(x[-1])
    if x[-1] > _WIDE and (linear is None or not linear.value.any()):
        here, beyond = (marginal(scale * x, statistics, _MANY).value for scale in (1.0, 2.0))
        if beyond > here:
            raise NotConvergedError(
                "LB002 the standard deviation of the rounds' intercepts has no finite estimate: "
                "in nearly every round all matches go the way of the players' order, or against "
                "it. Take another order of the players, the posterior (model='round_intercept'), "
                "or likelihood.bradley_terry."
            )
    return x, evaluate(x)
