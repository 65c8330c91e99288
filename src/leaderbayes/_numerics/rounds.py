r"""Flat posterior of medians and interquartile means over rounds of unknown distribution.

The population of rounds has a Dirichlet process for its posterior: weights of the rounds that were
played, whole rounds, so that what their scores share stays in the draws. In the Bayesian bootstrap
their mass is r, and with few rounds intervals of means are too narrow; here the mass is

.. math:: A = \frac{r - 1}{1 + r \rho} - 1

at which the variance of a mean, given the weights, is its unbiased one, with rho for what rounds
share (folds). For r independent rounds that is r - 2.
"""

from typing import Literal, get_args

import numpy as np

from leaderbayes._types import Floats

Statistic = Literal["mean", "median", "iqm"]
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
_CELLS = 4_000_000  # of weights drawn at once
_OF = {"median": (0.5, 0.5), "iqm": (0.25, 0.75)}  # the part of the distribution that is averaged


def mass(rounds: int, luck: float) -> float:
    """Return the Dirichlet's mass; not above 0 where rounds are too few."""
    return (rounds - 1.0) / (1.0 + rounds * luck) - 1.0


def flat(
    scores: Floats, luck: float, statistic: str, draws: int, rng: np.random.Generator
) -> Floats:
    """Draw medians or interquartile means (draw, player).

    Parameters
    ----------
    scores : (round, player)
        All of them.
    luck : float
        Variance of what rounds share over that of a round's noise, f / (1 - f).
    statistic : {"median", "iqm"}
        Of each player's scores over the population of rounds.
    """
    rounds, m = scores.shape
    order = np.argsort(scores, axis=0, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=0)
    out = np.empty((draws, m))
    step = max(_CELLS // rounds, 1)
    for begin in range(0, draws, step):
        n = min(step, draws - begin)
        weights = rng.standard_gamma(mass(rounds, luck) / rounds, (n, rounds))
        # All weights can be too small to be distinguished from 0; then one round is all.
        lost = weights.sum(axis=1) < 1e-200
        weights[lost] = np.eye(rounds)[rng.integers(rounds, size=int(lost.sum()))]
        weights /= weights.sum(axis=1, keepdims=True)
        for i in range(m):
            out[begin : begin + n, i] = _between(ranked[:, i], weights[:, order[:, i]], statistic)
    return out


def _between(ranked: Floats, weights: Floats, statistic: str) -> Floats:
    """Return the mean (draw,) of the part of a weighted distribution that the statistic is of."""
    low, high = _OF[statistic]
    upto = np.cumsum(weights, axis=1)
    if low < high:
        share = np.minimum(upto, high) - np.maximum(upto - weights, low)
        return np.asarray(np.maximum(share, 0.0) @ ranked / (high - low))
    # Between the middles of two weights: without steps a difference would seldom be 0.
    middle = upto - 0.5 * weights
    above = np.clip((middle < low).sum(axis=1), 1, len(ranked) - 1)
    rows = np.arange(len(weights))
    a, b = middle[rows, above - 1], middle[rows, above]
    part = np.clip((low - a) / np.maximum(b - a, 1e-300), 0.0, 1.0)
    return np.asarray(ranked[above - 1] + part * (ranked[above] - ranked[above - 1]))
