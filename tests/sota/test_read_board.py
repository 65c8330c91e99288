"""Boards as they are read: which way is up, teams once, and what is known of them."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

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
    assert lb.leaderboard(found)["team"].iloc[0] == "b"
    np.testing.assert_array_equal(found["posterior"]["theta"], given["posterior"]["theta"])
    turned = lb.sota.read_board(BOARD, se="se", score="rmse", higher_is_better=False, chance=1.0)
    assert turned.attrs["chance"] == -1.0
    shrunk = lb.sota.shrink(turned)
    same = same.assign_attrs(chance=-1.0)
    assert float(shrunk["theta_sota"]) == float(lb.sota.shrink(same)["theta_sota"])
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


def test_reading(tmp_path):
    path = tmp_path / "board.csv"
    path.write_text("Rank,TeamId,TeamName,Score\n1,7,a,0.93\n2,9,b,0.91\n3,4,c,\n")
    board = lb.sota.read_board(path, n=100)
    assert list(board["team"].to_numpy()) == ["a", "b"]
    assert board.attrs["n"] == 100
    series = lb.sota.read_board(pd.Series([0.5, 0.25], index=["x", "y"]), n=4)
    assert list(series["team"].to_numpy()) == ["x", "y"]
    with pytest.warns(lb.BoardWarning, match="LB020 2 of 3 scores are not multiples of 1/10"):
        lb.sota.read_board([0.5, 0.55, 0.123456], n=10)
    named = lb.sota.read_board(pd.DataFrame({"who": ["a"], "points": [0.5]}), n=2, score="points")
    assert named.sizes["team"] == 1


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ([93.1, 0.91], {}, "divide percentages by 100"),
        ([0.9, -0.1], {}, "-0.1; shares are from 0 to 1"),
        ([np.nan], {}, "holds no score"),
        ([0.9], {"n": 0}, "n=0"),
        (pd.DataFrame({"who": ["a"], "points": [0.5]}), {}, "which column is the score"),
        (pd.DataFrame({"score": [0.5]}), {"score": "acc"}, "no column 'acc'"),
        ("absent.csv", {}, "absent.csv: cannot be read"),
    ],
)
def test_bad_boards(source, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.sota.read_board(source, **({"n": 100} | options))


@pytest.mark.parametrize("name", ["rmse", "log_loss", "error rate"])
def test_a_board_of_a_loss_is_refused(name):
    table = pd.DataFrame({"team": ["a", "b"], name: [0.1, 0.2]})
    with pytest.raises(lb.ScoresError, match="is the name of a loss, of which less is better"):
        lb.sota.read_board(table, se=0.1, score=name)


@pytest.mark.parametrize(
    ("options", "attrs"),
    [
        ({"n": 10}, {"metric": "accuracy", "n": 10, "classes": 2}),
        ({"n": 10, "classes": 7}, {"metric": "accuracy", "n": 10, "classes": 7}),
        ({"n": 10, "chance": 0.3}, {"metric": "accuracy", "n": 10, "chance": 0.3}),
        (
            {"n": 10, "chance": 0.3, "higher_is_better": False},
            {"metric": "accuracy", "n": 10, "chance": 0.7, "higher_is_better": 0},
        ),
        (
            {"n": 10, "metric": "auc", "positive_rate": 0.3},
            {"metric": "auc", "n": 10, "positive_rate": 0.3},
        ),
        ({"se": 0.1}, {"metric": "estimate", "se": 0.1}),
        ({"se": 0.1, "chance": -2.0}, {"metric": "estimate", "se": 0.1, "chance": -2.0}),
    ],
)
def test_what_is_known_stands_in_attrs(options, attrs, tmp_path):
    board = lb.sota.read_board([0.6, 0.7, 0.9], **options)
    source = board.attrs.pop("source")
    assert isinstance(source, str)
    assert board.attrs == {"higher_is_better": 1} | attrs
    board.to_netcdf(tmp_path / "board.nc")
    xr.testing.assert_identical(xr.load_dataarray(tmp_path / "board.nc").drop_encoding(), board)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"classes": 1}, "classes=1"),
        ({"classes": 3, "chance": 0.3}, "Give classes or chance, not both"),
        ({"classes": 3, "se": 0.1, "n": None}, "give chance instead"),
        ({"classes": 3, "metric": "auc", "positive_rate": 0.2}, "leave it out"),
        ({"chance": 1.0}, "chance=1.0"),
        ({"chance": np.inf, "se": 0.1, "n": None}, "chance=inf"),
        ({"positive_rate": 0.2}, "positive_rate, .* is for boards of AUC"),
        ({"metric": "auc"}, "these need it: metric='auc', positive_rate"),
        ({"metric": "auc", "positive_rate": 1.0}, "positive_rate=1.0"),
        ({"metric": "f1"}, "metric='f1'"),
    ],
)
def test_bad_facts(options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.sota.read_board([0.9, 0.8], **{"n": 100} | options)


@pytest.mark.parametrize(
    ("options", "chance"),
    [
        ({}, None),
        ({"classes": 4}, 0.25),
        ({"chance": 0.3}, 0.3),
        ({"metric": "auc", "positive_rate": 0.4}, 0.5),
    ],
)
def test_chance_of_test_sets_of_their_own(options, chance):
    table = pd.DataFrame({"score": [0.9, 0.8], "size": [100, 200]})
    board = lb.sota.read_board(table, n="size", **options)
    assert board.attrs["metric"] == "estimate"
    assert board.attrs.get("chance") == chance
    assert not {"n", "classes", "positive_rate"} & set(board.attrs)


def test_a_column_called_by_a_metric_is_the_score():
    table = pd.DataFrame({"rank": [1, 2], "team": ["a", "b"], "RMSE": [0.4, 0.5], "sd": [0.1, 0.1]})
    board = lb.sota.read_board(table, se="sd", higher_is_better=False)
    np.testing.assert_array_equal(board, [-0.4, -0.5])
    with pytest.raises(lb.ScoresError, match=r"--score NAME\): 'mine'\."):
        lb.sota.read_board(table.rename(columns={"RMSE": "mine"}), se="sd")
