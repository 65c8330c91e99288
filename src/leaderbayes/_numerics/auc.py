r"""Sampling distribution of an AUC on one test set, for binormal scores (equation 10).

Scores of negatives are N(0, 1), of positives N(mu, 1), :math:`AUC = \Phi(\mu / \sqrt 2) = a`. The
estimate is the share of pairs in the right order. With the smaller class fixed, it is a mean over
the larger one:

- the mean of :math:`V_i = \Phi(\mu + Z_i)` over the smaller class, whose law is computed exactly
  from its characteristic function;
- plus what the larger class adds, a gamma law with the variance and the skewness that it has at
  that mean: a lucky draw of the smaller class leaves less to be lost.

Dependent classifiers (section 5.3.1): within either class scores of each correlate by rho with
those of a reference,

.. math:: S_{ij} = \mu_j 1_{i+} + \rho Z_i + \sqrt{1 - \rho^2} \epsilon_{ij},

and so scores of two, and differences of a positive's and a negative's, by :math:`\rho^2`.

References
----------
Møllersen, Holsbø (2025), section 5.2.
Hanley, McNeil (1982), https://doi.org/10.1148/radiology.143.1.7063747.
"""

import math
from functools import lru_cache

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ndtr, ndtri, owens_t

from leaderbayes._types import Floats

STEPS = 4000  # of the unit interval, on which laws are tabled

_REACH = 9.0  # standard deviations beyond which an estimate has no mass
_FAR = 4.0  # normal quantile of the highest AUC that is told from 1
_NODE = np.linspace(-8.5, 8.5, 1201)
_CHANCE = np.exp(-0.5 * _NODE**2) / np.exp(-0.5 * _NODE**2).sum()


def _agreement(auc: Floats, r: float) -> Floats:
    """Cov(1{D > 0}, 1{D' > 0}) of two differences that correlate by r, by Owen's T."""
    return np.asarray(auc * (1.0 - auc) - 2.0 * owens_t(ndtri(auc), math.sqrt((1 - r) / (1 + r))))


def _spread(auc: Floats) -> Floats:
    """Variance of V, of positives and of negatives alike: pairs with one instance in common."""
    return _agreement(auc, 0.5)


def _share(auc: float) -> Floats:
    """V at the nodes of a standard normal."""
    return np.asarray(ndtr(math.sqrt(2.0) * float(ndtri(auc)) + _NODE))


def covariance(auc: Floats, positives: int, negatives: int, rho: float) -> Floats:
    """Return the covariance of estimates of two classifiers with this AUC (binormal scores)."""
    one = (positives + negatives - 2) * _agreement(auc, rho * rho / 2.0)
    return (one + _agreement(auc, rho * rho)) / (positives * negatives)


def variance(auc: float, positives: int, negatives: int) -> float:
    """Return the variance of an AUC estimate, exact for binormal scores."""
    return float(covariance(np.asarray(auc), positives, negatives, 1.0))


def loading(auc: Floats, positives: int, negatives: int, rho: float) -> Floats:
    """Root of the correlation of the estimates of two classifiers with this AUC."""
    inside = np.clip(auc, 1e-12, 1.0 - 1e-12)
    shared = covariance(inside, positives, negatives, rho)
    return np.asarray(
        np.sqrt(np.maximum(shared / covariance(inside, positives, negatives, 1.0), 0.0))
    )


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
    out = np.empty((len(auc), len(x)))
    for row, a in zip(out, auc, strict=True):
        if not 0.0 < a < 1.0 or variance(float(a), small, large) < (0.5 / STEPS) ** 2:
            row[:] = x >= a
            continue
        mass = np.diff(_mean_cdf(float(a), small))
        kept = mass > 1e-16
        centre = middle[kept]
        sd, skew = _added(float(a), small, large, centre)
        reach = _REACH * float(sd.max())
        row[:] = x >= a
        near = (x > centre[0] - reach) & (x < centre[-1] + reach)
        score = _normal_score((x[near] - centre[:, None]) / sd[:, None], skew[:, None])
        row[near] = np.minimum(mass[kept] @ ndtr(score) / mass[kept].sum(), 1.0)
        row[-1] = 1.0
    return out


def _normal_score(gap: Floats, skew: Floats) -> Floats:
    """Return normal scores of gamma variables with this skewness (Wilson and Hilferty 1931)."""
    root = np.cbrt(np.maximum(1.0 + skew * gap / 2.0, 0.0))
    return np.asarray(6.0 / skew * (root - 1.0) + skew / 6.0)


def _added(auc: float, small: int, large: int, mean: Floats) -> tuple[Floats, Floats]:
    """Sd and skewness of what the larger class adds where the smaller one's V's have this mean.

    V's of a given mean are distributed as if drawn with weights exp(t V) (Gibbs' conditioning
    principle). An instance of the larger class loses to two V's, or three, with probability 1 - V
    of the highest.
    """
    v = _share(auc)
    tilt = np.sinh(np.linspace(-5.0, 5.0, 101)) / math.sqrt(float(_spread(np.asarray(auc))) * small)
    weight = _CHANCE * np.exp(tilt[:, None] * (v - (tilt[:, None] > 0.0)))
    below = np.cumsum(weight / weight.sum(axis=1, keepdims=True), axis=1)
    one, two, three = (np.diff(below**k, prepend=0.0, axis=1) @ (1.0 - v) for k in (1, 2, 3))
    two, three = (np.interp(mean, 1.0 - one, moment) for moment in (two, three))
    lost = 1.0 - mean
    own = np.maximum(two - lost**2, 1e-18)
    added = own / large + np.maximum(mean * lost - 2.0 * own, 0.0) / (small * large)
    skew = (3.0 * lost * two - three - 2.0 * lost**3) / own**1.5 / math.sqrt(large)
    skew = np.where(abs(skew) < 1e-3, 1e-3, np.clip(skew, -20.0, 20.0))
    return np.sqrt(added), skew


def _mean_cdf(auc: float, count: int) -> Floats:
    """P(mean of ``count`` V's <= x) at 0, 1 / STEPS, ..., 1, by Fourier coefficients at k pi."""
    v, x = _share(auc), np.arange(STEPS + 1) / STEPS
    sd = math.sqrt(float(_spread(np.asarray(auc))) / count)
    k = np.arange(1, math.ceil(9.0 / (np.pi * sd)) + 2)
    wave = (np.exp(1j * np.outer(np.pi * k / count, v - auc)) @ _CHANCE) ** count
    # Integral of the density from -1/2 to x.
    wave *= np.exp(1j * np.pi * k * auc) / (-1j * np.pi * k)
    near = np.abs(x - auc) < 12.0 * sd + 2.0 / STEPS
    turns = np.zeros(2 * STEPS, dtype=complex)
    np.add.at(turns, k % (2 * STEPS), wave)
    until = np.fft.fft(turns)[: STEPS + 1] - (wave * np.exp(0.5j * np.pi * k)).sum()
    total = np.where(near, 0.5 * (x + 0.5) + until.real, x > auc)
    return np.maximum.accumulate(np.clip(total, 0.0, 1.0))
