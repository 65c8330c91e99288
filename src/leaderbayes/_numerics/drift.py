r"""Whether strengths are the same in votes before and after a moment, beside judges' opinions.

With one strength a player for all votes, H and U are the information and the gradient that the
votes of each part have; a step of Newton's method by each part alone moves strengths by

.. math:: \delta = H_2^+ U_2 - H_1^+ U_1, \quad
          \mathrm{Var}(\delta) = D J D', \quad D = (-H_1^+, H_2^+), \quad
          J = \varphi H + \sum_c \tau^2_c \sum_o \big( L_o L_o' - \sum_{v \in o} L_v L_v' \big)

with o the opinions of players in `votes`, and L_o what an opinion adds to the gradients of both
parts: judges who vote in both have theirs in both, and it cancels out. What pairs have beside
strengths (`pair_parts`) is added to J in the same way: with other pairs later it would move them.
:math:`\delta` of players who are in both parts, less its mean, is held against chi-square.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import chdtrc

from leaderbayes._numerics.opinions import enlarged
from leaderbayes._numerics.pair_parts import pair_parts
from leaderbayes._numerics.votes import (
    Dependence,
    Moments,
    Votes,
    groups_of,
    holders,
    information_of,
    with_others,
    with_shared,
)
from leaderbayes._types import Bools, Floats, Longs


class Drift(NamedTuple):
    """How strengths moved from the one part of votes to the other."""

    moved: Floats  # (player,): log-odds; NaN of players who are not in both parts
    error: Floats  # (player,)
    p_value: float  # that nobody moved


def drift(
    votes: Votes,
    moments: Moments,
    later: Bools,
    clusterings: tuple[Longs, ...],
    together: Dependence,
) -> Drift | None:
    """Test whether strengths moved; None where the parts do not compare the same players.

    Parameters
    ----------
    votes : Votes
    moments : Moments
        Of outcomes, at an estimate from all of them.
    later : (vote,) of bool
        Which votes are of the second part.
    clusterings : tuple of (vote,)
        As for `dependence`.
    together : Dependence
        As found by these.
    """
    m = votes.players
    parts = [_players_of(votes, part) for part in (~later, later)]
    both = np.intersect1d(parts[0], parts[1])
    if len(both) < 2 or not all(map(_is_connected, (votes, votes), (~later, later), parts)):
        return None
    weight = votes.n * moments.variance
    residual = votes.won - votes.n * moments.mean
    shift = (m * later).astype(np.int32)
    apart = votes._replace(  # a player of each part by itself
        players=2 * m, first=votes.first + shift, second=votes.second + shift,
        effect=np.empty((len(weight), 0)),
    )  # fmt: skip
    information = information_of(apart, weight)
    meat = together.phi * information
    groups = with_shared(clusterings)
    for group, tau2, few in zip(groups, together.tau2, together.clusters, strict=True):
        if tau2 > 0.0:
            meat = meat + enlarged(tau2, few, m) * _of_opinions(votes, apart, group, weight)
    beside = pair_parts(votes, weight, residual, together.phi)
    if beside.variance > 0.0:
        pull = beside.pairs.sign * weight
        meat = meat + beside.variance * _square([beside.pairs.of] * 2, apart, [pull, -pull])
    gradient = np.bincount(apart.first, residual, 2 * m)
    gradient -= np.bincount(apart.second, residual, 2 * m)
    step = np.zeros((m, 2 * m))
    for sign, part in ((-1.0, slice(0, m)), (1.0, slice(m, 2 * m))):
        own = information[part, part]
        step[:, part] = sign * np.linalg.pinv(own, rcond=1e-10, hermitian=True)
    step = step[both] - step[both].mean(axis=0)
    moved, covariance = step @ gradient, step @ meat @ step.T
    inner = np.linalg.pinv(covariance, rcond=1e-10, hermitian=True)
    out = np.full((2, m), np.nan)
    out[:, both] = moved, np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return Drift(out[0], out[1], float(chdtrc(len(both) - 1, moved @ inner @ moved)))


def _players_of(votes: Votes, part: Bools) -> Longs:
    """List those who have votes in a part."""
    return np.unique([votes.first[part], votes.second[part]]).astype(np.int64)


def _is_connected(votes: Votes, part: Bools, players: Longs) -> bool:
    """Whether all who are in a part met there, directly or by way of others."""
    inside = votes._replace(first=votes.first[part], second=votes.second[part])
    return groups_of(inside) == 1 + votes.players - len(players)


def _of_opinions(votes: Votes, apart: Votes, group: Longs, weight: Floats) -> Floats:
    """Add up squares LL' of opinions that are the same in both parts, without single votes'."""
    of, which, (pull,) = with_others(votes, group, weight)
    two, _, (alone,) = with_others(apart, group, weight**2 / votes.n)
    held = holders(of, which)
    by = [held.of_first, held.of_second]
    square = _square([*by, *by], two, [pull, pull, -pull, -pull])
    return np.asarray(square - 2.0 * information_of(two, alone))


def _square(rows: list[Longs], votes: Votes, values: list[Floats]) -> Floats:
    """Add up LL' over rows of what votes' firsts and seconds, in turn, pull there."""
    columns = [votes.first, votes.second, votes.second, votes.first][: len(rows)]
    pulled = sparse.coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
        (int(max(each.max() for each in rows)) + 1, votes.players),
    ).tocsr()
    return np.asarray((pulled.T @ pulled).toarray())
