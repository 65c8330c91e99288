"""Ways on which estimates are independent, and means over tournaments."""

import numpy as np
import pytest

from leaderbayes._numerics.ways import (
    estimated_means,
    sum_to_zero,
    ways_of_means,
    ways_of_one,
)


def test_sums_to_zero():
    basis = sum_to_zero(5)
    np.testing.assert_allclose(basis.T @ basis, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(basis.sum(axis=0), 0.0, atol=1e-12)


def test_ways_take_the_covariance_apart():
    """Its inverse, but for the level, is the information; two players have one way."""
    link = np.random.default_rng(1).uniform(1.0, 3.0, (4, 4))
    link = np.triu(link, 1) + np.triu(link, 1).T
    information = np.diag(link.sum(axis=1)) - link
    vector, error = ways_of_one(information)
    np.testing.assert_allclose(
        vector @ np.diag(error) @ vector.T, np.linalg.pinv(information), atol=1e-10
    )
    assert ways_of_one(np.array([[2.0, -2.0], [-2.0, 2.0]]))[1] == pytest.approx(0.25)


def test_a_way_that_nothing_tells_has_a_large_error():
    assert ways_of_one(np.zeros((3, 3)))[1].tolist() == [1e6, 1e6]


@pytest.fixture(scope="module")
def estimates():
    """Ways of 200 tournaments of four players, from which some are missing."""
    rng = np.random.default_rng(2)
    mean, spread = np.array([1.0, 0.4, -0.3, -1.1]), 0.6
    middle, error, of_player = [], [], []
    for t in range(200):
        who = np.delete(np.arange(4), t % 4) if t % 3 == 0 else np.arange(4)
        basis = sum_to_zero(len(who))
        unsure = rng.uniform(0.1, 0.4, len(who) - 1)
        noise = np.sqrt(spread**2 + unsure) * rng.standard_normal(len(unsure))
        middle.append(basis.T @ mean[who] + noise)
        error.append(unsure)
        of_player.append(np.zeros((len(unsure), 4)))
        of_player[-1][:, who] = basis.T
    return mean, spread, *map(np.concatenate, (middle, error, of_player))


def test_means_and_the_spread_are_found(estimates):
    mean, spread, middle, error, of_player = estimates
    found = ways_of_means(middle, error, of_player)
    # Of 534 ways, and of some 180 estimates of a mean.
    assert found.spread2 == pytest.approx(spread**2, abs=4.0 * 0.6 * np.sqrt(2.0 / 534))
    np.testing.assert_allclose(found.mean, mean, atol=4.0 * np.sqrt(0.6 / 150))
    assert (found.times > 100).all()
    # At that spread ways have the errors that estimates leave.
    _, information = estimated_means(middle, error, of_player, found.spread2)
    vector = found.ways.vector
    covariance = vector.T @ np.linalg.pinv(information) @ vector
    unsure = (found.spread2 + found.ways.error) / found.times
    np.testing.assert_allclose(covariance, np.diag(unsure), atol=1e-10)
    np.testing.assert_allclose(found.ways.middle, vector.T @ found.mean)


def test_estimates_that_vary_by_their_errors_alone_have_no_spread(estimates):
    mean, _, _, error, of_player = estimates
    noise = 0.5 * np.sqrt(error) * np.random.default_rng(3).standard_normal(len(error))
    assert ways_of_means(of_player @ mean + noise, error, of_player).spread2 == 1e-4
