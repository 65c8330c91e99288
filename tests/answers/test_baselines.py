"""Leaderboards without a model."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board, simulate


def test_mean_scores():
    table = lb.mean_scores(board([[1.0, 3.0], [4.0, np.nan], [2.0, 2.0]]))
    assert list(table["player"]) == ["p1", "p0", "p2"]
    assert list(table["rank"]) == [1, 2, 2]
    assert list(table["rounds"]) == [1, 2, 2]
    assert table["sd"][1] == pytest.approx(np.sqrt(2.0))
    low = lb.mean_scores(board([[1.0, 3.0], [4.0, 5.0]], higher_is_better=False))
    assert list(low["player"]) == ["p0", "p1"]


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
