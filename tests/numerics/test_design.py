"""Designs that leave players far apart, and strengths along their ways."""

import numpy as np
import pytest

from leaderbayes._numerics import design


def chain(players, each=40.0):
    met = np.zeros((players, players))
    k = np.arange(players - 1)
    met[k, k + 1] = met[k + 1, k] = each
    return met


def everyone(players, each=10.0):
    return each * (1.0 - np.eye(players))


def test_spectral_gap_of_designs_that_are_known():
    # A walk on a path of m has the cosine of pi / (m - 1).
    assert design.spectral_gap(everyone(6)) == pytest.approx(1.0)
    assert design.spectral_gap(chain(9)) == pytest.approx(1.0 - np.cos(np.pi / 8.0))
    star = np.zeros((5, 5))
    star[0, 1:] = star[1:, 0] = [1.0, 20.0, 3.0, 700.0]
    assert design.spectral_gap(star) == pytest.approx(1.0)


def test_only_long_ways_are_long():
    rng = np.random.default_rng(2)
    often = rng.lognormal(0.0, 1.2, 40)  # some are hardly ever shown
    met = np.triu(rng.poisson(1500.0 * np.outer(often, often) / often.sum() ** 2), 1)
    assert design.gap_by_chance((met + met.T).astype(float)) > design.PERHAPS
    assert design.gap_by_chance(everyone(12)) == 1.0
    assert design.gap_by_chance(np.array([[0.0, 5.0], [5.0, 0.0]])) == 1.0
    assert design.gap_by_chance(chain(6)) < design.MATCHED
    halves = np.kron(np.eye(2), everyone(6))
    # Groups that never met leave nothing to say of ways between them.
    assert design.gap_by_chance(halves) == 1.0
    halves[0, 6] = halves[6, 0] = 3.0
    assert design.gap_by_chance(halves) < design.MATCHED
    # Few matches each leave a small gap, whoever meets whom.
    thin = np.zeros((60, 60))
    np.add.at(
        thin,
        tuple(np.array([rng.permutation(60).reshape(30, 2) for _ in range(5)]).reshape(-1, 2).T),
        1.0,
    )
    assert design.spectral_gap(thin + thin.T) < 0.4
    assert design.gap_by_chance(thin + thin.T) > design.PERHAPS


def test_strengths_have_the_covariance_of_the_design():
    at, alpha, rng = design.ways(chain(5)), 1.5, np.random.default_rng(6)
    count = 20_000
    a = design.along(rng.standard_normal((count, 5)), np.full(count, alpha), at)
    met = chain(5)
    known, way = np.linalg.eigh((np.diag(met.sum(axis=1)) - met) * 4.0 / met.sum())
    known[0] = np.inf  # the mean is taken off
    wanted = (way / known**alpha) @ way.T
    centred = a - a.mean(axis=1, keepdims=True)
    error = 6.0 * wanted.diagonal().max() * np.sqrt(2.0 / count)
    np.testing.assert_allclose(np.cov(centred.T), wanted, atol=error)
    # Where all meet all alpha makes no difference.
    u = rng.standard_normal((3, 6))
    even = design.ways(everyone(6))
    np.testing.assert_allclose(design.along(u, np.array([0.0, 1.0, 2.0]), even), u, atol=1e-9)
