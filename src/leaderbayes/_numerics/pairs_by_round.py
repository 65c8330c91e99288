r"""Contributions of each round to a Bradley-Terry or Davidson log-likelihood.

For a round k the log-likelihood of all its matches is

.. math:: \ell_k(b, \nu) = \sum_i points_{ki} b_i + \nu\, tied_k - L(b, \nu; n_k)

with L the log normaliser of `pairs` and n_k the matches of the round. Across rounds half of a match
belongs to each of its two rounds.
"""

from typing import NamedTuple

import numpy as np

from leaderbayes._numerics.bradley_terry import davidson_probability
from leaderbayes._types import Floats, Ints, Longs


class RoundStatistics(NamedTuple):
    """Sufficient statistics of a board, round by round."""

    points: Floats  # (round, player): wins, ties half
    tied: Floats  # (round,): ties, each once
    left: Floats  # (round, player): scores of the round
    right: Floats  # (round, player): scores that these meet
    dropped: list[tuple[int, Longs]]  # round and members of ties that are no matches


def round_statistics(place: Ints, *, within_round: bool, ties: str) -> RoundStatistics:
    """Reduce places (round, player), 1 best and 0 absent, to what the likelihood needs."""
    present = place > 0
    if not within_round:
        points, tied = _across_points(place)
        right = np.broadcast_to(present.sum(axis=0), place.shape).astype(float)
        return RoundStatistics(points, tied, present.astype(float), right, [])
    best, worst = _ranks_within(place)
    size = present.sum(axis=1, keepdims=True)
    behind = worst if ties == "drop" else 0.5 * (best + worst)
    points = np.where(present, size - behind, 0.0)
    tied = np.where(present, worst - best, 0).sum(axis=1) / 2.0
    dropped = _tie_groups(place) if ties == "drop" else []
    return RoundStatistics(points, tied, present.astype(float), present.astype(float), dropped)


def _ranks_within(place: Ints) -> tuple[Longs, Longs]:
    """Return the best and worst rank of tied players within rounds (round, player)."""
    r, steps = len(place), int(place.max(initial=0)) + 1
    cell = place + steps * np.arange(r)[:, None]
    size = np.bincount(cell.ravel(), minlength=r * steps)
    size[::steps] = 0  # the absent
    worst = size.reshape(r, steps).cumsum(axis=1).ravel()
    return (worst - size + 1)[cell], worst[cell]


def _tie_groups(place: Ints) -> list[tuple[int, Longs]]:
    """Round and members of every group of two or more players that share a place."""
    groups = []
    for k, row in enumerate(place):
        shared, counts = np.unique(row[row > 0], return_counts=True)
        groups += [(k, np.flatnonzero(row == p)) for p in shared[counts > 1]]
    return groups


def _across_points(place: Ints) -> tuple[Floats, Floats]:
    """Points and ties where all scores meet; half of each match goes to either round."""
    present = place > 0
    points, tied = np.zeros(place.shape), np.zeros(len(place))
    for i, here in enumerate(present.T):
        own = np.sort(place[here, i])
        better = np.searchsorted(own, place, side="left")
        equal = np.searchsorted(own, place, side="right") - better
        # A player does not meet itself in another round.
        met = present.copy()
        met[:, i] = False
        # Each of its scores against each score of the others.
        won = np.where(met, better + equal / 2.0, 0.0)
        points[:, i] += won.sum(axis=1)
        points += np.where(met, own.size - won, 0.0)
        tied += np.where(met, equal, 0).sum(axis=1)
    # Every match is counted from the round of either score, and so is every tie.
    return points / 2.0, tied / 2.0


def round_scores(epp: Floats, nu: float, statistics: RoundStatistics) -> tuple[Floats, Floats]:
    """Differentiate each round's log-likelihood: in epp (round, player) and in nu (round,)."""
    left, right = statistics.left, statistics.right
    won, tie = davidson_probability(epp, nu)
    won = won + 0.5 * tie
    for table in (won, tie):
        np.fill_diagonal(table, 0.0)
    expected = 0.5 * (left * (right @ won.T) + right * (left @ won.T))
    ties = 0.5 * (left * (right @ tie)).sum(axis=1)
    for k, who in statistics.dropped:
        expected[k, who] -= won[np.ix_(who, who)].sum(axis=1)
    return statistics.points - expected, statistics.tied - ties


def round_log_likelihood(
    epp: Floats, statistics: RoundStatistics, nu: Floats | None = None
) -> Floats:
    """Return the log-likelihood of each round (draw, round); Davidson's with ``nu`` (draw,)."""
    left, right = statistics.left, statistics.right
    out = epp @ statistics.points.T
    if nu is not None:
        out += nu[:, None] * statistics.tied
    for i in range(epp.shape[1] - 1):
        own, others = epp[:, i : i + 1], epp[:, i + 1 :]
        total = np.logaddexp(own, others)
        if nu is not None:
            total = np.logaddexp(total, nu[:, None] + 0.5 * (own + others))
        n = 0.5 * (left[:, i : i + 1] * right + right[:, i : i + 1] * left)
        for k, who in statistics.dropped:
            if i in who:
                n[k, who] = 0.0
        out -= total @ n[:, i + 1 :].T
    return np.asarray(out)
