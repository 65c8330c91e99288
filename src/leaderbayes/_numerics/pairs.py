r"""Sums over pairs of players at many points at once: Bradley-Terry's and Davidson's normalisers.

.. math:: L(a, \nu) = \sum_{i<j} n_{ij} \log(e^{a_i} + e^{a_j} + e^{\nu + (a_i + a_j)/2})

Bradley-Terry is :math:`\nu = -\infty`.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, xlogy

from leaderbayes._types import Floats

_START, _STEPS = 12.0, 100  # of Newton's method: log-odds, and steps
_FAR = 1300.0  # between a point's strengths, beyond which exponentials overflow


class PairSums(NamedTuple):
    """A normaliser and its derivatives at each point."""

    value: Floats  # (point,)
    expected: Floats  # (point, player): derivative in strengths, the expected points
    ties: Floats  # (point,): derivative in nu, the expected ties


def pair_sums(a: Floats, n: Floats, nu: Floats | None = None, *, gradient: bool) -> PairSums:
    """Sum over the pairs of matches n (player, opponent) at strengths a (point, player).

    ``nu`` is (point,), and None for Bradley-Terry. Without ``gradient`` the derivatives are empty.
    """
    points, m = a.shape
    middle = 0.5 * (a.max(axis=1) + a.min(axis=1))
    near = a - middle[:, None]
    far = abs(near).max(axis=1) > 0.5 * _FAR
    half = np.exp(0.5 * np.clip(near, -0.5 * _FAR, 0.5 * _FAR)).T  # (player, point)
    odds, kappa = half**2, None if nu is None else np.exp(nu)
    value = 0.5 * n.sum() * middle
    expected, ties = np.zeros((m, points) if gradient else (0, 0)), np.zeros(points)
    for i in range(m - 1):
        met = n[i, i + 1 :]
        if not met.any():
            continue
        total = odds[i] + odds[i + 1 :]
        if kappa is not None:
            tied = kappa * half[i] * half[i + 1 :]
            total += tied
        value += met @ np.log(total)
        if gradient:
            won = odds[i] / total
            if kappa is not None:
                tied /= total
                won += 0.5 * tied
                ties += met @ tied
            expected[i] += met @ won
            expected[i + 1 :] += met[:, None] * (1.0 - won)
    if far.any():
        tie = np.full(points, -np.inf) if nu is None else nu
        each = [_far(a[k], n, float(tie[k])) for k in np.flatnonzero(far)]
        value[far] = [one.value for one in each]
        if gradient:
            expected[:, far] = np.stack([one.expected for one in each], axis=1)
            ties[far] = [one.ties for one in each]
    return PairSums(value, expected.T, ties)


def _far(a: Floats, n: Floats, nu: float) -> PairSums:
    """Compute the same at one point whose strengths lie too far apart for exponentials."""
    gap = 0.5 * (a[:, None] - a)
    less = np.exp(-abs(gap))
    kappa = np.exp(nu)
    total = 1.0 + less**2 + kappa * less
    value = 0.5 * (a[:, None] + a) + abs(gap) + np.log(total)
    tied = kappa * less / total
    won = np.where(gap > 0.0, 1.0, less**2) / total + 0.5 * tied
    return PairSums(0.5 * (n * value).sum(), (n * won).sum(axis=1), 0.5 * (n * tied).sum())


def estimates(points: Floats, n: Floats, *, start: Floats | None = None) -> Floats:
    """Estimate strengths (board, player) of many boards, shrunk by one pseudo-round.

    Points (board, player) are wins, ties half; matches n are (board or 1, player, opponent). The
    pseudo-round is a match against a player at 0, of which half is won: estimates exist on any
    board, and have a mean of 0.
    """
    boards, m = points.shape
    x = np.zeros((1, m)) if start is None else np.clip(start, -_START, _START)
    x = np.broadcast_to(x, (boards, m)).copy()
    diagonal = np.arange(m)
    for _ in range(_STEPS):
        p = expit(x[:, :, None] - x[:, None])
        q = expit(x)
        curve = n * p * (1.0 - p)
        gradient = points - (n * p).sum(axis=2) + 0.5 - q
        hessian = -curve
        hessian[:, diagonal, diagonal] += curve.sum(axis=2) + q * (1.0 - q)
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        # A step that moves no match's log-odds by more than 1 always climbs.
        x += step / np.maximum(1.0, np.ptp(step, axis=1, keepdims=True))
        if (gradient * step).sum(axis=1).max() < 1e-4:
            break
    return np.asarray(x - x.mean(axis=1, keepdims=True))


def deviances(epp: Floats, wins: Floats, n: Floats) -> Floats:
    """Twice the log-likelihood that a saturated model gains over strengths (board,).

    Wins, ties half, and matches are (board, player, opponent), strengths (board, player).
    """
    log_p = -np.logaddexp(0.0, epp[:, None] - epp[:, :, None])
    gained = 2.0 * (xlogy(wins, wins) - wins * log_p) - xlogy(n, n)
    return np.asarray(gained.sum(axis=(1, 2)))
