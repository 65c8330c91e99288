"""Matches of several tournaments: counted with their weights, and the density's coordinates."""

import numpy as np
import pytest
from scipy.special import log_expit
from scipy.stats import norm

from leaderbayes._numerics.tournaments import (
    Boards,
    boards,
    coordinates,
    expand,
    log_density,
    many,
)

SCALES = (2.0, 1.5)
GROUP = np.array([0, 1, 0, 1, 2])


@pytest.fixture(scope="module", params=["half", "drop"])
def board(request):
    """Three tournaments of five players and six rounds; who is there, weights, and how ties go."""
    rng = np.random.default_rng(4)
    score = np.array([1.0, 0.5, 0.0, -0.5, -1.0]) + rng.gumbel(size=(3, 6, 5))
    place = 1 + (np.round(score)[..., None, :] > np.round(score)[..., None]).sum(axis=-1)
    place[1, :, 4] = place[1, :, 0] = 0
    place[0, 2, 3] = 0
    place[2, 5] = 0  # a round that it does not have
    weight = [np.full(6, 0.5), np.full(6, 0.7), np.linspace(0.3, 0.6, 5)]
    return place.astype(np.int32), (place > 0).any(axis=1), weight, request.param


@pytest.fixture(scope="module")
def given(board):
    return boards(*board)


@pytest.fixture(scope="module", params=[None, GROUP], ids=["players", "in groups"])
def at(request, board, given):
    return coordinates(given, 5, board[2], request.param)


def brute_force(place, weight, ties, epp):
    """Weighted log-likelihood of all matches, one by one."""
    total = 0.0
    for row, strength, eta in zip(place, epp, weight, strict=True):
        rounds = row[(row > 0).any(axis=1)]
        for one, w in zip(rounds, eta, strict=True):
            for i in range(len(one)):
                for j in np.flatnonzero(one[:i]):
                    if one[i] == 0 or (ties == "drop" and one[i] == one[j]):
                        continue
                    gap = strength[i] - strength[j]
                    won = (one[i] < one[j]) + 0.5 * (one[i] == one[j])
                    total += w * (won * log_expit(gap) + (1.0 - won) * log_expit(-gap))
    return total


def jacobian(x, at):
    """Logarithm of the determinant of what strengths and means are of z."""
    spread2 = np.exp(2.0 * x[1])
    of_means = 1.0 / (np.exp(-2.0 * x[0]) + at.times / (spread2 + at.means.error))
    of_cells = 1.0 / (1.0 / spread2 + 1.0 / at.error)
    return 0.5 * (np.log(of_means).sum() + np.log(of_cells).sum())


def test_density_is_the_models(board, given, at):
    """At points far apart, up to one constant; by matches one by one, and SciPy's laws."""
    place, present, weight, ties = board
    rng = np.random.default_rng(1)
    gaps = []
    for _ in range(4):
        x = at.start + rng.standard_normal(at.start.size)
        found = expand(x, given, at)
        epp, each = found["epp"], found["epp_tournament"]
        sigma, tau = found["epp_scale"], found["epp_spread"]
        expected = epp - (present @ epp / present.sum(axis=1))[:, None]
        value = brute_force(place, weight, ties, each)
        # Of numbers that sum to zero there is one less.
        value += norm.logpdf((each - expected)[present], 0.0, tau).sum() + len(place) * np.log(tau)
        middle = np.zeros(5)
        if len(at.groups):
            middle = found["epp_group"][GROUP]
            gamma = found["group_scale"]
            value += norm.logpdf(found["epp_group"] / gamma).sum()
            value += norm.logpdf(gamma, 0.0, SCALES[0]) + np.log(gamma)
        value += norm.logpdf(epp, middle - middle.mean(), sigma).sum() + np.log(sigma)
        for scale, prior in zip((sigma, tau), SCALES, strict=True):
            value += norm.logpdf(scale, 0.0, prior) + np.log(scale)
        gaps.append(value + jacobian(x, at) - log_density(x, given, at, SCALES)[0])
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-8)


def test_many_points_are_each_ones(given, at):
    x = at.start + 0.7 * np.random.default_rng(5).standard_normal((3, at.start.size))
    found, value = many(x, given, at, SCALES)
    for k, each in enumerate(x):
        assert value[k] == log_density(each, given, at, SCALES)[0]
        one = expand(each, given, at)
        assert one.keys() == found.keys()
        for name, wanted in one.items():
            np.testing.assert_allclose(found[name][k], wanted, atol=1e-12)


def test_gradient(given, at):
    x = at.start + 0.7 * np.random.default_rng(2).standard_normal(at.start.size)
    _, gradient = log_density(x, given, at, SCALES)
    step = 1e-5 * np.eye(x.size)
    slope = [
        (log_density(x + s, given, at, SCALES)[0] - log_density(x - s, given, at, SCALES)[0]) / 2e-5
        for s in step
    ]
    np.testing.assert_allclose(gradient, slope, atol=1e-6)


def test_who_is_absent_is_expected_where_its_mean_has_it(board, given, at):
    present = board[1]
    x = at.start + np.random.default_rng(3).standard_normal(at.start.size)
    found = expand(x, given, at)
    epp, each = found["epp"], found["epp_tournament"]
    assert epp.sum() == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose((each * present).sum(axis=1), 0.0, atol=1e-12)
    assert each[1, 4] == pytest.approx(epp[4] - epp[1:4].mean())
    if len(at.groups):
        assert found["epp_group"].sum() == pytest.approx(0.0, abs=1e-12)


def test_coordinates_are_near_standard_normal(given, board):
    """Curvature is about one on every way, whether tournaments hardly differ or much."""
    at = coordinates(given, 5, board[2])
    for log_scales in ((-0.5, -3.0), (-0.5, 0.0), (-3.0, 0.0)):
        x = at.start.copy()
        x[:2] = log_scales
        step = 1e-4 * np.eye(x.size)[2:]
        slope = [
            (log_density(x - s, given, at, SCALES)[1] - log_density(x + s, given, at, SCALES)[1])[
                2:
            ]
            / 2e-4
            for s in step
        ]
        curvature = np.linalg.eigvalsh(np.array(slope))
        assert 0.2 < curvature[0]
        assert curvature[-1] < 5.0


def test_players_who_never_meet_rest_on_the_prior():
    """Two tournaments without a player in common, one of whom won all its matches."""
    n = np.array([[0.0, 3.0], [3.0, 0.0]])
    given = Boards(
        np.array([0, 2, 4]), np.arange(4), np.array([3.0, 0.0, 1.0, 2.0]), np.tile(n.ravel(), 2)
    )
    at = coordinates(given, 4, [np.ones(3)] * 2)
    value, gradient = log_density(at.start, given, at, SCALES)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
