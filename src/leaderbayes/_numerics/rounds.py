r"""How much rounds count, and the flat posterior of medians and interquartile means over them.

For medians the population of rounds has a Dirichlet process for its posterior: weights of the
rounds that were played, whole rounds, so that what their scores share stays in the draws. In the
Bayesian bootstrap their mass is r, and with few rounds intervals are too narrow; here it is

.. math:: A = \frac{r - 1}{1 + r \rho} - 1

at which the variance of a mean, given the weights, is its unbiased one, with rho for what rounds
share (folds). For r independent rounds that is r - 2.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from leaderbayes._types import Bools, Floats, Longs

Statistic = Literal["mean", "median", "iqm"]
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
_CELLS = 4_000_000  # of weights drawn at once
_OF = {"median": (0.5, 0.5), "iqm": (0.25, 0.75)}  # the part of the distribution that is averaged


class Weighing(NamedTuple):
    """How much rounds count, by stratum; weights and squares sum to the effective number (Kish)."""

    weight: Floats  # (round,)
    stratum: Longs  # (round,), from 0
    categories: int = 0  # that count equally; 0 where weights are given

    @property
    def worth(self) -> float:
        """Effective number of rounds."""
        return float(self.weight.sum())

    @property
    def df(self) -> float:
        """Degrees of freedom of the variance of a weighted mean (Satterthwaite 1946)."""
        own = self.stratum[self._known]
        size = np.bincount(own, self.weight[self._known] ** 2)
        free = size**2 / np.maximum(np.bincount(own, self.weight[self._known] ** 4), 1e-300) - 1.0
        return float(size.sum() ** 2 / (size[size > 0.0] ** 2 / free[size > 0.0]).sum())

    def said(self) -> str:
        """Describe what sums are about."""
        kinds = self.categories
        who = f"{kinds} categories of rounds count" if kinds else "Rounds count by weights, not"
        rounds = len(self.weight)
        return f"{who} equally: {rounds} rounds are worth {self.worth:.3g} equal ones."

    @property
    def _known(self) -> Bools:
        """Whether a round's stratum has others, (round,)."""
        return np.bincount(self.stratum)[self.stratum] > 1

    def means(self, values: Floats) -> Floats:
        """Return the weighted mean of each round's stratum (round, column)."""
        each = (self.stratum[:, None] == np.arange(self.stratum.max() + 1)) * self.weight[:, None]
        return np.asarray(((each / each.sum(axis=0)).T @ values)[self.stratum])

    def scatter(self, values: Floats) -> Floats:
        """Return rows z (round, column); z'z estimates the weighted sum's variance."""
        known, square = self._known, self.weight**2
        part = self.weight / np.bincount(self.stratum, self.weight)[self.stratum]
        left = 1.0 - 2.0 * part + np.bincount(self.stratum, part**2)[self.stratum]
        own = np.where(known, square, 0.0) / np.where(known, left, 1.0)
        own *= square.sum() / square[known].sum()
        return np.asarray(np.sqrt(own)[:, None] * (values - self.means(values)))


def equal(rounds: int) -> Weighing:
    """Let all rounds count the same."""
    return Weighing(np.ones(rounds), np.zeros(rounds, int))


def weighing_of(labels: np.ndarray) -> Weighing:
    """Weigh rounds by numbers above 0, or by the names of categories, which count equally."""
    stratum, categories = np.zeros(len(labels), int), 0
    if labels.dtype.kind in "iuf":
        weight = labels.astype(float)
    else:
        code = pd.factorize(labels)[0]
        count = np.bincount(code)
        weight, categories = 1.0 / count[code], len(count)
        stratum = code if (count > 1).any() else stratum  # of one round each nothing else varies
    return Weighing(weight * weight.sum() / (weight**2).sum(), stratum, categories)


def mass(rounds: int, luck: float) -> float:
    """Return the Dirichlet's mass; not above 0 where rounds are too few."""
    return (rounds - 1.0) / (1.0 + rounds * luck) - 1.0


def flat(
    scores: Floats, luck: float, statistic: str, draws: int, rng: np.random.Generator
) -> Floats:
    """Draw medians or "iqm" (draw, player); ``luck`` is shared variance over a round's noise."""
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
