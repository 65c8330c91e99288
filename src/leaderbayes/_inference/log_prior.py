"""Log-densities of what options set the priors of: the group ``log_prior`` of `fit`."""

import numpy as np

from leaderbayes._types import Floats


def normal(value: Floats, scale: float) -> Floats:
    """Give the logarithm of the normal density around 0 of this standard deviation."""
    return np.asarray(-0.5 * (np.log(2.0 * np.pi) + (value / scale) ** 2) - np.log(scale))


def half_normal(value: Floats, scale: float) -> Floats:
    """Give the logarithm of the half-normal density of this scale, at values above 0."""
    return np.asarray(np.log(2.0) + normal(value, scale))
