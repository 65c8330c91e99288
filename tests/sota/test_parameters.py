"""Priors of the parameters, on the scale on which they are sampled."""

import numpy as np
import pytest

from leaderbayes.sota._parameters import log_priors, simplex, unpack


def test_shares_are_uniform_on_the_simplex():
    """The stick's prior is Dirichlet(1, 1, 1): its density integrates to one, its mean is 1/3."""
    parameter = simplex("weight", 3)
    x = np.stack(np.meshgrid(*2 * [np.linspace(-14, 14, 281)]), axis=-1).reshape(-1, 2)
    density = np.exp(log_priors([parameter], x)["weight"]) * 0.1**2
    assert density.sum() == pytest.approx(1.0, abs=1e-4)
    np.testing.assert_allclose(density @ unpack([parameter], x)["weight"], 1 / 3, atol=1e-4)
