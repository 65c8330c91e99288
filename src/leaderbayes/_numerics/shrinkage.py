r"""Shrink players towards each other, in units of their own correlated noise.

.. math:: \hat\mu \sim N(\mu, \Sigma / r), \quad \mu \sim N(g, \tau^2 \Sigma), \quad
          \tau^2 = t^2 + f^2, \quad t \sim \mathrm{HalfCauchy}(s)

Effects are measured in their noise, so that shrinkage is one number, B, and Sigma is never
inverted:

.. math:: \mu \mid \tau \sim N(g + B (\hat\mu - g), B \Sigma / r), \quad
          B = r \tau^2 / (1 + r \tau^2)

The scale tau goes by the pairs of players, each of which has a Student t likelihood: their
logarithms are summed and count as m - 1 of m players, for pairs repeat each other.
"""

from typing import NamedTuple

import numpy as np

from leaderbayes._types import Floats

POINTS = 60  # of the players' scale
GRID = np.geomspace(1.0 / 300.0, 20.0 / 3.0, POINTS)  # of t, in units of its prior's scale
_SAME = 1e-6  # of the mean variance: no pair varies less


class Prior(NamedTuple):
    """Prior of the players' scale, in standard deviations of a round's noise."""

    scale: float  # s
    floor: float  # f


class Pairs(NamedTuple):
    """Information of pairs of players about their scale."""

    squares: Floats  # (..., pair): of t statistics
    weight: float  # of a pair
    df: float


def of_differences(covariance: Floats) -> Floats:
    """Return the variances of all differences (..., player, opponent)."""
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    return np.asarray(own[..., None] + own[..., None, :] - 2.0 * covariance)


def pairs_of(centre: Floats, covariance: Floats, df: float) -> Pairs:
    """Compare all pairs of estimates (..., player) that have this covariance."""
    m = centre.shape[-1]
    i, j = np.triu_indices(m, 1)
    variance = of_differences(covariance)[..., i, j]
    variance = np.maximum(variance, _SAME * variance.mean(axis=-1, keepdims=True))
    return Pairs((centre[..., i] - centre[..., j]) ** 2 / variance, 2.0 / m, df)


def scales(pairs: Pairs, rounds: float, prior: Prior) -> tuple[Floats, Floats]:
    """Return the grid of the players' scale and its posterior probabilities, (point,)."""
    t = prior.scale * GRID
    tau = np.hypot(t, prior.floor)
    log = np.log(t) - np.log1p(GRID**2) + log_fits(pairs, rounds, tau)
    weights = np.exp(log - log.max())
    return tau, weights / weights.sum()


def log_fits(pairs: Pairs, rounds: float, tau: Floats) -> Floats:
    """Return the log-likelihood of pairs (..., pair) at each scale, (..., point)."""
    spread = 1.0 + rounds * tau**2
    fits = [np.log1p(pairs.squares / (pairs.df * one)).sum(axis=-1) for one in spread]
    logs = pairs.squares.shape[-1] * np.log(spread) + (pairs.df + 1.0) * np.stack(fits, axis=-1)
    return np.asarray(-0.5 * pairs.weight * logs)


def shrunken(
    flat: Floats, centre: Floats, tau: Floats, rounds: float, rng: np.random.Generator
) -> Floats:
    """Shrink flat draws (draw, player) around their centre, which stays, given scales (draw,)."""
    gain = rounds * tau[:, None] ** 2
    kept = gain / (1.0 + gain)
    off = flat - centre
    level = rng.permutation(off.mean(axis=1, keepdims=True))
    middle = centre.mean()
    return np.asarray(
        middle + kept * (centre - middle) + np.sqrt(kept) * off + np.sqrt(1.0 - kept) * level
    )


def shrink(
    flat: Floats, rounds: float, df: float, prior: Prior, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Shrink draws (draw, player) by their own moments; return them and the scales (draw,)."""
    centre = flat.mean(axis=0)
    pairs = pairs_of(centre, np.cov(flat.T), df)
    tau, weights = scales(pairs, rounds, prior)
    drawn = rng.choice(tau, len(flat), p=weights)
    return shrunken(flat, centre, drawn, rounds, rng), drawn
