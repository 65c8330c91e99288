r"""Bradley-Terry's posterior where who met whom may itself say who is strong.

Matched pairs, as of ladders, Swiss rounds and arenas that pair by rating, leave long ways between
players: who is far away is met only by way of others. Strengths that are taken to be
exchangeable whatever the matches are then drawn together along these ways, as if the best and the
worst were neighbours by chance. So how much strengths vary along a way is learnt:

.. math:: a = V \, \mathrm{diag}(\lambda^{-\alpha / 2}) \, V^\top u, \quad
          u_i \sim t_\nu(0, \sigma), \quad \alpha \sim \mathrm{U}(0, 2), \quad
          V \, \mathrm{diag}(\lambda) \, V^\top \propto \mathrm{diag}(n 1) - n,

n being the matches of pairs, and lambda 1 on average. With alpha 0 strengths are exchangeable; with
1 those who meet are as alike as an intrinsic autoregression has them; with 2 strengths go evenly
along a chain. Where all meet all as often, lambda is 1, and alpha says nothing.

References
----------
Besag, York, Mollié (1991), Bayesian image restoration, with two applications in spatial statistics,
Annals of the Institute of Statistical Mathematics 43.
Leroux, Lei, Breslow (2000), Estimation of disease rates in small areas: a new mixed model for
spatial dependence, in Statistical Models in Epidemiology, the Environment, and Clinical Trials.
"""

from typing import NamedTuple

import numba
import numpy as np
from scipy.special import expit

from leaderbayes._numerics.laplace import Board, peak
from leaderbayes._numerics.log_density import add_matches
from leaderbayes._types import Floats

LARGEST = 2.0  # alpha
_GAP = 0.5  # below which a design has long ways: at random, ten matches each leave 0.55 and more
_NOTHING = 1e-9  # of what matches say on average, where they say nothing
_MOST = 1000  # players whose design is looked at: ways take the cube of their number


class Ways(NamedTuple):
    """Ways along which matches tell players apart, and coordinates in which they are sampled."""

    way: Floats  # (player, way): V, orthonormal
    log_known: Floats  # (way,): log lambda; 0 of what no match says anything of
    centring: Floats  # (way,): share of the prior's variance that matches take away
    start: Floats  # (2 + way,): near the highest density


def spectral_gap(n: Floats) -> float:
    """Say how fast a walk from player to opponent forgets where it began, by matches of pairs.

    1 less the second eigenvalue of the walk in which whoever was met comes next, and at most 1:
    about that where all meet all, however often each plays; towards 0 the longer ways are. Of
    players who fall into groups that never met, that of the group with the smallest.
    """
    root = np.sqrt(n.sum(axis=1))
    root = np.where(root > 0.0, root, np.inf)
    gap = np.linalg.eigvalsh(np.eye(len(n)) - n / root[:, None] / root)
    return float(np.min(gap[gap > _NOTHING], initial=1.0))


def has_long_ways(n: Floats) -> bool:
    """Tell whether matches (player, opponent) leave players far apart; not of very many players."""
    return 3 <= len(n) <= _MOST and spectral_gap(n) < _GAP


def ways(n: Floats, board: Board) -> Ways:
    """Find the ways of a design (player, opponent), and where the posterior of a board is."""
    way, log_known = _known(n)
    log_scale, mode, _ = peak(board)
    p = expit(mode[:, None] - mode)
    told = board.n * p * (1.0 - p)
    information = ((np.diag(told.sum(axis=1)) - told) @ way * way).sum(axis=0)
    alpha = 0.5 * LARGEST
    ratio = information * np.exp(2.0 * log_scale - alpha * log_known)
    centring = ratio / (1.0 + ratio)
    unit = np.exp((1.0 - centring) * (log_scale - 0.5 * alpha * log_known))
    start = np.concatenate([[log_scale - 0.5 * alpha * log_known.mean(), 0.0], (mode @ way) / unit])
    return Ways(np.ascontiguousarray(way), log_known, centring, start)


def _known(n: Floats) -> tuple[Floats, Floats]:
    """Give V (player, way), and log lambda (way,), of a design (player, opponent)."""
    value, way = np.linalg.eigh((np.diag(n.sum(axis=1)) - n) * ((len(n) - 1.0) / n.sum()))
    return way, np.log(np.where(value > _NOTHING, value, 1.0))


def expand(x: Floats, at: Ways) -> tuple[Floats, float, float]:
    """Give epp (player,), of mean 0, sigma and alpha of coordinates x (2 + way,)."""
    a, scale, alpha = _expand(x, *at[:3])
    return a, float(scale), alpha


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _scales(x: Floats, log_known: Floats) -> tuple[float, float, float]:
    """Give log sigma, alpha, and the slope of the first in the second.

    What is sampled in place of sigma is how much strengths vary along a way of middle length, which
    votes tell whatever alpha is.
    """
    alpha = LARGEST / (1.0 + np.exp(-x[1]))
    middle = 0.5 * log_known.mean()
    return x[0] + alpha * middle, alpha, middle


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _expand(
    x: Floats, way: Floats, log_known: Floats, centring: Floats
) -> tuple[Floats, float, float]:
    log_scale, alpha, _ = _scales(x, log_known)
    unit = np.exp((1.0 - centring) * (log_scale - 0.5 * alpha * log_known))
    a = way @ (unit * x[2:])
    return a - a.mean(), np.exp(log_scale), alpha


def log_density(x: Floats, board: Board, at: Ways) -> tuple[float, Floats]:
    """Give the log-density of x (2 + way,), up to a constant, and its gradient."""
    value, gradient = _log_density(x, *at[:3], *board)
    return value, gradient


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _log_density(
    x: Floats, way: Floats, log_known: Floats, centring: Floats, points: Floats, n: Floats,
    prior_scale: float, df: float,
) -> tuple[float, Floats]:  # fmt: skip
    log_scale, alpha, middle = _scales(x, log_known)
    half, free = 0.5 * log_known, 1.0 - centring
    unit, shrink = np.exp(free * (log_scale - alpha * half)), np.exp(alpha * half)
    y = unit * x[2:]  # along ways
    u = way @ (shrink * y)
    by_a = np.zeros(len(u))
    value = add_matches(log_scale, by_a, way @ y, points, n)
    # The priors of sigma and of alpha, and the Jacobians of their coordinates.
    square = np.exp(2.0 * log_scale) / prior_scale**2
    value -= 0.5 * square + abs(x[1]) + 2.0 * np.log1p(np.exp(-abs(x[1])))
    # Student's law of u, and the Jacobian of u in x.
    law = df * np.exp(2.0 * log_scale)
    value += (centring * alpha * half).sum() - centring.sum() * log_scale
    value -= 0.5 * (df + 1.0) * np.log1p(u**2 / law).sum()
    by_u = way.T @ (-(df + 1.0) * u / (law + u**2))
    by_y = way.T @ by_a + shrink * by_u
    by_scale = 1.0 - square - centring.sum() + (free * by_y * y).sum()
    by_scale += (df + 1.0) * (u**2 / (law + u**2)).sum()
    by_alpha = (half * (centring + shrink * by_u * y - free * by_y * y)).sum() + middle * by_scale
    share = alpha / LARGEST
    gradient = np.empty_like(x)
    gradient[0] = by_scale
    gradient[1] = LARGEST * share * (1.0 - share) * by_alpha + 1.0 - 2.0 * share
    gradient[2:] = unit * by_y
    return value, gradient


def draw_strengths(
    n: Floats, scale: Floats, alpha: Floats, df: float, rng: np.random.Generator
) -> Floats:
    """Draw epp (draw, player) from the prior, given sigma and alpha (draw,)."""
    way, log_known = _known(n)
    u = scale[:, None] * rng.standard_t(df, (len(scale), len(n)))
    a = (u @ way * np.exp(-0.5 * alpha[:, None] * log_known)) @ way.T
    return np.asarray(a - a.mean(axis=1, keepdims=True))
