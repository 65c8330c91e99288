"""In how many draws each player is above each other."""

import numba
import numpy as np

from leaderbayes._types import Floats, Ints


def count_better(by_player: Floats) -> Ints:
    """Count the draws in which the row is above the column; equal draws count for neither.

    Parameters
    ----------
    by_player : (player, draw)
        Strengths.

    Returns
    -------
    (player, player)
    """
    # Each player's draws lie side by side.
    return np.asarray(_counts(np.ascontiguousarray(by_player)))


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _counts(by_player: Floats) -> Ints:
    m, draws = by_player.shape
    better = np.zeros((m, m), dtype=np.int32)
    for i in range(m):
        for j in range(i + 1, m):
            one, other = by_player[i], by_player[j]
            above, below = 0, 0
            for d in range(draws):
                above += one[d] > other[d]
                below += one[d] < other[d]
            better[i, j], better[j, i] = above, below
    return better
