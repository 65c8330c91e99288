"""Likelihoods as PyTensor operations: gradients, and data that can be exchanged."""

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.traversal import ancestors

import leaderbayes as lb
from graphs import AS_IT_STANDS
from leaderbayes._numerics.pairs_by_round import round_statistics
from leaderbayes._numerics.plackett_luce import rankings
from leaderbayes._numerics.round_intercept import listed_statistics, outcomes
from leaderbayes.models._ops import (
    exchangeable_data,
    known,
    listed_log_likelihood,
    pairs_log_likelihood,
    ranking_log_likelihood,
)

PLACE = np.array([[1, 2, 3, 4], [2, 2, 1, 0], [1, 4, 2, 2]], np.int32)
LISTED = np.array([2, 0, 1, 3])


def pairs(b):
    return pairs_log_likelihood(round_statistics(PLACE, within_round=True, ties="half"), b[None])


def davidson(b):
    statistics = round_statistics(PLACE, within_round=True, ties="half")
    return pairs_log_likelihood(statistics, b[None, :4], b[4][None])


def ranking(b):
    return ranking_log_likelihood(rankings(PLACE), b[None])


def listed(b):
    return listed_log_likelihood(listed_statistics(outcomes(PLACE, LISTED), LISTED), b[:4], b[4:])


@pytest.mark.parametrize(("make", "size"), [(pairs, 4), (davidson, 5), (ranking, 4), (listed, 7)])
def test_gradients_are_those_of_finite_differences(make, size):
    b = pt.dvector("b")
    # Rounds weigh differently: the gradient of each by itself is right.
    total = make(b) @ np.array([1.0, 0.3, -2.0])
    function = pytensor.function([b], [total, pytensor.grad(total, b)], mode=AS_IT_STANDS)
    at = np.random.default_rng(0).normal(size=size)
    _, gradient = function(at)
    step = 1e-6 * np.eye(size)
    numeric = [(function(at + h)[0] - function(at - h)[0]) / 2e-6 for h in step]
    np.testing.assert_allclose(gradient, numeric, atol=1e-6)


def test_small_data_is_constant_unless_it_can_be_exchanged():
    def shared(graph):
        return {v.name for v in ancestors([graph]) if isinstance(v, SharedVariable)}

    b = pt.dvector("b")
    assert shared(pairs(b)) == set()
    with exchangeable_data():
        names = shared(pairs(b))
    assert "RoundStatistics.points" in names
    assert shared(pairs(b)) == set()


def test_places_have_to_be_observed():
    np.testing.assert_array_equal(known(pt.constant(PLACE)), PLACE)
    with pytest.raises(lb.LeaderbayesError, match="observe them as data"):
        known(pt.imatrix("place"))
