"""Importance sampling against densities whose moments are known."""

import numpy as np
import pytest

from leaderbayes._numerics.importance import sample


def weights(found):
    weight = np.exp(found.log_weight - found.log_weight.max())
    return weight / weight.sum()


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("ridge", [0.0, 20.0])
def test_skewed_and_correlated(d, ridge):
    """Log-gamma variables, of which the last lies on a ridge along the first."""
    shape = 3.0

    def log_density(x):
        y = x.copy()
        if d > 1:
            y[:, -1] -= ridge * x[:, 0]
        return (shape * y - np.exp(y)).sum(axis=1)

    found = sample(log_density, np.zeros(d), 4000, np.random.default_rng(d))
    weight = weights(found)
    worth = 1.0 / (weight**2).sum()
    assert worth > 2000.0
    # Mean and variance of log Gamma(3, 1): digamma and trigamma.
    first = found.point[:, 0]
    mean, variance = 0.922784335098467, 0.394934066848226
    assert weight @ first == pytest.approx(mean, abs=4 * np.sqrt(variance / worth))
    spread = weight @ (first - weight @ first) ** 2
    assert spread == pytest.approx(variance, rel=4 * np.sqrt(3 / worth))


def test_bounded_density():
    """Exponential, from 0 up: the mode is at the bound."""

    def log_density(x):
        return np.where(x[:, 0] >= 0.0, -5.0 * x[:, 0], -np.inf)

    found = sample(log_density, np.array([0.3]), 8000, np.random.default_rng(1))
    weight = weights(found)
    worth = 1.0 / (weight**2).sum()
    assert weight @ found.point[:, 0] == pytest.approx(0.2, abs=0.8 / np.sqrt(worth))


@pytest.mark.parametrize("rate", [5.0, 500.0])
def test_density_that_ends_at_its_mode(rate):
    """An exponential law backwards from 1, beside a normal one."""

    def log_density(x):
        return np.where(x[:, 0] < 1.0, rate * x[:, 0], -np.inf) - 0.5 * x[:, 1] ** 2

    found = sample(log_density, np.array([0.9, 0.0]), 20000, np.random.default_rng(1))
    weight = weights(found)
    mean, worth = weight @ found.point, 1.0 / (weight**2).sum()
    assert worth > 2000.0
    assert mean[0] == pytest.approx(1.0 - 1.0 / rate, abs=4.0 / rate / np.sqrt(worth))
    assert mean[1] == pytest.approx(0.0, abs=4.0 / np.sqrt(worth))
