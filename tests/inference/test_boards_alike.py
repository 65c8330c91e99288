"""Boards in place of one: how spread they are, and where players tie in them."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board
from leaderbayes._inference.boards_alike import boards_alike, tied_as, worth_of_places
from leaderbayes._numerics import bradley_terry as bt
from leaderbayes._numerics.places import count


def places_of(scores):
    return lb.matches(board(scores))["place"].transpose("round", "player").to_numpy()


def alike(place, boards, seed, *, ties="half", within_round=True):
    rng = np.random.default_rng(seed)
    return list(boards_alike(place, boards, rng, within_round=within_round, ties=ties))


def test_boards_tie_as_the_board_does():
    """Round by round as many at the same places, whoever comes there; who is missing stays so."""
    rng = np.random.default_rng(9)
    scores = rng.integers(0, 4, size=(7, 30)).astype(float)
    scores[rng.random((7, 30)) < 0.2] = np.nan
    place = places_of(scores)
    for again in alike(place, 3, 1):
        np.testing.assert_array_equal(np.sort(again, axis=1), np.sort(place, axis=1))
        np.testing.assert_array_equal(again == 0, place == 0)


def test_ties_keep_the_order():
    strict = np.array([[2, 0, 1, 3], [1, 2, 3, 4]])
    at = np.array([[0, 1, 1, 3], [1, 2, 2, 2]])
    np.testing.assert_array_equal(tied_as(at, strict[None])[0], [[1, 0, 1, 3], [1, 2, 2, 2]])
    np.testing.assert_array_equal(tied_as(np.sort(strict, axis=1), strict[None])[0], strict)


def test_places_are_worth_what_counting_pairs_gives():
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 5, size=(9, 12)).astype(float)
    scores[rng.random((9, 12)) < 0.2] = np.nan
    place = places_of(scores)
    for again in (place, *alike(place, 3, 1)):
        wins, _, _ = count(again, within_round=True, ties="half")
        # Places count who is better: of equal players each stands at the first of theirs.
        order = np.argsort(np.where(again > 0, again, 100), axis=1, kind="stable")
        strict = np.argsort(order, axis=1) + 1
        points = worth_of_places(place)[np.arange(12)[:, None], np.where(again > 0, strict, 0)]
        np.testing.assert_array_equal(points.sum(axis=0), wins.sum(axis=1))


@pytest.mark.parametrize("ties", ["half", "drop", "floor"])
@pytest.mark.parametrize("width", [None, 1.3, 3.0])  # 0, 22 and 45 % of matches tie
def test_boards_show_what_the_board_shows(ties, width):
    rng = np.random.default_rng(1)
    scores = np.linspace(-2.0, 2.0, 8)[:, None] + rng.gumbel(size=(8, 10))
    place = places_of(scores if width is None else np.floor(scores / width + rng.random(10)))

    def spread(each):
        wins, n, _ = count(each, within_round=True, ties=ties)
        found = bt.estimates_near(np.zeros((1, 8)), wins.sum(axis=1)[None], n[None])[0]
        return np.square(found - found.mean()).mean()

    shown = [spread(each) for each in alike(place, 200, 2, ties=ties)]
    # What stretches has luck of its own: of 50 boards, which are looked at again and again.
    error = np.std(shown) * np.sqrt(1.0 / 200 + 1.0 / 50)
    assert abs(np.mean(shown) - spread(place)) < 3.0 * error


def test_few_rounds_of_many_players_are_not_taken_for_misfit():
    """Around draws of the posterior 0.20 of such boards were flagged: 8 or more of 40, then.

    At most 6 of 40 with probability 0.997 where 0.05 are.
    """
    rng = np.random.default_rng(4)
    flagged = 0
    for seed in range(40):
        scores = rng.normal(size=(100, 1)) + rng.gumbel(size=(100, 5))
        place = places_of(scores)

        def discrepancy(each):
            own, met, _ = count(each, within_round=True, ties="half")
            epp = bt.estimates_near(np.zeros((1, 100)), own.sum(axis=1)[None], met[None])[0]
            return bt.deviance(epp, -np.inf, own, np.zeros_like(own), met)

        again = [discrepancy(each) for each in alike(place, 60, seed)]
        flagged += np.mean(np.array(again) >= discrepancy(place)) < 0.05
    assert flagged <= 6


def test_scores_that_are_compared_across_rounds():
    place = (
        lb.matches(board(np.random.default_rng(3).normal(size=(4, 6))), within_round=False)["place"]
        .transpose("round", "player")
        .to_numpy()
    )
    (again,) = alike(place, 1, 1, within_round=False)
    assert sorted(again.ravel()) == list(range(1, 25))


def test_players_that_nothing_tells_apart():
    place = np.ones((5, 3), int)
    again = alike(place, 4, 2)
    assert len(again) == 4
    np.testing.assert_array_equal(again[0], place)
