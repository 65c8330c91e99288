"""Plackett-Luce by brute force: all orders, all derivatives, all rankings."""

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from leaderbayes._numerics.rankings import (
    by_round,
    draw_rankings,
    information,
    log_likelihood,
    rankings,
    times_information,
)


def of_order(b, order):
    """Log-probability of an order, best first."""
    return sum(b[i] - np.log(np.exp(b[order[k:]]).sum()) for k, i in enumerate(order))


def orders(row):
    """All orders, best first, that the ties of a round leave open."""
    return [o for o in permutations(np.flatnonzero(row)) if (np.diff(row[list(o)]) >= 0).all()]


def slow(b, row):
    """Mean over these."""
    return np.mean([of_order(b, list(order)) for order in orders(row)])


def test_rankings_without_ties_have_their_probability():
    rng = np.random.default_rng(1)
    place = np.array([[1, 2, 3, 4], [4, 3, 2, 1], [2, 0, 1, 3]], np.int32)
    b, weight = rng.normal(size=(2, 4)), np.array([1.0, 0.5, 2.0])
    found = log_likelihood(b, rankings(place, weight), gradient=False)[0]
    expected = [sum(w * slow(x, r) for r, w in zip(place, weight, strict=True)) for x in b]
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(
        by_round(b, rankings(place)), [[slow(x, row) for row in place] for x in b]
    )


@pytest.mark.parametrize(
    "row",
    [[1, 1, 3, 4], [1, 2, 2, 0], [1, 1, 3, 3], [1, 2, 2, 2], [1, 1, 1, 1], [1, 2, 2, 2, 2, 6, 6]],
)
def test_ties_of_up_to_four_are_the_mean_of_all_orders(row):
    b, place = np.random.default_rng(2).normal(size=len(row)), np.array([row], np.int32)
    found = log_likelihood(b[None], rankings(place), gradient=False)[0][0]
    assert found == pytest.approx(slow(b, place[0]))


@pytest.mark.parametrize("row", [[1, 2, 2, 2, 2, 2], [1, 1, 1, 1, 1]])
def test_larger_ties_are_three_times_as_close_to_the_mean_as_random_orders(row):
    place = np.array([row], np.int32)
    few, off, by_chance = rankings(place), [], []
    for b in np.random.default_rng(3).normal(size=(20, len(row))):
        found = log_likelihood(b[None], few, gradient=False)[0][0]
        every = [of_order(b, list(o)) for o in orders(place[0])]
        off.append(found - np.mean(every))
        by_chance.append(np.std(every) / np.sqrt(len(few.order)))
    assert np.square(off).mean() < np.square(by_chance).mean() / 3.0**2


def test_derivatives():
    rng = np.random.default_rng(4)
    place = np.array([[1, 1, 3, 4], [4, 3, 1, 1], [2, 0, 1, 3]], np.int32)
    ordered, b = rankings(place), rng.normal(size=4)

    def value(x):
        return log_likelihood(x[None], ordered, gradient=False)[0][0]

    def slope(x):
        return log_likelihood(x[None], ordered, gradient=True)[1][0]

    np.testing.assert_allclose(slope(b), approx_fprime(b, value, 1e-7), atol=1e-5)
    known, v = information(b, ordered), rng.normal(size=4)
    np.testing.assert_allclose(known, -approx_fprime(b, slope, 1e-7), atol=1e-5)
    np.testing.assert_allclose(times_information(v, b, ordered), known @ v)


def test_drawn_rankings_have_the_models_law():
    b, draws = np.array([1.0, 0.0, -0.5]), 20_000
    pattern = np.array([[1, 2, 3]], np.int32)
    drawn = draw_rankings(np.tile(b, (draws, 1, 1)), pattern, np.random.default_rng(5))[:, 0]
    for order in permutations(range(3)):
        place = np.empty(3, int)
        place[list(order)] = [1, 2, 3]
        share, p = (drawn == place).all(axis=1).mean(), np.exp(of_order(b, list(order)))
        assert abs(share - p) < 4.0 * np.sqrt(p * (1.0 - p) / draws)


def test_absent_players_stay_absent_and_ties_stay():
    pattern = np.array([[1, 1, 0, 3]], np.int32)
    drawn = draw_rankings(np.zeros((50, 1, 4)), pattern, np.random.default_rng(6))
    assert (drawn[..., 2] == 0).all()
    np.testing.assert_array_equal(np.sort(drawn, axis=-1)[:, 0], np.tile([0, 1, 1, 3], (50, 1)))
