r"""Plackett-Luce on rankings with missing players and ties.

A ranking is built from the best down: of the players A still to be placed, the next place goes to
i with probability :math:`e^{b_i} / \sum_{j \in A} e^{b_j}`. Where players tie, the log-likelihood
is the mean of those of all orders of each tied set: what it comes to where ties are broken at
random, and for two players Bradley-Terry's with ties half. It is concave in b. The sets A are
nested, so one pass from the worst player up costs O(players) a round without ties; see `tied_set`
for what ties add.
"""

from typing import NamedTuple

import numba
import numpy as np

from leaderbayes._numerics.places import gumbel
from leaderbayes._numerics.tied_set import mean_inverses, mean_log, mean_log_and_inverse, time_rule
from leaderbayes._types import Floats, Ints, Longs

_WIDEST = 600.0  # between best and worst: beyond it e^b underflows
_GAP = 40.0  # between neighbours: beyond it log-likelihoods are linear in the gap, to the last bit
_FARTHEST = 1e6  # beyond it boards are impossible: no posterior reaches there, but searches may


class Rankings(NamedTuple):
    """Players of each round from worst to best, in CSR form.

    In 32-bit integers: nutpie's compiled function runs the kernels nine times slower on 64-bit
    ones, for a reason not known (benchmarks/README.md).
    """

    start: Longs  # (round + 1,)
    player: Ints  # (start[-1],)
    block: Ints  # (start[-1],): tied players whose last one stands here, else 0
    node: Floats  # of `tied_set.time_rule`, for the largest tied set
    weight: Floats


def rankings(place: Ints) -> Rankings:
    """Sort places (round, player): 1 is best, tied players share one, 0 is absent."""
    players, blocks = [], []
    for row in place:
        order = np.argsort(-row, kind="stable")
        order = order[row[order] > 0]
        ends = np.append(np.flatnonzero(np.diff(row[order])), order.size - 1)
        block = np.zeros(order.size, np.int32)
        if order.size:
            block[ends] = np.diff(ends, prepend=-1)
        players.append(order.astype(np.int32))
        blocks.append(block)
    start = np.cumsum([0, *map(len, players)], dtype=np.int64)
    block = np.concatenate(blocks)
    return Rankings(start, np.concatenate(players), block, *time_rule(int(block.max(initial=0))))


@numba.njit(cache=True, error_model="numpy")
def _relative(b: Floats) -> tuple[Floats, Floats]:
    """Strengths below the best, (player,), no further than e^b can hold; and what is left out.

    Gaps are left out in part, (player,), or none, (0,). A player whom all rounds have first, or
    last, has a heavy tail, and samplers go there.
    """
    near = b - np.max(b)
    lowest = np.min(near)
    if lowest > -_WIDEST or not lowest > -_FARTHEST:
        return near, np.empty(0)
    order, left_out, more = np.argsort(-near), np.zeros(b.size), 0.0
    for a in range(1, b.size):
        gap = b[order[a - 1]] - b[order[a]]
        if gap > _GAP:
            more += gap - _GAP
        left_out[order[a]] = -more
        near[order[a]] = near[order[a - 1]] - min(gap, _GAP)
    return near, left_out


@numba.njit(cache=True, error_model="numpy")
def with_pullback(
    epp: Floats,
    start: Longs,
    player: Ints,
    block: Ints,
    node: Floats,
    weight: Floats,
    cotangent: Floats,
) -> tuple[Floats, Floats]:
    """`log_likelihood`, 0 of rounds whose cotangent is 0, and `log_likelihood_pullback`."""
    out, slope = np.zeros(start.size - 1), np.zeros(epp.shape)
    # Sums of 1 / X: over a player's own stages, and over those of a tied set, for all below.
    own, passed = np.empty(epp.shape[1]), np.empty(epp.shape[1])
    for k in range(out.size):
        if k < epp.shape[0]:  # one row of strengths for all rounds is looked at once
            row = k
            b, left_out = _relative(epp[k])
            w = np.exp(b)
            lowest = np.min(b)
        if cotangent[k] == 0.0:
            continue
        if not lowest > -_WIDEST:
            out[k] = -np.inf
            continue
        who = player[start[k] : start[k + 1]]
        size_of = block[start[k] : start[k + 1]]
        # Four sums are multiplied before one logarithm, where that cannot underflow.
        many = 4 if lowest > -150.0 else 1
        total, product, held = 0.0, 1.0, 0
        for a in range(who.size):
            out[k] += b[who[a]]
            size = size_of[a]
            if size == 1:
                total += w[who[a]]
                own[a] = 1.0 / total
                passed[a] = own[a]
                product *= total
                held += 1
                if held == many:
                    out[k] -= np.log(product)
                    product, held = 1.0, 0
            elif size > 1:
                first = a + 1 - size
                tied = w[who[first : a + 1]]
                passed[first : a + 1] = 0.0
                value, passed[first] = mean_log_and_inverse(
                    total, tied, node, weight, own[first : a + 1]
                )
                out[k] -= value
                total += np.sum(tied)
        out[k] -= np.log(product)
        later = 0.0
        for a in range(who.size - 1, -1, -1):
            here = 1.0 - w[who[a]] * (later + own[a])
            slope[row, who[a]] += cotangent[k] * here
            if left_out.size:
                out[k] += here * left_out[who[a]]
            later += passed[a]
    return out, slope


@numba.njit(cache=True, error_model="numpy")
def log_likelihood_pullback(
    epp: Floats,
    start: Longs,
    player: Ints,
    block: Ints,
    node: Floats,
    weight: Floats,
    cotangent: Floats,
) -> Floats:
    """Gradient of sum_k cotangent_k x `log_likelihood`_k in epp."""
    slope: Floats = with_pullback(epp, start, player, block, node, weight, cotangent)[1]
    return slope


@numba.njit(cache=True, error_model="numpy")
def log_likelihood(
    epp: Floats, start: Longs, player: Ints, block: Ints, node: Floats, weight: Floats
) -> Floats:
    """Log-likelihood of each round's ranking, (round,): a log-probability where nobody ties.

    Parameters
    ----------
    epp : (1 or round, player)
        Log-odds of beating the average player, one row for all rounds or a row each.
    start, player, block, node, weight
        As `rankings` gives them.
    """
    out, one = np.zeros(start.size - 1), np.ones(1)
    for k in range(out.size):
        if k < epp.shape[0]:  # one row of strengths for all rounds is looked at once
            b, left_out = _relative(epp[k])
            w = np.exp(b)
            lowest = np.min(b)
        if not lowest > -_WIDEST:
            out[k] = -np.inf
            continue
        if left_out.size:  # as the gradient says
            at, here = min(k, len(epp) - 1), start[k : k + 2]
            row = epp[at : at + 1]
            out[k] = with_pullback(row, here, player, block, node, weight, one)[0][0]
            continue
        many = 4 if lowest > -150.0 else 1
        total, product, held = 0.0, 1.0, 0
        for a in range(start[k], start[k + 1]):
            out[k] += b[player[a]]
            size = block[a]
            if size == 1:
                total += w[player[a]]
                product *= total
                held += 1
                if held == many:
                    out[k] -= np.log(product)
                    product, held = 1.0, 0
            elif size > 1:
                tied = w[player[a + 1 - size : a + 1]]
                out[k] -= mean_log(total, tied, node, weight)
                total += np.sum(tied)
        out[k] -= np.log(product)
    return out


@numba.njit(cache=True, error_model="numpy")
def many_log_likelihoods(
    epp: Floats, start: Longs, player: Ints, block: Ints, node: Floats, weight: Floats
) -> Floats:
    """`log_likelihood` of each round at strengths (draw, player), (draw, round)."""
    out = np.empty((len(epp), start.size - 1))
    for k in range(len(epp)):
        out[k] = log_likelihood(epp[k : k + 1], start, player, block, node, weight)
    return out


@numba.njit(cache=True, error_model="numpy")
def information(
    epp: Floats, start: Longs, player: Ints, block: Ints, node: Floats, weight: Floats
) -> Floats:
    """Negative Hessian of the sum of `log_likelihood` at epp (player,), (player, player).

    The sum of diag(p) - p p' over all stages, p the law of the next player; in a tied set the mean
    of that over its orders.
    """
    out = np.zeros((epp.size, epp.size))  # each pair once, or half on both sides
    for k in range(start.size - 1):
        who = player[start[k] : start[k + 1]]
        size_of = block[start[k] : start[k + 1]]
        w = stage_weights(epp[who])
        below = np.append(0.0, np.cumsum(w))
        once, twice = 0.0, 0.0
        top = who.size
        # Best first: a pair is there at all stages of those above, and of the better one's set.
        while top > 0:
            low = top - size_of[top - 1]
            own, both = np.empty(top - low), np.empty((top - low, top - low))
            more = mean_inverses(below[low], w[low:top], node, weight, own, both)
            for a in range(low, top):
                i = who[a]
                out[i, i] += 0.5 * w[a] * (once + own[a - low])
                for c in range(low):
                    # Players below are there whenever this one is.
                    out[i, who[c]] -= w[a] * w[c] * (twice + both[a - low, a - low])
                for c in range(low, top):
                    out[i, who[c]] -= 0.5 * w[a] * w[c] * (twice + both[a - low, c - low])
            once += more[0]
            twice += more[1]
            top = low
    return out + out.T


@numba.njit(cache=True, error_model="numpy")
def stage_weights(b: Floats) -> Floats:
    """e^b of a round; squares of what lies further below the best would underflow."""
    return np.exp(np.maximum(b - np.max(b), -0.5 * _WIDEST)) if b.size else b


def draw_rankings(epp: Floats, pattern: Ints, rng: np.random.Generator) -> Ints:
    """Draw the places (round, player) of whole rankings, with the ties of given ones.

    Strengths plus Gumbel noise, sorted, are a draw from Plackett-Luce. Ties are no part of its
    law: whoever is drawn to the places that are tied in the pattern ties.

    Parameters
    ----------
    epp : (1 or round, player)
        Log-odds of beating the average player.
    pattern : (round, player)
        Places; 0 is absent, and stays so.
    """
    noisy = np.where(pattern > 0, epp + gumbel(rng.random(pattern.shape)), -np.inf)
    drawn = np.zeros_like(pattern)
    # The absent last, whatever place is first among them.
    steps = np.sort(np.where(pattern > 0, pattern, np.iinfo(pattern.dtype).max), axis=1)
    np.put_along_axis(drawn, np.argsort(-noisy, axis=1), steps, axis=1)
    return np.where(pattern > 0, drawn, 0)
