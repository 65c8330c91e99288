"""How much matches count, and what a model of one board asks of it."""

import warnings

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board
from leaderbayes._numerics.composite_weight import board_weight
from leaderbayes.models._weight import check_board, check_pairs, dependence, resolve_weight


def test_a_number_is_itself_and_composite_is_the_estimate(scores):
    matches = lb.matches(scores)
    place, wins, n = (matches[name].to_numpy() for name in ("place", "wins", "n"))
    expected = board_weight(place, wins, n, None, within_round=True, ties="half")
    assert resolve_weight(matches, 0.3, None, with_ties=False) == 0.3
    assert resolve_weight(matches, "composite", None, with_ties=False) == expected < 1.0
    # Without a single tie Davidson's has no parameter to be estimated.
    assert resolve_weight(matches, "composite", None, with_ties=True) == expected


@pytest.mark.parametrize("weight", [0.0, -1.0, 1.5, "magic", True, None])
def test_bad_weights(weight, scores):
    with pytest.raises(lb.LeaderbayesError, match="weight="):
        resolve_weight(lb.matches(scores), weight, None, with_ties=False)


def test_dependence_is_nadeaus_and_bengios():
    """Variance of a mean over r splits: 1/r + f/(1 - f) in place of 1/r."""
    assert dependence(10, None) == 1.0
    for rounds, f in ((10, 0.1), (1, 0.5), (100, 0.2)):
        independent = 1.0 / rounds
        assert dependence(rounds, f) == pytest.approx(independent / (independent + f / (1.0 - f)))
    with pytest.raises(lb.LeaderbayesError, match="test_fraction=1"):
        dependence(10, 1.0)


def test_few_rounds_say_so_here():
    two = lb.matches(board([[2.0, 1.0], [1.0, 2.0]]))
    with pytest.warns(lb.WeightWarning, match="LB011 2 rounds are too few") as caught:
        lb.models.bradley_terry(two, centring=0.0)
    # The warning points to the line that asked.
    assert {w.filename for w in caught} == {__file__}


def test_what_rests_on_the_prior_is_said():
    apart = lb.matches(board([[2.0, 2.0, 2.0], [1.0, 1.0, 1.0]]))
    with pytest.warns(lb.DisconnectedWarning, match="LB010"):
        check_board(apart)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_board(lb.matches(board([[2.0, 1.0], [1.0, 2.0]])))


def test_ties_dropped_across_rounds_have_no_likelihood_by_round(scores):
    check_pairs(lb.matches(scores, ties="drop"), "this")
    with pytest.raises(lb.LeaderbayesError, match="'drop' across rounds"):
        check_pairs(lb.matches(scores, ties="drop", within_round=False), "this")
    with pytest.raises(lb.LeaderbayesError, match="no meaning for this; choose 'half' or 'drop'"):
        check_pairs(lb.matches(scores, ties="floor"), "this")


def test_test_fraction_divides_the_weight(scores, tournaments):
    matches, many = lb.matches(scores), lb.matches(tournaments)
    factor = 1 + 10 * 0.1 / 0.9
    for name in ("bradley_terry", "davidson", "plackett_luce", "round_intercept"):
        plain, wide = (
            getattr(lb.models, name)(matches, test_fraction=f)["weight"].get_value()
            for f in (None, 0.1)
        )
        assert plain / wide == pytest.approx(factor)
    wide = lb.models.tournaments(many, test_fraction=0.1)["weight"].get_value()
    plain = lb.models.tournaments(many)["weight"].get_value()
    np.testing.assert_allclose(plain / wide, 1 + 12 * 0.1 / 0.9)
