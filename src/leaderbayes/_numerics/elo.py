"""Elo's ratings: one match after another."""

import numba
import numpy as np

from leaderbayes._types import Floats, Ints, Longs


def pairs_of(place: Ints) -> tuple[Longs, Longs, Floats]:
    """List all matches within rounds: first player, second player, points of the first."""
    one, two, points = [], [], []
    for row in place:
        who = np.flatnonzero(row)
        first, second = (who[side] for side in np.triu_indices(who.size, 1))
        one.append(first)
        two.append(second)
        points.append(0.5 * (1.0 + np.sign(row[second] - row[first])))
    return np.concatenate(one), np.concatenate(two), np.concatenate(points)


@numba.njit(cache=True)
def ratings(
    first: Ints, second: Ints, points: Floats, weight: Floats, order: Longs, m: int, k: float
) -> Floats:
    """Ratings (player,) where a match is played ``weight`` times, one after the other.

    What is left of a weight beyond whole matches is a match that counts that much.
    """
    rating = np.zeros(m)
    for match in order:
        i, j = first[match], second[match]
        left = weight[match]
        while left > 0.0:
            expected = 1.0 / (1.0 + 10.0 ** ((rating[j] - rating[i]) / 400.0))
            change = min(left, 1.0) * k * (points[match] - expected)
            rating[i] += change
            rating[j] -= change
            left -= 1.0
    return rating
