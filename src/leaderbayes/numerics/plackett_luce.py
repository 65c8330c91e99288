r"""Plackett-Luce on rankings with missing players, and Davidson-Luce where players tie.

A ranking is built from the best down. From the players A still to be placed, the next place goes
to a set C of c players with probability

.. math:: P(C \mid A) = \frac{\delta_c \prod_{i \in C} \alpha_i^{1/c}}
          {\sum_d \delta_d\, e_d(\alpha_A^{1/d})}, \quad \alpha_i = e^{b_i},\ \delta_1 = 1,

with e_d the elementary symmetric polynomial of degree d. Without ties (only d = 1) this is
Plackett-Luce. The sets A are nested, so one pass from the worst player up costs
O(players x sum of squared tie sizes) a round.

References
----------
Turner, van Etten, Firth, Kosmidis (2020), Modelling rankings in R: the PlackettLuce package,
Computational Statistics 35.
"""

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from leaderbayes.numerics.places import places

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

# Beyond this gap e^b underflows; no board has it, and no sampler should go there.
_WIDEST = 600.0


class Rankings(NamedTuple):
    """Players of each round from worst to best, in CSR form.

    In 32-bit integers: nutpie's compiled function runs the kernels nine times slower on 64-bit
    ones, for a reason not known (benchmarks/README.md).
    """

    start: Longs  # (round + 1,)
    player: Ints  # (start[-1],)
    block: Ints  # (start[-1],): tied players whose last one stands here, else 0


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
    return Rankings(start, np.concatenate(players), np.concatenate(blocks))


def tie_sizes(place: Ints) -> Longs:
    """Sizes of the sets of players that share a place: 1, and whatever else occurs."""
    block = rankings(place).block
    return np.unique(np.append(block[block > 0], 1))


@numba.njit(cache=True, error_model="numpy")
def _too_wide(b: Floats) -> bool:
    return bool(b.size > 0 and not (np.max(b) - np.min(b) < _WIDEST))


@numba.njit(cache=True, error_model="numpy")
def _plain_value(epp: Floats, start: Longs, player: Ints) -> Floats:
    """`log_likelihood` where nobody ties."""
    out = np.zeros(start.size - 1)
    for k in range(out.size):
        if k < epp.shape[0]:  # one row of strengths for all rounds is looked at once
            b = epp[k] - np.max(epp[k])
            w = np.exp(b)
            lowest = np.min(b)
        if not lowest > -_WIDEST:
            out[k] = -np.inf
            continue
        # Four sums are multiplied before one logarithm, where that cannot underflow.
        many = 4 if lowest > -150.0 else 1
        total, product, held = 0.0, 1.0, 0
        for i in player[start[k] : start[k + 1]]:
            total += w[i]
            product *= total
            out[k] += b[i]
            held += 1
            if held == many:
                out[k] -= np.log(product)
                product, held = 1.0, 0
        out[k] -= np.log(product)
    return out


@numba.njit(cache=True, error_model="numpy")
def _plain_pullback(epp: Floats, start: Longs, player: Ints, cotangent: Floats) -> Floats:
    """Gradient in epp where nobody ties."""
    slope = np.zeros(epp.shape)
    inverse = np.empty(epp.shape[1])
    for k in range(start.size - 1):
        if k < epp.shape[0]:
            row = k
            w = np.exp(epp[k] - np.max(epp[k]))
            lowest = np.min(w)
        if cotangent[k] == 0.0 or not lowest > np.exp(-_WIDEST):
            continue
        who = player[start[k] : start[k + 1]]
        total = 0.0
        for a in range(who.size):
            total += w[who[a]]
            inverse[a] = cotangent[k] / total
        later = 0.0
        for a in range(who.size - 1, -1, -1):
            later += inverse[a]
            slope[row, who[a]] += cotangent[k] - w[who[a]] * later
    return slope


@numba.njit(cache=True, error_model="numpy")
def log_likelihood(
    epp: Floats, log_delta: Floats, sizes: Longs, start: Longs, player: Ints, block: Ints
) -> Floats:
    """Log-probability of each round's ranking, (round,).

    Parameters
    ----------
    epp : (1 or round, player)
        Log-odds of beating the average player, one row for all rounds or a row each.
    log_delta : (size,)
        log delta of each size; 0 for size 1.
    sizes : (size,)
        Sizes a set of tied players can have, from 1 up.
    start, player, block
        As `rankings` gives them.
    """
    if sizes.size == 1:
        plain: Floats = _plain_value(epp, start, player)
        return plain
    out = np.zeros(start.size - 1)
    deepest = sizes[-1]
    e = np.empty((sizes.size, deepest + 1))
    for k in range(out.size):
        b = epp[0 if epp.shape[0] == 1 else k][player[start[k] : start[k + 1]]]
        if _too_wide(b):
            out[k] = -np.inf
            continue
        if b.size:
            b = b - np.max(b)
        e[:] = 0.0
        e[:, 0] = 1.0
        mean = 0.0
        for a in range(b.size):
            mean += b[a]
            for s in range(sizes.size):
                d = sizes[s]
                x = np.exp(b[a] / d)
                for j in range(d, 0, -1):
                    e[s, j] += x * e[s, j - 1]
            c = block[start[k] + a]
            if c > 0:
                total = 0.0
                own = np.nan
                for s in range(sizes.size):
                    total += np.exp(log_delta[s]) * e[s, sizes[s]]
                    if sizes[s] == c:
                        own = log_delta[s]
                out[k] += own + mean / c - np.log(total)
                mean = 0.0
    return out


@numba.njit(cache=True, error_model="numpy")
def log_likelihood_pullback(
    epp: Floats,
    log_delta: Floats,
    sizes: Longs,
    start: Longs,
    player: Ints,
    block: Ints,
    cotangent: Floats,
) -> tuple[Floats, Floats]:
    """Gradient of sum_k cotangent_k x `log_likelihood`_k in epp and in log_delta."""
    if sizes.size == 1:
        return _plain_pullback(epp, start, player, cotangent), np.zeros(1)
    slope = np.zeros(epp.shape)
    tie = np.zeros(sizes.size)
    longest = 0
    for k in range(start.size - 1):
        longest = max(longest, start[k + 1] - start[k])
    deepest = sizes[-1]
    delta = np.exp(log_delta)
    # State of the recurrence after each player, and its adjoint.
    e = np.zeros((longest + 1, sizes.size, deepest + 1))
    bar = np.zeros((sizes.size, deepest + 1))
    x = np.empty((longest, sizes.size))
    for k in range(start.size - 1):
        row = 0 if epp.shape[0] == 1 else k
        who = player[start[k] : start[k + 1]]
        b = epp[row][who]
        if b.size == 0 or cotangent[k] == 0.0 or _too_wide(b):
            continue
        b = b - np.max(b)
        e[0] = 0.0
        e[:, :, 0] = 1.0
        for a in range(b.size):
            for s in range(sizes.size):
                x[a, s] = np.exp(b[a] / sizes[s])
                for j in range(1, sizes[s] + 1):
                    e[a + 1, s, j] = e[a, s, j] + x[a, s] * e[a, s, j - 1]
        bar[:] = 0.0
        c = 1
        for a in range(b.size - 1, -1, -1):
            if block[start[k] + a] > 0:
                c = block[start[k] + a]
                total = 0.0
                for s in range(sizes.size):
                    total += delta[s] * e[a + 1, s, sizes[s]]
                for s in range(sizes.size):
                    g = cotangent[k] * delta[s] / total
                    tie[s] -= g * e[a + 1, s, sizes[s]]
                    bar[s, sizes[s]] -= g
                    if sizes[s] == c:
                        tie[s] += cotangent[k]
            g = cotangent[k] / c
            for s in range(sizes.size):
                d = sizes[s]
                inner = 0.0
                for j in range(1, d + 1):
                    inner += bar[s, j] * e[a, s, j - 1]
                for j in range(d):
                    bar[s, j] += x[a, s] * bar[s, j + 1]
                g += inner * x[a, s] / d
            slope[row, who[a]] += g
    return slope, tie


def draw_rankings(
    epp: Floats,
    log_delta: Floats,
    sizes: Longs,
    present: NDArray[np.bool_],
    rng: np.random.Generator,
) -> Ints:
    """Draw the places (round, player) of whole rankings.

    Parameters
    ----------
    epp : (1 or round, player)
        Log-odds of beating the average player.
    log_delta, sizes : (size,)
        As for `log_likelihood`.
    present : (round, player)
        Who plays in which round.
    """
    if sizes.size == 1:
        # Strengths plus Gumbel noise, sorted, are a draw from Plackett-Luce.
        noisy = np.where(present, epp + rng.gumbel(size=present.shape), np.nan)
        return places(noisy, higher_is_better=True, within_round=True)
    epp = np.ascontiguousarray(np.broadcast_to(epp, present.shape))
    return np.asarray(_draw_with_ties(epp, np.exp(log_delta), sizes, present, rng))


@numba.njit(cache=True, error_model="numpy")
def _draw_with_ties(
    epp: Floats,
    delta: Floats,
    sizes: Longs,
    present: NDArray[np.bool_],
    rng: np.random.Generator,
) -> Ints:
    rounds, m = present.shape
    place = np.zeros((rounds, m), np.int32)
    deepest = sizes[-1]
    e = np.zeros((sizes.size, m + 1, deepest + 1))
    for k in range(rounds):
        left = np.flatnonzero(present[k])
        done = 0
        while left.size > 0:
            b = epp[k][left]
            b = b - np.max(b)
            e[:, 0] = 0.0
            e[:, :, 0] = 1.0
            for s in range(sizes.size):
                for a in range(left.size):
                    x = np.exp(b[a] / sizes[s])
                    for j in range(1, sizes[s] + 1):
                        e[s, a + 1, j] = e[s, a, j] + x * e[s, a, j - 1]
            share = delta * np.array([e[s, left.size, sizes[s]] for s in range(sizes.size)])
            below = np.cumsum(share) / np.sum(share) < rng.random()
            chosen = min(int(np.sum(below)), sizes.size - 1)
            # Walk back through the recurrence: player a is in with its share of e_j.
            j = int(sizes[chosen])
            keep = np.ones(left.size, np.bool_)
            for a in range(left.size - 1, -1, -1):
                if j == 0:
                    break
                x = np.exp(b[a] / sizes[chosen])
                if rng.random() * e[chosen, a + 1, j] < x * e[chosen, a, j - 1]:
                    place[k, left[a]] = done + 1
                    keep[a] = False
                    j -= 1
            done += int(sizes[chosen])
            left = left[keep]
    return place
