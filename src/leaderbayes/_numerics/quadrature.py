r"""PMRA's likelihood with random intercepts of rounds integrated out.

.. math:: L = \prod_k \int \phi(u) \prod_{v \in k} P(y_v \mid \eta_v = b_0 + s u
          + b_{first(v)} - b_{second(v)})\,du

by Gauss-Hermite quadrature adapted to each cluster k: nodes are placed around the mode of the
integrand, scaled by its curvature. One node is Laplace's approximation.
"""

from typing import NamedTuple, Self

import numpy as np
from scipy import sparse
from scipy.special import expit, logsumexp

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.newton import Linear, maximise
from leaderbayes._types import Floats, Longs

_ENOUGH = 10  # nodes for the information, however few the likelihood has
_WIDE = 5.0  # s from which clusters may go all one way, and s have no finite estimate
_MANY = 30  # nodes that see the likelihood there
_FARTHEST = 5.0  # that a step towards a mode goes: the logistic function is flat further out


class Clustered(NamedTuple):
    """Matches of listed pairs, in clusters that share an intercept."""

    rows: sparse.csr_array  # (match, player + 1): first less second, and the intercept
    won: Floats  # (match,): by the first
    n: Floats  # (match,)
    cluster: Longs  # (match,)
    sums: sparse.csr_array  # (cluster, match): indicators
    scores: sparse.csr_array  # (cluster x (player + 1), match): the rows by cluster

    @classmethod
    def of(
        cls, first: Longs, second: Longs, won: Floats, n: Floats, cluster: Longs,
        shape: tuple[int, int],
    ) -> Self:  # fmt: skip
        """Take matches of so many clusters and players."""
        size, width = len(n), shape[1] + 1
        match = np.tile(np.arange(size), 3)
        sign = np.repeat([1.0, -1.0, 1.0], size)
        column = np.concatenate([first, second, np.full(size, shape[1])])
        whose = np.tile(cluster, 3) * width + column
        rows = sparse.coo_array((sign, (match, column)), (size, width)).tocsr()
        scores = sparse.coo_array((sign, (whose, match)), (shape[0] * width, size)).tocsr()
        cells = np.ones(size), (cluster, match[:size])
        return cls(rows, won, n, cluster, sparse.coo_array(cells, (shape[0], size)).tocsr(), scores)


class Marginal(NamedTuple):
    """Marginal likelihood at (b, b_0, s); what belongs to clusters is on u's scale."""

    value: float
    gradient: Floats  # (player + 2,)
    information: Floats  # (player + 2, player + 2), by Louis' identity
    mode: Floats  # (cluster,)
    variance: Floats  # (cluster,): given the parameters


def marginal(x: Floats, given: Clustered, n_quadrature: int) -> Marginal:
    """Evaluate at x = (b, b_0, s), with ``n_quadrature`` nodes a cluster."""
    rows, won, n, of, sums, scores = given
    s, base, size = float(x[-1]), rows @ x[:-1], sums.shape[0]
    u = _modes(base, s, given)
    p = expit(base + s * u[of])
    v = n * p * (1.0 - p)
    w = v * (1.0 - 2.0 * p)
    score, bend, turn = (sums @ np.column_stack([won - n * p, v, w])).T
    sigma = 1.0 / np.sqrt(s * s * bend + 1.0)

    # The integrand at the nodes (cluster, node), and expectations under its weights.
    node, weight = np.polynomial.hermite.hermgauss(n_quadrature)
    place = u[:, None] + np.sqrt(2.0) * sigma[:, None] * node
    eta = base[:, None] + s * place[of]
    tail = np.exp(-np.abs(eta))
    softplus = np.maximum(eta, 0.0) + np.log1p(tail)
    p = np.where(eta > 0.0, 1.0, tail) / (1.0 + tail)
    height = sums @ (won[:, None] * eta - n[:, None] * softplus)
    height += np.log(weight) + node**2 - 0.5 * place**2
    total = logsumexp(height, axis=1)
    share = np.exp(height - total[:, None])
    value = float((total + np.log(sigma)).sum() - 0.5 * size * np.log(np.pi))
    # Scores of clusters (cluster, player + 2, node).
    residual = won[:, None] - n[:, None] * p
    own = (scores @ residual).reshape(size, -1, n_quadrature)
    levels = own[:, -1]
    own = np.concatenate([own, (place * levels)[:, None]], axis=1)
    mean = (own * share[:, None]).sum(axis=2)
    slope = mean.sum(axis=0)

    # Nodes follow the parameters, by derivatives of mode and width.
    pull = s * levels - place
    widen = (share * pull * np.sqrt(2.0) * node).sum(axis=1) + 1.0 / sigma
    by_width = -0.5 * sigma**3 * widen
    by_mode = (share * pull).sum(axis=1) + by_width * s**3 * turn
    along = (-s * sigma**2 * by_mode)[of] * v + (s * s * by_width)[of] * w
    slope[:-1] += rows.T @ along
    slope[-1] += by_mode @ (sigma**2 * (score - s * bend * u))
    slope[-1] += by_width @ (2.0 * s * bend + s * s * turn * u)

    curve = share[of] * (n[:, None] * p * (1.0 - p))
    moments = [(curve * (place**power)[of]).sum(axis=1) for power in range(3)]
    information = np.empty((len(x), len(x)))
    information[:-1, :-1] = (rows.T @ sparse.diags_array(moments[0]) @ rows).toarray()
    information[-1, :-1] = information[:-1, -1] = rows.T @ moments[1]
    information[-1, -1] = moments[2].sum()
    gap = (own - mean[:, :, None]) * np.sqrt(share)[:, None]
    information -= np.tensordot(gap, gap, axes=([0, 2], [0, 2]))
    return Marginal(value, slope, information, u, sigma**2)


def _modes(base: Floats, s: float, given: Clustered) -> Floats:
    """Find the mode of each cluster's integrand, which is log-concave."""
    u = np.zeros(given.sums.shape[0])
    for _ in range(100):
        p = expit(base + s * u[given.cluster])
        score = given.sums @ (given.won - given.n * p)
        bend = given.sums @ (given.n * p * (1.0 - p))
        move = np.clip((s * score - u) / (s * s * bend + 1.0), -_FARTHEST, _FARTHEST)
        u += move
        if np.abs(move).max(initial=0.0) < 1e-12:
            break
    return u


def fit_marginal(
    given: Clustered, start: Floats, n_quadrature: int, *, linear: Linear | None = None
) -> tuple[Floats, Marginal]:
    """Maximise the marginal likelihood; return b (sum to zero), b_0, s at least 0, and it there."""

    def evaluate(x: Floats) -> Marginal:
        at = marginal(x, given, n_quadrature)
        if n_quadrature >= _ENOUGH:
            return at
        return at._replace(information=marginal(x, given, _ENOUGH).information)

    def parts(x: Floats) -> tuple[float, Floats, Floats]:
        at = evaluate(x)
        return at.value, at.gradient, at.information

    x = maximise(parts, start, len(start) - 2, linear=linear).x
    # The likelihood is even in s.
    x[-1] = abs(x[-1])
    if x[-1] > _WIDE and (linear is None or not linear.value.any()):
        here, beyond = (marginal(scale * x, given, _MANY).value for scale in (1.0, 2.0))
        if beyond > here:
            raise NotConvergedError(
                "The standard deviation of PMRA's intercepts has no finite estimate, because in "
                "nearly every round all matches go one way. Use likelihood.bradley_terry, or fit "
                "the posterior."
            )
    return x, evaluate(x)
