"""Information of rankings, and the slope of its log determinant, against enumeration."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.sparse.linalg import LinearOperator

from leaderbayes._errors import LeaderbayesError, NotConvergedError
from leaderbayes._numerics import plackett_luce_fit as fit
from leaderbayes._numerics.newton import jeffreys
from leaderbayes._numerics.plackett_luce import (
    information,
    log_likelihood,
    log_likelihood_pullback,
    rankings,
)

PLACE = np.array([[1, 2, 3, 4, 5], [3, 1, 0, 2, 4], [5, 3, 1, 2, 4], [0, 0, 2, 1, 0]], np.int32)
TIED = np.array([[1, 2, 2, 4], [1, 1, 3, 4], [2, 1, 4, 3], [1, 2, 3, 3]], np.int32)


def stages(place):
    """Players left at every stage of every round."""
    for row in place:
        for best in np.unique(row[row > 0]):
            yield np.flatnonzero(row >= best)


def by_definition(b, place):
    """Information, and the third cumulants, summed over all stages."""
    m = len(b)
    information, third = np.zeros((m, m)), np.zeros((m, m, m))
    for left in stages(place):
        p = np.zeros(m)
        p[left] = np.exp(b[left]) / np.exp(b[left]).sum()
        for i in left:
            gap = np.eye(m)[i] - p
            information += p[i] * np.einsum("i,j->ij", gap, gap)
            third += p[i] * np.einsum("i,j,k->ijk", gap, gap, gap)
    return information, third


def test_information_and_slope_are_sums_of_cumulants():
    b = np.random.default_rng(1).normal(size=5)
    data = rankings(PLACE)
    expected, third = by_definition(b, PLACE)
    np.testing.assert_allclose(information(b, *data), expected, atol=1e-12)
    _, inverse = jeffreys(expected, 5)

    def gradient(x):
        return log_likelihood_pullback(x[None], *data, np.ones(len(PLACE)))[0]

    slope = fit._pull(gradient, b, inverse)
    np.testing.assert_allclose(slope, 0.5 * np.einsum("ij,ijk->k", inverse, third), atol=1e-7)


@pytest.mark.parametrize("place", [PLACE, TIED])
def test_differences_agree_with_the_slope(place):
    m, data = place.shape[1], rankings(place)
    b = np.random.default_rng(2).normal(size=m)

    def gradient(x):
        return log_likelihood_pullback(x[None], *data, np.ones(len(place)))[0]

    def penalty(x):
        return jeffreys(information(x, *data), m)[0]

    _, inverse = jeffreys(information(b, *data), m)
    numeric = approx_fprime(b, penalty, 1e-7)
    np.testing.assert_allclose(fit._pull(gradient, b, inverse), numeric, atol=1e-5)


@pytest.mark.parametrize("place", [PLACE, TIED])
def test_firth_maximises_the_penalised_likelihood(place):
    m, data = place.shape[1], rankings(place)

    def penalised(x):
        x = x - x.mean()
        return log_likelihood(x[None], *data).sum() + jeffreys(information(x, *data), m)[0]

    x, steps = fit.fit_rankings(place, firth=True).epp, 1e-3 * np.eye(m)
    slope = [(penalised(x + h) - penalised(x - h)) / 2e-3 for h in steps]
    np.testing.assert_allclose(slope, 0.0, atol=1e-5)
    assert all(penalised(x + sign * h) < penalised(x) for h in steps for sign in (-1.0, 1.0))


@pytest.mark.parametrize("pseudo_rounds", [0.0, 0.5])
@pytest.mark.parametrize("place", [PLACE, TIED])
def test_products_alone_find_the_same_maximum(place, pseudo_rounds, monkeypatch):
    dense = fit.fit_rankings(place, pseudo_rounds=pseudo_rounds)
    monkeypatch.setattr(fit, "LARGEST_MATRIX", 0)
    free = fit.fit_rankings(place, pseudo_rounds=pseudo_rounds)
    np.testing.assert_allclose(free.epp, dense.epp, atol=1e-6)
    assert free.loglik == pytest.approx(dense.loglik)
    np.testing.assert_allclose(
        free.information @ np.eye(len(dense.epp)), dense.information, atol=1e-6
    )
    with pytest.raises(LeaderbayesError, match="firth=True"):
        fit.fit_rankings(place, firth=True)


@pytest.mark.parametrize("place", [PLACE, TIED])
def test_who_wants_no_matrix_gets_the_same_maximum(place, monkeypatch):
    """But of few players, and for Firth's penalty, it is made all the same."""
    for options in ({}, {"firth": True}):
        assert isinstance(fit.fit_rankings(place, matrix=False, **options).information, np.ndarray)
    monkeypatch.setattr(fit, "_FEW", 0)
    dense, free = fit.fit_rankings(place), fit.fit_rankings(place, matrix=False)
    assert isinstance(free.information, LinearOperator)
    np.testing.assert_allclose(free.epp, dense.epp, atol=1e-6)
    penalised = fit.fit_rankings(place, matrix=False, firth=True)
    assert isinstance(penalised.information, np.ndarray)


def ladder(m):
    """Places (round, player) of players who lose to the next but once."""
    rounds = m // 2
    place = np.tile(np.arange(1, m + 1), (rounds, 1)).astype(np.int32)
    for k in range(rounds):
        place[k, [2 * k, 2 * k + 1]] = place[k, [2 * k + 1, 2 * k]]
        if k < rounds - 1:
            later = (k + rounds // 2) % (rounds - 1)
            swapped = [2 * later + 1, 2 * later + 2]
            if not set(swapped) & {2 * k, 2 * k + 1}:
                place[k, swapped] = place[k, swapped[::-1]]
    return place


@pytest.mark.parametrize("matrix", [True, False])
def test_strengths_far_apart_are_found(matrix, monkeypatch):
    """Steps beyond all numbers are not taken."""
    monkeypatch.setattr(fit, "_FEW", 0)
    best = fit.fit_rankings(ladder(40), matrix=matrix)
    assert np.isfinite(best.loglik)
    np.testing.assert_allclose(best.scores.sum(axis=0), 0.0, atol=1e-8)


def test_strengths_beyond_numbers_are_no_estimate():
    with pytest.raises(NotConvergedError, match="LB002 players lie farther apart"):
        fit.fit_rankings(ladder(240), matrix=False)
