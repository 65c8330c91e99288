"""Means over the orders of a tied set against enumeration, and laws that are known."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from leaderbayes._numerics import tied_set

SPREAD = 20.0  # log-odds between the weights of a set


def by_orders(rest, w):
    """Value, once, twice, first and second, averaged over all orders from the worst up."""
    t = len(w)
    value, once, twice = 0.0, 0.0, 0.0
    first, second = np.zeros(t), np.zeros((t, t))
    orders = list(permutations(range(t)))
    for order in orders:
        for k in range(1, t + 1):
            inside = np.isin(np.arange(t), order[:k])
            x = rest + w[inside].sum()
            value += np.log(x)
            once += 1.0 / x
            twice += 1.0 / x**2
            first += inside / x
            second += np.outer(inside, inside) / x**2
    return [part / len(orders) for part in (value, once, twice, first, second)]


def both(method, rest, w):
    """The same of one of the two methods."""
    t = len(w)
    rule = () if method is tied_set._over_subsets else rule_for(t)
    value, _, _ = method(rest, w, *rule, np.empty(0), np.empty((0, 0)))
    first, second = np.zeros(t), np.zeros((t, t))
    _, once, twice = method(rest, w, *rule, first, second)
    return [value, once, twice, first, second]


def rule_for(t):
    node, weight = np.polynomial.legendre.leggauss((t + 1) // 2)
    return 0.5 * (node + 1.0), 0.5 * weight


@pytest.mark.parametrize("rest", [0.0, 1e-6, 0.7])
@pytest.mark.parametrize("t", [1, 2, 3, 5])
def test_equals_enumeration_of_orders(t, rest):
    rng = np.random.default_rng(t)
    for spread in (1.0, SPREAD):
        w = np.exp(rng.uniform(-spread, 0.0, t))
        expected = by_orders(rest, w)
        for method in (tied_set._over_subsets, tied_set._over_time):
            for got, wanted in zip(both(method, rest, w), expected, strict=True):
                assert_allclose(got, wanted, rtol=1e-8, atol=1e-8)


def test_larger_sets_agree_between_methods():
    rng = np.random.default_rng(1)
    w = np.exp(rng.uniform(-SPREAD, 0.0, 9))
    by_subset, by_time = (both(f, 1e-3, w) for f in (tied_set._over_subsets, tied_set._over_time))
    for small, large in zip(by_subset, by_time, strict=True):
        assert_allclose(large, small, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("rest", [0.0, 1e-4, 60.0])
def test_equal_weights_have_a_closed_form(rest):
    t = 120
    k = np.arange(1, t + 1)
    w, first = np.ones(t), np.empty(t)
    rule = tied_set.time_rule(t)
    assert len(rule[0]) < t / 2  # fewer nodes than a polynomial asks for
    assert tied_set.mean_log(rest, w, *rule) == pytest.approx(np.log(rest + k).sum(), abs=1e-8)
    once, twice = tied_set.mean_inverses(rest, w, *rule, first, np.empty((0, 0)))
    assert once == pytest.approx((1.0 / (rest + k)).sum(), rel=1e-8)
    assert twice == pytest.approx((1.0 / (rest + k) ** 2).sum(), rel=1e-8)
    assert_allclose(first, (k / t / (rest + k)).sum(), rtol=1e-8)


def test_few_among_many_light_ones():
    """Of sets of k of t players, a hypergeometric number is heavy."""
    from scipy.stats import hypergeom

    t, heavy, light = 60, 3, 1e-8
    w = np.r_[np.ones(heavy), np.full(t - heavy, light)]
    rest, expected = 1e-6, 0.0
    for k in range(1, t + 1):
        j = np.arange(max(0, k - t + heavy), min(heavy, k) + 1)
        expected += hypergeom.pmf(j, t, heavy, k) @ np.log(rest + j + (k - j) * light)
    got = tied_set.mean_log(rest, w, *tied_set.time_rule(t))
    assert got == pytest.approx(expected, abs=1e-8)


def test_order_and_scale_do_not_matter():
    rng = np.random.default_rng(3)
    for t in (4, 11):
        w, rule = np.exp(rng.normal(size=t)), tied_set.time_rule(t)
        value = tied_set.mean_log(0.3, w, *rule)
        assert tied_set.mean_log(0.3, w[::-1].copy(), *rule) == pytest.approx(value, abs=1e-10)
        scaled = tied_set.mean_log(0.3e5, 1e5 * w, *rule)
        assert scaled == pytest.approx(value + t * np.log(1e5), abs=1e-8)
