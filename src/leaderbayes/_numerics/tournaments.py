r"""Log-density of scores' tournaments and its gradient, compiled once on a machine, for NUTS.

.. math:: \sigma \sim \mathrm{HalfNormal}, \quad \tau \sim \mathrm{HalfNormal}, \quad
          \mu \sim N(\gamma g, \sigma^2), \quad b_{ti} \sim N(\mu_i, \tau^2), \quad
          \prod_t p(y_t \mid b_t)^{\eta_t}

is ``models.tournaments``, the matches of each tournament counted over its rounds, with their
weights. Levels, of which matches know nothing, are left out. Of groups g is their means, of which
the scale is gamma; without them nothing.

It is sampled in coordinates that are nearly standard normal where tournaments hardly differ and
where they differ much, as are those of `vote_tournaments`. On the ways y on which the errors v of a
tournament's estimate are independent

.. math:: y = r\,\mathrm{E} y + (1 - r)\,\hat y + s z, \quad
          s^2 = (1 / \tau^2 + 1 / v)^{-1}, \quad r = s^2 / \tau^2

and means likewise, beside sigma; means of groups are few, and never well known.
"""

from typing import NamedTuple

import numba
import numpy as np

from leaderbayes._numerics.bradley_terry import newton, probability
from leaderbayes._numerics.composite_weight import weighted_counts
from leaderbayes._numerics.log_density import add_matches
from leaderbayes._numerics.ways import Ways, sum_to_zero, ways_of_means, ways_of_one
from leaderbayes._types import Bools, Floats, Ints, Longs


class Boards(NamedTuple):
    """Weighted matches of the players (cell,) of each tournament, one after the other."""

    start: Longs  # (tournament + 1,): of its cells
    player: Longs  # (cell,)
    points: Floats  # (cell,)
    n: Floats  # of each tournament's pairs (player, opponent), one after the other


class Coordinates(NamedTuple):
    """Where the posterior is sampled."""

    vector: Floats  # ways of each tournament (player, way), one after the other
    middle: Floats  # (way,): the estimate
    error: Floats  # (way,): its variance
    means: Ways
    times: Floats  # (way of means,): how many tournaments tell it
    groups: Floats  # (group, group - 1): orthonormal; (0, 0) of none
    of_groups: Floats  # (way of means, group - 1): what it is of these
    start: Floats  # near the highest density: log sigma, log tau; log gamma, groups; means; cells


def boards(place: Ints, present: Bools, weight: list[Floats], ties: str) -> Boards:
    """Count the matches of places (tournament, round, player), with the weights of their rounds.

    Parameters
    ----------
    present : (tournament, player)
    weight : list of (round,)
        Of the rounds that each tournament has.
    """
    points, n = [], []
    for table, here, eta in zip(place, present, weight, strict=True):
        own = table[(table > 0).any(axis=1)][:, here]
        wins, met, _ = weighted_counts(own, eta, within_round=True, ties=ties)
        points.append(wins.sum(axis=1))
        n.append(met.ravel())
    start = np.cumsum([0, *present.sum(axis=1)])
    # Not a view, for which functions would be compiled again.
    player = np.ascontiguousarray(np.nonzero(present)[1])
    return Boards(start, player, np.concatenate(points), np.concatenate(n))


def coordinates(
    given: Boards, players: int, weight: list[Floats], group: Longs | None = None
) -> Coordinates:
    """Choose coordinates by estimates, and how unsure they are.

    Parameters
    ----------
    weight : list of (round,)
        As for `boards`.
    group : (player,), optional
        Number of each player's group.
    """
    vector, middle, error, of_player = [], [], [], []
    for (own, points, n), eta in zip(_each(given), weight, strict=True):
        # With a round more against a player at 0, there is an estimate of any board.
        epp, *_ = newton(points, n, pseudo_rounds=float(eta.mean()))
        p = probability(epp)
        link = n * p * (1.0 - p)
        way, unsure = ways_of_one(np.diag(link.sum(axis=1)) - link)
        vector.append(way.ravel())
        middle.append(way.T @ epp)
        error.append(unsure)
        share = np.zeros((len(unsure), players))
        share[:, own] = way.T
        of_player.append(share)
    ways = np.concatenate(middle), np.concatenate(error)
    means, times, mean, spread2 = ways_of_means(*ways, np.concatenate(of_player))
    log_scales = 0.5 * np.log([max(float(mean.var()), 0.01), max(spread2, 0.01)])
    basis = np.empty((0, 0)) if group is None else sum_to_zero(int(group.max()) + 1)
    of_groups = np.empty((len(times), 0)) if group is None else means.vector.T @ basis[group]
    few = np.zeros(0 if group is None else 1 + basis.shape[1])
    few[:1] = log_scales[0]
    start = np.concatenate([log_scales, few, np.zeros(len(times) + len(ways[0]))])
    return Coordinates(np.concatenate(vector), *ways, means, times, basis, of_groups, start)


def _each(given: Boards) -> list[tuple[Longs, Floats, Floats]]:
    """Give each tournament's players, their points, and matches (player, opponent)."""
    out, at = [], 0
    for first, last in zip(given.start[:-1], given.start[1:], strict=True):
        size = last - first
        n = given.n[at : at + size * size].reshape(size, size)
        out.append((given.player[first:last], given.points[first:last], n))
        at += size * size
    return out


def log_density(
    x: Floats, given: Boards, at: Coordinates, scales: tuple[float, float]
) -> tuple[float, Floats]:
    """Give the log-density of x, as long as ``at.start``, up to a constant; and its gradient.

    Parameters
    ----------
    scales : tuple
        Of the half-normal priors of sigma and gamma, and of tau.
    """
    own = at.vector, at.middle, at.error, at.means, at.times, at.of_groups
    value, gradient = _log_density(x, *given, *own, *scales)
    return value, gradient


def expand(x: Floats, given: Boards, at: Coordinates) -> dict[str, Floats]:
    """Give what coordinates x stand for, as the model names it.

    A player's strength where it is absent is what its mean has it expect, over the average of those
    who are there.
    """
    own = at.vector, at.middle, at.error, at.means, at.times, at.of_groups
    mean, each = _expand(x, given.start, given.player, *own)
    found = {
        "epp": mean, "epp_scale": np.exp(x[0]), "epp_spread": np.exp(x[1]), "epp_tournament": each,
    }  # fmt: skip
    if len(at.groups):
        scale = np.exp(x[2])
        found["epp_group"] = scale * (at.groups @ x[3 : 3 + at.groups.shape[1]])
        found["group_scale"] = scale
    return found


def many(
    x: Floats, given: Boards, at: Coordinates, scales: tuple[float, float]
) -> tuple[dict[str, Floats], Floats]:
    """Give what `expand` gives of many points (point, coordinate), and their log-densities."""
    own = at.vector, at.middle, at.error, at.means, at.times, at.of_groups
    mean, each, value = _many(x, *given, *own, *scales)
    found = {
        "epp": mean,
        "epp_scale": np.exp(x[:, 0]),
        "epp_spread": np.exp(x[:, 1]),
        "epp_tournament": each,
    }
    if len(at.groups):
        scale = np.exp(x[:, 2])
        found["epp_group"] = scale[:, None] * (x[:, 3 : 3 + at.groups.shape[1]] @ at.groups.T)
        found["group_scale"] = scale
    return found, value


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _of_means(
    x: Floats, means: Ways, times: Floats, of_groups: Floats
) -> tuple[int, Floats, Floats, Floats, Floats]:
    """Give where the coordinates of means begin; and on their ways what groups expect, S, means.

    The last are where they would be but for the coordinates, and with these.
    """
    groups = of_groups.shape[1]
    expected = np.zeros(times.size)
    first = 2
    if groups:
        first += 1 + groups
        expected += np.exp(x[2]) * (of_groups @ x[3:first])
    precision = np.exp(-2.0 * x[0])
    information = times / (np.exp(2.0 * x[1]) + means.error)
    s = 1.0 / (precision + information)
    middle = s * (information * means.middle + precision * expected)
    return first, expected, s, middle, middle + np.sqrt(s) * x[first : first + times.size]


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _expand(
    x: Floats, start: Longs, player: Longs, vector: Floats, middle: Floats, error: Floats,
    means: Ways, times: Floats, of_groups: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Give means (player,), and strengths (tournament, player)."""
    first, _, _, _, on_ways = _of_means(x, means, times, of_groups)
    z = x[first + times.size :]
    mean = means.vector @ on_ways
    spread2 = np.exp(2.0 * x[1])
    each = np.empty((start.size - 1, mean.size))
    at = 0
    for t in range(start.size - 1):
        who = player[start[t] : start[t + 1]]
        size = who.size
        way = vector[at : at + size * (size - 1)].reshape(size, size - 1)
        own = slice(start[t] - t, start[t + 1] - t - 1)
        expected = mean[who]
        each[t] = mean - expected.mean()
        share = error[own] / (spread2 + error[own])
        on = share * (way.T @ expected) + (1.0 - share) * middle[own]
        b = way @ (on + np.sqrt(spread2 * share) * z[own])
        for i in range(size):
            each[t, who[i]] = b[i]
        at += size * (size - 1)
    return mean, each


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _log_density(
    x: Floats, start: Longs, player: Longs, points: Floats, n: Floats, vector: Floats,
    middle: Floats, error: Floats, means: Ways, times: Floats, of_groups: Floats,
    prior_scale: float, spread_scale: float,
) -> tuple[float, Floats]:  # fmt: skip
    first, by_groups, s, mean_middle, on_ways = _of_means(x, means, times, of_groups)
    ways = times.size
    z = x[first + ways :]
    gradient = np.zeros(x.size)
    variance, spread2 = np.exp(2.0 * x[0]), np.exp(2.0 * x[1])
    # One for the Jacobian of each logarithm.
    value = x[0] + x[1] - 0.5 * variance / prior_scale**2 - 0.5 * spread2 / spread_scale**2
    gradient[0] = 1.0 - variance / prior_scale**2
    gradient[1] = 1.0 - spread2 / spread_scale**2
    mean = means.vector @ on_ways
    by_player = np.zeros(mean.size)
    at_way, at_pair = 0, 0
    for t in range(start.size - 1):
        who = player[start[t] : start[t + 1]]
        size = who.size
        way = vector[at_way : at_way + size * (size - 1)].reshape(size, size - 1)
        own = slice(start[t] - t, start[t + 1] - t - 1)
        unsure, estimate = error[own], middle[own]
        expected = way.T @ mean[who]
        share = unsure / (spread2 + unsure)
        moved = np.sqrt(spread2 * share)
        on = share * expected + (1.0 - share) * estimate + moved * z[own]
        by_strength = np.zeros(size)
        met = n[at_pair : at_pair + size * size].reshape(size, size)
        value = add_matches(value, by_strength, way @ on, points[start[t] : start[t + 1]], met)
        # With r the share, s^2 is r tau^2.
        away = on - expected
        value += 0.5 * np.log(share).sum() - 0.5 * (away**2).sum() / spread2
        by_on = way.T @ by_strength - away / spread2
        by_expected = way @ (share * by_on + away / spread2)
        for i in range(size):
            by_player[who[i]] += by_expected[i]
        by_spread = share * (moved * z[own] - 2.0 * (1.0 - share) * (expected - estimate))
        gradient[1] += (by_on * by_spread + away**2 / spread2 - 1.0 + share).sum()
        last = first + ways + start[t] - t
        gradient[last : last + size - 1] = by_on * moved
        at_way += size * (size - 1)
        at_pair += size * size
    # Means.
    information = times / (spread2 + means.error)
    away = on_ways - by_groups
    value += 0.5 * np.log(s).sum() - ways * x[0] - 0.5 * (away**2).sum() / variance
    by_mean = means.vector.T @ by_player - away / variance
    own_z = x[first : first + ways]
    gradient[first : first + ways] = by_mean * np.sqrt(s)
    # What a change of S makes, by its logarithm; then of its information in log tau.
    by_s = by_mean * (mean_middle + 0.5 * np.sqrt(s) * own_z) + 0.5
    by_expected_mean = by_mean * s / variance
    gradient[0] += (
        2.0 * s / variance * by_s - 2.0 * by_expected_mean * by_groups + away**2 / variance - 1.0
    ).sum()
    less = -2.0 * spread2 * information / (spread2 + means.error)
    gradient[1] += (less * s * (by_mean * means.middle - by_s)).sum()
    groups = of_groups.shape[1]
    if groups:
        u, scale = x[3:first], np.exp(x[2])
        by_u = of_groups.T @ (by_expected_mean + away / variance)
        value += x[2] - 0.5 * scale**2 / prior_scale**2 - 0.5 * (u**2).sum()
        gradient[2] = 1.0 - scale**2 / prior_scale**2 + scale * (u * by_u).sum()
        gradient[3:first] = scale * by_u - u
    return value, gradient


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _many(
    x: Floats, start: Longs, player: Longs, points: Floats, n: Floats, vector: Floats,
    middle: Floats, error: Floats, means: Ways, times: Floats, of_groups: Floats,
    prior_scale: float, spread_scale: float,
) -> tuple[Floats, Floats, Floats]:  # fmt: skip
    """Give means (point, player), strengths (point, tournament, player) and log-densities."""
    count, players = len(x), means.vector.shape[0]
    mean, each = np.empty((count, players)), np.empty((count, start.size - 1, players))
    value = np.empty(count)
    for k in range(count):
        mean[k], each[k] = _expand(
            x[k], start, player, vector, middle, error, means, times, of_groups
        )
        value[k], _ = _log_density(
            x[k], start, player, points, n, vector, middle, error, means, times, of_groups,
            prior_scale, spread_scale,
        )  # fmt: skip
    return mean, each, value
