"""Boards that a fit replicates, which tie as its own board does."""

from collections.abc import Iterator

import numpy as np

from leaderbayes._numerics import bradley_terry as bt
from leaderbayes._numerics.places import count, gumbel, ranked
from leaderbayes._types import Floats, Ints

# Boards that the stretch is found by: how many at most, and of how many pairs and scores in all.
_FEW, _PAIRS, _SCORES = 50, 1_000_000, 5_000_000
_STEPS = 3
_FARTHEST = 20.0  # by which strengths are stretched


def has_ties(place: Ints) -> bool:
    """Tell whether players tie in any round (round, player); 0 is who is absent."""
    at = np.sort(place, axis=1)
    return bool(((np.diff(at, axis=1) == 0) & (at[:, 1:] > 0)).any())


def tied_boards(epp: Floats, place: Ints, rng: np.random.Generator, *, ties: str) -> Iterator[Ints]:
    """Draw boards (round, player) of Bradley-Terry's strengths, of which as many tie as do here.

    Rankings of the model never tie, and a match that may tie varies less than one that is won or
    lost: boards with ties would look less discrepant than replicates that have none. So players
    tie at the places at which those of the board do. That draws players together: strengths are
    stretched before, until those that tied boards show are as far apart as those that boards
    without ties show.

    Parameters
    ----------
    epp : (draw, player)
    place : (round, player)
        Of the board, 0 of who is absent.
    ties : str
        How matches of the board count ties.
    """
    at, present = np.sort(place, axis=1), place > 0
    factor = _stretch(epp, place, rng, ties=ties)
    for strengths in epp:
        scores = gumbel(rng.random(place.shape)) + factor * strengths
        yield tied_as(at, ranked(scores, present))


def _stretch(epp: Floats, place: Ints, rng: np.random.Generator, *, ties: str) -> float:
    """Find the factor by which strengths (draw, player) are farther apart before players tie."""
    most = min(_PAIRS // place.shape[1] ** 2, _SCORES // place.size)
    few = epp[: int(np.clip(most, 2, _FEW))]
    few = few - few.mean(axis=1, keepdims=True)
    at, present = np.sort(place, axis=1), place > 0
    noise = gumbel(rng.random((len(few), *place.shape)))

    def shown(factor: float, *, tied: bool) -> float:
        """Regress what boards of stretched strengths show on strengths."""
        found = 0.0
        for strengths, luck in zip(few, noise, strict=True):
            board = ranked(luck + factor * strengths, present)
            wins, n, _ = count(tied_as(at, board) if tied else board, within_round=True, ties=ties)
            own = bt.estimates_near(strengths[None], wins.sum(axis=1)[None], n[None])[0]
            found += float(own @ strengths)
        return found

    asked, factor = shown(1.0, tied=False), 1.0
    for _ in range(_STEPS):
        got = shown(factor, tied=True)
        if not (asked > 0.0 < got):  # Luck alone, of players that are nearly equal.
            return factor
        factor = float(np.clip(factor * asked / got, 1.0 / _FARTHEST, _FARTHEST))
    return factor


def tied_as(at: Ints, again: Ints) -> Ints:
    """Let players of a board (round, player) tie where another board's do.

    Parameters
    ----------
    at : (round, player)
        Places of each round of the other board, sorted; 0, of the absent, first.
    again : (round, player)
        Places of as many players; 0 of who is absent.
    """
    order = np.argsort(again, axis=1)
    found = np.empty_like(again)
    np.put_along_axis(found, order, at.astype(again.dtype), axis=1)
    return found
