"""Shrinkage of players towards each other, in units of their noise."""

import numpy as np
import pytest
from scipy.stats import halfcauchy, t

from leaderbayes._numerics.shrinkage import Pairs, Prior, pairs_of, scales, shrink, shrunken


def test_pairs_are_t_statistics():
    rng = np.random.default_rng(1)
    root, centre = rng.normal(size=(6, 4)), rng.normal(size=4)
    covariance = root.T @ root
    found = pairs_of(centre, covariance, 7.0)
    wanted = [
        (centre[i] - centre[j]) ** 2
        / (covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j])
        for i in range(4)
        for j in range(i + 1, 4)
    ]
    np.testing.assert_allclose(found.squares, wanted)
    assert found.weight * len(wanted) == pytest.approx(3.0)


def test_scales_are_the_prior_times_t_likelihoods():
    pairs, prior = Pairs(np.array([0.3, 2.0, 9.0]), 0.5, 6.0), Prior(2.0, 0.1)
    tau, weights = scales(pairs, 8.0, prior)
    raw = np.sqrt(tau**2 - 0.01)
    wide = np.sqrt(1.0 + 8.0 * tau**2)[:, None]
    log = 0.5 * t.logpdf(np.sqrt(pairs.squares), 6.0, scale=wide).sum(axis=1)
    # Even steps of the logarithm have a width in proportion to t.
    wanted = np.exp(log) * halfcauchy.pdf(raw, scale=2.0) * raw
    np.testing.assert_allclose(weights, wanted / wanted.sum())


def test_one_number_shrinks_and_keeps_the_level():
    rng = np.random.default_rng(2)
    centre = np.array([1.0, 2.0, 6.0])
    flat = centre + rng.normal(size=(40_000, 3)) @ np.array([[1.0, 0.5, 0.2], [0, 1, 0], [0, 0, 2]])
    drawn = shrunken(flat, centre, np.full(40_000, 0.5), 4.0, rng)
    # B = 4 / 4 / (1 + 4 / 4).
    np.testing.assert_allclose(drawn.mean(axis=0), 3.0 + 0.5 * (centre - 3.0), atol=0.06)
    pair = np.array([1.0, -1.0, 0.0])
    assert (drawn @ pair).var() == pytest.approx(0.5 * (flat @ pair).var(), rel=0.05)
    assert drawn.mean(axis=1).var() == pytest.approx(flat.mean(axis=1).var(), rel=0.05)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_limits_of_the_prior(scale):
    rng = np.random.default_rng(3)
    flat = np.array([0.0, 1.0, 2.0]) + 0.3 * rng.normal(size=(4000, 3))
    drawn, _ = shrink(flat, 10.0, 9.0, Prior(scale, 1e-9), rng)
    spread = drawn.mean(axis=0).std() / flat.mean(axis=0).std()
    assert spread == pytest.approx(1.0 if scale > 1.0 else 0.0, abs=0.01)


def test_equal_players_are_shrunk_and_those_far_apart_are_not():
    rng = np.random.default_rng(4)
    near, far = (
        np.array(spread * np.arange(12.0)) + rng.normal(size=(2000, 12)) + rng.normal(size=12)
        for spread in (0.0, 20.0)
    )
    for flat, low, high in ((near, 0.0, 0.7), (far, 0.99, 1.01)):
        drawn, _ = shrink(flat, 20.0, 19.0, Prior(3.0, 0.1), rng)
        assert low <= drawn.mean(axis=0).std() / flat.mean(axis=0).std() < high
