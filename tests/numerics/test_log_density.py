"""The log-density that NUTS samples: PyMC's model, in other coordinates."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board, simulate
from leaderbayes._numerics.composite_weight import weighted_counts
from leaderbayes._numerics.laplace import Board
from leaderbayes._numerics.log_density import (
    coordinates,
    log_density,
    many_priors,
    strengths,
)

FAR = board(np.tile(-np.arange(4.0)[:, None], (1, 20)))  # all rounds in the same order


@pytest.fixture(params=["plain", "missing", "decided"])
def scores(request):
    if request.param == "decided":
        return FAR
    rng = np.random.default_rng(3)
    made = simulate([1.5, 0.0, -0.5, 0.3], 9, rng)
    if request.param == "missing":
        made[2, 3:] = np.nan
        made[:, 5] = np.round(made[:, 5])
    return made


def counted(scores, df=4.0):
    matches = lb.matches(scores)
    eta = np.linspace(0.3, 0.9, matches.sizes["round"])
    wins, n, _ = weighted_counts(matches["place"].to_numpy(), eta, within_round=True, ties="half")
    return matches, eta, Board(wins.sum(axis=1), n, 2.0, df)


def _strengths(x, at, df):
    """Strengths whose mean is not taken off."""
    w = x[1:] ** 2 / (df + 1.0)
    t = np.sign(x[1:]) * np.sqrt(df * np.expm1(w))
    return np.exp((1.0 - at.centring) * x[0] + at.centring * at.log_scale) * t


def test_gradient(scores):
    _, _, counts = counted(scores)
    at = coordinates(counts)
    rng, step = np.random.default_rng(7), 1e-5
    for spread in (0.0, 1.0, 4.0):
        x = at.start + spread * rng.standard_normal(5)
        _, gradient = log_density(x, counts, at)
        numeric = [
            (log_density(x + e, counts, at)[0] - log_density(x - e, counts, at)[0]) / (2 * step)
            for e in step * np.eye(5)
        ]
        np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-5)


def test_strengths(scores):
    _, _, counts = counted(scores)
    at = coordinates(counts)
    x = at.start + np.random.default_rng(1).standard_normal(5)
    a = _strengths(x, at, 4.0)
    np.testing.assert_allclose(strengths(x, *at[:2], 4.0), a - a.mean())


def test_many_priors(scores):
    """Those of each row by itself, whatever follows the coordinates in it."""
    _, _, counts = counted(scores)
    at = coordinates(counts)
    x = at.start + np.random.default_rng(1).standard_normal((6, 5))
    value, epp, a = many_priors(np.column_stack([x, x[:, :1]]), *at[:2], 2.0, 4.0)
    for k, each in enumerate(x):
        prior = many_priors(each[None], *at[:2], 2.0, 4.0)[0][0]
        assert value[k] == prior
        np.testing.assert_array_equal(epp[k], strengths(each, *at[:2], 4.0))
        np.testing.assert_allclose(a[k], _strengths(each, at, 4.0))


def test_it_starts_at_the_top(scores):
    """Of the strengths given sigma, whose coordinates have a Jacobian."""
    _, _, counts = counted(scores)
    at = coordinates(counts)
    best = log_density(at.start, counts, at)[0]
    rng = np.random.default_rng(2)
    for _ in range(20):
        assert log_density(at.start + rng.standard_normal(5), counts, at)[0] < best + 1.0


def test_players_far_apart():
    """Nothing is lost of a density between strengths that no number tells apart."""
    _, _, counts = counted(FAR)
    at = coordinates(counts)
    for x in (np.array([-17.0, 20.0, 0.0, -20.0, 1.0]), np.array([3.0, 40.0, 41.0, 42.0, -50.0])):
        value, gradient = log_density(x, counts, at)
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()
        assert value < log_density(at.start, counts, at)[0]
