"""Boards as they are read: which way is up, teams once, and scores as they are printed."""

import time
import warnings

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb

BOARD = pd.DataFrame({"team": ["a", "b", "c"], "rmse": [0.31, 0.3, 0.4], "se": 0.01})


@pytest.mark.parametrize("name", ["rmse", "log_loss", "error"])
def test_losses_need_a_direction(name):
    table = BOARD.rename(columns={"rmse": name})
    with pytest.raises(lb.ScoresError, match=r"the name of a loss.*--lower-is-better"):
        lb.sota.read_board(table, se="se", score=name)
    with pytest.raises(lb.ScoresError, match="the name of a loss"):
        lb.sota.read_board(table[name], n=100)
    given = lb.sota.read_board(table, se="se", score=name, higher_is_better=True)
    np.testing.assert_array_equal(given, BOARD["rmse"])


def test_lower_is_better():
    """The best has the least loss; wrong answers are right ones turned around."""
    lower = lb.sota.read_board(BOARD, se="se", score="rmse", higher_is_better=False)
    assert lower.attrs["higher_is_better"] == 0
    np.testing.assert_array_equal(lower, -BOARD["rmse"])
    negative = BOARD.assign(score=-BOARD["rmse"])
    same = lb.sota.read_board(negative, se="se", score="score")
    found, given = lb.sota.posterior(lower, seed=1), lb.sota.posterior(same, seed=1)
    assert lb.sota.teams(found)["team"].iloc[0] == "b"
    np.testing.assert_array_equal(found["posterior"]["theta"], given["posterior"]["theta"])
    shrunk = lb.sota.shrink(lower, chance=1.0)
    assert float(shrunk["theta_sota"]) == float(lb.sota.shrink(same, chance=-1.0)["theta_sota"])
    wrong = lb.sota.read_board([0.25, 0.5], n=100, higher_is_better=False)
    np.testing.assert_array_equal(wrong, [0.75, 0.5])
    with pytest.raises(lb.LeaderbayesError, match="higher_is_better='no'"):
        lb.sota.read_board([0.25, 0.5], n=100, higher_is_better="no")


def test_teams_count_once():
    table = pd.DataFrame({"team": ["a", "b", "a", "b"], "score": [0.9, 0.8, 0.9, 0.7]})
    with pytest.raises(
        lb.ScoresError, match=r"row 2 .*: the team 'a' has a second row, as 2 teams have"
    ):
        lb.sota.read_board(table, n=10)
    with pytest.raises(lb.ScoresError, match="the team 'x' has a second row"):
        lb.sota.read_board(pd.Series([0.5, 0.5], index=["x", "x"]), n=10)
    # Different teams tie, and share a rank; a row without a score is none.
    tied = pd.DataFrame({"rank": [1, 1, 3], "score": [0.9, 0.9, 0.8]})
    assert lb.sota.read_board(tied, n=10).sizes["team"] == 3
    once = lb.sota.read_board(table.assign(score=[0.9, 0.8, None, None]), n=10)
    assert once.sizes["team"] == 2


def printed(n, digits, m, how, rng):
    """Shares of n as a competition prints them."""
    x, unit = rng.binomial(n, rng.beta(50, 10, m)), 10**digits
    whole = x * unit // n if how == "truncated" else np.floor(x * unit / n + 0.5)
    return np.round(whole / unit, digits)


def said(score, n):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lb.sota.read_board(score, n=n)
    return [str(w.message) for w in caught]


@pytest.mark.parametrize("how", ["truncated", "rounded"])
@pytest.mark.parametrize(("n", "digits"), [(50, 2), (799, 3), (3000, 5), (11072, 5), (99_999, 5)])
def test_printed_scores_are_shares(n, digits, how):
    assert said(printed(n, digits, 500, how, np.random.default_rng(n)), n) == []


@pytest.mark.parametrize("how", ["truncated", "rounded"])
@pytest.mark.parametrize(
    ("n", "digits", "given"), [(11072, 5, 13840), (790, 4, 1000), (8738, 4, 9216), (31, 3, 40)]
)
def test_the_lattice_tells_n(n, digits, given, how):
    found = said(printed(n, digits, 500, how, np.random.default_rng(1)), given)
    assert len(found) == 1
    assert f"all 500 are multiples of 1/{n}, {how} to {digits} digits" in found[0]


def test_no_lattice_is_made_up():
    """Few scores, or few digits, fit to many test sets; scores of another metric to none."""
    rng = np.random.default_rng(2)
    assert "multiples of 1/37" in said([0.912, 0.907], 37)[0]
    assert "another number" in said([0.912, 0.907], 37)[0]
    assert said(np.round(rng.random(1000), 2), 200) == []
    other = said(np.round(rng.random(300), 6), 5000)
    assert "another number" in other[0]


def test_the_search_is_quick():
    score = printed(800_000, 7, 5000, "truncated", np.random.default_rng(3))
    start = time.process_time()
    assert "1/800000" in said(score, 1_000_000)[0]
    assert time.process_time() - start < 2.0
