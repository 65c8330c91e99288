"""What models of scores ask of a board."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board
from leaderbayes.models._scores import board_of, is_noiseless


def test_units_are_those_of_the_scores():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(1, 500)) * 3.0 + rng.normal(size=(6, 500)) * 0.5 + 10.0
    one = board_of(board(values), None, 2.0, 4.0)
    # Six players: means of a round take a sixth of the variance.
    assert one.unit == pytest.approx(0.5, rel=0.05)
    assert one.spread == pytest.approx(np.sqrt(9.25), rel=0.1)
    assert one.prior_scale == 2.0 * one.unit
    ten = board_of(board(10.0 * values), None, 2.0, 4.0)
    assert ten.unit == pytest.approx(10.0 * one.unit)
    assert board_of(board(values), 0.2, 2.0, 4.0).luck == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (np.ones((3, 1)) * [[1.0], [2.0], [3.0]], {}, "One score a player"),
        (np.ones((3, 5)), {}, "same scores"),
        (np.random.default_rng(2).normal(size=(3, 5)), {"prior_scale": -1.0}, "prior_scale"),
        (np.random.default_rng(2).normal(size=(3, 5)), {"prior_df": 0.0}, "prior_df"),
        (np.random.default_rng(2).normal(size=(3, 5)), {"test_fraction": 1.0}, "test_fraction"),
    ],
)
def test_refusals(values, options, message):
    given = {"test_fraction": None, "prior_scale": 1.0, "prior_df": 4.0} | options
    with pytest.raises(lb.LeaderbayesError, match=message):
        board_of(board(values), **given)


@pytest.mark.parametrize(
    ("values", "noiseless"),
    [
        ([[0.2, 0.3, 0.4], [0.1, 0.2, 0.3]], True),
        ([[0.2, 0.3, 0.4], [0.1, 0.2, np.nan]], True),
        ([[0.2, 0.3, 0.4], [0.1, 0.2, 0.301]], False),
        # Three effects explain any three scores.
        ([[0.2, 0.3], [0.1, np.nan]], False),
    ],
)
def test_noise_is_seen_where_scores_can_show_it(values, noiseless):
    assert is_noiseless(np.array(values), 0.1) is noiseless
