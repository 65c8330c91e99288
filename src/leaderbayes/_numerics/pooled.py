r"""Log-likelihood of a whole board with its gradient: Davidson's matches, Plackett-Luce's rankings.

What `pairs_by_round` and `plackett_luce` give of each round, summed with the rounds' weights.
"""

from typing import NamedTuple

import numba
import numpy as np

from leaderbayes._numerics import plackett_luce
from leaderbayes._numerics.log_density import Coordinates, fold, prior_parts
from leaderbayes._numerics.pairs_by_round import (
    RoundStatistics,
    log_normalisers,
    log_normalisers_pullback,
    many_log_normalisers,
)
from leaderbayes._numerics.plackett_luce import Rankings
from leaderbayes._types import Floats, Ints, Longs


class Pairs(NamedTuple):
    """Weighted statistics of all rounds; sets of players as in `RoundStatistics`."""

    points: Floats  # (player,)
    tied: float
    times: Floats  # (set,): how often the set's log normaliser is taken off
    start: Longs
    member: Longs
    left: Floats
    right: Floats


def pooled_pairs(statistics: RoundStatistics, eta: Floats) -> Pairs:
    """Sum statistics over rounds of weights eta (round,)."""
    weight = statistics.sign * eta[statistics.round]
    times = np.bincount(statistics.set, weight, len(statistics.start) - 1)
    return Pairs(eta @ statistics.points, float(eta @ statistics.tied), times, *statistics[5:])


def davidson_posterior(
    x: Floats, at: Coordinates, prior: tuple[float, float], pairs: Pairs
) -> tuple[float, Floats]:
    """Log-density of x (1 + player + 1,), the last of which is nu, under a flat prior of nu.

    Compiled in one: NUTS asks for little else.
    """
    points, tied, times, *sets = pairs
    value, a, taken, gradient = _posterior(x, *at[:2], *prior, points, times, *sets)
    gradient[-1] = tied - gradient[-1]
    return value + float(points @ a + x[-1] * tied - times @ taken), gradient


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _posterior(
    x: Floats, centring: Floats, log_scale: float, prior_scale: float, df: float, points: Floats,
    times: Floats, start: Longs, member: Longs, left: Floats, right: Floats,
) -> tuple[float, Floats, Floats, Floats]:  # fmt: skip
    """Log prior, strengths (player,), normalisers (set,), and the gradient.

    The last entry of the gradient is that of the normalisers in nu.
    """
    value, by_scale, a, slope, by_strength, own = prior_parts(
        x, centring, log_scale, prior_scale, df
    )
    nu = x[x.size - 1 :]
    taken = log_normalisers(a, nu, start, member, left, right)
    down, by_nu = log_normalisers_pullback(a, nu, start, member, left, right, times)
    fold(by_scale, by_strength + (points - down), a, slope, centring, own)
    gradient = np.empty(x.size)
    gradient[:-1] = own
    gradient[-1] = by_nu[0]
    return value, a, taken, gradient


def many_davidson(epp: Floats, nu: Floats, pairs: Pairs) -> Floats:
    """Davidson's log-likelihood at many strengths (point, player) and nu (point,)."""
    taken = many_log_normalisers(epp, np.ascontiguousarray(nu), *pairs[3:])
    # Row by row, as of one point: of a matrix' product the last bits are others.
    won = np.vecdot(epp, pairs.points)
    return np.asarray(won + nu * pairs.tied - np.vecdot(taken, pairs.times))


def plackett_luce_posterior(
    x: Floats, at: Coordinates, prior: tuple[float, float], rankings: Rankings, eta: Floats
) -> tuple[float, Floats]:
    """Log-density of x (1 + player,) and its gradient, rounds by weights eta (round,).

    Compiled in one, as `davidson_posterior`.
    """
    value, by_round, gradient = _ranked_posterior(x, *at[:2], *prior, *rankings, eta)
    return value + float(eta @ by_round), gradient


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _ranked_posterior(
    x: Floats, centring: Floats, log_scale: float, prior_scale: float, df: float, start: Longs,
    player: Ints, block: Ints, node: Floats, weight: Floats, eta: Floats,
) -> tuple[float, Floats, Floats]:  # fmt: skip
    """Log prior, log-likelihoods (round,), and the gradient."""
    value, by_scale, a, slope, by_strength, own = prior_parts(
        x, centring, log_scale, prior_scale, df
    )
    row = a.reshape(1, -1)
    by_round, up = plackett_luce.with_pullback(row, start, player, block, node, weight, eta)
    fold(by_scale, by_strength + up[0], a, slope, centring, own)
    return value, by_round, own


def many_ranked(epp: Floats, rankings: Rankings, eta: Floats) -> Floats:
    """Plackett-Luce's log-likelihood at many strengths (point, player), rounds by weights eta."""
    return np.asarray(np.vecdot(plackett_luce.many_log_likelihoods(epp, *rankings), eta))
