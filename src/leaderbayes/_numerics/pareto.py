"""The heaviest weights, smoothed: a generalised Pareto law of their tail.

What ``arviz_stats``' `psislw` computes; the package that is imported for it takes half a second.

References
----------
Vehtari, Simpson, Gelman, Yao, Gabry (2024), Pareto smoothed importance sampling, JMLR 25(72).
Zhang, Stephens (2009), A new and efficient estimation method for the generalized Pareto
distribution, Technometrics 51, doi:10.1198/tech.2009.08017.
"""

import numpy as np
from scipy.special import logsumexp

from leaderbayes._types import Floats

_FEWEST = 5  # weights of a tail
_PRIOR = 10.0  # weights that a shape of 1/2 counts as


def smooth_tail(log_weight: Floats) -> tuple[Floats, float]:
    """Replace the heaviest log weights (draw,) by quantiles of their law, and give its shape.

    The weights sum to 1.

    Raises
    ------
    ValueError
        If there are too few in the tail, or all are the same.
    """
    size = len(log_weight)
    count = int(3.0 * size**0.5) if size > 225 else size // 5
    if count < _FEWEST:
        raise ValueError(f"{count} in the tail, fewer than {_FEWEST}")
    out = log_weight - np.max(log_weight)
    order = np.argsort(out)
    tail, below = out[order[-count:]], np.exp(out[order[-count - 1]])
    top = tail.max()
    if abs(top - tail.min()) < np.finfo(float).tiny:
        raise ValueError("all in the tail are the same")
    shape, scale = _fit(np.exp(tail) - below)
    if np.isfinite(shape):
        p = np.arange(0.5, count) / count
        smoothed = np.full(count, np.nan)
        if scale > 0.0:
            far = np.log1p(-p)
            smoothed = below + scale * (np.expm1(-shape * far) / shape if shape else -far)
        out[order[-count:]] = np.minimum(np.log(smoothed), top)
    return np.asarray(out - logsumexp(out)), float(shape)


def _fit(excess: Floats) -> tuple[float, float]:
    """Estimate shape and scale of what is beyond the cutoff (draw,), sorted.

    Of a law that is far from Pareto's they are NaN.
    """
    count = len(excess)
    quartile = excess[int(count / 4 + 0.5) - 1]
    if quartile <= excess[0]:
        return np.nan, np.nan
    points = 30 + int(count**0.5)
    theta = 1.0 - np.sqrt(points / (np.arange(1, points + 1, dtype=float) - 0.5))
    theta = theta / (3.0 * quartile) + 1.0 / excess[-1]
    shape = np.log1p(-theta[:, None] * excess).mean(axis=1)
    profile = count * (np.log(-theta / shape) - shape - 1.0)
    weight = np.exp(profile - logsumexp(profile))
    some = weight >= 10.0 * np.finfo(float).eps
    weight, theta = weight[some] / weight[some].sum(), theta[some]
    mean = np.sum(theta * weight)
    kappa = np.mean(np.log1p(-mean * excess))
    scale = -kappa / mean
    kappa = (count * kappa + _PRIOR * 0.5) / (count + _PRIOR)
    return (np.inf, np.nan) if np.isnan(kappa) else (float(kappa), float(scale))
