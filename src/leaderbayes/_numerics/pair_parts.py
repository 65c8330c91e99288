r"""What pairs of players have beside strengths, where strengths do not add up.

Of variance :math:`\psi^2` in log-odds, from how far pairs' residuals are beyond what single votes
vary by; votes of judges that go together are in it, too, so that it is rather too large.
"""

from typing import NamedTuple

import numpy as np

from leaderbayes._numerics.votes import Votes, groups_of
from leaderbayes._types import Floats, Longs


class Pairs(NamedTuple):
    """Who met, whoever was first."""

    of: Longs  # (vote,): the pair's number, from 0
    sign: Floats  # (vote,): 1 where the one with the lower number was first, else -1
    total: int


class PairParts(NamedTuple):
    """What pairs have beside strengths, and how it varies."""

    pairs: Pairs
    information: Floats  # (pair,)
    residual: Floats  # (pair,): of the one with the lower number
    variance: float  # psi^2


def pairs_of(votes: Votes) -> Pairs:
    """Find who met, and number pairs."""
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    seen, of = np.unique(low.astype(np.int64) * votes.players + high, return_inverse=True)
    return Pairs(of, np.where(votes.first < votes.second, 1.0, -1.0), len(seen))


def pair_parts(votes: Votes, weight: Floats, residual: Floats, phi: float) -> PairParts:
    """Find pairs, and how they vary, from votes' information and residuals (vote,)."""
    pairs = pairs_of(votes)
    information = np.bincount(pairs.of, weight)
    apart = np.bincount(pairs.of, pairs.sign * residual)
    free = max(pairs.total - (votes.players - groups_of(votes)), 1)
    chi2 = float((apart**2 / information).sum()) / phi
    variance = max(chi2 / free - 1.0, 0.0) * phi / float(information.mean())
    return PairParts(pairs, information, apart, variance)
