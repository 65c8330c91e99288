"""How much matches count, and what a model of one board asks of it."""

import warnings

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board
from leaderbayes._numerics.composite_weight import board_weight
from leaderbayes.models._registry import MODELS
from leaderbayes.models._weight import check_board, resolve_weight, shared_luck


def test_a_number_is_itself_and_composite_is_the_estimate(scores):
    matches = lb.matches(scores)
    expected = board_weight(matches["place"].to_numpy(), within_round=True, ties="half")
    assert expected.shape == (10,)
    assert (expected < 1.0).all()
    np.testing.assert_array_equal(resolve_weight(matches, 0.3, None, with_ties=False), [0.3] * 10)
    # Without a single tie Davidson's has no parameter to be estimated.
    for with_ties in (False, True):
        found = resolve_weight(matches, "composite", None, with_ties=with_ties)
        np.testing.assert_array_equal(found, expected)
    # The round that one of six misses has a weight by itself.
    assert found[3] / found[0] == pytest.approx((3 / 6) / (3 / 7))


@pytest.mark.parametrize("weight", [0.0, -1.0, 1.5, "magic", True, None])
def test_bad_weights(weight, scores):
    with pytest.raises(lb.LeaderbayesError, match="weight="):
        resolve_weight(lb.matches(scores), weight, None, with_ties=False)


@pytest.mark.parametrize("f", [0.1, 0.2, 0.5])
def test_shared_luck_is_that_of_signs(f):
    """Of who wins, where scores' differences in two rounds are normal with correlation f."""
    rng, r, repeats = np.random.default_rng(1), 20, 40_000
    shared, own = rng.normal(size=(repeats, 1)), rng.normal(size=(repeats, r))
    wins = np.sign(np.sqrt(f) * shared + np.sqrt(1.0 - f) * own)
    # Variances of means, over those of independent rounds with the same variance within them.
    ratio = r * wins.mean(axis=1).var() / wins.var(axis=1, ddof=1).mean()
    error = ratio * np.sqrt(3.0 / repeats)
    assert abs(ratio - (1.0 + r * shared_luck(f))) < 4.0 * error


def test_independent_rounds_share_nothing():
    assert shared_luck(None) == 0.0
    assert shared_luck(0.5) == pytest.approx(0.5)  # rho = 1/3
    with pytest.raises(lb.LeaderbayesError, match="test_fraction=1"):
        shared_luck(1.0)


def test_few_rounds_say_so_here():
    two = lb.matches(board([[2.0, 1.0], [1.0, 2.0]]))
    with pytest.warns(lb.LeaderbayesWarning, match="LB011 2 rounds hardly") as caught:
        lb.models.bradley_terry(two)
    # The warning points to the line that asked.
    assert {w.filename for w in caught} == {__file__}


def test_what_rests_on_the_prior_is_said():
    apart = lb.matches(board([[2.0, 2.0, 2.0], [1.0, 1.0, 1.0]]))
    with pytest.warns(lb.LeaderbayesWarning, match="LB010"):
        check_board(apart, MODELS["bradley_terry"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_board(lb.matches(board([[2.0, 1.0], [1.0, 2.0]])), MODELS["bradley_terry"])


def test_ties_dropped_across_rounds_have_no_likelihood_by_round(scores):
    with pytest.raises(lb.LeaderbayesError, match="'drop' across rounds"):
        lb.models.bradley_terry(lb.matches(scores, ties="drop", within_round=False))
    with pytest.raises(lb.LeaderbayesError, match="floor"):
        lb.models.bradley_terry(lb.matches(scores, ties="floor"))


def test_test_fraction_divides_the_weight(scores, tournaments):
    matches, many = lb.matches(scores), lb.matches(tournaments)
    factor = 1 + 10 * shared_luck(0.1)
    for name in ("bradley_terry", "davidson", "plackett_luce", "round_intercept"):
        plain, wide = (
            getattr(lb.models, name)(matches, test_fraction=f)["weight"].get_value()
            for f in (None, 0.1)
        )
        np.testing.assert_allclose(plain / wide, factor)
    wide = lb.models.tournaments(many, test_fraction=0.1)["weight"].get_value()
    plain = lb.models.tournaments(many)["weight"].get_value()
    np.testing.assert_allclose(plain / wide, 1 + 12 * shared_luck(0.1))
