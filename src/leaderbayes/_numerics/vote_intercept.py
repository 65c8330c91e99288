r"""Votes with an intercept a judge, integrated out: what PMRA is where the order means something.

.. math:: L = \prod_k \int \phi(u) \prod_{v \in k} P(y_v \mid \eta_v = b_0 + s u + b_{first(v)}
          - b_{second(v)})\,du

by Gauss and Hermite's quadrature, adapted to each judge as in `quadrature`, of votes that need
not be of all pairs, nor of each in one order.
"""

from typing import NamedTuple

import numba
import numpy as np

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.newton import Linear, maximise
from leaderbayes._numerics.quadrature import Marginal
from leaderbayes._types import Floats, Longs

_ENOUGH = 10  # nodes for the information, however few the likelihood has
_WIDE = 5.0  # s from which judges may go all one way, and s have no finite estimate
_MANY = 30  # nodes that see the likelihood there


class Judged(NamedTuple):
    """Votes that are alike, by judge in CSR form."""

    first: Longs  # (row,)
    second: Longs  # (row,)
    won: Floats  # (row,): by the first
    n: Floats  # (row,)
    start: Longs  # (judge + 1,)


def judged(first: Longs, second: Longs, won: Floats, n: Floats, judge: Longs, m: int) -> Judged:
    """Sort votes by judge (vote,), numbered from 0, and count those that are alike together."""
    key = (judge.astype(np.int64) * m + first) * m + second
    kinds, at = np.unique(key, return_inverse=True)
    pair = kinds % (m * m)
    start = np.searchsorted(kinds // (m * m), np.arange(int(judge.max()) + 2))
    return Judged(
        pair // m, pair % m, np.bincount(at, won), np.bincount(at, n), start.astype(np.int64)
    )


@numba.njit(cache=True, error_model="numpy")
def _marginal(
    b: Floats, level: float, scale: float, first: Longs, second: Longs, won: Floats, n: Floats,
    start: Longs, node: Floats, log_weight: Floats,
) -> tuple[float, Floats, Floats, Floats, Floats]:  # fmt: skip
    m, judges, nodes = b.size, start.size - 1, node.size
    value = 0.0
    gradient = np.zeros(m + 2)
    complete = np.zeros((m + 2, m + 2))  # information, were the intercepts known
    spread = np.zeros((m + 2, m + 2))  # variance of the scores over u
    mode, variance = np.zeros(judges), np.ones(judges)
    longest = 0
    for k in range(judges):
        longest = max(longest, start[k + 1] - start[k])
    base, curve = np.empty(longest), np.empty((nodes, longest))
    scores = np.zeros((nodes, m + 2))
    d_mode, d_sigma = np.zeros(m + 2), np.zeros(m + 2)
    place, height = np.empty(nodes), np.empty(nodes)
    mean = np.zeros(m + 2)
    seen, met = np.empty(m + 2, dtype=np.int64), np.zeros(m, dtype=np.bool_)
    for k in range(judges):
        begin, size = start[k], start[k + 1] - start[k]
        count, total = 0, 0.0
        for a in range(size):
            i, j = first[begin + a], second[begin + a]
            base[a] = level + b[i] - b[j]
            total += won[begin + a]
            for who in (i, j):
                if not met[who]:
                    met[who] = True
                    seen[count] = who
                    count += 1
        seen[count], seen[count + 1] = m, m + 1
        count += 2

        # Mode of h(u) = log likelihood - u^2 / 2; h is concave.
        u = 0.0
        for _ in range(100):
            expected, bend = 0.0, 0.0
            for a in range(size):
                p = 1.0 / (1.0 + np.exp(-base[a] - scale * u))
                expected += n[begin + a] * p
                bend += n[begin + a] * p * (1.0 - p)
            move = (scale * (total - expected) - u) / (scale * scale * bend + 1.0)
            # A step that long would overshoot where the logistic is flat.
            move = min(max(move, -5.0), 5.0)
            u += move
            if abs(move) < 1e-12:
                break

        # Derivatives of mode and width in (b, b_0, s).
        expected, bend, turn = 0.0, 0.0, 0.0
        for a in range(size):
            i, j = first[begin + a], second[begin + a]
            p = 1.0 / (1.0 + np.exp(-base[a] - scale * u))
            v = n[begin + a] * p * (1.0 - p)
            w = v * (1.0 - 2.0 * p)
            expected += n[begin + a] * p
            bend += v
            turn += w
            d_mode[i] -= scale * v
            d_mode[j] += scale * v
            d_sigma[i] += scale * scale * w
            d_sigma[j] -= scale * scale * w
        sigma = 1.0 / np.sqrt(scale * scale * bend + 1.0)
        mode[k], variance[k] = u, sigma * sigma
        d_mode[m], d_mode[m + 1] = -scale * bend, total - expected - scale * bend * u
        d_sigma[m] = scale * scale * turn
        d_sigma[m + 1] = 2.0 * scale * bend + scale * scale * turn * u
        for c in seen[:count]:
            d_mode[c] *= sigma * sigma
            d_sigma[c] = -0.5 * sigma**3 * (d_sigma[c] + scale**3 * turn * d_mode[c])

        # Integrand at the nodes, then expectations under its weights.
        for q in range(nodes):
            x = u + np.sqrt(2.0) * sigma * node[q]
            place[q] = x
            sum_of, level_score = -0.5 * x * x + log_weight[q], 0.0
            for a in range(size):
                i, j = first[begin + a], second[begin + a]
                eta = base[a] + scale * x
                tail = np.exp(-abs(eta))
                p = 1.0 / (1.0 + tail) if eta > 0.0 else tail / (1.0 + tail)
                sum_of += won[begin + a] * eta
                sum_of -= n[begin + a] * (max(eta, 0.0) + np.log1p(tail))
                curve[q, a] = n[begin + a] * tail / (1.0 + tail) ** 2
                r = won[begin + a] - n[begin + a] * p
                scores[q, i] += r
                scores[q, j] -= r
                level_score += r
            scores[q, m], scores[q, m + 1] = level_score, x * level_score
            height[q] = sum_of
        top = np.max(height)
        share = np.exp(height - top)
        whole = np.sum(share)
        share /= whole
        value += top + np.log(whole) + np.log(sigma) - 0.5 * np.log(np.pi)
        drift, widen = 0.0, 0.0
        for q in range(nodes):
            for c in seen[:count]:
                mean[c] += share[q] * scores[q, c]
            pull = scale * scores[q, m] - place[q]
            drift += share[q] * pull
            widen += share[q] * pull * np.sqrt(2.0) * node[q]
        for c in seen[:count]:
            gradient[c] += mean[c] + drift * d_mode[c] + (widen + 1.0 / sigma) * d_sigma[c]
        for q in range(nodes):
            for c in seen[:count]:
                gap = share[q] * (scores[q, c] - mean[c])
                for d in seen[:count]:
                    spread[c, d] += gap * (scores[q, d] - mean[d])
        for a in range(size):
            i, j = first[begin + a], second[begin + a]
            v, xv, xxv = 0.0, 0.0, 0.0
            for q in range(nodes):
                part = share[q] * curve[q, a]
                v += part
                xv += part * place[q]
                xxv += part * place[q] ** 2
            complete[i, i] += v
            complete[j, j] += v
            complete[i, j] -= v
            complete[j, i] -= v
            complete[m, i] += v
            complete[m, j] -= v
            complete[m + 1, i] += xv
            complete[m + 1, j] -= xv
            complete[m, m] += v
            complete[m + 1, m] += xv
            complete[m + 1, m + 1] += xxv
        for c in seen[:count]:
            mean[c], d_mode[c], d_sigma[c] = 0.0, 0.0, 0.0
            scores[:, c] = 0.0
            if c < m:
                met[c] = False
    for c in range(m, m + 2):
        for d in range(c):
            complete[d, c] = complete[c, d]
    return value, gradient, complete - spread, mode, variance


def marginal(x: Floats, votes: Judged, n_quadrature: int) -> Marginal:
    """Evaluate at x = (b, b_0, s), as `quadrature.marginal`; judges stand for rounds."""
    node, weight = np.polynomial.hermite.hermgauss(n_quadrature)
    m = len(x) - 2
    data = x[:m], float(x[m]), float(x[m + 1]), *votes
    return Marginal(*_marginal(*data, node, np.log(weight) + node**2))


def fit_marginal(
    votes: Judged, start: Floats, n_quadrature: int, *, linear: Linear | None = None
) -> tuple[Floats, Marginal]:
    """Maximise the marginal likelihood, as `quadrature.fit_marginal`.

    Raises
    ------
    NotConvergedError
        If Newton's method does not converge, or the likelihood rises without end in s.
    """

    def evaluate(x: Floats) -> Marginal:
        at = marginal(x, votes, n_quadrature)
        if n_quadrature >= _ENOUGH:
            return at
        return at._replace(information=marginal(x, votes, _ENOUGH).information)

    def parts(x: Floats) -> tuple[float, Floats, Floats]:
        at = evaluate(x)
        return at.value, at.gradient, at.information

    x = maximise(parts, start, len(start) - 2, linear=linear).x
    # The likelihood is even in s.
    x[-1] = abs(x[-1])
    if x[-1] > _WIDE:
        here, beyond = (marginal(scale * x, votes, _MANY).value for scale in (1.0, 2.0))
        if beyond > here:
            raise NotConvergedError(
                "LB002 the standard deviation of the judges' intercepts has no finite estimate: "
                "nearly every judge votes for the first, or the second, all the time. Take "
                "likelihood.bradley_terry(votes, order_effect=True)."
            )
    return x, evaluate(x)
