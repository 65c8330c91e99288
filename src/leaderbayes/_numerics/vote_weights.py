r"""Weights of votes that share a judge or a prompt.

Each judge, each prompt, and each judge on a prompt has an own opinion of every player, of variance
:math:`\tau_c^2` in log-odds, so that the residuals r of two votes of a cluster covary. With
:math:`H_i` the information that all votes have on player i, :math:`L_{gij}` what cluster g's votes
on a pair have, and :math:`S_{gi}` the sum of g's residuals for i,

.. math:: \mathrm{E} \sum_{g,i} \Big(S_{gi}^2 - \sum_{v \in g} r_v^2\Big) / H_i = \tau_c^2
          \sum_{g,i} \Big( L_{gii}^2 + \sum_j L_{gij}^2 - 2 \sum_{v \in g} w_v^2 \Big) / H_i

yields the variances. A vote's log-likelihood is then multiplied by

.. math:: \omega_v = \Big( \varphi + \sum_c \tau_c^2 \,
          \frac{2 \max(s_{c,first}, s_{c,second})}{1/H_{first} + 1/H_{second}} \Big)^{-1}

where s is the share of a player's information that the other votes of v's cluster have, and
:math:`\varphi` the variance of a vote over that of a Bernoulli variable (below 1 where votes tie).
The votes of a judge thus add up to what one judge can say, however many there are.

References
----------
Ribatet, Cooley and Davison (2012), Bayesian inference from composite likelihoods, with an
application to spatial extremes, Statistica Sinica 22.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import stdtrit

from leaderbayes._numerics.bradley_terry import Law, law_of
from leaderbayes._numerics.votes import Votes
from leaderbayes._types import Floats, Longs

LARGEST_PART = 0.5  # of an estimate that a cluster makes itself, beyond which nothing is known
ONE = 1.2  # clusters in effect, below which nothing tells how they differ
LEAST = 0.005  # of an estimate's information, below which votes that go together are too few


class Together(NamedTuple):
    """Dependence of votes."""

    phi: float  # variance of a vote over p (1 - p)
    tau2: Floats  # (clustering,): variance of clusters' opinions of a player, log-odds squared
    clusters: Floats  # (clustering,): how many a player's votes are of, in effect
    wider: Floats  # (clustering,): factor on tau2, for how unsure few clusters leave it
    load: Floats  # (clustering, row): information of the cluster's other votes
    weight: Floats  # (row,)


class _Held(NamedTuple):
    """Sums of votes by cluster and player."""

    size: float  # by which tau2 multiplies
    likeness: float  # of residuals
    part: float  # of the estimate, that clusters make themselves
    load: Floats  # (row,): information of the cluster's other votes, as tau2 multiplies it


def together(
    votes: Votes, law: Law, clusterings: Sequence[Longs], *, ties_modelled: bool = False
) -> Together:
    """Estimate how votes go together, and weights of votes, by their distribution at the estimate.

    ``clusterings``, of judges, say, and of prompts, number the cluster of each row (row,) from 0,
    -1 where each vote is one by itself; what two of them share is a third. ``ties_modelled`` says
    whether the variance of votes is the model's, ties included.
    """
    own = votes.won - 0.25 * votes.tied - 2.0 * law.mean * votes.won + votes.n * law.mean**2
    phi = 1.0
    if not ties_modelled:
        phi = max(float(own.sum() / (votes.n @ law.variance)), _least_phi(votes))
    found = [_held(votes, law, own, phi, group) for group in with_shared(votes, clusterings)]
    size, likeness, part = (
        np.array([each[k] for each in found], dtype=float) for k in range(3)
    )  # fmt: skip
    likeness = likeness / (1.0 - np.minimum(part, LARGEST_PART))
    likeness[part > 1.0 / ONE] = 0.0
    tau2 = _solve(size, likeness, LEAST * votes.players)
    df = 0.5 * (1.0 / np.maximum(part, 1e-12) - 1.0) * (votes.players - 1.0)
    wider = (stdtrit(np.maximum(df, 1.0), 0.975) / 1.96) ** 2
    load = np.array([each.load for each in found]).reshape(len(found), len(votes.n))
    weight = 1.0 / (phi + (tau2 * wider) @ load)
    return Together(phi, tau2, 1.0 / np.maximum(part, 1e-12), wider, load, weight)


def with_shared(votes: Votes, clusterings: Sequence[Longs]) -> list[Longs]:
    """Add to two clusterings what they share, as a third; -1 where a vote is by itself."""
    found = [_without_single(votes, each) for each in clusterings]
    if len(found) == 2:
        one, other = found
        both = pd.factorize(one * (int(other.max(initial=0)) + 1) + other)[0].astype(np.int64)
        both = np.where((one < 0) | (other < 0), -1, both)
        found.append(_without_single(votes, both))
    return found


def _without_single(votes: Votes, group: Longs) -> Longs:
    """Mark clusters of one vote by -1."""
    several = np.bincount(group + 1, votes.n) > 1.0
    return np.where(several[group + 1], group, -1)


def _least_phi(votes: Votes) -> float:
    """Return the share of votes that are decided, one more added: these vary as p (1 - p)."""
    n, tied = float(votes.n.sum()), float(votes.tied.sum())
    return (max(n - tied, 0.0) + 1.0) / (n + 1.0)


def _held(votes: Votes, law: Law, own: Floats, phi: float, group: Longs) -> _Held:
    """Sum up by cluster and player; ``own`` (row,) are sums of squared residuals."""
    m, w = votes.players, law.variance
    sides = np.stack([votes.first, votes.second]).astype(np.int64)
    known = np.bincount(sides.ravel(), np.tile(votes.n * w, 2), m)
    error = np.divide(1.0, known, out=np.zeros(m), where=known > 0.0)
    each, kept = error[sides].sum(axis=0), group >= 0
    # A vote that is a cluster by itself makes its own part of the estimate.
    single = (votes.n * w**2)[~kept] @ (error[sides[:, ~kept]] ** 2).sum(axis=0)
    load = np.zeros(len(w))
    if not kept.any():
        return _Held(0.0, 0.0, float(single) / m, load)
    of, sides, w, each = group[kept], sides[:, kept], w[kept], each[kept]
    heavy = votes.n[kept] * w
    residual = votes.won[kept] - votes.n[kept] * law.mean[kept]
    opinion, key = pd.factorize((of * m + sides).ravel())
    mine = error[key % m]
    products = np.bincount(opinion, np.concatenate([residual, -residual])) ** 2
    held = np.bincount(opinion, np.tile(heavy, 2))
    pair, which = pd.factorize((of * m + sides.min(axis=0)) * m + sides.max(axis=0))
    size = held**2 @ mine - 2.0 * (heavy * w) @ each
    size += np.bincount(pair, heavy) ** 2 @ (error[which % m] + error[which // m % m])
    share = held * mine
    part = (share @ share + single) / m
    # About an estimate residuals are less alike than about the truth.
    likeness = products @ mine - own[kept] @ each + phi * m * part
    others = share[opinion].reshape(2, -1) - w * error[sides]
    load[kept] = 2.0 * np.maximum(others.max(axis=0), 0.0) / each
    return _Held(float(size), float(likeness), float(part), load)


def _solve(size: Floats, likeness: Floats, least: float) -> Floats:
    """Return variances of opinions, at least 0; where votes that go together are too few, 0."""
    counts = np.flatnonzero(size > least)
    tau2 = np.zeros(len(size))
    if len(counts):
        from scipy.optimize import nnls  # which takes long to import

        system = np.diag(size)
        if len(size) == 3:
            system[-1, :2] = system[:2, -1] = system[0, 1] = system[1, 0] = size[-1]
        scale = np.sqrt(size[counts])
        inner = system[np.ix_(counts, counts)] / scale[:, None]
        tau2[counts] = nnls(inner, likeness[counts] / scale)[0]
    return tau2


def opinion_products(votes: Votes, rows: sparse.csr_array, heavy: Floats, group: Longs) -> Floats:
    """Sum squares of what each opinion adds to the score (row, parameter), without single votes."""
    kept = np.flatnonzero(group >= 0)
    sides = [group[kept] * votes.players + side[kept] for side in (votes.first, votes.second)]
    opinion, _ = pd.factorize(np.concatenate(sides))
    signed = np.concatenate([heavy[kept], -heavy[kept]])
    shape = (int(opinion.max(initial=0)) + 1, len(heavy))
    added = sparse.coo_array((signed, (opinion, np.tile(kept, 2))), shape).tocsr() @ rows
    alone = sparse.diags_array(np.where(group >= 0, heavy**2 / votes.n, 0.0))
    return np.asarray((added.T @ added - 2.0 * (rows.T @ alone @ rows)).toarray())


def pair_worth(votes: Votes, epp: Floats, clusterings: Sequence[Longs], tau2: Floats) -> Floats:
    """Return the worth of a vote of each pair (player, opponent), 1 if votes are independent."""
    m = votes.players
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    pair = low.astype(np.int64) * m + high
    n = np.bincount(pair, votes.n, m * m)
    excess = np.zeros(m * m)
    for variance, group in zip(tau2, with_shared(votes, clusterings), strict=True):
        kept = np.flatnonzero(group >= 0)
        both, key = pd.factorize(group[kept] * m * m + pair[kept])
        # Ordered pairs of votes of one cluster.
        excess += (
            2.0
            * variance
            * np.bincount(key % (m * m), np.bincount(both, votes.n[kept], len(key)) ** 2, m * m)
        )
        excess -= 2.0 * variance * np.bincount(pair[kept], votes.n[kept], m * m)
    gap = (epp[:, None] - epp).ravel()
    share = np.divide(excess, n, out=np.zeros_like(n), where=n > 0.0)
    worth = (1.0 / (1.0 + np.maximum(share, 0.0) * law_of(gap).variance)).reshape(m, m)
    upper = np.triu(worth, 1)
    return np.asarray(upper + upper.T + np.eye(m))
