"""Kaggle's leaderboards."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb

DATA = Path(__file__).parent / "data"


def test_a_download_becomes_a_board():
    board = lb.sota.read_board(DATA / "kaggle_leaderboard.csv", n=1000)
    assert list(board["team"].values) == ["Alpha", "Beta (12)", "Beta (13)", "(14)"]
    np.testing.assert_array_equal(board, [0.91, 0.9, 0.88, 0.61])


def test_of_a_history_the_last_submission_counts():
    board = lb.sota.read_board(DATA / "kaggle_history.csv", n=1000)
    assert board.to_series().to_dict() == {"Alpha": 0.8, "Beta": 0.9}


def test_columns_that_are_named_are_taken_as_they_are():
    with pytest.raises(lb.ScoresError, match="has a second row"):
        lb.sota.read_board(DATA / "kaggle_history.csv", n=1000, team="TeamName")


def test_names_of_the_command_line():
    shown = pd.DataFrame(
        {"teamId": [1, 2], "teamName": ["a", "b"], "submissionDate": "2024", "score": ["0.5", ""]}
    )
    board = lb.sota.read_board(shown, n=10)
    assert board.to_series().to_dict() == {"a": 0.5}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="Score"), "which column is the score"),
        (lambda t: t.drop(columns="SubmissionDate"), "a second row for a team, and no column"),
        (lambda t: t.assign(SubmissionDate="soon"), "column 'SubmissionDate' holds no date"),
        (lambda t: t.assign(Score=np.nan), "holds no score"),
        (lambda t: t.assign(TeamId=None), "column 'TeamId' is empty"),
    ],
)
def test_errors(change, message):
    with pytest.raises(lb.ScoresError, match=message):
        lb.sota.read_board(change(pd.read_csv(DATA / "kaggle_history.csv")), n=1000)
