"""Elo's ratings by hand."""

import numpy as np
import pytest

from leaderbayes._numerics.elo import pairs_of, ratings


def test_all_pairs_of_those_who_play_are_matches():
    first, second, points = pairs_of(np.array([[1, 2, 2, 0], [0, 3, 1, 2]], np.int32))
    made = list(zip(first, second, points, strict=True))
    assert made == [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 0.5), (1, 2, 0.0), (1, 3, 0.0), (2, 3, 1.0)]


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
def test_each_match_moves_ratings_by_what_was_not_expected(order):
    first, second, points = np.array([0, 1, 0]), np.array([1, 2, 2]), np.array([1.0, 0.5, 0.0])
    found = ratings(first, second, points, np.ones(3), np.array(order), 3, 32.0)
    rating = [0.0, 0.0, 0.0]
    for match in order:
        i, j = first[match], second[match]
        odds = 10.0 ** ((rating[i] - rating[j]) / 400.0)
        change = 32.0 * (points[match] - odds / (1.0 + odds))
        rating[i], rating[j] = rating[i] + change, rating[j] - change
    np.testing.assert_allclose(found, rating)
    assert found.sum() == pytest.approx(0.0)


def test_a_match_of_weight_n_is_played_n_times():
    once = np.array([0]), np.array([1]), np.array([1.0])
    thrice = tuple(np.repeat(each, 3) for each in once)
    found = ratings(*once, np.array([2.5]), np.array([0]), 2, 16.0)
    played = ratings(*thrice, np.array([1.0, 1.0, 0.5]), np.arange(3), 2, 16.0)
    np.testing.assert_array_equal(found, played)
