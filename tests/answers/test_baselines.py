"""Leaderboards without a model."""

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from conftest import board, simulate


def test_elo_of_one_match():
    """From equal ratings the winner gains half of k."""
    table = lb.elo(board([[1.0], [2.0]]), k=20, orders=3)
    assert list(table["player"]) == ["p1", "p0"]
    np.testing.assert_allclose(table["elo"], [1510.0, 1490.0])
    np.testing.assert_allclose(table["sd"], 0.0)


def test_elo_approaches_epp():
    """Many matches and a small k: mean ratings are Bradley-Terry's, on another scale."""
    scores = simulate([0.8, 0.0, -0.8], 2000, np.random.default_rng(0))
    rated = lb.elo(scores, k=4.0, orders=50, seed=1).set_index("player")
    fit = lb.likelihood.bradley_terry(lb.matches(scores))
    np.testing.assert_allclose(rated["epp"][fit["player"].to_numpy()], fit["epp"], atol=0.1)
    assert rated["elo"].mean() == pytest.approx(1500.0)
    again = lb.elo(scores, k=4.0, orders=50, seed=1).set_index("player")
    assert rated.equals(again)


@pytest.mark.parametrize(("options", "message"), [({"k": 0}, "k=0"), ({"orders": 0}, "orders=0")])
def test_bad_options(options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.elo(board([[1.0], [2.0]]), **options)


def rated(votes, **options):
    return lb.elo(votes, **options).set_index("player")["elo"]


def by_hand(rows, k=16.0):
    """Ratings after votes (winner, loser, points of the winner), one after the other."""
    rating = {name: 1500.0 for winner, loser, _ in rows for name in (winner, loser)}
    for one, other, points in rows:
        expected = 1.0 / (1.0 + 10.0 ** ((rating[other] - rating[one]) / 400.0))
        change = k * (points - expected)
        rating[one], rating[other] = rating[one] + change, rating[other] - change
    return rating


VOTES = [("fox", "owl", 1.0), ("owl", "elk", 0.5), ("elk", "fox", 1.0), ("fox", "owl", 0.0)]


def table(rows, **columns):
    first, second, points = zip(*rows, strict=True)
    return pd.DataFrame({"model_a": first, "model_b": second, "outcome": points, **columns})


def test_elo_of_votes_by_hand():
    votes = lb.read_votes(table(VOTES))
    found = rated(votes, k=20.0)
    assert found.to_dict() == pytest.approx(by_hand(VOTES, 20.0))
    # By time, whatever the order of rows; of the same time by rows.
    later = lb.read_votes(table(VOTES, time=[4, 1, 3, 3]))
    assert rated(later).to_dict() == pytest.approx(by_hand([VOTES[k] for k in (1, 2, 3, 0)]))
    assert lb.elo(later).attrs == {"order": "time"}
    assert lb.elo(votes).attrs == {"order": "rows"}
    assert lb.elo(votes)["sd"].isna().all()


def test_elo_of_votes_of_weight_and_for_nobody():
    thrice = lb.read_votes(table(VOTES, times=[3, 1, 1, 1]), weight="times")
    assert rated(thrice).to_dict() == pytest.approx(by_hand([VOTES[0]] * 2 + VOTES))
    bad = pd.DataFrame(
        {
            "model_a": ["fox", "owl"],
            "model_b": ["owl", "fox"],
            "winner": ["model_a", "tie (bothbad)"],
        }
    )
    own = lb.read_votes(bad, both_bad="own")
    assert rated(own).to_dict() == pytest.approx({"fox": 1508.0, "owl": 1492.0})


def test_elo_of_votes_in_random_orders_is_that_of_the_same_matches():
    scores = board([[2.0], [1.0], [3.0]])
    votes = lb.read_votes(table([("p0", "p1", 1.0), ("p0", "p2", 0.0), ("p1", "p2", 0.0)]))
    of_scores, of_votes = (lb.elo(each, orders=50, seed=3) for each in (scores, votes))
    pd.testing.assert_frame_equal(of_scores, of_votes)
    assert of_votes.attrs == {"order": "random", "seed": 3}


def test_a_vote_without_time_has_no_place():
    votes = lb.read_votes(table(VOTES, time=[4, 1, np.nan, 3]), time="time")
    with pytest.raises(lb.ScoresError, match=r"Vote 2 has no time.*orders=100"):
        lb.elo(votes)
    assert len(lb.elo(votes, orders=5, seed=0)) == 3
