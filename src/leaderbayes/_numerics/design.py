r"""Strengths on designs that match players by strength, such as ladders and Swiss rounds.

Matched pairs leave long ways between players: who is far away is met only by way of others.
Strengths that are exchangeable whatever the matches would be shrunk towards each other along these
ways. So how much strengths vary along a way is learnt:

.. math:: a = V \, \mathrm{diag}(\lambda^{-\alpha / 2}) \, V^\top u, \quad
          u_i \sim t_\nu(0, \sigma), \quad \alpha \sim \mathrm{U}(0, 2), \quad
          V \, \mathrm{diag}(\lambda) \, V^\top \propto \mathrm{diag}(n 1) - n,

with n the matches of pairs, and lambda 1 on average. Alpha 0 makes strengths exchangeable, 1 is an
intrinsic autoregression of those who met, and with 2 strengths go evenly along a chain. Where all
meet all equally often, lambda is 1 and alpha makes no difference.

References
----------
Leroux, Lei, Breslow (2000), Estimation of disease rates in small areas: a new mixed model for
spatial dependence, in Statistical Models in Epidemiology, the Environment, and Clinical Trials.
"""

from typing import NamedTuple

import numpy as np

from leaderbayes._types import Floats

LARGEST = 2.0  # alpha
# Of the spectral gap by chance: below the first a design has long ways, below the other perhaps.
MATCHED, PERHAPS = 0.4, 0.65
_NOTHING = 1e-9  # of what matches say on average, where they say nothing
_MOST = 1000  # players whose design is looked at: ways take the cube of their number


class Ways(NamedTuple):
    """Directions in which matches compare players."""

    way: Floats  # (player, way): V, orthonormal
    log_known: Floats  # (way,): log lambda; 0 where no match says anything


def spectral_gap(n: Floats) -> float:
    """Return the spectral gap of the walk from player to opponent, or the smallest of groups."""
    root = np.sqrt(n.sum(axis=1))
    root = np.where(root > 0.0, root, np.inf)
    gap = np.linalg.eigvalsh(np.eye(len(n)) - n / root[:, None] / root)
    return float(np.min(gap[gap > _NOTHING], initial=1.0))


def gap_by_chance(n: Floats) -> float:
    """Return the spectral gap as a share of that of shuffled opponents; 1 if it is not small."""
    if not 3 <= len(n) <= _MOST or (gap := spectral_gap(n)) >= MATCHED:
        return 1.0
    one, other = np.triu_indices(len(n), 1)
    often = np.ceil(n[one, other]).astype(int)
    ends = np.random.default_rng(0).permutation(np.repeat(np.append(one, other), np.tile(often, 2)))
    shuffled = np.zeros_like(n)
    np.add.at(shuffled, tuple(ends.reshape(2, -1)), 1.0)
    np.fill_diagonal(shuffled, 0.0)
    return gap / spectral_gap(shuffled + shuffled.T)


def ways(n: Floats) -> Ways:
    """Find the ways of a design (player, opponent)."""
    value, way = np.linalg.eigh((np.diag(n.sum(axis=1)) - n) * ((len(n) - 1.0) / n.sum()))
    return Ways(way, np.log(np.where(value > _NOTHING, value, 1.0)))


def along(u: Floats, alpha: Floats, at: Ways) -> Floats:
    """Map exchangeable strengths (point, player) to matched ones, alpha being (point,)."""
    shrink = np.exp(-0.5 * np.multiply.outer(alpha, at.log_known))
    return np.asarray((u @ at.way * shrink) @ at.way.T)
