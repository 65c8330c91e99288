"""How players are best sampled: shares of variance that are not noise."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import simulate
from leaderbayes.models._board import (
    check_options,
    coords_of,
    estimates,
    rank_reliability,
    reliability,
)


def test_coordinates_are_the_boards(scores):
    coords = coords_of(lb.matches(scores))
    assert list(coords) == ["player", "round"]
    np.testing.assert_array_equal(coords["player"], scores["player"])


def test_error_falls_with_rounds_and_with_the_weight():
    rng = np.random.default_rng(0)
    few, many = (lb.matches(simulate([1.0, 0.0, -1.0], rounds, rng)) for rounds in (10, 1000))
    (_, wide), (_, half) = (estimates(few, np.full(10, eta)) for eta in (1.0, 0.25))
    epp, narrow = estimates(many, np.ones(1000))
    assert wide > 50 * narrow
    assert half == pytest.approx(4 * wide)
    mixed = estimates(few, np.repeat([0.25, 0.75], 5))[1]
    assert mixed == pytest.approx(2 * wide)
    np.testing.assert_allclose(epp, [1.0, 0.0, -1.0], atol=0.2)


@pytest.mark.parametrize(
    "share",
    [
        lambda m: reliability(m, np.full(m.sizes["round"], 0.5)),
        lambda m: rank_reliability(m["place"].to_numpy()),
    ],
)
def test_reliability_is_low_for_equals_and_high_for_well_known_differences(share):
    rng = np.random.default_rng(3)
    equal = lb.matches(simulate(np.zeros(6), 10, rng))
    clear = lb.matches(simulate([3.0, 2.0, 1.0, -1.0, -2.0, -3.0], 200, rng))
    assert 0.0 <= share(equal) < 0.5
    assert 0.95 < share(clear) <= 1.0


def test_rank_reliability_of_a_board_without_any_spread():
    assert rank_reliability(np.ones((3, 4), np.int32)) == 0.0
    assert rank_reliability(np.array([[1, 2, 3]], np.int32)) == 0.0


@pytest.mark.parametrize("centring", [-0.1, 1.1, np.nan, "0"])
def test_bad_centring(centring):
    with pytest.raises(lb.LeaderbayesError, match="centring="):
        check_options(centring, prior_scale=1.0)


def test_bad_scales():
    check_options(None, prior_scale=1.0)
    with pytest.raises(lb.LeaderbayesError, match="tie_scale=0"):
        check_options(None, prior_scale=1.0, tie_scale=0.0)
