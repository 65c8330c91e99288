"""Plackett-Luce and Davidson-Luce against enumeration."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from leaderbayes.numerics import plackett_luce as pl
from leaderbayes.numerics.bradley_terry import probability


def weak_orders(players):
    """Every ranking with ties, as a list of sets, best first."""
    if not players:
        yield []
        return
    for size in range(1, len(players) + 1):
        for first in combinations(players, size):
            for rest in weak_orders([p for p in players if p not in first]):
                yield [first, *rest]


def as_place(order, m):
    place = np.zeros(m, np.int32)
    done = 0
    for block in order:
        place[list(block)] = done + 1
        done += len(block)
    return place


def by_definition(order, b, delta):
    """Probability of a ranking, every normaliser summed over all sets."""
    left = sorted(p for block in order for p in block)
    result = 1.0
    for block in order:

        def weight(chosen):
            return delta.get(len(chosen), 0.0) * np.exp(np.mean(b[list(chosen)]))

        total = sum(weight(c) for d in delta for c in combinations(left, d))
        result *= weight(block) / total
        left = [p for p in left if p not in block]
    return result


def log_probability(place, b, log_delta, sizes):
    return pl.log_likelihood(b[None], log_delta, sizes, *pl.rankings(place))


@pytest.mark.parametrize("sizes", [(1,), (1, 2), (1, 3), (1, 2, 3, 4)])
@pytest.mark.parametrize("m", [2, 3, 4, 5])
def test_equals_enumeration_and_sums_to_one(m, sizes):
    rng = np.random.default_rng(m)
    b = rng.normal(size=m)
    log_delta = np.append(0.0, rng.normal(size=len(sizes) - 1))
    delta = dict(zip(sizes, np.exp(log_delta), strict=True))
    total = 0.0
    orders = [o for o in weak_orders(list(range(m))) if all(len(c) in sizes for c in o)]
    place = np.array([as_place(order, m) for order in orders])
    fast = np.exp(log_probability(place, b, log_delta, np.array(sizes)))
    for order, got in zip(orders, fast, strict=True):
        assert got == pytest.approx(by_definition(order, b, delta))
        total += got
    assert total == pytest.approx(1.0)


def test_missing_players_leave_the_ranking_of_those_present():
    b = np.array([1.0, -0.5, 0.3, 0.0])
    log_delta, sizes = np.array([0.0, 0.4]), np.array([1, 2])
    some = log_probability(np.array([[0, 1, 1, 3]]), b, log_delta, sizes)
    without = log_probability(np.array([[1, 1, 3]]), b[1:], log_delta, sizes)
    np.testing.assert_allclose(some, without)
    nobody = log_probability(np.zeros((1, 4), int), b, log_delta, sizes)
    np.testing.assert_array_equal(nobody, 0.0)


def test_pairwise_marginals_are_bradley_terry():
    b = np.array([0.9, -0.2, 0.1, -0.8])
    orders = [o for o in weak_orders([0, 1, 2, 3]) if len(o) == 4]
    place = np.array([as_place(order, 4) for order in orders])
    share = np.exp(log_probability(place, b, np.zeros(1), np.array([1])))
    won = (share[:, None, None] * (place[:, :, None] < place[:, None])).sum(axis=0)
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(won[off], probability(b)[off])


@pytest.mark.parametrize("sizes", [(1,), (1, 2, 3)])
@pytest.mark.parametrize("rows", [1, 6])
def test_gradient(rows, sizes):
    rng = np.random.default_rng(rows)
    place = np.array(
        [[1, 2, 3, 4], [2, 1, 3, 3], [1, 1, 1, 4], [0, 1, 2, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    )
    if sizes == (1,):
        place = place[[0, 0, 3, 3, 4, 5]]
    epp = rng.normal(size=(rows, 4))
    log_delta = np.append(0.0, rng.normal(size=len(sizes) - 1))
    cotangent = rng.normal(size=6)
    data = pl.rankings(place)
    slope, tie = pl.log_likelihood_pullback(epp, log_delta, np.array(sizes), *data, cotangent)

    def value(x):
        b, t = x[: epp.size].reshape(epp.shape), x[epp.size :]
        return cotangent @ pl.log_likelihood(b, t, np.array(sizes), *data)

    numeric = approx_fprime(np.append(epp, log_delta), value, 1e-7)
    np.testing.assert_allclose(np.append(slope, tie), numeric, atol=1e-5)


def test_players_too_far_apart_are_impossible_and_not_nan():
    place = np.array([[1, 2, 3]])
    out = log_probability(place, np.array([-800.0, 0.0, 800.0]), np.zeros(1), np.array([1]))
    assert out[0] == -np.inf


@pytest.mark.parametrize("sizes", [(1,), (1, 2, 3)])
def test_draws_follow_the_law(sizes):
    rng = np.random.default_rng(5)
    b = np.array([0.7, 0.0, -0.7])
    log_delta = np.append(0.0, [-0.3, 0.2])[: len(sizes)]
    draws = 40_000
    got = pl.draw_rankings(b[None], log_delta, np.array(sizes), np.ones((draws, 3), bool), rng)
    seen, counts = np.unique(got, axis=0, return_counts=True)
    expected = np.exp(log_probability(seen.astype(np.int32), b, log_delta, np.array(sizes)))
    assert expected.sum() == pytest.approx(1.0)
    error = np.sqrt(expected * (1 - expected) / draws)
    assert (np.abs(counts / draws - expected) < 4.5 * error).all()


def test_tie_sizes():
    np.testing.assert_array_equal(pl.tie_sizes(np.array([[1, 2, 2, 0], [1, 1, 1, 1]])), [1, 2, 4])
    np.testing.assert_array_equal(pl.tie_sizes(np.array([[1, 2, 0]])), [1])
