r"""What further votes leave of the variance of strengths: by the same judges, or by others.

.. math:: V = H^+ J H^+, \quad J = \varphi H + \sum_c k_c P_c, \quad
          P_c = \sum_{g \in c} \Big( L_g^2 - \sum_{v \in g} L_v^2 \Big)

as in `votes`. With f times the votes, by others as those that there are, V becomes V / f. By the
same judges :math:`L_g` becomes :math:`f L_g`, and of V there remains, however many there are,
:math:`k_c H^+ \sum_g L_g^2 H^+`. Prompts are new in either case, where there are judges.

Where judges' favour of whoever is first is their own, of standard deviation s (PMRA), H is to
Laplace's order

.. math:: H_f = f \sum_g L_g - \sum_g \frac{f^2 s^2}{1 + f s^2 w_g} v_g v_g'

with v_g and w_g the sums of weighted x, and of weights, of judge g: by the same judges what is
known of the average favour ends at their number.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit

from leaderbayes._numerics.votes import (
    Dependence,
    Estimate,
    Votes,
    shared,
    spread_of,
    with_others,
)
from leaderbayes._types import Floats, Longs


class Law(NamedTuple):
    """Of votes whose model is not Bradley-Terry's alone."""

    alike_in: int  # of the effects, first ones, in which votes of clusters were found alike
    curvature: Floats  # (vote,): information of its log-odds that a vote has
    of_gap: Callable[[Floats], Floats]  # the same of further votes, of differences of strengths
    favour: tuple[Longs, float] | None = None  # judges (vote,), and how they differ in it


class Favour(NamedTuple):
    """Of judges whose favour is their own."""

    known: Floats  # (parameter, parameter): sum over judges of L
    moved: Floats  # (judge, parameter): v
    heavy: Floats  # (judge,): w
    spread: float

    def hessian(self, f: float) -> Floats:
        """Of f times the votes, by the same judges."""
        square = (f * self.spread) ** 2 / (1.0 + f * self.spread**2 * self.heavy)
        return np.asarray(f * self.known - (self.moved * square[:, None]).T @ self.moved)


class Now(NamedTuple):
    """How the votes that there are go together: matrices (parameter, parameter)."""

    players: int
    votes: float
    at: Estimate
    phi: float
    factor: Floats  # (clustering,): k
    apart: list[Floats]  # of each clustering: P
    alone: Floats  # sum of L_v^2
    evenness: Floats  # (clustering,): sum of squared shares of clusters
    linked: Floats  # sum over the first clustering of share times L_g
    hessian: Floats
    rest: Floats  # of J beside all that, of clusters: of Davidson's ties
    of_gap: Callable[[Floats], Floats]
    favour: Favour | None


def _of_gap(gap: Floats) -> Floats:
    """Curvature of a vote between strengths so far apart."""
    return np.asarray(expit(gap) * expit(-gap))


def now(
    votes: Votes,
    at: Estimate,
    together: Dependence,
    clusterings: tuple[Longs, ...],
    law: Law | None = None,
) -> Now:
    """Take apart what makes the variance of an estimate."""
    if law is None:
        eta = at.epp[votes.first] - at.epp[votes.second] + votes.effect @ at.beta
        law = Law(votes.effect.shape[1], _of_gap(eta), _of_gap)
        phi = together.phi
    else:
        phi = 1.0  # the model's own variance
    curvature, m = law.curvature, votes.players
    looked_at = votes._replace(effect=votes.effect[:, : law.alike_in])
    weight = votes.n * curvature
    every = np.arange(len(weight))
    wider = len(at.hessian) - m - law.alike_in

    def padded(matrix: Floats) -> Floats:
        return np.pad(matrix, (0, wider))

    alone = padded(_squares(looked_at, np.sqrt(votes.n) * curvature, every))
    groups = (*clusterings, shared(*clusterings)) if len(clusterings) == 2 else clusterings
    apart, size, evenness = [], [], []
    for group in groups:
        of, which, (own, single) = with_others(
            looked_at, group, weight, np.sqrt(weight * curvature)
        )
        itself = _squares(of, single, np.arange(len(single)))
        apart.append(padded(_squares(of, own, which) - itself))
        share = np.bincount(which, of.n, 1) / votes.n.sum()
        of_one = votes.n[group < 0].sum() / votes.n.sum() ** 2
        evenness.append(float((share**2).sum() + of_one))
        size.append(np.append(share, 1.0 / votes.n.sum()))  # -1: of one vote
    linked = np.zeros_like(at.hessian)
    if groups:
        design = _design(looked_at, weight * size[0][groups[0]], every, by_player=False)
        plain = _design(looked_at, np.ones_like(weight), every, by_player=False)
        linked = padded((design.T @ plain).toarray())
    # J is a sum of these: by how much of each, it says itself, with its factors for few clusters.
    factor, rest = np.zeros(len(groups)), together.meat - phi * at.hessian
    if groups:
        parts = np.column_stack([each.ravel() for each in apart])
        scale = np.maximum(np.linalg.norm(parts, axis=0), 1e-300)
        factor = np.maximum(np.linalg.lstsq(parts / scale, rest.ravel())[0] / scale, 0.0)
    rest = rest - sum(k * each for k, each in zip(factor, apart, strict=True))
    favour = None if law.favour is None else _favour(votes, weight, *law.favour)
    hessian = at.hessian if favour is None else favour.hessian(1.0)
    return Now(
        m, float(votes.n.sum()), at, phi, factor, apart, alone, np.array(evenness), linked, hessian,
        rest, law.of_gap, favour,
    )  # fmt: skip


def _favour(votes: Votes, weight: Floats, judge: Longs, spread: float) -> Favour:
    every = np.arange(len(weight))
    moved = _design(votes, weight, judge, by_player=False)
    known = _design(votes, weight, every, by_player=False).T @ _design(
        votes, np.ones_like(weight), every, by_player=False
    )
    return Favour(known.toarray(), moved.toarray(), np.bincount(judge, weight), spread)


def covariance_after(here: Now, more: float, pairs: Longs | None, *, same: bool) -> Floats:
    """Give the covariance of strengths (player, player) after so many further votes.

    Parameters
    ----------
    here : Now
    more : float
    pairs : (pair, 2), optional
        Whom they are on, evenly; by default on whom they are.
    same : bool
        By the clusters of the first clustering that there are; else by others as large.
    """
    if pairs is None:
        f = 1.0 + more / here.votes
        hessian = here.hessian
        if same and here.favour is not None:
            hessian = here.favour.hessian(f) / f
        meat = here.phi * hessian / f + (here.rest if same else here.rest / f)
        for c, (k, apart) in enumerate(zip(here.factor, here.apart, strict=True)):
            fixed = same and c == 0
            meat = meat + k * (apart + here.alone * (1.0 - 1.0 / f) if fixed else apart / f)
    else:
        link = _link(here, pairs)
        hessian = here.hessian + more * link
        meat = here.phi * hessian + here.rest
        for c, (k, apart) in enumerate(zip(here.factor, here.apart, strict=True)):
            square = link @ link
            if same and c == 0:
                between = here.linked @ link
                # Ordered pairs of further votes of one cluster.
                number = max(more**2 * here.evenness[c] - more, 0.0)
                added = more * (between + between.T) + number * square
            else:
                added = more * max(here.votes * here.evenness[c] - 1.0, 0.0) * square
            meat = meat + k * (apart + added)
    bread = spread_of(hessian, here.players)
    return np.asarray((bread @ meat @ bread)[: here.players, : here.players])


def posterior_after(prior: Floats, covariance: Floats) -> Floats:
    """Combine a prior's precision with the covariance of an estimate (player, player)."""
    return _pinv(prior + _pinv(covariance))


def prior_precision(posterior: Floats, covariance: Floats) -> Floats:
    """Give what a posterior's covariance knows beyond the votes, and never less than nothing."""
    value, vector = np.linalg.eigh(_pinv(posterior) - _pinv(covariance))
    return np.asarray((vector * np.maximum(value, 0.0)) @ vector.T)


def root_of_gain(before: Floats, after: Floats) -> Floats:
    """Root of the covariance of the posterior means to come: of what is known now less then."""
    value, vector = np.linalg.eigh(before - after)
    return np.asarray(vector * np.sqrt(np.maximum(value, 0.0)))


def _pinv(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.pinv(matrix, rcond=1e-10, hermitian=True))


def _link(here: Now, pairs: Longs) -> Floats:
    """Give the Hessian of one vote that is on any of these pairs."""
    link = np.zeros_like(here.at.hessian)
    weights = here.of_gap(here.at.epp[pairs[:, 0]] - here.at.epp[pairs[:, 1]]) / len(pairs)
    for (i, j), weight in zip(pairs, weights, strict=True):
        link[[i, j], [i, j]] += weight
        link[[i, j], [j, i]] -= weight
    return link


def _squares(votes: Votes, weight: Floats, group: Longs) -> Floats:
    """Sum over groups of L_g^2, where what votes have to do with an opinion is summed up."""
    design = _design(votes, weight, group, by_player=True)
    return np.asarray((design.T @ design).toarray())


def _design(
    votes: Votes, weight: Floats, group: Longs, *, by_player: bool
) -> sparse.csr_array:  # fmt: skip
    """Sum weighted differences by group, or by group and player (row, player + effect)."""
    m, k = votes.players, votes.effect.shape[1]
    if not by_player:
        sides = [(group, 1.0)]
    else:
        of = group.astype(np.int64) * m
        opinions = np.unique([of + votes.first, of + votes.second], return_inverse=True)[1]
        sides = [(opinions[0], 1.0), (opinions[1], -1.0)]
    rows, columns, values = [], [], []
    for row, sign in sides:
        rows += [row] * (k + 2)
        columns += [votes.first, votes.second, *(np.full(len(row), m + c) for c in range(k))]
        values += [sign * weight, -sign * weight]
        values += [sign * weight * votes.effect[:, c] for c in range(k)]
    row = np.concatenate(rows)
    shape = (int(row.max(initial=0)) + 1, m + k)
    return sparse.coo_array((np.concatenate(values), (row, np.concatenate(columns))), shape).tocsr()
