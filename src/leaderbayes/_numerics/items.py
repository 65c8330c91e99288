r"""Joint posterior of mean scores over items: right-or-wrong answers, and other bounded scores.

Items come from a population of unknown distribution, whose posterior is a Dirichlet process on the
items that were seen (the Bayesian bootstrap) and on atoms for what was not. With weights g of the
items, Gamma(1), and atoms a and b of each player, c and d of all, h times Gamma(1/4),

.. math:: \theta_i = R_i / (R_i + W_i), \quad R_i = p(u_i + d), \quad
          W_i = p(\textstyle\sum_k g_k n_k - u_i + c), \quad
          u_i = \sum_k g_k x_{ki} + a_i - b_i

for sums x over a cluster's n items, where h is as high as clusters usually differ (1 for single
items). The function p keeps masses above 0, where a player has everything right or wrong: p(x) = x
above h, and h exp(x / h - 1) below. For right-or-wrong items P(i better than j) is that of
Beta(n10 + 1/2, n01 + 1/2). Where answers are missing, u is `missing_items.sums`.

This is flat in the means; `shrunken_shares` shrinks the log-odds of theta.
"""

from typing import NamedTuple

import numpy as np

from leaderbayes._numerics.missing_items import Gaps
from leaderbayes._numerics.missing_items import sums as sums_of
from leaderbayes._numerics.rounds import Weighing
from leaderbayes._numerics.shrinkage import Prior, shrink
from leaderbayes._types import Floats, Longs

ATOM = 0.25  # of mass
FLOOR = 0.6  # of the players' scale, in standard errors
_LEAST = 0.2  # shape of weights, of one or two
_CELLS = 8_000_000  # of weights drawn at once


class Items(NamedTuple):
    """Data that the posterior depends on."""

    sums: Floats  # (cluster, player), of scores from 0 to 1
    sizes: Floats  # (cluster,): items
    # Where answers are missing: then sums are as if a cluster's others were as those that are
    # there, and NaN where there is none.
    gaps: Gaps | None = None
    # (cluster,): which weigh as much together as they are; or None, of single items.
    strata: Longs | None = None
    weight: Floats | None = None  # (cluster,): of each of its items, as of `rounds.Weighing`

    @property
    def worth(self) -> float:
        """Effective number of clusters."""
        return float(len(self.sizes) if self.weight is None else self.weight.sum())


def flat(items: Items, draws: int, rng: np.random.Generator) -> Floats:
    """Draw mean scores (draw, player) from the flat posterior."""
    sums, sizes, gaps, *_ = items
    m = sums.shape[1]
    height = height_of(items)
    out = np.empty((draws, m))
    step = max((_CELLS if gaps is None else _CELLS // 4) // len(sizes), 1)
    for begin in range(0, draws, step):
        n = min(step, draws - begin)
        weights = _weights(items, n, rng)
        right, wrong = rng.standard_gamma(ATOM, (2, n, m))
        own = height * (right - wrong)
        value = weights @ sums + own if gaps is None else sums_of(gaps, weights, own)
        total = weights @ sizes
        all_wrong, all_right = height * rng.standard_gamma(ATOM, (2, n, 1))
        right_mass = _positive(value + all_right, height)
        wrong_mass = _positive(total[:, None] - value + all_wrong, height)
        out[begin : begin + n] = right_mass / (right_mass + wrong_mass)
    return out if items.weight is None else _with_tails(out, items, rng)


def _with_tails(shares: Floats, items: Items, rng: np.random.Generator) -> Floats:
    """Widen draws (draw, player) to Student t tails if few items carry much of the weight."""
    assert items.weight is not None
    strata = np.zeros(len(items.weight), int) if items.strata is None else items.strata
    df = Weighing(items.weight, strata).df
    angles = np.arcsin(np.sqrt(shares))
    centre, spread = angles.mean(axis=0), np.sqrt(df / rng.chisquare(df, (len(angles), 1)))
    return np.sin(np.clip(centre + spread * (angles - centre), 0.0, np.pi / 2.0)) ** 2


def corrected(
    human: Floats, judge: Floats, draws: int, rng: np.random.Generator
) -> tuple[Floats, float]:
    r"""Draw means of human scores, using those of a judge; return also the judge's power.

    .. math:: \theta_i = \lambda \frac{\sum_k g_k f_{ki}}{\sum_k g_k} +
              \frac{\sum_{k \in L_i} g_k (y_{ki} - \lambda f_{ki})}{\sum_{k \in L_i} g_k} + a_i

    for human scores y (item, player), NaN beside the labelled items L, the judge's scores f, and
    weights g of the items, the same for all players. The power lambda is the slope of y on f
    within players. What labelled items show is widened as Student's t, and a, of Gamma(1/4) atoms,
    stands for disagreement that was not seen, as far as the two agree exactly.
    """
    there = np.isfinite(human)
    n = there.sum(axis=0)
    y, f = np.where(there, human, 0.0), np.where(there, judge, 0.0)
    off = np.where(there, f - f.sum(axis=0) / n, 0.0)
    power = max(float((off * y).sum() / max((off**2).sum(), 1e-300)), 0.0)
    df = float(n.min()) - 1.0
    shape = np.where(there.any(axis=1), max(1.0 - 2.0 / (df + 1.0), _LEAST), 1.0)
    apart = (y - f)[there]
    differ = apart[apart != 0.0]
    least = np.diff(np.unique(human[there])).min()
    height = np.sqrt((differ**2).mean()) if differ.size else least
    height *= np.sqrt(1.0 - differ.size / apart.size)
    out = np.empty((draws, human.shape[1]))
    step = max(_CELLS // len(human), 1)
    for begin in range(0, draws, step):
        size = min(step, draws - begin)
        weights = rng.standard_gamma(shape, (size, len(human))) / shape
        part = weights @ (y - power * f) / (weights @ there)
        centre = (y - power * f).sum(axis=0) / n
        part = centre + np.sqrt(df / rng.chisquare(df, (size, 1))) * (part - centre)
        more, less = rng.standard_gamma(ATOM, (2, size, len(n)))
        part += height * (more - less) / n
        whole = weights @ judge / weights.sum(axis=1, keepdims=True)
        out[begin : begin + size] = power * whole + part
    return out, power


def pseudo_scores(human: Floats, judge: Floats, power: float) -> Floats:
    """Return scores (item, player) whose means are those of `corrected`."""
    there = np.isfinite(human)
    factor = len(human) / there.sum(axis=0)
    return power * judge + np.where(there, factor * (human - power * judge), 0.0)


def shrunken_shares(
    flat: Floats, clusters: float, prior_scale: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Shrink flat draws (draw, player); return these and the players' scale in noise sds."""
    prior = Prior(prior_scale, FLOOR / np.sqrt(clusters))
    angles, tau = shrink(np.arcsin(np.sqrt(flat)), clusters, clusters - 1.0, prior, rng)
    return np.sin(np.clip(angles, 0.0, np.pi / 2.0)) ** 2, tau


def _weights(items: Items, size: int, rng: np.random.Generator) -> Floats:
    """Draw weights (draw, cluster)."""
    each = 1.0 if items.weight is None else items.weight
    if items.strata is None:
        return np.asarray(each * rng.standard_exponential((size, len(items.sizes))))
    return np.asarray(each * _weights_of_strata(items.strata, size, rng))


def _weights_of_strata(strata: Longs, size: int, rng: np.random.Generator) -> Floats:
    """Draw weights (draw, cluster) that sum to their number in each stratum."""
    each = strata[:, None] == np.arange(strata.max() + 1)
    count = each.sum(axis=0)
    shape = np.maximum(1.0 - 2.0 / count, _LEAST)
    weights = rng.standard_gamma(shape[strata], (size, len(each)))
    return np.asarray(weights * (count / (weights @ each))[:, strata])


def _positive(mass: Floats, unit: float) -> Floats:
    """Keep masses positive and in order; change none above one unit."""
    below = unit * np.exp(np.minimum(mass / unit, 1.0) - 1.0)
    return np.asarray(np.where(mass > unit, mass, below))


def height_of(items: Items) -> float:
    """Return the root mean square of the differences of two players that are not 0, (sum)."""
    size = float(items.sizes.mean())
    if (np.isin(items.sums, (0.0, 1.0)) | np.isnan(items.sums)).all():
        return 1.0
    square, differ = 0.0, 0.0
    for column in range(1, items.sums.shape[1]):
        gap = items.sums[:, :column] - items.sums[:, [column]]
        square += float(np.nansum(gap**2))
        differ += float(np.count_nonzero(np.nan_to_num(gap)))
    return min(np.sqrt(square / differ), size) if differ > 0.0 else size
