r"""Votes of judges on prompts: the maximum likelihood of strengths and effects, and its honest width.

.. math:: \mathrm{logit}\,P(first\ wins) = b_{first} - b_{second} + x'\beta

Votes that share a judge or a prompt go together. Their dependence is taken as that of a judge (and
a prompt, and a judge on a prompt) with an own opinion of every player, of variance
:math:`\tau^2_c` in log-odds, so that the score vectors of two votes of a cluster c covary by
:math:`\tau^2_c`, and

.. math:: V = H^+ J H^+, \quad J = \varphi H + \sum_c \tau^2_c
          \sum_{g \in c} \Big( L_g^2 - \sum_{v \in g} L_v^2 \Big)

with H the Hessian, L_g the part of it that cluster g's votes have, and phi the variance of a vote
over that of a Bernoulli's (below 1 where half wins are ties). Each tau comes from the sum of the
products of residuals over all pairs of votes in a cluster: whatever makes them alike is in it.

The likelihood of the posterior is one of matches, so that few, one-sided or sparse votes have the
shape that they have in Bradley-Terry's, and V is its covariance at the estimate: :math:`V^+` is the
Laplacian of a graph, whose weights are those of `effective` matches.

References
----------
Cameron, Gelbach and Miller (2011), Robust inference with multiway clustering, JBES 29.
Ribatet, Cooley and Davison (2012), Bayesian inference from composite likelihoods, with an
application to spatial extremes, Statistica Sinica 22.
"""

from typing import NamedTuple

import numba
import numpy as np
from scipy import sparse
from scipy.optimize import nnls
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, stdtrit

from leaderbayes._numerics.bradley_terry import probability
from leaderbayes._numerics.newton import inverse, maximise
from leaderbayes._types import Floats, Ints, Longs

_LOGISTIC = 0.588  # what a logistic law's argument is to a normal one's: 16 sqrt(3) / (15 pi)


class Votes(NamedTuple):
    """Votes, or rows of votes that are alike."""

    players: int
    first: Ints  # (vote,): positions of players
    second: Ints  # (vote,)
    won: Floats  # (vote,): by the first, ties half; at most n
    n: Floats  # (vote,): how many votes a row stands for
    square: Floats  # (vote,): sum of their squared outcomes
    effect: Floats  # (vote, effect): order and covariates, first less second


class Estimate(NamedTuple):
    """Where the likelihood of votes has its maximum."""

    epp: Floats  # (player,)
    beta: Floats  # (effect,)
    hessian: Floats  # (player + effect, player + effect)
    gradient: Floats  # (player + effect,): not 0 where a penalty made the estimate


class Dependence(NamedTuple):
    """How votes go together."""

    phi: float  # variance of a vote over p (1 - p)
    tau2: Floats  # (clustering,): variance of clusters' own opinions of a player, log-odds squared
    clusters: Floats  # (clustering,): how many there are in effect
    meat: Floats  # (player + effect, player + effect): J


@numba.njit(cache=True, error_model="numpy")
def _parts(
    x: Floats, m: int, first: Ints, second: Ints, won: Floats, n: Floats, effect: Floats
) -> tuple[float, Floats, Floats]:
    """Log-likelihood, gradient and information of strengths and effects."""
    k = effect.shape[1]
    value = 0.0
    gradient, information = np.zeros(m + k), np.zeros((m + k, m + k))
    for v in range(first.size):
        i, j = first[v], second[v]
        eta = x[i] - x[j]
        for c in range(k):
            eta += effect[v, c] * x[m + c]
        tail = np.exp(-abs(eta))
        p = 1.0 / (1.0 + tail) if eta > 0.0 else tail / (1.0 + tail)
        value += won[v] * eta - n[v] * (max(eta, 0.0) + np.log1p(tail))
        r, w = won[v] - n[v] * p, n[v] * tail / (1.0 + tail) ** 2
        gradient[i] += r
        gradient[j] -= r
        information[i, i] += w
        information[j, j] += w
        information[i, j] -= w
        information[j, i] -= w
        for c in range(k):
            z = effect[v, c]
            gradient[m + c] += r * z
            information[m + c, i] += w * z
            information[m + c, j] -= w * z
            for d in range(c + 1):
                information[m + c, m + d] += w * z * effect[v, d]
    for c in range(k):
        for i in range(m + c):
            information[i, m + c] = information[m + c, i]
    return value, gradient, information


def alike(votes: Votes) -> Votes:
    """Take votes of the same players in the same order as one row, where none has covariates."""
    if votes.effect.size and not (votes.effect == 1.0).all():
        return votes
    m = votes.players
    pair = votes.first.astype(np.int64) * m + votes.second
    n, won, square = (np.bincount(pair, each, m * m) for each in (votes.n, votes.won, votes.square))
    at = np.flatnonzero(n > 0.0)
    first, second = (each.astype(np.int32) for each in np.divmod(at, m))
    effect = np.ones((len(at), votes.effect.shape[1]))
    return Votes(m, first, second, won[at], n[at], square[at], effect)


def maximum(votes: Votes, pseudo_rounds: float = 0.0) -> Estimate:
    """Estimate strengths and effects; with pseudo-rounds as in `bradley_terry.newton`.

    Raises
    ------
    NotConvergedError
        If there is no finite estimate.
    """
    rows, m = alike(votes), votes.players
    data = m, *rows[1:5], np.ascontiguousarray(rows.effect)

    def parts(x: Floats) -> tuple[float, Floats, Floats]:
        value, gradient, information = _parts(x, *data)
        if pseudo_rounds > 0.0:
            p = expit(x[:m])
            value += pseudo_rounds * float((0.5 * x[:m] + np.log1p(-p)).sum())
            gradient[:m] += pseudo_rounds * (0.5 - p)
            gradient[:m] -= gradient[:m].mean()
            information[np.arange(m), np.arange(m)] += pseudo_rounds * p * (1.0 - p)
        return value, gradient, information

    k = votes.effect.shape[1]
    x = maximise(parts, np.zeros(m + k), m).x
    x[:m] -= x[:m].mean()
    _, gradient, information = _parts(x, *data)
    return Estimate(x[:m], x[m:], information, gradient)


def bread_of(votes: Votes, at: Estimate) -> Floats:
    """Give the covariance of independent votes' estimate (player + effect, player + effect).

    Where groups of players never met, that of each about its own average.
    """
    graph = sparse.coo_array(
        (np.ones(len(votes.first)), (votes.first, votes.second)), shape=(votes.players,) * 2
    )
    if connected_components(graph, directed=False)[0] == 1:
        return inverse(at.hessian, votes.players)
    return np.linalg.pinv(at.hessian, rcond=1e-10, hermitian=True)


def dependence(votes: Votes, at: Estimate, clusterings: tuple[Longs, ...]) -> Dependence:
    """Estimate how votes go together, by each clustering and, of two, by what they share.

    Parameters
    ----------
    votes : Votes
    at : Estimate
    clusterings : tuple of (vote,)
        Numbers of the clusters of each vote, from 0: of its judge, say, and of its prompt.
    """
    p = _probability(votes, at)
    residual, curvature = votes.won - votes.n * p, p * (1.0 - p)
    own = votes.square - 2.0 * p * votes.won + votes.n * p**2
    weight = votes.n * curvature
    phi = float(own.sum() / weight.sum())
    covariance = bread_of(votes, at)
    groups = (*clusterings, shared(*clusterings)) if len(clusterings) == 2 else clusterings
    every = np.arange(len(p))
    # Of a vote and itself, which is no pair of votes.
    alone = _gram(_scores(votes, np.sqrt(own), every))
    twice = 2.0 * _gram(_scores(votes, np.sqrt(votes.n) * curvature, every))
    products = [_gram(_scores(votes, residual, group)) for group in groups]
    apart = [_gram(_opinions(votes, weight, group)) - twice for group in groups]
    few = np.array([1.0 / ((np.bincount(g, weight) / weight.sum()) ** 2).sum() for g in groups])
    # About an estimate residuals are less alike than about the truth.
    likeness = np.array([float((covariance * (sums - alone)).sum()) for sums in products])
    free = len(at.hessian) - 1.0
    likeness = (likeness + phi * free / few) / (1.0 - 1.0 / np.maximum(few, 1.5))
    shape = [covariance @ each for each in apart]
    size = np.array([np.trace(each) for each in shape])
    tau2 = _solve(size, likeness)
    spread = np.array([float((each * each.T).sum()) for each in shape])
    df = 0.5 * (few - 1.0) * np.divide(size**2, spread, out=np.ones_like(size), where=spread > 1e-9)
    unsure = (stdtrit(np.maximum(df, 1.0), 0.975) / 1.96) ** 2
    meat = phi * at.hessian
    for variance, factor, each in zip(tau2, unsure, apart, strict=True):
        meat = meat + variance * factor * each
    return Dependence(phi, tau2, few, meat)


def shared(one: Longs, other: Longs) -> Longs:
    """Number what two clusterings have in common."""
    both = one.astype(np.int64) * (int(other.max()) + 1) + other
    return np.asarray(np.unique(both, return_inverse=True)[1])


def _solve(size: Floats, likeness: Floats) -> Floats:
    """Variances of clusterings' opinions, at least 0; of two, and of what they share."""
    if len(size) < 3:
        return np.maximum(
            np.divide(likeness, size, out=np.zeros_like(size), where=size > 1e-9), 0.0
        )
    judge, prompt, both = size
    if both < 1e-6 * (judge + prompt):  # no judge saw a prompt twice
        return np.append(_solve(size[:2], likeness[:2]), 0.0)
    system = np.array([[judge, both, both], [both, prompt, both], [both, both, both]])
    scale = np.sqrt(np.maximum(np.diag(system), 1e-9))
    return nnls(system / scale[:, None], likeness / scale)[0]


def _probability(votes: Votes, at: Estimate) -> Floats:
    """P(first wins) of each vote."""
    return expit(at.epp[votes.first] - at.epp[votes.second] + votes.effect @ at.beta)


def _scores(votes: Votes, residual: Floats, cluster: Longs) -> sparse.csr_array:
    """Sums of score vectors (cluster, player + effect)."""
    k = votes.effect.shape[1]
    values = [residual, -residual, *(residual * votes.effect[:, c] for c in range(k))]
    columns = [votes.first, votes.second, *(votes.players + c for c in range(k))]
    return _sums([cluster] * (k + 2), columns, values, votes.players + k)


def _opinions(votes: Votes, weight: Floats, cluster: Longs) -> sparse.csr_array:
    """What one cluster's opinion of one player adds to scores (cluster and player, parameter)."""
    k, of = votes.effect.shape[1], cluster.astype(np.int64) * votes.players
    rows, columns, values = [], [], []
    opinions = np.unique([of + votes.first, of + votes.second], return_inverse=True)[1]
    for row, sign in zip(opinions, (1.0, -1.0), strict=True):
        rows += [row] * (k + 2)
        columns += [votes.first, votes.second, *(votes.players + c for c in range(k))]
        values += [sign * weight, -sign * weight]
        values += [sign * weight * votes.effect[:, c] for c in range(k)]
    return _sums(rows, columns, values, votes.players + k)


def _sums(
    rows: list[Longs], columns: list[Ints | int], values: list[Floats], width: int
) -> sparse.csr_array:
    """Add up values by row and column."""
    size = len(values[0])
    row = np.concatenate(rows)
    column = np.concatenate([np.broadcast_to(each, size) for each in columns])
    shape = (int(row.max()) + 1, width)
    return sparse.coo_array((np.concatenate(values), (row, column)), shape=shape).tocsr()


def _gram(scores: sparse.csr_array) -> Floats:
    """A'A."""
    return np.asarray((scores.T @ scores).toarray())


class Effective(NamedTuple):
    """Matches whose likelihood has the votes' estimate, and the covariance of that."""

    points: Floats  # (player,)
    n: Floats  # (player, opponent)
    covariance: Floats  # (player + effect, player + effect): V


def effective(votes: Votes, at: Estimate, together: Dependence) -> Effective:
    """Make the matches that Bradley-Terry's posterior takes in place of votes."""
    m = votes.players
    bread = bread_of(votes, at)
    covariance = bread @ together.meat @ bread
    laplacian = np.linalg.pinv(covariance[:m, :m], rcond=1e-10, hermitian=True)
    link = np.maximum(-laplacian, 0.0)
    np.fill_diagonal(link, 0.0)
    p = probability(at.epp)
    n = link / (p * (1.0 - p))
    # Where a penalty made the estimate, as far beyond it as the votes' own likelihood goes.
    step = (bread @ at.gradient)[:m]
    beyond = link.sum(axis=1) * step - link @ step
    points = np.clip((n * p).sum(axis=1) + beyond, 0.0, n.sum(axis=1))
    return Effective(points, n, covariance)


def pair_sums(votes: Votes, values: Floats) -> Floats:
    """Sums (first, second) of values (vote,)."""
    m = votes.players
    pair = votes.first.astype(np.int64) * m + votes.second
    return np.bincount(pair, values, m * m).reshape(m, m)


def misfit(votes: Votes, at: Estimate, bread: Floats, outcome: Floats) -> float:
    """Pearson's chi-square of pairs, at the estimate that outcomes (vote,) have next to this one.

    Parameters
    ----------
    votes : Votes
    at : Estimate
        Whose strengths the outcomes are not far from.
    bread : (player + effect, player + effect)
        Inverse of the information.
    outcome : (vote,)
        Votes won by the first.
    """
    p = _probability(votes, at)
    residual, weight = outcome - votes.n * p, votes.n * p * (1.0 - p)
    every = np.zeros(len(p), dtype=np.int64)
    step = bread @ _scores(votes, residual, every).toarray()[0]
    m = votes.players
    moved = step[votes.first] - step[votes.second] + votes.effect @ step[m:]
    apart, information = pair_sums(votes, residual - weight * moved), pair_sums(votes, weight)
    apart, information = apart - apart.T, information + information.T
    met = np.triu(information > 0.0, 1)
    return float((apart[met] ** 2 / information[met]).sum())


@numba.njit(cache=True, error_model="numpy")
def _opinion(seed: np.uint64, cluster: int, player: int) -> float:
    """Give the normal number that this cluster has for this player, always the same."""
    state = seed + np.uint64(cluster) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state += np.uint64(player) * np.uint64(0xD1342543DE82EF95)
    total = 0.0
    # The sum of four uniform numbers is near enough to a normal one.
    for _ in range(4):
        state += np.uint64(0x9E3779B97F4A7C15)
        z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        total += float((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53
    return (total - 2.0) * np.sqrt(3.0)


@numba.njit(cache=True, error_model="numpy")
def _vote_again(
    first: Ints, second: Ints, n: Floats, eta: Floats, tied: float,
    clusters: Longs, spread: Floats, seeds: Longs, uniform_seed: int,
) -> Floats:  # fmt: skip
    """Draw outcomes (vote,) given log-odds (vote,) of opinions' average."""
    np.random.seed(uniform_seed)
    out = np.empty(first.size)
    for v in range(first.size):
        x = eta[v]
        for c in range(len(clusters)):
            if spread[c] > 0.0:
                seed = np.uint64(seeds[c])
                apart = _opinion(seed, clusters[c, v], first[v])
                x += spread[c] * (apart - _opinion(seed, clusters[c, v], second[v]))
        p = 1.0 / (1.0 + np.exp(-x))
        t = min(4.0 * tied * p * (1.0 - p), 2.0 * min(p, 1.0 - p))
        total = 0.0
        for _ in range(int(np.ceil(n[v]))):
            u = np.random.random()
            total += 1.0 if u < p - 0.5 * t else 0.5 if u < p + 0.5 * t else 0.0
        out[v] = total * n[v] / np.ceil(n[v])
    return out


def vote_again(
    votes: Votes,
    at: Estimate,
    clusterings: tuple[Longs, ...],
    tau2: Floats,
    rng: np.random.Generator,
) -> Floats:
    """Draw the votes again (vote,): of judges, and on prompts, with opinions of their own.

    As many tie as did. Opinions make the average of votes less decided than each is, so each is
    taken to be as much more (by the logistic's nearest normal law).
    """
    groups = (*clusterings, shared(*clusterings)) if len(clusterings) == 2 else clusterings
    kept = tau2 > 0.0
    clusters = np.array([g for g, k in zip(groups, kept, strict=True) if k], dtype=np.int64)
    # Of opinions' own variance that of averages is a part.
    wider = 1.0 / (1.0 - min(2.0 * _LOGISTIC**2 * float(tau2.sum()), 0.9))
    eta = at.epp[votes.first] - at.epp[votes.second] + votes.effect @ at.beta
    p = expit(eta)
    tied = 1.0 - float((votes.square - 2.0 * p * votes.won + votes.n * p**2).sum()) / float(
        (votes.n * p * (1.0 - p)).sum()
    )
    return np.asarray(
        _vote_again(
            votes.first,
            votes.second,
            votes.n,
            np.sqrt(wider) * eta,
            min(max(tied, 0.0), 1.0),
            clusters.reshape(len(clusters), len(eta)),
            np.sqrt(wider * tau2[kept]),
            rng.integers(2**62, size=len(clusters)),
            int(rng.integers(2**31)),
        )  # fmt: skip
    )
