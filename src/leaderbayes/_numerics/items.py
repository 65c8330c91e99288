r"""Joint posterior of mean scores over items: right-or-wrong answers, and other bounded scores.

Items are drawn from a population of unknown law, whose posterior is a Dirichlet process on the
items that were seen (the Bayesian bootstrap) and on atoms for what was not. With weights g of the
items, Gamma(1), and atoms a and b of each player, c and d of all, h times Gamma(1/4),

.. math:: \theta_i = R_i / (R_i + W_i), \quad R_i = p(u_i + d), \quad
          W_i = p(\textstyle\sum_k g_k n_k - u_i + c), \quad
          u_i = \sum_k g_k x_{ki} + a_i - b_i

for sums x over a cluster's n items, where h is as high as clusters usually differ (of single items
1). The function p keeps masses above 0, where a player has everything right or wrong: p(x) = x
above h, and h exp(x / h - 1) below. The atoms of players lie over each other, or
their mass would grow with the number of players; of right-or-wrong items P(i better than j) is
that of Beta(n10 + 1/2, n01 + 1/2). Where answers are missing, u is `missing_items.sums`.

This is flat in the means; `shrinkage` draws the log-odds of theta together.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logit

from leaderbayes._numerics.missing_items import Gaps, influence
from leaderbayes._numerics.missing_items import sums as sums_of
from leaderbayes._numerics.shrinkage import Shrinkage, own_variance
from leaderbayes._types import Floats

ATOM = 0.25  # of mass
LOGISTIC = np.pi / np.sqrt(3.0)  # standard deviation of the logistic law: unit of log-odds
_CELLS = 8_000_000  # of weights drawn at once


class Items(NamedTuple):
    """What the posterior depends on."""

    sums: Floats  # (cluster, player), of scores from 0 to 1
    sizes: Floats  # (cluster,): items
    # Where answers are missing: then sums are as if a cluster's others were as those that are
    # there, and NaN where there is none.
    gaps: Gaps | None = None


def flat(items: Items, draws: int, rng: np.random.Generator) -> Floats:
    """Draw mean scores (draw, player) from the flat posterior."""
    sums, sizes, gaps = items
    m = sums.shape[1]
    height = height_of(items)
    out = np.empty((draws, m))
    # Solving takes several numbers a weight.
    step = max((_CELLS if gaps is None else _CELLS // 4) // len(sizes), 1)
    for begin in range(0, draws, step):
        n = min(step, draws - begin)
        weights = rng.standard_exponential((n, len(sizes)))
        right, wrong = rng.standard_gamma(ATOM, (2, n, m))
        own = height * (right - wrong)
        value = weights @ sums + own if gaps is None else sums_of(gaps, weights, own)
        total = weights @ sizes
        all_wrong, all_right = height * rng.standard_gamma(ATOM, (2, n, 1))
        right_mass = _positive(value + all_right, height)
        wrong_mass = _positive(total[:, None] - value + all_wrong, height)
        out[begin : begin + n] = right_mass / (right_mass + wrong_mass)
    return out


def _positive(mass: Floats, unit: float) -> Floats:
    """Keep masses above 0 and in their order; those above a unit as they are."""
    return np.asarray(
        np.where(mass > unit, mass, unit * np.exp(np.minimum(mass / unit, 1.0) - 1.0))
    )


def height_of(items: Items) -> float:
    """Give the root mean square of the differences of two players that are not 0, (sum)."""
    sums, size = items.sums, float(items.sizes.mean())
    # Of all pairs at once: the variance within a cluster; ties by counting equal sums.
    ranked = np.sort(sums, axis=1)  # NaN last
    there = np.isfinite(ranked)
    new = np.concatenate([np.ones((len(sums), 1), bool), np.diff(ranked, axis=1) != 0.0], axis=1)
    if there.all():
        m = sums.shape[1]
        square = float(m * ((sums - sums.mean(axis=1, keepdims=True)) ** 2).sum())
        pairs = len(sums) * m**2
    else:
        count = there.sum(axis=1)
        mean = np.nansum(sums, axis=1) / np.maximum(count, 1)
        square = float((count * np.nansum((sums - mean[:, None]) ** 2, axis=1)).sum())
        pairs = float((count**2).sum())
    runs = np.bincount((np.cumsum(new) - 1)[there.ravel()])
    differ = pairs - float((runs.astype(float) ** 2).sum())
    return min(np.sqrt(2.0 * square / differ), size) if differ > 0.0 else size


def linear(items: Items) -> tuple[Floats, Floats, Floats | float]:
    """Give means (player,) of equal weights, and what moves sums from there.

    Returns
    -------
    share : (player,)
    moves : (cluster, player)
        By a cluster more.
    atoms : (player,) or float
        By atoms, in units of their height.
    """
    sums, sizes, gaps = items
    if gaps is None:
        share = sums.sum(axis=0) / sizes.sum()
        return share, sums - np.outer(sizes, share), 1.0
    moves, by_atoms = influence(gaps)
    share = gaps.effects + gaps.level.sum() / sizes.sum()
    return share, moves, np.sqrt((by_atoms**2).sum(axis=0))


def shrinkage(
    items: Items, drawn: Floats, prior_scale: float, prior_df: float
) -> tuple[Shrinkage, Floats]:
    """Give what `shrunken` goes by, and the log-odds of flat draws (draw, player)."""
    odds = logit(np.clip(drawn, 1e-12, 1.0 - 1e-12))
    _, moves, atoms = linear(items)
    beside = 2.0 * ATOM * (height_of(items) * atoms) ** 2 / len(moves)
    own = own_variance(moves, odds.std(axis=0), beside)
    return Shrinkage(odds.mean(axis=0), own, prior_scale * LOGISTIC, prior_df), odds
