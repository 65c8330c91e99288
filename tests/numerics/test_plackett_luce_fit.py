"""Information of rankings, and the slope of its log determinant, against enumeration."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from leaderbayes.numerics import plackett_luce_fit as fit
from leaderbayes.numerics.newton import jeffreys
from leaderbayes.numerics.plackett_luce import (
    log_likelihood,
    log_likelihood_pullback,
    rankings,
    tie_sizes,
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
    start, player, _ = rankings(PLACE)
    information, third = by_definition(b, PLACE)
    np.testing.assert_allclose(fit.plain_information(b, start, player), information, atol=1e-12)
    _, inverse = jeffreys(information, 5)
    slope = fit.plain_pull(b, start, player, inverse)
    np.testing.assert_allclose(slope, 0.5 * np.einsum("ij,ijk->k", inverse, third), atol=1e-12)
    numeric = approx_fprime(
        b, lambda x: jeffreys(fit.plain_information(x, start, player), 5)[0], 1e-7
    )
    np.testing.assert_allclose(slope, numeric, atol=1e-5)


def test_differences_agree_with_the_closed_form():
    b = np.random.default_rng(2).normal(size=5)
    data = rankings(PLACE)

    def gradient(x):
        one = np.ones(len(PLACE))
        return log_likelihood_pullback(x[None], np.zeros(1), np.array([1]), *data, one)[0][0]

    information = fit.plain_information(b, data.start, data.player)
    np.testing.assert_allclose(fit._information(gradient, b), information, atol=1e-9)
    _, inverse = jeffreys(information, 5)
    # Second differences lose half of the digits, twice.
    slope = fit.plain_pull(b, data.start, data.player, inverse)
    np.testing.assert_allclose(fit._pull(gradient, b, inverse), slope, atol=1e-5)


@pytest.mark.parametrize("place", [PLACE, TIED])
def test_firth_maximises_the_penalised_likelihood(place):
    m, data, sizes = place.shape[1], rankings(place), tie_sizes(place)

    def gradient(x):
        slope = log_likelihood_pullback(
            x[None, :m], np.append(0.0, x[m:]), sizes, *data, np.ones(len(place))
        )
        return np.append(slope[0][0], slope[1][1:])

    def penalised(x):
        # Strengths sum to zero; the tie parameters follow.
        x = np.append(x[:m] - x[:m].mean(), x[m:])
        value = log_likelihood(x[None, :m], np.append(0.0, x[m:]), sizes, *data).sum()
        return value + jeffreys(fit._information(gradient, x), m)[0]

    x, steps = fit.fit_rankings(place, firth=True).x, 1e-3 * np.eye(m + len(sizes) - 1)
    slope = [(penalised(x + h) - penalised(x - h)) / 2e-3 for h in steps]
    np.testing.assert_allclose(slope, 0.0, atol=1e-5)
    assert all(penalised(x + sign * h) < penalised(x) for h in steps for sign in (-1.0, 1.0))


def test_players_too_far_apart_have_finite_curvature():
    b = np.array([-800.0, 0.0, 800.0])
    start, player, _ = rankings(np.array([[1, 2, 3]], np.int32))
    assert np.isfinite(fit.plain_information(b, start, player)).all()
    assert np.isfinite(fit.plain_pull(b, start, player, np.eye(3))).all()
