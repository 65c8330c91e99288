r"""Matches of listed pairs with an intercept a round: what PMRA adds to Bradley-Terry.

For players in their listed order, i before j, and round k's intercept c_k,

.. math:: \mathrm{logit}\,P(i\ \mathrm{beats}\ j \mid k) = c_k + b_i - b_j .
"""

from typing import NamedTuple

import numpy as np

from leaderbayes._types import Bools, Bytes, Floats, Ints, Longs

LOSS, TIE, WIN, ABSENT = 0, 1, 2, -1  # of the first-listed player


class ListedStatistics(NamedTuple):
    """What the likelihood needs of outcomes; the players present, in CSR form."""

    points: Floats  # (round, player): wins, ties half
    first: Floats  # (round,): wins of first-listed players, ties half
    start: Longs  # (round + 1,)
    member: Longs  # (start[-1],): players present, as listed


def outcomes(place: Ints, order: Longs) -> Bytes:
    """Outcome of every pair (round, pair) for the player that ``order`` lists first."""
    first, second = np.triu_indices(len(order), 1)
    a, b = place[:, order[first]], place[:, order[second]]
    result = np.where(a < b, WIN, np.where(a == b, TIE, LOSS))
    return np.where((a > 0) & (b > 0), result, ABSENT).astype(np.int8)


def listed_statistics(outcome: Bytes, order: Longs) -> ListedStatistics:
    """Sum outcomes (round, pair) up."""
    m, r = len(order), len(outcome)
    first, second = (order[side] for side in np.triu_indices(m, 1))
    played = outcome != ABSENT
    won = np.where(played, outcome / 2.0, 0.0)
    points = np.zeros((r, m))
    present = np.zeros((r, m), dtype=bool)
    for k in range(r):
        points[k] = np.bincount(first, won[k], m) + np.bincount(
            second, np.where(played[k], 1.0 - won[k], 0.0), m
        )
        present[k, first[played[k]]] = True
        present[k, second[played[k]]] = True
    members = [order[present[k, order]] for k in range(r)]
    return ListedStatistics(
        points=points,
        first=won.sum(axis=1),
        start=np.cumsum([0, *map(len, members)], dtype=np.int64),
        member=np.concatenate(members).astype(np.int64),
    )


def counts(outcome: Bytes, order: Longs) -> tuple[Ints, Ints]:
    """Strict wins and matches of every pair of players, (player, player)."""
    m = len(order)
    first, second = (order[side] for side in np.triu_indices(m, 1))
    wins, n = np.zeros((2, m, m), dtype=np.int32)
    wins[first, second] = (outcome == WIN).sum(axis=0)
    wins[second, first] = (outcome == LOSS).sum(axis=0)
    n[first, second] = (outcome != ABSENT).sum(axis=0)
    return wins, n + n.T


def draw_outcomes(
    epp: Floats, intercept: Floats, played: Bools, order: Longs, rng: np.random.Generator
) -> Bytes:
    """Draw outcomes (round, pair), every match on its own; there are no ties."""
    first, second = (order[side] for side in np.triu_indices(len(order), 1))
    # A win where logistic noise stays below the log-odds.
    won = rng.logistic(size=played.shape) < intercept[:, None] + (epp[first] - epp[second])
    return np.where(played, np.where(won, WIN, LOSS), ABSENT).astype(np.int8)
