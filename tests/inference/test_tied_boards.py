"""Replicates that tie as the board does: where, as often, and around which strengths."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board
from leaderbayes._inference.tied_boards import has_ties, tied_as, tied_boards
from leaderbayes._numerics import bradley_terry as bt
from leaderbayes._numerics.places import count, draw_places


def places_of(scores):
    return lb.matches(board(scores))["place"].transpose("round", "player").to_numpy()


def test_ties_are_seen_among_those_who_are_there():
    assert has_ties(np.array([[1, 2, 3], [1, 1, 3]]))
    assert not has_ties(np.array([[1, 2, 0, 0], [2, 1, 3, 4]]))


def test_replicates_tie_as_the_board_does():
    """Round by round as many at the same places, whoever comes there; who is missing stays so."""
    rng = np.random.default_rng(9)
    scores = rng.integers(0, 4, size=(7, 30)).astype(float)
    scores[rng.random((7, 30)) < 0.2] = np.nan
    place = places_of(scores)
    for again in tied_boards(rng.normal(size=(3, 7)), place, rng, ties="half"):
        np.testing.assert_array_equal(np.sort(again, axis=1), np.sort(place, axis=1))
        np.testing.assert_array_equal(again == 0, place == 0)


def test_ties_keep_the_order():
    strict = np.array([[2, 0, 1, 3], [1, 2, 3, 4]])
    at = np.array([[0, 1, 1, 3], [1, 2, 2, 2]])
    np.testing.assert_array_equal(tied_as(at, strict), [[1, 0, 1, 3], [1, 2, 2, 2]])
    np.testing.assert_array_equal(tied_as(np.sort(strict, axis=1), strict), strict)


@pytest.mark.parametrize("ties", ["half", "drop", "floor"])
@pytest.mark.parametrize("width", [1.3, 4.0])  # 22 and 60 % of matches tie
def test_tied_boards_show_the_strengths_that_boards_without_ties_show(ties, width):
    """Strengths being what the board shows. Not stretched, half ties show 0.88 and 0.61 of them."""
    rng = np.random.default_rng(1)
    scores = np.linspace(-2.0, 2.0, 8)[:, None] + rng.gumbel(size=(8, 40))
    place = places_of(np.floor(scores / width + rng.random(40)))

    def estimate(each):
        wins, n, _ = count(each, within_round=True, ties=ties)
        return bt.estimates_near(np.zeros((1, 8)), wins.sum(axis=1)[None], n[None])[0]

    epp = estimate(place)
    epp -= epp.mean()
    draws = np.repeat(epp[None], 200, axis=0)

    def shown(boards):
        found = [estimate(each) @ epp / (epp @ epp) for each in boards]
        return np.mean(found), np.std(found) / np.sqrt(len(found))

    tied, error = shown(tied_boards(draws, place, rng, ties=ties))
    plain, other = shown(draw_places(draws[:, None], place > 0, rng))
    # What stretches has luck of its own: of 50 boards at the beginning, and of 50 at the end.
    assert abs(tied - plain) < 3.0 * np.hypot(error, other) * np.sqrt(1.0 + 200 / 50)


def test_players_that_nothing_tells_apart_are_not_stretched_without_end():
    place = np.ones((5, 3), int)
    boards = list(tied_boards(np.zeros((4, 3)), place, np.random.default_rng(2), ties="half"))
    assert len(boards) == 4
    np.testing.assert_array_equal(boards[0], place)
