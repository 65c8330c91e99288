r"""Votes of many tournaments: strengths around each player's mean, of judges who vote in several.

A cell is a player in a tournament. Votes of all tournaments have one estimate, of cells and of what
sways votes everywhere, and

.. math:: \hat b = b + A f + e, \quad f \sim N(0, I), \quad
          b_{ti} \sim N(\mu_i, \tau^2), \quad \mu_i \sim N(0, \sigma^2)

with e of votes of each tournament by itself: of as many matches as have its covariance
(`votes.effective`). A f is of judges, and prompts, that several tournaments have: what they think
of a player is in its estimate in each, and no number of tournaments averages it out. How much of
their opinions they take along is what products of residuals say over all pairs of votes of a judge
in two tournaments.

The posterior is sampled in log sigma, log tau, f, and where means and cells w = b + A f are beside
where they would be by normal errors of known variance v, whatever sigma and tau are. Along the ways
y on which the errors of a tournament's cells are independent

.. math:: y = r\,\mathrm{E} y + (1 - r)\,\hat y + s z, \quad
          s^2 = (1 / \tau^2 + 1 / v)^{-1}, \quad r = s^2 / \tau^2

and means likewise, so that z is nearly standard normal where tournaments hardly differ and where
they differ much. Levels, of which votes know nothing, are left out. What f makes of the estimate
of means is taken from it.

References
----------
Papaspiliopoulos, Roberts, Sköld (2007), A general framework for the parametrization of hierarchical
models, Statistical Science 22.
"""

from typing import NamedTuple

import numba
import numpy as np

from leaderbayes._numerics.bradley_terry import probability
from leaderbayes._numerics.log_density import add_matches
from leaderbayes._numerics.opinions import enlarged
from leaderbayes._numerics.votes import (
    LARGEST_PART,
    LEAST,
    Dependence,
    Effective,
    Estimate,
    Moments,
    Votes,
    bread_of,
    definite,
    effective,
    holders,
    information_of,
    opinion_products,
    score_products,
    shared,
    solve_opinions,
    with_others,
    with_shared,
)
from leaderbayes._numerics.ways import Ways, estimated_means, ways_of_means, ways_of_one
from leaderbayes._types import Floats, Longs


class Cells(NamedTuple):
    """Players in tournaments."""

    player: Longs  # (cell,): positions
    tournament: Longs  # (cell,): sorted
    players: int  # in all


class Parts(NamedTuple):
    """An estimate of cells, and what it is unsure by."""

    cells: Cells
    matched: Effective  # e: of each tournament by itself
    shared: Floats  # (cell + effect, direction): A
    tau2: Floats  # (clustering,): variance of what is shared of judges' and prompts' opinions


class Coordinates(NamedTuple):
    """Where the posterior is sampled."""

    player: Longs  # (cell,)
    shared: Floats  # (cell, direction): A
    cells: Ways
    means: Ways  # of estimates by tournament, beside the spread between these
    times: Floats  # (way of means,): how many tournaments tell it
    average: Floats  # (way of means, direction): what A makes of the estimate of means
    start: Floats  # (2 + direction + way of means + way of cells,): near the highest density


_KEPT = 0.95  # of the variance of what is shared: the rest each tournament has by itself


def parts(
    votes: Votes,
    at: Estimate,
    moments: Moments,
    together: Dependence,
    clusterings: tuple[Longs, ...],
    cells: Cells,
) -> Parts:
    """Tell apart what the tournaments' estimates have in common and what each has by itself.

    Parameters
    ----------
    votes : Votes
        Of cells.
    at, together
        Their estimate, and how they go together within tournaments.
    clusterings : tuple of (vote,)
        Of `dependence`.
    """
    folded = votes._replace(
        players=cells.players,
        first=cells.player[votes.first].astype(np.int32),
        second=cells.player[votes.second].astype(np.int32),
    )
    groups = with_shared(clusterings)
    tau2 = _common(folded, moments, together, groups, cells.tournament[votes.first])
    bread, size = bread_of(votes, at), len(at.hessian)
    weight = votes.n * moments.variance
    apart, common = np.zeros((size, size)), np.zeros((size, size))
    for variance, clusters, group in zip(tau2, together.clusters, groups, strict=True):
        if variance == 0.0:
            continue
        wider = enlarged(variance, clusters, cells.players)
        own, which, (known,) = with_others(votes, group, weight)
        across, _, _ = with_others(folded, group)
        apart += wider * opinion_products(own, known, holders(own, which))
        common += wider * opinion_products(own, known, holders(across, which))
    # Directions are chosen beside how unsure estimates are: few votes of a tournament would make
    # the longest ones, which say nothing of the others.
    unsure = np.sqrt(np.maximum(np.diag(bread @ together.meat @ bread), 1e-300))
    alike = bread @ common @ bread / np.outer(unsure, unsure)
    value, vector = np.linalg.eigh(alike)
    value, vector = np.maximum(value[::-1], 0.0), vector[:, ::-1]
    part = np.cumsum(value) / max(float(value.sum()), 1e-300)
    count = int(np.searchsorted(part, _KEPT)) + 1 if value[0] > 0.0 else 0
    factor = vector[:, :count] * np.sqrt(value[:count])
    # What directions do not take along of a tournament, or an effect, stays with it.
    of = np.append(cells.tournament, cells.tournament.max() + 1 + np.arange(size - len(at.epp)))
    there, taken = (np.bincount(of, each) for each in (np.diag(alike), (factor**2).sum(1)))
    taken = np.sqrt(np.divide(taken, there, out=np.zeros_like(there), where=there > 0.0))[of]
    meat = definite(together.meat - taken[:, None] * apart * taken, at.hessian, together.phi)
    matched = effective(votes, at, together._replace(meat=meat))
    return Parts(cells, _within(matched, at, cells), factor * unsure[:, None], tau2)


def _common(
    votes: Votes,
    moments: Moments,
    together: Dependence,
    groups: list[Longs],
    tournament: Longs,
) -> Floats:
    """Find the variance (clustering,) of what judges, or prompts, think in all tournaments.

    By products of residuals of votes (of players, whatever the tournament) of one judge in two
    tournaments. At most that of their opinions in one.
    """
    bare = votes._replace(effect=np.empty((len(votes.n), 0)))
    m, residual = votes.players, votes.won - votes.n * moments.mean
    weight = votes.n * moments.variance
    covariance = np.linalg.pinv(information_of(bare, weight), rcond=1e-10, hermitian=True)
    size, likeness = np.zeros((2, len(groups)))
    for c, group in enumerate(groups):
        of, which, (left, known, played) = with_others(
            bare, group, residual, weight, tournament.astype(float)
        )
        if not len(which):
            continue
        apart = shared(which, played.astype(np.int64))
        products = score_products(of, left, which) - score_products(of, left, apart)
        likeness[c] = float((covariance * products).sum())
        opinions = [opinion_products(of, known, holders(of, each)) for each in (which, apart)]
        size[c] = float((covariance * (opinions[0] - opinions[1])).sum())
    # Residuals about an estimate are less alike than about the truth, as in `dependence`.
    likeness = likeness / (1.0 - np.minimum(1.0 / together.clusters, LARGEST_PART))
    return np.minimum(solve_opinions(size, likeness, LEAST * (m - 1.0)), together.tau2)


def _within(matched: Effective, at: Estimate, cells: Cells) -> Effective:
    """Leave out matches between tournaments, which effects that all share make."""
    across = cells.tournament[:, None] != cells.tournament
    none = np.where(across, matched.n, 0.0)
    points = matched.points - (none * probability(at.epp)).sum(axis=1)
    n = matched.n - none
    return matched._replace(points=np.clip(points, 0.0, n.sum(axis=1)), n=n)


def coordinates(found: Parts, at: Estimate) -> Coordinates:
    """Choose coordinates by the estimate, and how unsure it is."""
    player, tournament, m = found.cells
    cells = _ways_of_cells(found.matched, at.epp, tournament)
    of_player = np.zeros((len(cells.middle), m))
    np.add.at(of_player.T, player, cells.vector)
    own, times, mean, spread2 = ways_of_means(cells.middle, cells.error, of_player)
    factor = np.ascontiguousarray(found.shared[: len(player)])
    of_shared, _ = estimated_means(cells.vector.T @ factor, cells.error, of_player, spread2)
    average = own.vector.T @ of_shared
    start = np.zeros(2 + factor.shape[1] + len(own.middle) + len(cells.middle))
    start[:2] = 0.5 * np.log([max(float(mean.var()), 0.01), max(spread2, 0.01)])
    return Coordinates(player, factor, cells, own, times, average, start)


def _ways_of_cells(matched: Effective, epp: Floats, tournament: Longs) -> Ways:
    """Find the ways on which the errors of each tournament's estimates are independent."""
    p = probability(epp)
    link = matched.n * p * (1.0 - p)
    laplacian = np.diag(link.sum(axis=1)) - link
    k, total = len(epp), int(tournament.max()) + 1
    vector, error = np.zeros((k, k - total)), np.empty(k - total)
    for t in range(total):
        own = np.flatnonzero(tournament == t)
        here = slice(own[0] - t, own[0] - t + len(own) - 1)
        vector[own, here], error[here] = ways_of_one(laplacian[np.ix_(own, own)])
    return Ways(vector, vector.T @ epp, error)


def log_density(
    x: Floats, matched: Effective, at: Coordinates, scales: tuple[float, float]
) -> tuple[float, Floats]:
    """Give the log-density of x, as long as ``at.start``, up to a constant; and its gradient.

    Parameters
    ----------
    scales : tuple
        Of the half-normal priors of sigma and tau.
    """
    value, gradient = _log_density(x, *_arguments(at), *matched[:2], *scales)
    return value, gradient


def expand(x: Floats, at: Coordinates) -> tuple[Floats, Floats]:
    """Give means (player,), of mean 0; and strengths of cells (cell,), b."""
    _, mean, _, _, voted = _strengths(x, *_arguments(at))
    return mean, voted - at.shared @ x[2 : 2 + at.shared.shape[1]]


def _arguments(at: Coordinates) -> tuple[Longs, Floats, Floats, Ways, Ways, Floats]:
    return at.player, at.shared, at.average, at.cells, at.means, at.times


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _strengths(
    x: Floats, player: Longs, shared: Floats, average: Floats, cells: Ways, means: Ways,
    times: Floats,
) -> tuple[Floats, Floats, Floats, Floats, Floats]:  # fmt: skip
    """Give means (way,) and (player,); what cells are expected at, and are, on ways; w (cell,)."""
    directions, ways = shared.shape[1], means.error.size
    f, z = x[2 : 2 + directions], x[2 + directions :]
    spread2 = np.exp(2.0 * x[1])
    information = times / (spread2 + means.error)
    s = 1.0 / (np.exp(-2.0 * x[0]) + information)
    on_ways = s * information * (means.middle - average @ f) + np.sqrt(s) * z[:ways]
    mean = means.vector @ on_ways
    expected = cells.vector.T @ (mean[player] + shared @ f)
    share = cells.error / (spread2 + cells.error)
    own = share * expected + (1.0 - share) * cells.middle + np.sqrt(spread2 * share) * z[ways:]
    return on_ways, mean, expected, own, cells.vector @ own


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _log_density(
    x: Floats, player: Longs, shared: Floats, average: Floats, cells: Ways, means: Ways,
    times: Floats, points: Floats, n: Floats, prior_scale: float, spread_scale: float,
) -> tuple[float, Floats]:  # fmt: skip
    directions, ways = shared.shape[1], means.error.size
    f, z = x[2 : 2 + directions], x[2 + directions :]
    variance, spread2 = np.exp(2.0 * x[0]), np.exp(2.0 * x[1])
    on_ways, mean, expected, own, voted = _strengths(
        x, player, shared, average, cells, means, times
    )
    by_voted, gradient = np.zeros(player.size), np.empty_like(x)
    value = add_matches(0.0, by_voted, voted, points, n)
    # One for the Jacobian of each logarithm.
    value += x[0] + x[1] - 0.5 * variance / prior_scale**2 - 0.5 * spread2 / spread_scale**2
    gradient[0] = 1.0 - variance / prior_scale**2
    gradient[1] = 1.0 - spread2 / spread_scale**2
    value -= 0.5 * (f**2).sum()
    # Cells: with r the share, s^2 is r tau^2.
    share = cells.error / (spread2 + cells.error)
    away = own - expected
    value += 0.5 * np.log(share).sum() - 0.5 * (away**2).sum() / spread2
    by_own = cells.vector.T @ by_voted - away / spread2
    by_expected = cells.vector @ (share * by_own + away / spread2)
    size = np.sqrt(spread2 * share)
    moved = share * (size * z[ways:] - 2.0 * (1.0 - share) * (expected - cells.middle))
    gradient[1] += (by_own * moved + away**2 / spread2 - 1.0 + share).sum()
    gradient[2 + directions + ways :] = by_own * size
    # Means.
    information = times / (spread2 + means.error)
    s = 1.0 / (1.0 / variance + information)
    value += 0.5 * np.log(s).sum() - ways * x[0] - 0.5 * (on_ways**2).sum() / variance
    by_player = np.zeros(mean.size)
    for k in range(player.size):
        by_player[player[k]] += by_expected[k]
    by_mean = means.vector.T @ by_player - on_ways / variance
    gradient[2 : 2 + directions] = by_expected @ shared - (by_mean * s * information) @ average - f
    gradient[2 + directions : 2 + directions + ways] = by_mean * np.sqrt(s)
    # What a change of S makes, by its logarithm; and of its information in log tau.
    middle = means.middle - average @ f
    by_s = by_mean * (s * information * middle + 0.5 * np.sqrt(s) * z[:ways]) + 0.5
    gradient[0] += (2.0 * s / variance * by_s + on_ways**2 / variance - 1.0).sum()
    less = -2.0 * spread2 * information / (spread2 + means.error)
    gradient[1] += (less * s * (by_mean * middle - by_s)).sum()
    return value, gradient
