"""Mean of the logistic function over normal noise, against quadrature."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from leaderbayes._numerics.bradley_terry import expit_mean


# Errors that the docstring states.
@pytest.mark.parametrize(("scale", "error"), [(0.0, 1e-12), (0.5, 1e-4), (5.0, 1e-4), (10.0, 4e-3)])
@pytest.mark.parametrize("location", [-6.0, 0.0, 0.7, 3.0])
def test_mean(location, scale, error):
    def height(z):
        return expit(location + scale * z) * norm.pdf(z)

    exact, _ = quad(height, -12.0, 12.0, points=[-location / scale] if scale else None, limit=200)
    assert float(expit_mean(np.array(location), scale)) == pytest.approx(exact, abs=error)


def test_arrays_broadcast_and_a_turned_location_is_the_other_sides_probability():
    location, scale = np.linspace(-2.0, 2.0, 5)[:, None], np.array([0.1, 1.0, 3.0])
    mean = expit_mean(location, scale)
    assert mean.shape == (5, 3)
    np.testing.assert_allclose(mean + expit_mean(-location, scale), 1.0)
