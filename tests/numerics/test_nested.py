"""Proposals of each scale, against a posterior with a long tail to small scales."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_t

from leaderbayes._numerics.nested import nested, propose_nested
from leaderbayes._numerics.proposals import at_the_top, log_weights, refined, worth

SEEN, SCALE = np.array([0.3, -0.2, 0.1]), 2.0


def funnel(x):
    """Normal strengths exp(t) z that are seen with an error of 1; t as of a half-normal scale."""
    t, z = x[0], x[1:]
    s = np.exp(t)
    gap = SEEN - s * z
    value = t - 0.5 * (s / SCALE) ** 2 - 0.5 * z @ z - 0.5 * gap @ gap
    return float(value), np.append(1.0 - (s / SCALE) ** 2 + s * gap @ z, s * gap - z)


def values(density):
    """Logarithms of the density of points alone."""
    with_none = np.errstate(over="ignore", invalid="ignore")  # of far points
    return with_none(lambda x: np.array([density(each)[0] for each in x]))


def lopsided(x):
    """A normal t, and given it one side twice as wide as the other."""
    y = np.where(x[1:] > 0.0, x[1:] / 2.0, x[1:])
    slope = np.where(x[1:] > 0.0, x[1:] / 4.0, x[1:])
    return float(-0.5 * x[0] ** 2 - 0.5 * y @ y), np.append(-x[0], -slope)


def weights(density, count=20_000, seed=1):
    laws = nested(density, np.zeros(4))
    x, log = propose_nested(laws, count, np.random.default_rng(seed))
    return x, log_weights(values(density)(x), log)


def test_a_long_tail_to_small_scales():
    """What one law of all coordinates misses: its means are those that integrals give."""
    x, log = weights(funnel)
    one = refined(values(funnel), at_the_top(funnel, np.zeros(4)), np.random.default_rng(1))[1]
    assert worth(log) > max(0.8, one)

    def marginal(t, power=0):
        v = 1.0 + np.exp(2.0 * t)
        log = t - 0.5 * (np.exp(t) / SCALE) ** 2 - 0.5 * (SEEN @ SEEN / v + SEEN.size * np.log(v))
        return t**power * np.exp(log)

    total, first, second = (quad(marginal, -30.0, 5.0, (k,))[0] for k in range(3))
    mean, sd = first / total, np.sqrt(second / total - (first / total) ** 2)
    w = np.exp(log - log.max()) / np.exp(log - log.max()).sum()
    error = sd / np.sqrt(worth(log) * log.size)
    # What is cut off below exp(-7) has a share of exp(-7), at about -8.
    assert w @ x[:, 0] == pytest.approx(mean, abs=4.0 * error + 0.01)


def test_sides_of_unequal_width():
    x, log = weights(lopsided)
    assert worth(log) > 0.8
    laws = nested(lopsided, np.zeros(4))
    np.testing.assert_allclose(laws.width[:, 1] / laws.width[:, 0], 2.0, rtol=0.02)
    above = np.exp(log - log.max()) @ (x[:, 1:] > 0.0) / np.exp(log - log.max()).sum()
    np.testing.assert_allclose(above, 2.0 / 3.0, atol=0.02)


def test_draws_know_their_density():
    """Of even sides and one factor that of t times that of Student's."""

    def normal(x):
        return float(-0.5 * x @ x), -x

    laws = nested(normal, np.zeros(4))
    x, log = propose_nested(laws, 2000, np.random.default_rng(1))
    own = log - multivariate_t(np.zeros(3), np.eye(3), df=10).logpdf(x[:, 1:])
    gap = own + 0.5 * x[:, 0] ** 2
    np.testing.assert_allclose(gap, gap.mean(), atol=0.05)  # t is drawn from cells


@pytest.mark.parametrize("start", [-9.0, 0.0, 3.0])
def test_the_grid_finds_the_density_from_anywhere(start):
    laws = nested(lopsided, np.array([start, 0.0, 0.0, 0.0]))
    assert laws.log_scale[0] < -3.0
    assert laws.log_scale[-1] > 3.0
    assert abs(laws.log_scale[np.argmax(laws.log_density)]) <= 0.5
