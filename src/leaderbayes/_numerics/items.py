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
    """What the posterior depends on."""

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
    """Spread draws (draw, player) as Student's t, where a few items carry much of the weight."""
    assert items.weight is not None
    strata = np.zeros(len(items.weight), int) if items.strata is None else items.strata
    df = Weighing(items.weight, strata).df
    angles = np.arcsin(np.sqrt(shares))
    centre, spread = angles.mean(axis=0), np.sqrt(df / rng.chisquare(df, (len(angles), 1)))
    return np.sin(np.clip(centre + spread * (angles - centre), 0.0, np.pi / 2.0)) ** 2


def shrunken_shares(
    flat: Floats, clusters: float, prior_scale: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Shrink flat draws (draw, player); return them and the players' scale (draw,).

    Scales are in standard deviations of a cluster's noise.
    """
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
    """Keep masses above 0 and in their order; those above a unit as they are."""
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
