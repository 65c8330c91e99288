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
    luck: float  # f / (1 - f)

    @property
    def worth(self) -> Floats:
        """Variance of a mean over that of a round's noise, (tournament,)."""
        return np.asarray(1.0 / self.rounds + self.luck)


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
    there = np.isfinite(scores)
    rounds, present = there.any(axis=1).sum(axis=1), there.any(axis=2)
    m = scores.shape[1]
    mean, total, count = np.full(present.shape, np.nan), np.zeros((m, m)), np.zeros((m, m))
    each, df = [], np.zeros(len(scores))
    for q, own in enumerate(scores):
        who = np.flatnonzero(present[q])
        board = own[who][:, there[q].any(axis=0)].T
        noise = noise_of(board) if np.ptp(board - board.mean(axis=0)) > 0.0 else None
        df[q] = len(board) - 1.0 if noise is None else noise.df
        covariance = np.zeros((len(who), len(who))) if noise is None else noise.covariance
        each.append((1.0 / len(board) + luck) * covariance)
        mean[q, who] = board.mean(axis=0)
        total[np.ix_(who, who)] += each[-1]
        count[np.ix_(who, who)] += 1.0
    within = total / np.maximum(count, 1.0)
    scale = [
        of_differences(own).sum() / of_differences(within[np.ix_(here, here)]).sum()
        for own, here in zip(each, present, strict=True)
    ]
    return Tables(mean, within, np.maximum(scale, 1e-9), df, rounds.astype(float), luck)


def axes_of(total: Floats, within: Floats) -> Axes:
    """Find the coordinates, by the covariances T and N."""
    root = np.linalg.cholesky(total)
    back = np.linalg.inv(root)
    e, turn = np.linalg.eigh(back @ within @ back.T)
    v = root @ turn
    centred = v - v.mean(axis=0)
    return Axes(v, turn.T @ back, np.maximum(e, 0.0), (centred**2).sum(axis=0) / (len(v) - 1.0))


def draw_means(drawn: Draws, tables: Tables, rng: np.random.Generator) -> Means:
    """Draw the means on data sets, given draws of the means over them."""
    at = axes_of(drawn.noise.covariance, tables.within)
    c = drawn.spread[:, None]
    omega = np.maximum(c - at.e, SHARE * c)
    size, m = drawn.mean.shape
    cells = (size, len(tables.scale), m)
    scale = tables.scale * tables.df / rng.chisquare(tables.df, cells[:2])
    noise = scale[:, :, None] * at.e
    gain = omega[:, None] / (omega[:, None] + noise)
    off = (drawn.board - drawn.mean[:, None]) @ at.inverse.T
    moved = gain * off + np.sqrt(gain * noise) * rng.standard_normal(cells)
    here, worth = moved, tables.worth[:, None]
    if tables.luck > 0.0:
        share = tables.luck / worth
        here = moved + share * (off - moved)
        here = here + np.sqrt(share * (1.0 - share) * noise) * rng.standard_normal(cells)
    return Means(
        theta=drawn.mean[:, None] + moved @ at.v.T,
        here=drawn.mean[:, None] + here @ at.v.T,
        noise=np.sqrt(scale / tables.worth),
        spread=np.sqrt(omega @ at.own),
        between=(at.v * omega.mean(axis=0)) @ at.v.T,
    )


def draw_rounds(
    means: Means, tables: Tables, tournament: Longs, rng: np.random.Generator
) -> Floats:
    """Draw rounds (draw, row, player) of the data sets (row,)."""
    e, turn = np.linalg.eigh(tables.within)
    root = turn * np.sqrt(np.maximum(e, 0.0))
    here = means.here[:, tournament]
    off = rng.standard_normal(here.shape) @ root.T
    return np.asarray(here + means.noise[:, tournament, None] * off)
