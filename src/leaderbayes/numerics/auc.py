r"""Sampling law of an AUC on one test set, for binormal scores (equation 10).

Scores of negatives are N(0, 1), of positives N(mu, 1), :math:`AUC = \Phi(\mu / \sqrt 2) = a`. The
estimate is the share of pairs in the right order. With the smaller class fixed, it is a mean over
the larger one:

- the mean of :math:`V_i = \Phi(\mu + Z_i)` over the smaller class, whose law is computed exactly
  from its characteristic function;
- plus what the larger class adds, nearly normal, with the variance that it has at that mean: a
  lucky draw of the smaller class leaves less to be lost.

References
----------
Møllersen, Holsbø (2024), section 5.2.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.special import ndtr, ndtri

Floats = NDArray[np.float64]

STEPS = 4000  # of the unit interval, on which laws are tabled

_FAR = 4.0  # normal quantile of the highest AUC that is told from 1
_NODE = np.linspace(-8.5, 8.5, 1201)
_CHANCE = np.exp(-0.5 * _NODE**2) / np.exp(-0.5 * _NODE**2).sum()


def _spread(auc: float) -> float:
    """Variance of V: P(two positives above one negative) - a^2, and of negatives alike."""
    return float(_CHANCE @ (_share(auc) - auc) ** 2)


def _share(auc: float) -> Floats:
    """V at the nodes of a standard normal."""
    return np.asarray(ndtr(math.sqrt(2.0) * float(ndtri(auc)) + _NODE))


def variance(auc: float, positives: int, negatives: int) -> float:
    """Variance of an AUC estimate, exact for binormal scores."""
    own, pairs = _spread(auc), positives * negatives
    rest = auc * (1.0 - auc) - 2.0 * own
    return own / positives + own / negatives + rest / pairs


def cdf_of_many(auc: Floats, positives: int, negatives: int) -> Floats:
    """Interpolate `cdf` between AUCs: both on the scale of normal quantiles, where it is smooth."""
    quantile = np.clip(ndtri(auc), -_FAR, _FAR)
    between = _table(positives, negatives)
    # A classifier and its mirror image: what one gets wrong, the other gets right.
    below = ndtr(between(np.abs(quantile)))
    mirrored = 1.0 - np.concatenate([below[:, -2::-1], np.zeros((len(below), 1))], axis=1)
    result = np.where(quantile[:, None] >= 0.0, below, mirrored)
    result[:, -1] = 1.0
    return result


@lru_cache(maxsize=4)
def _table(positives: int, negatives: int) -> CubicSpline:
    """Tabulate the normal quantile of F over that of the AUC, from 1/2 up."""
    quantile = np.linspace(0.0, _FAR, 61)
    tabled = cdf(ndtr(quantile), positives, negatives)
    return CubicSpline(quantile, ndtri(np.clip(tabled, 1e-15, 1.0 - 1e-15)))


def cdf(auc: Floats, positives: int, negatives: int) -> Floats:
    """P(estimate, rounded to a multiple of 1 / STEPS, <= x), at 0, 1 / STEPS, ..., 1, (auc, x)."""
    small, large = sorted((positives, negatives))
    x = (np.arange(STEPS + 1) + 0.5) / STEPS
    middle = x[:-1]
    grid = np.linspace(0.0, 1.0, 201)
    own = np.array([_spread(a) if 0.0 < a < 1.0 else 0.0 for a in grid])
    added = own / large + np.maximum(grid * (1.0 - grid) - 2.0 * own, 0.0) / (small * large)
    sd = np.sqrt(np.interp(middle, grid, added))
    out = np.empty((len(auc), len(x)))
    for row, a in zip(out, auc, strict=True):
        if not 0.0 < a < 1.0 or variance(float(a), small, large) < (0.5 / STEPS) ** 2:
            row[:] = x >= a
            continue
        mass = np.diff(_mean_cdf(float(a), small, np.arange(STEPS + 1) / STEPS))
        kept = mass > 1e-16
        gap = (x - middle[kept, None]) / np.maximum(sd[kept, None], 1e-9)
        row[:] = np.minimum(mass[kept] @ ndtr(gap) / mass[kept].sum(), 1.0)
        row[-1] = 1.0
    return out


def _mean_cdf(auc: float, count: int, x: Floats) -> Floats:
    """P(mean of ``count`` V's <= x); a law within [-1/2, 3/2] has Fourier coefficients at k pi."""
    v = _share(auc)
    sd = math.sqrt(_spread(auc) / count)
    t = np.pi * np.arange(1, math.ceil(9.0 / (np.pi * sd)) + 2)
    wave = (np.exp(1j * np.outer(t / count, v - auc)) @ _CHANCE) ** count
    # Integral of the density from -1/2 to x.
    near = np.abs(x - auc) < 12.0 * sd + 2.0 / STEPS
    ends = np.exp(-1j * np.outer(t, x[near] - auc)) - np.exp(1j * t * (0.5 + auc))[:, None]
    total = (x > auc).astype(float)
    total[near] = 0.5 * (x[near] + 0.5)
    total[near] += (wave[:, None] * ends / (-1j * t[:, None])).real.sum(axis=0)
    return np.maximum.accumulate(np.clip(total, 0.0, 1.0))


def draw(auc: Floats, positives: int, negatives: int, rng: np.random.Generator) -> Floats:
    """Draw the estimates of independent classifiers of these AUCs, (classifier,), exactly.

    Between neighbouring positives lies a multinomial number of negatives.
    """
    mu = math.sqrt(2.0) * ndtri(auc)[:, None]
    v = np.sort(ndtr(mu + rng.normal(size=(len(auc), positives))), axis=1)
    ends = np.ones((len(auc), 1))
    chance = np.maximum(np.diff(np.hstack([0.0 * ends, v, ends]), axis=1), 0.0)
    between = rng.multinomial(negatives, chance / chance.sum(axis=1, keepdims=True))
    return np.asarray(between @ np.arange(positives, -1, -1) / (positives * negatives))


def draw_scores(
    auc: float, m: int, positives: int, negatives: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw the scores that m classifiers of this AUC give to positives and negatives.

    (classifier, positive) and (classifier, negative), each sorted upwards.
    """
    above = math.sqrt(2.0) * float(ndtri(auc)) + rng.normal(size=(m, positives))
    return np.sort(above, axis=1), np.sort(rng.normal(size=(m, negatives)), axis=1)


def roc(positive: Floats, negative: Floats, false_rate: Floats) -> tuple[Floats, Floats]:
    """ROC curves and their areas, of sorted scores (classifier, positive), (classifier, negative).

    Returns the highest true positive rate that has at most each false positive rate,
    (classifier, false_rate), and AUCs (classifier,).
    """
    n, pairs = negative.shape[1], list(zip(positive, negative, strict=True))
    # Of n, floor(n f) negatives may lie above the threshold.
    next_below = n - np.floor(n * false_rate + 1e-9).astype(int)
    caught = [
        1.0 - np.searchsorted(p, np.append(-np.inf, q)[next_below], side="right") / len(p)
        for p, q in pairs
    ]
    return np.array(caught), np.array([np.searchsorted(q, p).mean() / n for p, q in pairs])
