r"""Sums over pairs of players at many points at once, and estimates of many boards.

.. math:: L(a, \nu, \beta) = \sum_{i<j} n_{ij} \log(e^{a_i + \beta} + e^{a_j}
          + e^{\nu + (a_i + a_j + \beta)/2})

is Davidson's normaliser with an advantage of the first; Bradley-Terry is :math:`\nu = -\infty`.
"""

from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebpts1, chebvander
from scipy.special import expit, ndtri, stdtr, xlogy

from leaderbayes._numerics.bradley_terry import law_of, pairs_of
from leaderbayes._types import Bools, Floats, Ints

_START, _STEPS = 12.0, 1000  # of Newton's method: log-odds, and steps; from nearby three do
_CHORDS = 20  # steps with one information for all, before each board has its own
_CELLS = 2_000_000  # of boards that are estimated together
_AT_HAND = 16_000  # numbers that processors keep at hand
_EXACT, _WORTH = 25.0, 6  # -log of a polynomial's error, and players for each of its terms
_FARTHEST = 1200.0  # log-odds between strengths, beyond which exponentials overflow
# Of `Separation`: rounds that the shrinkage is worth, prior standard deviation of the slope times
# that of strengths, how many slopes are drawn, and how often players are shuffled.
_EQUAL, _STEEP, _SLOPES, _SHUFFLES, _TINY = 5.0, 1.5, 8, 200, 1e-9


class PairSums(NamedTuple):
    """A normaliser and its derivatives at each point."""

    value: Floats  # (point,)
    expected: Floats  # (point, player): derivative in strengths, the expected points
    ties: Floats  # (point,): derivative in nu, the expected ties
    first: Floats  # (point,): derivative in beta, the expected points of the first


def pair_sums(
    a: Floats, n: Floats, nu: Floats | None = None, beta: Floats | float = 0.0, *, gradient: bool,
    value: bool = True,
) -> PairSums:  # fmt: skip
    """Sum over the pairs of matches n (player, opponent) at strengths a (point, player).

    ``nu`` (point,) is None for Bradley-Terry. For n the upper triangle counts, and the row is the
    first. Without ``gradient`` derivatives are empty, and without ``value`` the sum is not right.
    """
    points, m = a.shape
    beta = np.broadcast_to(beta, points)
    widest = 0.0 if nu is None else np.maximum(nu, 0.0)
    if (np.ptp(a, axis=1) + abs(beta) + widest > _FARTHEST).any():
        return _far(a, n, nu, beta, gradient=gradient)
    middle = 0.5 * (a.max(axis=1) + a.min(axis=1))
    reach = 0.5 * float(np.ptp(a, axis=1).max()) + 1e-9
    terms = int(_EXACT / np.arcsinh(np.pi / reach)) + 2
    cheap = nu is None and not beta.any() and _WORTH * terms < m
    if cheap and np.count_nonzero(n == n[0, 1]) == m * (m - 1):  # all pairs met as often
        return _by_polynomials(a, n[0, 1], middle, reach, terms, gradient=gradient)
    half = np.exp(0.5 * (a.T - middle), order="C")  # (player, point)
    odds, kappa = half**2, None if nu is None else np.exp(nu)
    ahead, behind = odds * np.exp(0.5 * beta), odds * np.exp(-0.5 * beta)
    n = np.triu(n, 1)
    total_log = n.sum() * (middle + 0.5 * beta)
    expected = np.zeros((m, points) if gradient else (0, 0))
    ties, first = np.zeros((2, points))
    begin = 0
    while begin < m - 1:
        # Some players against all who follow: as many numbers as processors keep at hand.
        end = min(begin + max(_AT_HAND // (points * (m - begin)), 1), m - 1)
        one, other = slice(begin, end), slice(begin + 1, m)
        met, begin = n[one, other], end
        total = ahead[one, None] + behind[other]
        if kappa is not None:
            tied = (kappa * half[one])[:, None] * half[other]
            total += tied
        if value:
            total_log += np.tensordot(met, np.log(total))
        if not gradient:
            continue
        won = ahead[one, None] / total
        if kappa is not None:
            tied /= total
            won += 0.5 * tied
            ties += np.tensordot(met, tied)
        won *= met[..., None]
        of_one = won.sum(axis=1)
        first += of_one.sum(axis=0)
        expected[one] += of_one
        expected[other] += met.sum(axis=0)[:, None]
        for row in won:
            expected[other] -= row
    return PairSums(total_log, expected.T, ties, first)


def _by_polynomials(
    a: Floats, met: float, middle: Floats, reach: float, terms: int, *, gradient: bool
) -> PairSums:
    """Compute the same where all pairs meet as often, from Chebyshev moments of strengths.

    Of a difference of strengths up to ``reach`` from 0, log(1 + e^d) and its slope are sums of
    products of polynomials in either: a pass over players replaces one over pairs.
    """
    points, m = a.shape
    node = chebpts1(terms)
    gap, to = reach * (node[:, None] - node), np.linalg.inv(chebvander(node, terms - 1))
    of_value, of_slope = to @ np.logaddexp(0.0, gap) @ to.T, to @ expit(gap) @ to.T
    value, expected = np.empty(points), np.empty(a.shape if gradient else (0, 0))
    size = max(_AT_HAND // m, 1)
    for begin in range(0, points, size):
        some = slice(begin, begin + size)
        unit = (a[some] - middle[some, None]) / reach
        power = np.moveaxis(chebvander(unit, terms - 1), -1, 0)  # (term, point, player)
        moment = power.sum(axis=2)
        value[some] = (moment * (of_value @ moment)).sum(axis=0)
        if gradient:
            slope = (of_slope @ moment).T[:, None]
            expected[some] = met * ((slope @ power.swapaxes(0, 1))[:, 0] - 0.5)
    value += (m - 1.0) * a.sum(axis=1) - m * np.log(2.0)
    none = np.zeros(points)
    return PairSums(0.5 * met * value, expected, none, none)


def _far(a: Floats, n: Floats, nu: Floats | None, beta: Floats, *, gradient: bool) -> PairSums:
    """Compute the same for strengths too far apart for exponentials."""
    m, i, j, met = pairs_of(n)
    one, other = a[:, i].T + beta, a[:, j].T  # (pair, point)
    law = law_of(one - other, -np.inf if nu is None else nu)
    value = met @ (0.5 * (one + other) + law.log_total)
    if not gradient:
        return PairSums(value, np.zeros((0, 0)), 0.0 * value, 0.0 * value)
    expected = np.zeros((m, len(a)))
    np.add.at(expected, i, met[:, None] * law.mean)
    np.add.at(expected, j, met[:, None] * (1.0 - law.mean))
    return PairSums(value, expected.T, met @ law.tie, met @ law.mean)


def estimates(
    points: Floats, n: Floats, *, start: Floats | None = None, pseudo_rounds: float = 1.0,
    enough: float = 1e-4,
) -> Floats:  # fmt: skip
    """Estimate strengths (board, player) of many boards, shrunk by pseudo-rounds.

    These are matches of every player, half of them won, against a player at 0: estimates exist on
    any board. A step that moves no match's log-odds by more than 1 always climbs, as the logistic's
    third derivative is nowhere above its second: nothing has to be tried twice. ``points`` (board,
    player) are wins, ties half; ``n`` (board or 1, player, opponent) matches; ``enough`` is
    Newton's decrement, about twice the log-likelihood to be gained, before the last step.
    """
    boards, m = points.shape
    epp = np.zeros((1, m)) if start is None else np.clip(start, -_START, _START)
    epp = np.broadcast_to(epp, (boards, m)).copy()
    size = max(_CELLS // m**2, 1)
    for begin in range(0, boards, size):
        some = slice(begin, begin + size)
        met = n[some] if len(n) > 1 else n
        epp[some] = _by_newton(epp[some], points[some], met, pseudo_rounds, enough)
    return np.asarray(epp - epp.mean(axis=1, keepdims=True))


def _by_newton(start: Floats, points: Floats, n: Floats, few: float, enough: float) -> Floats:
    """Estimate some boards together, each by its own information."""
    epp, left, player = start.copy(), np.arange(len(start)), np.arange(start.shape[1])
    for _ in range(_STEPS):
        here, met = epp[left], n[left] if len(n) > 1 else n
        p, q = expit(here[:, :, None] - here[:, None]), expit(here)
        won = met * p
        gradient = points[left] - won.sum(axis=2) + few * (0.5 - q)
        curve = won * (p - 1.0)
        curve[:, player, player] = few * q * (1.0 - q) - curve.sum(axis=2)
        step = np.linalg.solve(curve, gradient[..., None])[..., 0]
        reach = np.maximum(step.max(axis=1), 0.0) - np.minimum(step.min(axis=1), 0.0)
        epp[left] += step / np.maximum(reach, 1.0)[:, None]
        left = left[(gradient * step).sum(axis=1) >= enough]
        if not len(left):
            break
    return epp


def deviances(epp: Floats, wins: Floats, n: Floats) -> Floats:
    """Twice the log-likelihood that a saturated model gains over strengths (board, player)."""
    log_p = -np.logaddexp(0.0, epp[:, None] - epp[:, :, None])
    gained = 2.0 * (xlogy(wins, wins) - wins * log_p) - xlogy(n, n)
    return np.asarray(gained.sum(axis=(1, 2)))


class Separation(NamedTuple):
    """How well rounds separate players: by the factor exp(slope * level)."""

    level: Floats  # mean strength of a round's players (round,), less its mean
    slope: float
    error: float  # its standard error
    p_value: float
    p_missing: float  # of who plays in which round, if that had nothing to do with strength


def separation(place: Ints, wins: Floats, n: Floats) -> Separation | None:
    """Regress how well rounds separate players on the strength of their players, to first order.

    The variance of residuals is shrunk to that of equal rounds. None if all have equal players.
    """
    epp = estimates(wins.sum(axis=1)[None], n[None])[0]
    level, slope, worth = np.zeros((3, len(place)))
    for k, row in enumerate(place):
        seen = np.flatnonzero(row)
        gap = epp[seen, None] - epp[seen]
        p, won = expit(gap), 0.5 * (1.0 + np.sign(row[seen] - row[seen, None]))
        known = float((p * (1.0 - p) * gap**2).sum()) + _TINY
        level[k], slope[k] = epp[seen].mean(), ((won - p) * gap).sum() / known
        worth[k] = 1.5 * known / (len(seen) + 1.0)  # weight of `composite_weight`
    x, y = (each - worth @ each / worth.sum() for each in (level, slope))
    if (about := float(worth @ x**2)) < _TINY * worth.sum():
        return None
    beta, df = float(worth @ (x * y)) / about, len(place) - 2.0 + _EQUAL
    error = float(np.sqrt((worth @ (y - beta * x) ** 2 + _EQUAL) / df / about))
    p_value = 2.0 * float(stdtr(df, -abs(beta) / error))
    return Separation(level - level.mean(), beta, error, p_value, _p_of_missing(place > 0, epp))


def _p_of_missing(there: Bools, epp: Floats) -> float:
    """Compare the variance of rounds' mean strengths with that of shuffled players."""
    shuffled = np.random.default_rng(0).permuted(np.tile(epp, (_SHUFFLES, 1)), axis=1)
    shuffled[0], size = epp, there.sum(axis=1)
    level = shuffled @ (there / size[:, None].clip(min=1)).T
    variance = (level - (level @ size / size.sum())[:, None]) ** 2 @ size
    return float((variance >= (1.0 - _TINY) * variance[0]).mean())


def over_all_rounds(of: Separation, place: Ints, epp: Floats) -> Floats:
    """Return strengths (draw, player) over all rounds, from those over the rounds played.

    To first order: a pair's rounds separate it by the mean of their factors. The slope is drawn.
    """
    there, mean, found = place > 0, epp.mean(axis=0), np.empty_like(epp)
    kept = 1.0 / (1.0 + (of.error * mean.std() / _STEEP) ** 2)
    slope = kept * of.slope + np.sqrt(kept) * of.error * ndtri((np.arange(_SLOPES) + 0.5) / _SLOPES)
    factor = np.exp(np.clip(np.multiply.outer(slope, of.level), -2.0, 2.0))
    factor = np.vstack([factor / factor.mean(axis=1, keepdims=True), np.ones(len(place))])
    p = expit(mean[:, None] - mean)
    met = p * p.T * ((there.T * factor[:, None]) @ there.astype(float))
    known = np.eye(len(p)) * (met.sum(axis=2)[..., None] + 0.25) - met  # a match against 0 more
    for k, way in enumerate(np.linalg.solve(known[:-1], known[-1])):
        found[k::_SLOPES] = epp[k::_SLOPES] @ way.T
    return np.asarray(found - found.mean(axis=1, keepdims=True))
