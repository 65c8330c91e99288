r"""Plackett-Luce's likelihood of whole rankings, at many points at once.

.. math:: \log L = \sum_a \Big( b_{\pi_a} - \log \sum_{c \ge a} e^{b_{\pi_c}} \Big)

of a round's players in order, best first. Ties leave several orders open, and a round's
log-likelihood is their mean: over all where at most four players tie, and where more do over 24 in
which each has every place about equally often. A tie is half a win for either.
"""

from collections.abc import Iterator
from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np

from leaderbayes._types import Floats, Ints, Longs

_BLOCK = 100_000  # numbers at a time
_FAR = 600.0  # below the best of a ranking, where e^b is nothing


class Rankings(NamedTuple):
    """Orders of the players of each round, worst first; absent players come before and count 0."""

    order: Longs  # (row, player)
    present: Floats  # (row, player): 1, or 0 of who is absent, in order
    weight: Floats  # (row,)
    round: Longs  # (row,)


def rankings(place: Ints, weight: Floats | None = None) -> Rankings:
    """Order the players of places (round, player), each round with its weight (round,)."""
    weight = np.ones(len(place)) if weight is None else weight
    breaks = turns(place)
    key = np.where(place > 0, -place, -np.iinfo(np.int32).max) + breaks
    order = np.argsort(key, axis=2, kind="stable")
    # What comes after a round's own orders repeats them.
    own = [max((len(_orders(size)) for size in _ties(row)[1]), default=1) for row in place]
    kept = np.arange(len(order))[:, None] < np.array(own)
    which, of = np.nonzero(kept)
    order = order[which, of]
    present = np.take_along_axis(place[of], order, axis=1) > 0
    share = weight / kept.sum(axis=0)
    return Rankings(order, present.astype(float), share[of], of)


def turns(place: Ints) -> Floats:
    """Numbers (order, round, player) below a half that break ties when added to places."""
    tied = [(k, *_ties(row)) for k, row in enumerate(place)]
    orders = max((len(_orders(size)) for _, _, sizes in tied for size in sizes), default=1)
    out = np.zeros((orders, *place.shape))
    for k, places, sizes in tied:
        for where, size in zip(places, sizes, strict=True):
            at = np.resize(_orders(size), (orders, size))  # from the first again
            out[:, k, place[k] == where] = 0.4 * at / size
    return out


def _ties(row: Ints) -> tuple[list[int], list[int]]:
    """Places that several players share, and by how many."""
    places, sizes = np.unique(row[row > 0], return_counts=True)
    return places[sizes > 1].tolist(), sizes[sizes > 1].tolist()


@cache
def _orders(size: int) -> Longs:
    """Orders (order, player) of players who tie: 2, 6 or all 24, or 24 in turn and turned round."""
    if size <= 4:
        return np.array(list(permutations(range(size))))
    at = [np.roll(np.arange(size), turn * size // 12) for turn in range(12)]
    return np.array([*at, *(size - 1 - each for each in at)])


def log_likelihood(b: Floats, rankings: Rankings, *, gradient: bool) -> tuple[Floats, Floats]:
    """Return the weighted log-likelihood (point,) at b (point, player), and its gradient."""
    value, slope = np.zeros(len(b)), np.zeros(b.shape if gradient else (0, 0))
    for rows, each, slopes in _by_row(b, rankings, gradient=gradient):
        value += each @ rankings.weight[rows]
        if gradient:
            slope += np.einsum("prk,r->pk", slopes, rankings.weight[rows])
    return value, slope


def _by_row(
    b: Floats, rankings: Rankings, *, gradient: bool
) -> Iterator[tuple[slice, Floats, Floats]]:
    """Return rows, their log-likelihood (point, row), and gradient (point, row, player)."""
    near = np.maximum(b - b.max(axis=1, keepdims=True), -_FAR)
    odds, size = np.exp(near), max(_BLOCK // b.size, 1)
    for begin in range(0, len(rankings.order), size):
        rows = slice(begin, begin + size)
        who, here = rankings.order[rows], rankings.present[rows]
        mine = odds[:, who] * here
        total = np.cumsum(mine, axis=2)
        total[total == 0.0] = 1.0
        each = ((near[:, who] - np.log(total)) * here).sum(axis=2)
        slopes = np.empty((0, 0, 0))
        if gradient:
            later = np.cumsum((here / total)[..., ::-1], axis=2)[..., ::-1]
            back = np.argsort(who, axis=1)[None]
            slopes = np.take_along_axis(here * (1.0 - mine * later), back, axis=2)
        yield rows, each, slopes


def by_round(b: Floats, rankings: Rankings) -> Floats:
    """Return the log-likelihood of each round (draw, round) at strengths (draw, player)."""
    rounds = int(rankings.round.max()) + 1
    out = np.zeros((len(b), rounds))
    for k in range(rounds):
        own = rankings.round == k
        some = Rankings(*(each[own] for each in rankings))
        out[:, k] = log_likelihood(b, some, gradient=False)[0]
    return out


def slopes(b: Floats, rankings: Rankings) -> Floats:
    """Differentiate the log-likelihood of each round (round, player) at b (player,)."""
    out = np.zeros((int(rankings.round.max()) + 1, b.size))
    for rows, _, each in _by_row(b[None], rankings, gradient=True):
        np.add.at(out, rankings.round[rows], rankings.weight[rows, None] * each[0])
    return out


def information(b: Floats, rankings: Rankings) -> Floats:
    """Return the negative Hessian (player, player) of the log-likelihood at b (player,)."""
    out = np.zeros((b.size, b.size))
    odds = np.exp(b - b.max())
    for who, here, w in zip(*rankings[:3], strict=True):
        mine = odds[who] * here
        total = np.cumsum(mine)
        total[total == 0.0] = 1.0
        # Stage s is the choice of player s among those up to s, in this order from the worst.
        p = np.tril(mine / total[:, None]) * here[:, None]
        out[np.ix_(who, who)] += w * (np.diag(p.sum(axis=0)) - p.T @ p)
    return out


def draw_rankings(epp: Floats, pattern: Ints, rng: np.random.Generator) -> Ints:
    """Draw the places (..., round, player) of whole rankings, with the ties of given ones.

    Strengths plus Gumbel noise, sorted, are a draw from Plackett-Luce. Ties are no part of its
    law: whoever is drawn to the places that are tied in the pattern ties.

    Parameters
    ----------
    epp : (..., 1 or round, player)
    pattern : (round, player)
        Places; 0 is absent, and stays so.
    """
    shape = np.broadcast_shapes(epp.shape, pattern.shape)
    noisy = np.where(pattern > 0, epp + rng.gumbel(size=shape), -np.inf)
    # The absent last, whatever place is first among them.
    steps = np.sort(np.where(pattern > 0, pattern, np.iinfo(pattern.dtype).max), axis=-1)
    drawn = np.zeros(shape, pattern.dtype)
    order = np.argsort(-noisy, axis=-1)
    np.put_along_axis(drawn, order, np.broadcast_to(steps, shape), axis=-1)
    return np.where(pattern > 0, drawn, 0)
