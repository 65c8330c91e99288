"""Counts of a board, and their law given theta, against brute force."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln, logit

import leaderbayes as lb
from conftest import sum_of_binomials
from leaderbayes._numerics.counts import (
    allowed,
    conditionals_at,
    counts,
    log_probability,
    reference_count,
    shifted_binomial,
    statistics,
)
from leaderbayes._numerics.maximum import conditionals


def test_counts_tell_who_is_alike_and_leave_out_who_is_not_above_the_floor():
    score = np.array([0.9, 0.5, 0.899, 0.7, 0.2, 0.5])  # rounded, of 100
    board = counts(score, 100)
    np.testing.assert_array_equal(board.x, [20, 50, 70, 90])
    np.testing.assert_array_equal(board.times, [1, 2, 1, 2])
    np.testing.assert_array_equal(board.x[board.of], np.round(100 * score))
    above = counts(score, 100, 0.5)
    np.testing.assert_array_equal(above.x, [70, 90])
    np.testing.assert_array_equal(above.x[above.of], [90, 90, 70])


@pytest.mark.parametrize(
    ("n", "chance", "expected"), [(100, 0.5, 50), (10, 1 / 3, 3), (7, 1 / 7, 1)]
)
def test_the_floor_is_chance(n, chance, expected):
    assert counts(np.array([1.0]), n, chance).floor == expected


def test_nobody_above_chance():
    with pytest.raises(lb.LeaderbayesError, match=r"No team scores above chance, 0\.6"):
        counts(np.array([0.6, 0.2]), 100, 0.6)


def test_counts_of_the_reference():
    np.testing.assert_array_equal(reference_count(100, 0.8, [-1.0, 0.0, 99.0]), [76, 80, 100])


@pytest.mark.parametrize("theta", [0.02, 0.5, 0.97])
def test_without_dependence_a_count_is_binomial(theta):
    n = 60
    (given,) = conditionals_at(n, np.array([logit(theta)]), 0.0, 0.9, 1.3)
    found = [log_probability(float(x), *given) for x in range(n + 1)]
    np.testing.assert_allclose(found, stats.binom(n, theta).logpmf(np.arange(n + 1)), atol=1e-10)
    assert log_probability(n + 1.0, *given) == log_probability(-1.0, *given) == -math.inf


def test_with_dependence_it_is_the_shifted_binomial():
    n, theta, rho, theta_0, z = 80, 0.8, 0.5, 0.9, -1.0
    shift, size, p = shifted_binomial(n, theta, rho, theta_0, z)
    (given,) = conditionals_at(n, np.array([logit(theta)]), rho, theta_0, z)
    np.testing.assert_allclose(given[:2], [shift, size], rtol=1e-12)
    x = 61.0
    log = gammaln(size + 1) - gammaln(x - shift + 1) - gammaln(size - x + shift + 1)
    log += (x - shift) * math.log(p) + (size - x + shift) * math.log1p(-p)
    assert log_probability(x, *given) == pytest.approx(log, abs=1e-10)


# Total variations that the module's docstring states.
@pytest.mark.parametrize(("n", "most"), [(50, 0.014), (500, 0.0011), (3000, 0.0002)])
@pytest.mark.parametrize("away", [-2, 0, 1])
def test_shifted_binomial_is_nearly_the_sum_of_two(n, most, away):
    theta, rho, theta_0 = 0.9, 0.6, 0.9
    sd = math.sqrt(n * theta_0 * (1 - theta_0))
    s = round(n * theta_0 + away * sd)
    shift, size, p = shifted_binomial(n, theta, rho, theta_0, (s - n * theta_0) / sd)
    y = np.arange(n + 1) - shift
    inside = (y > -1) & (y < size + 1)
    log = gammaln(size + 1) - gammaln(y[inside] + 1) - gammaln(size - y[inside] + 1)
    pmf = np.zeros(n + 1)
    pmf[inside] = np.exp(log + y[inside] * np.log(p) + (size - y[inside]) * np.log1p(-p))
    exact = sum_of_binomials(n, theta, rho, theta_0, s)
    assert 0.5 * abs(pmf - exact).sum() < most
    x = np.arange(n + 1)
    assert pmf @ x == pytest.approx(exact @ x, abs=0.02 * n**0.5)


def test_weak_classifiers_depend_as_much_as_they_can():
    assert allowed(0.9, 0.6, 0.9) == 0.6
    weak = allowed(0.3, 0.6, 0.9)
    assert 0.0 < weak < 0.6
    _, down = conditionals(np.array([0.3]), weak, 0.9)
    assert down[0] == pytest.approx(0.0, abs=1e-12)


def test_statistics_are_quantiles():
    boards = np.random.default_rng(4).random((3, 5, 17))
    expected = np.quantile(boards, [1.0, 0.9, 0.5, 0.1], axis=-1)
    np.testing.assert_allclose(statistics(boards), np.moveaxis(expected, 0, -1))
    np.testing.assert_allclose(statistics(np.array([0.3])), 0.3)
