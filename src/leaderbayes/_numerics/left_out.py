"""How far each of many estimates lies from what the others predict."""

import numpy as np
from scipy.special import log_ndtr, log_softmax, logsumexp, ndtri_exp

from leaderbayes._types import Floats

# Spread between rows, log-odds: even in the logarithm, half-Cauchy(1) by its mass there.
_SPREAD = np.geomspace(0.03, 30.0, 40)[:, None, None]
_LOG_PRIOR = np.log(_SPREAD / (1.0 + _SPREAD**2))


def left_out_score(estimate: Floats, sd: Floats) -> Floats:
    r"""Score each estimate, as a normal one, in its predictive law given the others of its column.

    .. math::

        y_{ti} &\sim N(\mu_i, \tau_i^2 + s_{ti}^2), \quad
        \mu_i \sim 1, \quad \tau_i \sim \mathrm{HalfCauchy}(1) \\
        z_{ti} &= \Phi^{-1}(P(\tilde y_{ti} \le y_{ti} \mid y_{ui}, u \ne t))

    The mean is integrated out exactly and the spread on a grid, so that few others make wide
    laws, and z is standard normal if the model holds, however many others there are. O(40 times
    the size) time and memory.

    Parameters
    ----------
    estimate, sd : (row, column)
        y and s; NaN where there is none.

    Returns
    -------
    (row, column)
        NaN where there is no estimate, or no other in its column.
    """
    known = ~np.isnan(estimate)
    count = known.sum(axis=0)
    enough = known & (count > 1)
    # Sums of squares lose no digits once the columns are centred.
    y = np.where(known, estimate, 0.0)
    y = np.where(known, y - y.sum(axis=0) / np.maximum(count, 1), 0.0)
    variance = np.where(known, sd, 0.0) ** 2 + _SPREAD**2
    weight = known / variance
    precision = np.where(enough, _of_others(weight), 1.0)
    mean = _of_others(weight * y) / precision
    misfit = _of_others(weight * y**2) - precision * mean**2
    log_size = _of_others(known * np.log(variance)) + np.log(precision)
    log_p = log_softmax(_LOG_PRIOR - 0.5 * (log_size + misfit), axis=0)
    gap = (y - mean) / np.sqrt(variance + 1.0 / precision)
    below, above = (logsumexp(log_p + log_ndtr(side), axis=0) for side in (gap, -gap))
    # From the smaller tail, which is the exact one.
    z = np.where(below < above, ndtri_exp(below), -ndtri_exp(above))
    return np.where(enough, z, np.nan)


def _of_others(each: Floats) -> Floats:
    """Sum over rows (axis 1), less the row's own."""
    return np.asarray(each.sum(axis=1, keepdims=True) - each)
