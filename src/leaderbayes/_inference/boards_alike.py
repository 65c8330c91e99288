"""Boards that Bradley-Terry's model makes in place of one: as spread, with the same ties."""

from collections.abc import Iterator
from itertools import batched

import numpy as np

from leaderbayes._numerics import bradley_terry as bt
from leaderbayes._numerics.pairs_by_round import round_statistics
from leaderbayes._numerics.places import count, gumbel, ranked
from leaderbayes._types import Floats, Ints

# Boards that the stretch is found by: how many at most, and of how many pairs and scores in all.
_FEW, _PAIRS, _SCORES = 50, 1_000_000, 5_000_000
_STEPS, _NEAR = 8, 0.01
_AT_HAND = 50_000  # scores
_FARTHEST = 20.0  # by which strengths are stretched, or drawn together


def boards_alike(
    place: Ints, boards: int, rng: np.random.Generator, *, within_round: bool, ties: str
) -> Iterator[Ints]:
    """Draw boards (round, player) of Bradley-Terry's model around a board's own estimate.

    The estimate is with one pseudo-round. It is stretched, or drawn together, by one factor, until
    what the boards show is as spread as what their model does: luck spreads what few rounds show,
    and ties draw it together. (Draws of the posterior have the prior's heavy tails, which the
    players of a large board with few rounds do not: boards around them are too little discrepant.)

    Where players tie within rounds of the board, those of each round tie at the same places.
    Rankings of the model never tie, and a match that may tie varies less than one that is won or
    lost: boards with ties would look less discrepant than replicates that have none.

    Parameters
    ----------
    place : (round, player)
        0 of who is absent.
    boards : int
        How many to draw.
    within_round : bool
        Whether only scores of a round are compared.
    ties : str
        How matches of the board count ties.
    """
    at, present = np.sort(place, axis=1), place > 0
    tied = within_round and bool(((np.diff(at, axis=1) == 0) & (at[:, 1:] > 0)).any())
    # Where a place of a round is worth as much on all boards no pairs need to be counted.
    worth = worth_of_places(place) if within_round and (ties == "half" or not tied) else None

    def luck(boards: int) -> Floats:
        return gumbel(rng.random((boards, *place.shape)))

    def drawn(luck: Floats, strengths: Floats) -> Ints:
        again = ranked(luck + strengths, present, within_round=within_round)
        return tied_as(at, again) if tied else again

    def counted(boards: Ints) -> tuple[Floats, Floats]:
        every = (count(each, within_round=within_round, ties=ties) for each in boards)
        points, n = zip(*((wins.sum(axis=1), n) for wins, n, _ in every), strict=True)
        return np.array(points), np.array(n)

    def estimates(near: Floats, points: Floats, n: Floats) -> Floats:
        found = bt.estimates_near(np.broadcast_to(near, points.shape), points, n)
        return np.asarray(found - found.mean(axis=1, keepdims=True))

    points, n = counted(place[None])
    own = estimates(np.zeros(points.size), points, n)[0]
    most = min(_PAIRS // place.shape[1] ** 2, _SCORES // place.size)
    every = luck(int(np.clip(most, 2, _FEW)))
    factor = 1.0
    for _ in range(_STEPS):
        if worth is None:
            points, n = counted(drawn(every, factor * own))
        else:
            strict = ranked(every + factor * own, present)
            points = worth[np.arange(len(place))[:, None], strict].sum(axis=1)
        spread = np.square(estimates(own, points, n)).mean()
        if not spread > 0.0:
            break
        last, stretched = factor, factor * np.sqrt(np.square(own).mean() / spread)
        factor = float(np.clip(stretched, 1.0 / _FARTHEST, _FARTHEST))
        if abs(factor / last - 1.0) < _NEAR:
            break
    for some in batched(range(boards), max(_AT_HAND // place.size, 1)):
        yield from drawn(luck(len(some)), factor * own)


def worth_of_places(place: Ints) -> Floats:
    """Give the points (round, place) of who stands at a place of a board (round, player).

    Of place 0, who is absent, none. Those of a round who tie share their points.
    """
    points = round_statistics(place, within_round=True, ties="half").points
    # Who is absent has none, and comes last.
    return np.pad(np.sort(points, axis=1)[:, ::-1], ((0, 0), (1, 0)))


def tied_as(at: Ints, again: Ints) -> Ints:
    """Let players of boards (board, round, player) tie where another board's do.

    Parameters
    ----------
    at : (round, player)
        Places of each round of the other board, sorted; 0, of the absent, first.
    again : (board, round, player)
        Places of as many players; 0 of who is absent.
    """
    order = np.argsort(again, axis=-1)
    found = np.empty_like(again)
    np.put_along_axis(found, order, np.broadcast_to(at, again.shape).astype(again.dtype), axis=-1)
    return found
