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
from scipy import sparse

from leaderbayes._types import Floats, Ints, Longs

_BLOCK = 100_000  # numbers at a time
_FAR = 600.0  # below the best of a ranking, where e^b is nothing


class Rankings(NamedTuple):
    """Orders of the players of each round, worst first; those of fewer players first."""

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
    by = np.argsort(present.sum(axis=1), kind="stable")
    return Rankings(order[by], present[by].astype(float), share[of][by], of[by])


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
    value, slope = np.zeros(len(b)), np.zeros(b.T.shape if gradient else (0, 0))
    for block in _blocks(b, rankings):
        value += block.weight @ block.value
        if gradient:
            # One entry a column: what a place adds to the gradient of its player.
            size = block.who.size
            cells = np.ones(size), block.who.ravel(), np.arange(size + 1)
            to_player = sparse.csc_array(cells, (b.shape[1], size))
            each = block.weight[:, None, None] * (block.here - block.mine * block.later())
            slope += to_player @ each.reshape(size, -1)
    return value, slope.T


class _Block(NamedTuple):
    """Some rows at all points, without the places before any of their players."""

    rows: slice
    weight: Floats  # (row,)
    who: Longs  # (row, place)
    here: Floats  # (row, place, 1)
    mine: Floats  # (row, place, point): e^b
    total: Floats  # (row, place, point): of those up to this place
    value: Floats  # (row, point): log-likelihood

    def later(self) -> Floats:
        """Sum 1 / total over the choices that a player was in (row, place, point)."""
        return np.asarray(np.cumsum((self.here / self.total)[:, ::-1], axis=1)[:, ::-1])


def _blocks(b: Floats, rankings: Rankings, most: int = _BLOCK) -> Iterator[_Block]:
    near = np.maximum(b - b.max(axis=1, keepdims=True), -_FAR).T
    odds, count = np.exp(near), rankings.present.sum(axis=1).astype(int)
    begin = 0
    while begin < len(count):
        # Rows to come are at least as long as this one.
        end = begin + max(most // (len(b) * int(count[begin])), 1)
        rows = slice(begin, min(end, len(count)))
        first = b.shape[1] - int(count[rows][-1])
        who, here = rankings.order[rows, first:], rankings.present[rows, first:, None]
        mine = odds[who] * here
        total = np.cumsum(mine, axis=1)
        total[total == 0.0] = 1.0
        value = ((near[who] - np.log(total)) * here).sum(axis=1)
        yield _Block(rows, rankings.weight[rows], who, here, mine, total, value)
        begin = rows.stop


def by_round(b: Floats, rankings: Rankings) -> Floats:
    """Return the log-likelihood of each round (draw, round) at strengths (draw, player)."""
    out = np.zeros((int(rankings.round.max()) + 1, len(b)))
    for block in _blocks(b, rankings):
        np.add.at(out, rankings.round[block.rows], block.weight[:, None] * block.value)
    return out.T


def slopes(b: Floats, rankings: Rankings) -> Floats:
    """Differentiate the log-likelihood of each round (round, player) at b (player,)."""
    out = np.zeros((int(rankings.round.max()) + 1, b.size))
    for block in _blocks(b[None], rankings):
        each = block.weight[:, None] * (block.here - block.mine * block.later())[..., 0]
        np.add.at(out, (rankings.round[block.rows, None], block.who), each)
    return out


def information(b: Floats, rankings: Rankings) -> Floats:
    """Return the negative Hessian (player, player) of the log-likelihood at b (player,)."""
    m, out = b.size, np.zeros((b.size, b.size))
    near = np.maximum(b - b.max(), -_FAR)
    for block in _blocks(b[None], rankings, most=_BLOCK // m):
        mine, there = block.mine[..., 0], block.here[..., 0] > 0.0
        # Two are chosen from together up to the place of the better one. As logarithms: the square
        # of a number that is barely one would be 0.
        choice = np.where(there, -2.0 * np.log(block.total[..., 0]), -np.inf)[:, ::-1]
        better = np.exp(near[block.who] + np.logaddexp.accumulate(choice, axis=1)[:, ::-1])
        for who, w, one, other in zip(block.who, block.weight, mine, better, strict=True):
            pairs = w * np.triu(one[:, None] * other, 1)
            out[np.ix_(who, who)] -= pairs + pairs.T
        alone = block.weight[:, None] * mine * (block.later()[..., 0] - better)
        out[np.diag_indices(m)] += np.bincount(block.who.ravel(), alone.ravel(), m)
    return out


def times_information(v: Floats, b: Floats, rankings: Rankings) -> Floats:
    """Multiply the information at b (player,) by a vector (player,), without the matrix."""
    out = np.zeros(b.size)
    for block in _blocks(b[None], rankings):
        mine, own = block.mine[..., 0], v[block.who]
        mean = np.cumsum(mine * own, axis=1) / block.total[..., 0]  # over those to choose from
        means = np.cumsum((block.here / block.total)[:, ::-1, 0] * mean[:, ::-1], axis=1)[:, ::-1]
        each = block.weight[:, None] * mine * (own * block.later()[..., 0] - means)
        out += np.bincount(block.who.ravel(), each.ravel(), b.size)
    return out


def draw_rankings(epp: Floats, pattern: Ints, rng: np.random.Generator) -> Ints:
    """Draw the places (..., round, player) of whole rankings, with the ties of given ones.

    Strengths (..., 1 or round, player) plus Gumbel noise, sorted, are a draw from Plackett-Luce.
    Ties are no part of its law: whoever is drawn to the places that tie in the pattern (round,
    player) ties. Whoever is absent there, at 0, stays so.
    """
    shape = np.broadcast_shapes(epp.shape, pattern.shape)
    noisy = np.where(pattern > 0, epp + rng.gumbel(size=shape), -np.inf)
    # The absent last, whatever place is first among them.
    steps = np.sort(np.where(pattern > 0, pattern, np.iinfo(pattern.dtype).max), axis=-1)
    drawn = np.zeros(shape, pattern.dtype)
    order = np.argsort(-noisy, axis=-1)
    np.put_along_axis(drawn, order, np.broadcast_to(steps, shape), axis=-1)
    return np.where(pattern > 0, drawn, 0)
