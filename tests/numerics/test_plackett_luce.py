"""Plackett-Luce, the mean over orders where players tie, against enumeration."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from leaderbayes._numerics import plackett_luce as pl
from leaderbayes._numerics.bradley_terry import probability

PLACE = np.array(
    [[1, 2, 3, 4], [2, 1, 3, 3], [1, 1, 1, 4], [0, 1, 2, 0], [0, 0, 0, 1], [0, 0, 0, 0]], np.int32
)


def orders_of(row):
    """All orders, best first, that a round's ties leave open."""
    tied = [permutations(np.flatnonzero(row == place)) for place in np.unique(row[row > 0])]
    return [sum(parts, ()) for parts in product(*tied)]


def of_order(order, b):
    """Log-probability of an order, best first."""
    left = [list(order[k:]) for k in range(len(order))]
    return sum(b[those[0]] - np.log(np.exp(b[those]).sum()) for those in left)


def by_definition(place, b):
    return np.array([np.mean([of_order(o, b) for o in orders_of(row)]) for row in place])


def log_likelihood(place, b):
    return pl.log_likelihood(b[None], *pl.rankings(np.asarray(place, np.int32)))


def as_place(order):
    place = np.empty(len(order), np.int32)
    place[list(order)] = np.arange(1, len(order) + 1)
    return place


@pytest.mark.parametrize("m", [2, 3, 4, 5])
def test_untied_rankings_sum_to_one(m):
    b = np.random.default_rng(m).normal(size=m)
    place = np.array([as_place(order) for order in permutations(range(m))])
    np.testing.assert_allclose(log_likelihood(place, b), by_definition(place, b), atol=1e-12)
    assert np.exp(log_likelihood(place, b)).sum() == pytest.approx(1.0)


def test_tied_rankings_are_the_mean_of_their_orders():
    rng = np.random.default_rng(1)
    place = np.vstack([np.pad(PLACE, ((0, 0), (0, 2))), [[1, 2, 2, 4, 4, 4], [1, 1, 1, 1, 1, 6]]])
    for scale in (1.0, 10.0):
        b = scale * rng.normal(size=6)
        np.testing.assert_allclose(log_likelihood(place, b), by_definition(place, b), atol=1e-9)


def test_two_tied_players_are_half_a_win_each():
    b = np.array([0.7, -0.4])
    half = np.log(probability(b)[0, 1] * probability(b)[1, 0]) / 2.0
    np.testing.assert_allclose(log_likelihood([[1, 1]], b), half)


def test_large_tied_sets_lie_between_any_orders_and_are_concave():
    """A mean of log-likelihoods: concave, invariant under relabelling and shift."""
    rng = np.random.default_rng(2)
    m = 12
    b, d = rng.normal(size=m), rng.normal(size=m)
    place = np.array([[1] * 10 + [11, 11]])
    values = [log_likelihood(place, b + h * d)[0] for h in (-1.0, 0.0, 1.0)]
    assert values[0] + values[2] < 2.0 * values[1]
    np.testing.assert_allclose(log_likelihood(place, b + 3.0), values[1], atol=1e-9)
    mixed = np.r_[rng.permutation(10), 11, 10]
    np.testing.assert_allclose(log_likelihood(place, b[mixed]), values[1], atol=1e-8)


def test_missing_players_leave_the_ranking_of_those_present():
    b = np.array([1.0, -0.5, 0.3, 0.0])
    some = log_likelihood([[0, 1, 1, 3]], b)
    np.testing.assert_allclose(some, log_likelihood([[1, 1, 3]], b[1:]))
    np.testing.assert_array_equal(log_likelihood(np.zeros((1, 4)), b), 0.0)


def test_pairwise_marginals_are_bradley_terry():
    b = np.array([0.9, -0.2, 0.1, -0.8])
    place = np.array([as_place(order) for order in permutations(range(4))])
    share = np.exp(log_likelihood(place, b))
    won = (share[:, None, None] * (place[:, :, None] < place[:, None])).sum(axis=0)
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(won[off], probability(b)[off])


@pytest.mark.parametrize("rows", [1, 6])
def test_gradient(rows):
    rng = np.random.default_rng(rows)
    epp, cotangent = rng.normal(size=(rows, 4)), rng.normal(size=6)
    data = pl.rankings(PLACE)
    slope = pl.log_likelihood_pullback(epp, *data, cotangent)

    def value(x):
        return cotangent @ pl.log_likelihood(x.reshape(epp.shape), *data)

    numeric = approx_fprime(epp.ravel(), value, 1e-7)
    np.testing.assert_allclose(slope.ravel(), numeric, atol=1e-5)


@pytest.mark.parametrize("tied", [1, 2, 4, 10])
def test_information_is_the_negative_hessian(tied):
    rng = np.random.default_rng(tied)
    place = np.array([[1] * tied + [*range(tied + 1, 13)], rng.permutation(12) + 1], np.int32)
    place[1, 3] = 0
    b, data = 2.0 * rng.normal(size=12), pl.rankings(place)

    def gradient(x):
        return pl.log_likelihood_pullback(x[None], *data, np.ones(2))[0]

    steps = 1e-5 * np.eye(12)
    numeric = np.array([gradient(b - h) - gradient(b + h) for h in steps]) / 2e-5
    information = pl.information(b, *data)
    np.testing.assert_allclose(information, numeric, atol=1e-6)
    np.testing.assert_allclose(information, information.T)
    # Only differences of strengths count.
    np.testing.assert_allclose(information.sum(axis=0), 0.0, atol=1e-7)


def test_players_far_apart_cost_what_their_gap_is():
    b = np.array([-800.0, 0.0, 800.0])
    for place, expected in (([1, 2, 3], -2400.0), ([3, 2, 1], 0.0), ([2, 2, 1], -400.0)):
        assert log_likelihood([place], b)[0] == pytest.approx(expected)
        assert np.isfinite(pl.information(b, *pl.rankings(np.array([place], np.int32)))).all()
    # A player ahead of all by any gap: the others are ranked as without it.
    others = np.array([0.3, 1.0, -0.4])
    alone = log_likelihood([[1, 2, 2]], others)[0]
    for gap in (100.0, 700.0, 1e5):
        assert log_likelihood([[1, 2, 3, 3]], np.append(gap, others))[0] == pytest.approx(alone)
        behind = log_likelihood([[4, 1, 2, 2]], np.append(-gap, others))[0]
        assert behind == pytest.approx(alone)


def test_gradient_of_players_far_apart_is_that_of_values():
    data = pl.rankings(np.array([[1, 2, 3, 4, 4], [2, 1, 3, 0, 4], [2, 2, 1, 1, 5]], np.int32))
    b = np.array([900.0, 1.0, 0.3, -0.2, -750.0])
    slope = pl.log_likelihood_pullback(b[None], *data, np.ones(3))[0]
    for i, e in enumerate(1e-4 * np.eye(5)):
        up, down = (pl.log_likelihood(x[None], *data).sum() for x in (b + e, b - e))
        assert slope[i] == pytest.approx((up - down) / 2e-4, abs=1e-6)


def test_strengths_that_nothing_can_hold_are_impossible_and_not_nan():
    place = np.arange(1, 31, dtype=np.int32)[None]
    assert log_likelihood(place, 50.0 * np.arange(30.0))[0] == -np.inf
    for b in (np.full(30, np.nan), 1e120 * np.arange(30.0), np.r_[np.inf, np.zeros(29)]):
        assert log_likelihood(place, b)[0] == -np.inf
        assert (pl.log_likelihood_pullback(b[None], *pl.rankings(place), np.ones(1)) == 0.0).all()


def test_draws_follow_the_law():
    rng = np.random.default_rng(5)
    b, draws = np.array([0.7, 0.0, -0.7]), 40_000
    got = pl.draw_rankings(b[None], np.tile([3, 1, 2], (draws, 1)).astype(np.int32), rng)
    seen, counts = np.unique(got, axis=0, return_counts=True)
    expected = np.exp(log_likelihood(seen, b))
    assert expected.sum() == pytest.approx(1.0)
    error = np.sqrt(expected * (1 - expected) / draws)
    assert (np.abs(counts / draws - expected) < 4.5 * error).all()


def test_draws_have_the_ties_and_the_absent_of_their_pattern():
    rng = np.random.default_rng(6)
    pattern = np.repeat(PLACE, 5000, axis=0)
    b = np.array([1.0, 0.0, -1.0, 0.0])
    got = pl.draw_rankings(b[None], pattern, rng)
    np.testing.assert_array_equal(np.sort(got), np.sort(pattern))
    np.testing.assert_array_equal(got == 0, pattern == 0)
    # Halves of a tie count as wins do: the second kind of round is one of untied orders, whose
    # last two places, and their pair, are each other's at random.
    won = np.sign(got[5000:10_000, 2] - got[5000:10_000, 0])
    orders = np.array([as_place(order) for order in permutations(range(4))])
    seen = np.where(orders > 2, 3, orders)
    expected = np.exp(log_likelihood(orders, b)) @ np.sign(seen[:, 2] - seen[:, 0])
    assert won.mean() == pytest.approx(expected, abs=4.5 / np.sqrt(5000))
