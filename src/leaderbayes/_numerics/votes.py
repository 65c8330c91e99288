r"""Votes of judges on prompts: the maximum likelihood of strengths, and its honest width.

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

from collections.abc import Sequence
from typing import NamedTuple

import numba
import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, stdtrit

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.bradley_terry import probability
from leaderbayes._numerics.newton import inverse, maximise
from leaderbayes._types import Floats, Ints, Longs

LARGEST_PART = 0.5  # of an estimate that a cluster makes itself, beyond which nothing is known
LEAST = 0.005  # of an estimate's information, below which votes that go together are too few
LARGEST = 1.2  # variance of all opinions together of those who are drawn to vote again
LOGISTIC = 0.588  # what a logistic law's argument is to a normal one's: 16 sqrt(3) / (15 pi)


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


class Moments(NamedTuple):
    """Of the outcome of a vote, a tie being one half."""

    mean: Floats  # (vote,)
    variance: Floats  # (vote,)


def information_of(votes: Votes, weight: Floats) -> Floats:
    """Sum of weighted squares xx' of what votes are a function of (parameter, parameter)."""
    effect = np.ascontiguousarray(votes.effect)
    out: Floats = _information(votes.players, votes.first, votes.second, weight, effect)
    return out


@numba.njit(cache=True, error_model="numpy")
def _information(m: int, first: Ints, second: Ints, weight: Floats, effect: Floats) -> Floats:
    """Sum of weighted squares xx' of what votes are a function of (parameter, parameter)."""
    k = effect.shape[1]
    out = np.zeros((m + k, m + k))
    for v in range(first.size):
        i, j, w = first[v], second[v], weight[v]
        out[i, i] += w
        out[j, j] += w
        out[i, j] -= w
        out[j, i] -= w
        for c in range(k):
            z = w * effect[v, c]
            out[m + c, i] += z
            out[m + c, j] -= z
            for d in range(c + 1):
                out[m + c, m + d] += z * effect[v, d]
    for c in range(k):
        for i in range(m + c):
            out[i, m + c] = out[m + c, i]
    return out


@numba.njit(cache=True, error_model="numpy")
def _parts(
    x: Floats, m: int, first: Ints, second: Ints, won: Floats, n: Floats, effect: Floats
) -> tuple[float, Floats, Floats]:
    """Log-likelihood, gradient and information of strengths and effects."""
    k = effect.shape[1]
    value = 0.0
    gradient, weight = np.zeros(m + k), np.empty(first.size)
    for v in range(first.size):
        i, j = first[v], second[v]
        eta = x[i] - x[j]
        for c in range(k):
            eta += effect[v, c] * x[m + c]
        tail = np.exp(-abs(eta))
        p = 1.0 / (1.0 + tail) if eta > 0.0 else tail / (1.0 + tail)
        value += won[v] * eta - n[v] * (max(eta, 0.0) + np.log1p(tail))
        r = won[v] - n[v] * p
        weight[v] = n[v] * tail / (1.0 + tail) ** 2
        gradient[i] += r
        gradient[j] -= r
        for c in range(k):
            gradient[m + c] += r * effect[v, c]
    return value, gradient, _information(m, first, second, weight, effect)


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

    Without these strengths sum to zero in each group of players that never met others; with them
    the penalty says how far apart groups are.

    Raises
    ------
    NotConvergedError
        If there is no finite estimate.
    """
    rows, m = alike(votes), votes.players
    data = m, *rows[1:5], np.ascontiguousarray(rows.effect)
    groups = _grouped(rows) if pseudo_rounds == 0.0 else np.zeros(m, dtype=np.int32)
    # Nothing is known of how far apart groups are, and Newton's method is to leave them there.
    apart = (groups[:, None] == groups) / np.bincount(groups)[groups] if groups.any() else 0.0

    def parts(x: Floats) -> tuple[float, Floats, Floats]:
        value, gradient, information = _parts(x, *data)
        if pseudo_rounds > 0.0:
            p = expit(x[:m])
            value += pseudo_rounds * float((0.5 * x[:m] + np.log1p(-p)).sum())
            gradient[:m] += pseudo_rounds * (0.5 - p)
            gradient[:m] -= gradient[:m].mean()
            information[np.arange(m), np.arange(m)] += pseudo_rounds * p * (1.0 - p)
        elif groups.any():
            information[:m, :m] += apart * np.trace(information[:m, :m]) / m
        return value, gradient, information

    k = votes.effect.shape[1]
    x = maximise(parts, np.zeros(m + k), m).x
    if groups.any():
        x[:m] -= (np.bincount(groups, x[:m]) / np.bincount(groups))[groups]
    else:
        x[:m] -= x[:m].mean()
    _, gradient, information = _parts(x, *data)
    return Estimate(x[:m], x[m:], information, gradient)


def bread_of(votes: Votes, at: Estimate) -> Floats:
    """Give the covariance of independent votes' estimate (player + effect, player + effect).

    Where groups of players never met, that of each about its own average.
    """
    if groups_of(votes) == 1:
        return spread_of(at.hessian, votes.players)
    return np.linalg.pinv(at.hessian, rcond=1e-10, hermitian=True)


def spread_of(information: Floats, m: int) -> Floats:
    """Invert the information of m strengths and effects.

    Raises
    ------
    LeaderbayesError
        If it says nothing of some.
    """
    try:
        return inverse(information, m)
    except np.linalg.LinAlgError:
        raise LeaderbayesError(
            "Nothing says where all of these estimates lie: players fall into groups that never "
            "met (LB010), or an effect (the order, a covariate) is told by players or by other "
            "effects. Take a group by itself, or leave an effect out."
        ) from None


def groups_of(votes: Votes) -> int:
    """Count the groups of players that never met."""
    return int(_grouped(votes).max()) + 1


def _grouped(votes: Votes) -> Ints:
    """Give the number of each player's group (player,), from 0: of those that never met others."""
    graph = sparse.coo_array(
        (np.ones(len(votes.first)), (votes.first, votes.second)), shape=(votes.players,) * 2
    )
    return np.asarray(connected_components(graph, directed=False)[1])


def dependence(
    votes: Votes, at: Estimate, clusterings: tuple[Longs, ...], moments: Moments | None = None
) -> Dependence:
    """Estimate how votes go together, by each clustering and, of two, by what they share.

    Parameters
    ----------
    votes : Votes
    at : Estimate
    clusterings : tuple of (vote,)
        Numbers of the clusters of each vote, from 0: of its judge, say, and of its prompt; -1 of
        votes that are each a cluster by themselves.
    moments : Moments, optional
        Of outcomes, where they are not Bradley-Terry's.
    """
    m = votes.players
    p, curvature = _moments(votes, at) if moments is None else moments
    residual = votes.won - votes.n * p
    own = votes.square - 2.0 * p * votes.won + votes.n * p**2
    weight = votes.n * curvature
    phi = float(own.sum() / weight.sum())
    covariance = bread_of(votes, at)
    board = _grouped(votes)
    free, said = _boards(votes, board)
    # Of groups of players each says by its votes how alike these are: not a few as much as many.
    counted = covariance * np.append(said[board], np.ones(len(covariance) - m))[:, None]
    groups = with_shared(clusterings)
    part, size, likeness, spread = np.empty((4, len(groups)))
    apart: list[Floats] = []
    for c, group in enumerate(groups):
        # Of a vote and itself there is no pair of votes.
        of, which, (left, alone, weights, heavy) = with_others(
            votes, group, residual, own, weight, weight * curvature
        )
        likeness[c] = float(
            (counted * (score_products(of, left, which) - information_of(of, alone))).sum()
        )
        opinions = opinion_products(of, weights, holders(of, which))
        apart.append(opinions - 2.0 * information_of(of, heavy))
        shape = counted @ apart[c]
        size[c], spread[c] = np.trace(shape), (shape * shape.T).sum()
        # About an estimate residuals are less alike than about the truth, by what each cluster has
        # of it: of clusters that all see everything, 1 over their number.
        parts = _part_of_estimate(votes, weight, group, covariance, board) / free
        likeness[c] += (phi * free * said) @ parts
        by_board = np.maximum(np.bincount(board, np.diag(shape)[:m]), 1e-9 * free)
        part[c] = (by_board / by_board.sum()) @ parts
    likeness = likeness / (1.0 - np.minimum(part, LARGEST_PART))
    few = 1.0 / part
    tau2 = solve_opinions(size, likeness, LEAST * (m - 1.0))
    df = 0.5 * (few - 1.0) * np.divide(size**2, spread, out=np.ones_like(size), where=spread > 1e-9)
    unsure = (stdtrit(np.maximum(df, 1.0), 0.975) / 1.96) ** 2
    if moments is None:  # a likelihood of outcomes with ties says itself how they vary
        phi = max(phi, _least_phi(votes))
    meat = phi * at.hessian
    for variance, factor, each in zip(tau2, unsure, apart, strict=True):
        meat = meat + variance * factor * each
    return Dependence(phi, tau2, few, definite(meat, at.hessian, phi))


def definite(meat: Floats, hessian: Floats, phi: float) -> Floats:
    """Keep votes that go together from saying more of anything than votes that do not.

    Of two judges that vote in both orders, opinions cancel out in the order's effect, and how
    unsure these are is a large factor on less than nothing. Only what would be no covariance is
    put right.

    Parameters
    ----------
    meat : (player + effect, player + effect)
        J.
    hessian : (player + effect, player + effect)
        H.
    phi : float
        What independent votes have as J is that many times H.
    """
    if np.linalg.eigvalsh(meat)[0] > -1e-9 * np.trace(meat):
        return meat
    value, vector = np.linalg.eigh(hessian)
    there = value > 1e-10 * value[-1]
    root = vector[:, there] * np.sqrt(value[there])
    back = vector[:, there] / np.sqrt(value[there])
    excess, way = np.linalg.eigh(back.T @ (meat - phi * hessian) @ back)
    way = root @ way
    return np.asarray(phi * hessian + (way * np.maximum(excess, 0.0)) @ way.T)


def _least_phi(votes: Votes) -> float:
    """Give how little votes may vary beside wins and losses: the share that does not tie.

    A vote that is won or lost varies as its probability says, however decided the votes at hand
    are. One vote without a tie is added to them.
    """
    n, tied = float(votes.n.sum()), 4.0 * float((votes.won - votes.square).sum())
    return (max(n - tied, 0.0) + 1.0) / (n + 1.0)


def _boards(votes: Votes, board: Ints) -> tuple[Floats, Floats]:
    """Give how many strengths are free on each board, and how well votes say these (board,).

    Parameters
    ----------
    votes : Votes
    board : (player,)
        Numbers of groups that never met, such as tournaments.
    """
    free = np.maximum(np.bincount(board) - 1.0, 1.0)
    each = np.bincount(board[votes.first], votes.n) / free
    return free, each / (votes.n.sum() / free.sum())


def _part_of_estimate(
    votes: Votes, weight: Floats, cluster: Longs, covariance: Floats, board: Ints
) -> Floats:
    """Compute sum tr(H^+ L_g H^+ L_g) (board,): how much of the estimate a cluster makes itself.

    Of each strength that is free 1 / G by G clusters that are alike, and more where each sees a few
    players only.
    """
    m, total = votes.players, np.zeros(int(board.max()) + 1)
    single = cluster < 0
    if single.any():
        i, j = votes.first[single], votes.second[single]
        seen = covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j]
        alone = (weight[single] * seen) ** 2 / votes.n[single]
        total += np.bincount(board[i], alone, len(total))
    votes, cluster, (weight,) = with_others(votes, cluster, weight)
    if not len(cluster):
        return total
    cluster = shared(cluster, board[votes.first].astype(np.int64))
    order = np.argsort(cluster, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(cluster[order])) + 1, len(order))
    _add_squares(
        total, board[votes.first[order[ends - 1]]], votes.first[order], votes.second[order],
        weight[order], ends, np.ascontiguousarray(covariance[:m, :m]),
    )  # fmt: skip
    return total


def with_others(
    votes: Votes, cluster: Longs, *columns: Floats
) -> tuple[Votes, Longs, tuple[Floats, ...]]:
    """Leave out votes that are each a cluster by themselves, -1 (row,), of votes and columns."""
    kept = cluster >= 0
    if kept.all():
        return votes, cluster, columns
    left = Votes(
        votes.players, votes.first[kept], votes.second[kept], votes.won[kept], votes.n[kept],
        votes.square[kept], votes.effect[kept],
    )  # fmt: skip
    return left, cluster[kept], tuple(each[kept] for each in columns)


@numba.njit(cache=True, error_model="numpy")
def _add_squares(
    total: Floats, board: Ints, first: Ints, second: Ints, weight: Floats, ends: Longs,
    covariance: Floats,
) -> None:  # fmt: skip
    """Add tr(C L_g C L_g) of clusters, whose votes stand together up to their ends, by board."""
    m = len(covariance)
    place, seen = np.full(m, -1), np.empty(m, np.int64)
    product = np.zeros((m, m))
    start = 0
    for c, end in enumerate(ends):
        count = 0
        for v in range(start, end):
            for player in (first[v], second[v]):
                if place[player] < 0:
                    place[player] = count
                    seen[count] = player
                    count += 1
        for v in range(start, end):
            i, j = first[v], second[v]
            a, b = place[i], place[j]
            for k in range(count):
                apart = weight[v] * (covariance[seen[k], i] - covariance[seen[k], j])
                product[k, a] += apart
                product[k, b] -= apart
        for a in range(count):
            for b in range(count):
                total[board[c]] += product[a, b] * product[b, a]
        for a in range(count):
            for b in range(count):
                product[a, b] = 0.0
            place[seen[a]] = -1
        start = end


def with_shared(clusterings: Sequence[Longs]) -> list[Longs]:
    """Add to two clusterings what they have in common, as a third."""
    return [*clusterings, shared(*clusterings)] if len(clusterings) == 2 else [*clusterings]


def shared(one: Longs, other: Longs) -> Longs:
    """Give the numbers of what two clusterings have in common; -1 where either is."""
    both = one.astype(np.int64) * (int(other.max()) + 1) + other
    alone = (one < 0) | (other < 0)
    if not alone.any():
        return np.asarray(np.unique(both, return_inverse=True)[1])
    found = np.full(len(both), -1)
    found[~alone] = np.unique(both[~alone], return_inverse=True)[1]
    return found


def solve_opinions(size: Floats, likeness: Floats, least: float) -> Floats:
    """Find variances of clusterings' opinions, at least 0; of two, and of what they share.

    0 where votes that go together are too few to make a difference, or to say how alike they are.
    """
    counted = np.flatnonzero(size > least)
    system = np.diag(size)
    if len(size) == 3:
        # What is shared has the opinions of all three.
        system[-1, :2] = system[:2, -1] = system[0, 1] = system[1, 0] = size[-1]
    scale = np.sqrt(size[counted])
    tau2 = np.zeros(len(size))
    if len(counted):
        from scipy.optimize import nnls  # which takes long to import

        inner = system[np.ix_(counted, counted)] / scale[:, None]
        tau2[counted] = nnls(inner, likeness[counted] / scale)[0]
    return tau2


def _probability(votes: Votes, at: Estimate) -> Floats:
    """P(first wins) of each vote."""
    return expit(at.epp[votes.first] - at.epp[votes.second] + votes.effect @ at.beta)


def _moments(votes: Votes, at: Estimate) -> Moments:
    p = _probability(votes, at)
    return Moments(p, p * (1.0 - p))


def score_products(votes: Votes, residual: Floats, cluster: Longs) -> Floats:
    """Sum squares S_g S_g' of clusters' score vectors (player + effect, player + effect)."""
    k = votes.effect.shape[1]
    values = [residual, -residual, *(residual * votes.effect[:, c] for c in range(k))]
    columns: list[Ints | int] = [votes.first, votes.second]
    columns += [votes.players + c for c in range(k)]
    return _gram(_sums([cluster] * (k + 2), columns, values, votes.players + k))


class Holders(NamedTuple):
    """Whose opinions a clustering's votes are drawn with: a cluster's of a player."""

    of_first: Longs  # (vote,): numbers of opinions, from 0; as many as there are of none
    of_second: Longs  # (vote,)
    total: int


def holders(votes: Votes, cluster: Longs) -> Holders:
    """Give numbers to what each cluster (vote,) thinks of each player on whom it votes."""
    kept = cluster >= 0
    if not kept.all():
        inner = holders(*with_others(votes, cluster)[:2])
        sides = np.full((2, len(kept)), inner.total)
        sides[:, kept] = inner.of_first, inner.of_second
        return Holders(sides[0], sides[1], inner.total)
    of = cluster.astype(np.int64) * votes.players
    seen, number = np.unique([of + votes.first, of + votes.second], return_inverse=True)
    return Holders(number[0], number[1], len(seen))


def opinion_products(votes: Votes, weight: Floats, held: Holders) -> Floats:
    """Sum squares, over opinions, of what one adds to scores (player + effect, player + effect)."""
    k = votes.effect.shape[1]
    rows: list[Longs] = []
    columns: list[Ints | int] = []
    values: list[Floats] = []
    for row, sign in ((held.of_first, 1.0), (held.of_second, -1.0)):
        rows += [row] * (k + 2)
        columns += [votes.first, votes.second, *(votes.players + c for c in range(k))]
        values += [sign * weight, -sign * weight]
        values += [sign * weight * votes.effect[:, c] for c in range(k)]
    return _gram(_sums(rows, columns, values, votes.players + k))


def _sums(
    rows: list[Longs], columns: list[Ints | int], values: list[Floats], width: int
) -> sparse.csr_array:
    """Add up values by row and column."""
    size = len(values[0])
    row = np.concatenate(rows)
    column = np.concatenate([np.broadcast_to(each, size) for each in columns])
    shape = (int(row.max(initial=0)) + 1, width)
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
    link = np.maximum(-_precision_of_strengths(at.hessian, together.meat, m), 0.0)
    np.fill_diagonal(link, 0.0)
    p = probability(at.epp)
    n = link / (p * (1.0 - p))
    # Where a penalty made the estimate, as far beyond it as the votes' own likelihood goes.
    step = (bread @ at.gradient)[:m]
    beyond = link.sum(axis=1) * step - link @ step
    points = np.clip((n * p).sum(axis=1) + beyond, 0.0, n.sum(axis=1))
    return Effective(points, n, covariance)


def _precision_of_strengths(hessian: Floats, meat: Floats, m: int) -> Floats:
    """Compute the inverse of strengths' V, (player, opponent), from H and J.

    That of all is H G H with any G that is an inverse of J where J says something, and loses no
    digits: V itself mixes what a million votes say of some with the little that is known of others.
    """
    scale = 1.0 / np.sqrt(np.diag(meat))
    root = hessian * scale
    inner = np.linalg.pinv(meat * scale[:, None] * scale, rcond=1e-10, hermitian=True)
    precision = root @ inner @ root.T
    if len(precision) == m:
        return np.asarray(precision)
    beside = precision[:m, m:]
    return np.asarray(precision[:m, :m] - beside @ np.linalg.solve(precision[m:, m:], beside.T))


def pair_sums(votes: Votes, values: Floats) -> Floats:
    """Add up values (vote,) by pair, (first, second)."""
    m = votes.players
    pair = votes.first.astype(np.int64) * m + votes.second
    return np.bincount(pair, values, m * m).reshape(m, m)


def misfit(
    votes: Votes, at: Estimate, bread: Floats, outcome: Floats, moments: Moments | None = None
) -> Floats:
    """Pearson's chi-square of pairs, at the estimate that outcomes (vote,) have next to this one.

    By the pair's first player (player,), whose sum is that of all.

    Parameters
    ----------
    votes : Votes
    at : Estimate
        Whose strengths the outcomes are not far from.
    bread : (player + effect, player + effect)
        Inverse of the information.
    outcome : (vote,)
        Votes won by the first.
    moments : Moments, optional
        Of outcomes, where they are not Bradley-Terry's.
    """
    p, variance = _moments(votes, at) if moments is None else moments
    residual, weight = outcome - votes.n * p, votes.n * variance
    m = votes.players
    by_player = np.bincount(votes.first, residual, m) - np.bincount(votes.second, residual, m)
    step = bread @ np.concatenate([by_player, residual @ votes.effect])
    moved = step[votes.first] - step[votes.second] + votes.effect @ step[m:]
    apart, information = pair_sums(votes, residual - weight * moved), pair_sums(votes, weight)
    apart, information = apart - apart.T, information + information.T
    met = np.triu(information > 0.0, 1)
    return np.divide(apart**2, information, out=np.zeros_like(apart), where=met).sum(axis=1)


def opinionated(
    eta: Floats, clusterings: Sequence[Holders], tau2: Floats, rng: np.random.Generator
) -> Floats:
    """Add drawn opinions of judges, and of prompts, to log-odds (vote,), and widen these.

    Opinions make the average of votes less decided than each is, so each is taken to be as much
    more (by the logistic's nearest normal law). A vote that is a cluster by itself is one of the
    average.
    """
    tau2 = tau2 * min(1.0, LARGEST / max(float(tau2.sum()), 1e-9))
    total: float | Floats = 0.0
    for variance, each in zip(tau2, clusterings, strict=True):
        single = each.of_first == each.total
        total = total + (np.where(single, 0.0, variance) if single.any() else float(variance))
    # Of opinions' own variance that of averages is a part.
    wider = 1.0 / (1.0 - 2.0 * LOGISTIC**2 * total)
    eta = np.sqrt(wider) * eta
    for variance, each in zip(tau2, clusterings, strict=True):
        if variance > 0.0:
            opinion = np.append(rng.normal(0.0, np.sqrt(variance), each.total), 0.0)
            eta += np.sqrt(wider) * (opinion[each.of_first] - opinion[each.of_second])
    return eta


def vote_again(
    votes: Votes,
    at: Estimate,
    clusterings: Sequence[Holders],
    tau2: Floats,
    rng: np.random.Generator,
) -> Floats:
    """Draw the votes again (vote,): of judges, and on prompts, with opinions of their own.

    As many tie as did.

    Parameters
    ----------
    votes : Votes
    at : Estimate
        Strengths and effects to draw with.
    clusterings : sequence of Holders
    tau2 : (clustering,)
        Variance of their opinions.
    """
    eta = at.epp[votes.first] - at.epp[votes.second] + votes.effect @ at.beta
    p = expit(eta)
    own = votes.square - 2.0 * p * votes.won + votes.n * p**2
    tied = 1.0 - float(own.sum() / max((votes.n * p * (1.0 - p)).sum(), 1e-300))
    p = expit(opinionated(eta, clusterings, tau2, rng))
    tie = np.minimum(4.0 * max(tied, 0.0) * p * (1.0 - p), 2.0 * np.minimum(p, 1.0 - p))
    size = np.ceil(votes.n).astype(np.int64)
    wins = rng.binomial(size, np.maximum(p - 0.5 * tie, 0.0))
    ties = rng.binomial(size - wins, np.clip(tie / np.maximum(1.0 - p + 0.5 * tie, 1e-300), 0, 1))
    return np.asarray((wins + 0.5 * ties) * votes.n / size)
