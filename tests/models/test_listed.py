"""Boards as PMRA lists them."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import simulate
from leaderbayes.models._listed import listed_board


def test_positions_and_pairs():
    matches = lb.matches(simulate([0.0, 0.0, 0.0], 6, np.random.default_rng(0)))
    board = listed_board(matches, ["p2", "p0", "p1"], 0.5, None)
    assert board.pairs == ["p2 - p0", "p2 - p1", "p0 - p1"]
    np.testing.assert_array_equal(board.order, [1, 2, 0])
    np.testing.assert_array_equal(board.eta, np.full(6, 0.5))
    place = matches["place"].to_numpy()
    np.testing.assert_array_equal(board.outcome[:, 0] == 2, place[:, 2] < place[:, 0])


def test_ties_across_rounds_are_refused():
    matches = lb.matches(simulate([0.0, 0.0], 12, np.random.default_rng(0)), within_round=False)
    with pytest.raises(lb.LeaderbayesError, match="round_intercept"):
        listed_board(matches, None, 1.0, None)
