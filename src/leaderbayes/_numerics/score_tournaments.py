r"""Posterior of mean scores over several data sets, in closed form: data sets are the rounds.

The mean over data sets is drawn by `mean_score` from the table of their means, whose noise T has
two parts: how players' means vary between data sets, and the noise of the rounds in each. The
second is N, pooled over data sets, times each one's own scale. In coordinates in which T is c and
N is c_q e (both diagonal),

.. math:: \theta_q \sim N(\mu, \omega), \quad \bar y_q \sim N(\theta_q, c_q e), \quad
          \omega = \max(c - e, c / 5)

gives the mean on each data set, and theta of a new one. The floor of a fifth keeps data sets from
being all the same where noise explains their differences.
"""

from typing import NamedTuple

import numpy as np

from leaderbayes._numerics.mean_score import Draws, noise_of
from leaderbayes._numerics.shrinkage import of_differences
from leaderbayes._types import Floats, Longs

SHARE = 0.2  # of the variance between data sets' means, at least: not by noise


class Tables(NamedTuple):
    """Data sets' means, and the noise in them."""

    mean: Floats  # (tournament, player), NaN where a player is absent
    within: Floats  # (player, player): N, covariance of a mean's noise, pooled
    scale: Floats  # (tournament,): of N in each data set
    df: Floats  # (tournament,): of its estimate
    rounds: Floats  # (tournament,)
    worth: Floats  # (tournament,): variance of a mean over that of a round's noise
    luck: float  # f / (1 - f)


class Axes(NamedTuple):
    """Coordinates in which T is the identity and N diagonal: scores are V @ coordinates."""

    v: Floats  # (player, coordinate)
    inverse: Floats  # (coordinate, player)
    e: Floats  # (coordinate,)
    own: Floats  # (coordinate,): mean variance of players around their mean, by unit variance


class Means(NamedTuple):
    """Draws of the means on data sets."""

    theta: Floats  # (draw, tournament, player)
    here: Floats  # the same, with the luck that a data set's rounds share
    noise: Floats  # (draw, tournament): standard deviation of rounds, over that of N
    spread: Floats  # (draw,): standard deviation of a player's mean between data sets
    between: Floats  # (player, player): covariance of means between data sets


def tables_of(scores: Floats, luck: float) -> Tables:
    """Summarise scores (tournament, player, round); a player has all rounds of one, or none."""
    q, m, _ = scores.shape
    there = np.isfinite(scores)
    rounds = there.any(axis=1).sum(axis=1).astype(float)
    mean, df, each, worth = np.full((q, m), np.nan), np.zeros(q), [], 1.0 / rounds + luck
    total, count = np.zeros((2, m, m))
    for k, own in enumerate(scores):
        who = np.flatnonzero(there[k].any(axis=1))
        board = own[who][:, there[k].any(axis=0)].T
        moves = np.ptp(board - board.mean(axis=0)) > 0.0
        noise = noise_of(board, flat=not moves)
        mean[k, who], df[k] = board.mean(axis=0), noise.df
        each.append((np.ix_(who, who), worth[k] * noise.covariance))
        total[each[k][0]] += each[k][1]
        count[each[k][0]] += 1.0
    within = total / np.maximum(count, 1.0)
    own, pooled = (
        np.array([of_differences(table).sum() for table in tables])
        for tables in ([own for _, own in each], [within[at] for at, _ in each])
    )
    scale = np.maximum(own / np.maximum(pooled, 1e-300), 1e-9)
    return Tables(mean, within, scale, df, rounds, worth, luck)


def axes_of(total: Floats, within: Floats) -> Axes:
    """Find the coordinates, by the covariances T and N."""
    root = np.linalg.cholesky(total)
    back = np.linalg.inv(root)
    e, turn = np.linalg.eigh(back @ within @ back.T)
    v = root @ turn
    own = ((v - v.mean(axis=0)) ** 2).sum(axis=0) / (len(v) - 1.0)
    return Axes(v, turn.T @ back, np.maximum(e, 0.0), own)


def draw_means(drawn: Draws, tables: Tables, rng: np.random.Generator) -> Means:
    """Draw the means on data sets, given draws of the means over them."""
    at = axes_of(drawn.noise.covariance, tables.within)
    c = drawn.spread[:, None]
    omega = np.maximum(c - at.e, SHARE * c)
    middle = drawn.mean[:, None]
    cells = (len(c), len(tables.scale), len(at.e))
    scale = tables.scale * tables.df / rng.chisquare(tables.df, cells[:2])
    noise = scale[:, :, None] * at.e
    gain = omega[:, None] / (omega[:, None] + noise)
    off = (drawn.board - middle) @ at.inverse.T
    moved = gain * off + np.sqrt(gain * noise) * rng.standard_normal(cells)
    share = (tables.luck / tables.worth)[:, None]
    luck = share * (off - moved)
    if tables.luck > 0.0:
        luck += np.sqrt(share * (1.0 - share) * noise) * rng.standard_normal(cells)
    return Means(
        theta=middle + moved @ at.v.T,
        here=middle + (moved + luck) @ at.v.T,
        noise=np.sqrt(scale / tables.worth),
        spread=np.sqrt(omega @ at.own),
        between=(at.v * omega.mean(axis=0)) @ at.v.T,
    )


def draw_rounds(
    means: Means, some: slice, tables: Tables, tournament: Longs, rng: np.random.Generator
) -> Floats:
    """Draw rounds (draw, row, player) of the data sets (row,), for some draws."""
    size, turn = np.linalg.eigh(tables.within)
    here = means.here[some, tournament]
    off = rng.standard_normal(here.shape) @ (turn * np.sqrt(np.maximum(size, 0.0))).T
    return np.asarray(here + means.noise[some, tournament, None] * off)


def ratios_of(between: Floats) -> Floats:
    """Return by how much pairs vary more between data sets than a usual pair, (player, player)."""
    m, pairs = len(between), of_differences(between)
    return np.asarray(np.sqrt(np.maximum(pairs, 0.0) * m * (m - 1.0) / pairs.sum()))
