r"""What opinions add to the variance of a sum over votes, as `votes.dependence` has them.

Clusters of votes (judges, prompts) have opinions of players, of variance :math:`\tau^2`. In a sum
:math:`\sum_v c_v r_v` of residuals an opinion pulls by :math:`w_v c_v` in each of its votes, and
products of a vote with itself are what single votes vary by.
"""

import numpy as np
from scipy.special import stdtrit

from leaderbayes._numerics.votes import Votes, holders, shared, with_others
from leaderbayes._types import Floats, Longs


def enlarged(tau2: float, clusters: float, players: int) -> float:
    """Give the variance of opinions, larger where few clusters say it of every player."""
    df = max(0.5 * (clusters - 1.0) * (players - 1.0), 1.0)
    return float(tau2 * (stdtrit(df, 0.975) / 1.96) ** 2)


def squares(votes: Votes, group: Longs, of: Longs, pull: Floats) -> Floats:
    """Sum squares (sum,) of what opinions pull, without products of a vote with itself.

    Parameters
    ----------
    votes : Votes
    group : (vote,)
        Clusters with opinions; -1 is in none.
    of : (vote,)
        To which of the sums, from 0, a vote belongs.
    pull : (vote,)
        Information times coefficient.
    """
    sums = int(of.max()) + 1
    ids, which, (pull, alone, own) = with_others(
        votes, shared(group, of), pull, pull**2 / votes.n, of.astype(float)
    )
    by = own.astype(np.int64)
    held = holders(ids, which)
    total = np.bincount(held.of_first, pull, held.total)
    total -= np.bincount(held.of_second, pull, held.total)
    whose = np.zeros(held.total, dtype=np.int64)
    whose[held.of_first] = whose[held.of_second] = by
    excess = np.bincount(whose, total**2, sums) - 2.0 * np.bincount(by, alone, sums)
    return np.maximum(excess, 0.0)
