"""Log-densities of priors, against SciPy's."""

import numpy as np
from scipy import stats

from leaderbayes._inference.log_prior import half_normal, normal


def test_as_scipy():
    value = np.array([0.1, 2.0, 9.0])
    np.testing.assert_allclose(normal(-value, 2.5), stats.norm(scale=2.5).logpdf(value))
    np.testing.assert_allclose(half_normal(value, 0.7), stats.halfnorm(scale=0.7).logpdf(value))
