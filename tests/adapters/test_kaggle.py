"""Kaggle's leaderboards."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from leaderbayes.adapters import from_kaggle

DATA = Path(__file__).parent / "data"


def test_a_download_becomes_a_board():
    board = from_kaggle(DATA / "kaggle_leaderboard.csv")
    assert list(board.index) == ["Alpha", "Beta (12)", "Beta (13)", "(14)"]
    assert list(board) == [0.91, 0.9, 0.88, 0.61]
    read = lb.sota.read_board(board, n=1000)
    assert list(read["team"].values) == list(board.index)
    np.testing.assert_array_equal(read, board)


def test_of_a_history_the_last_submission_counts():
    board = from_kaggle(DATA / "kaggle_history.csv")
    assert board.to_dict() == {"Alpha": 0.8, "Beta": 0.9}


def test_names_of_the_command_line():
    shown = pd.DataFrame(
        {"teamId": [1, 2], "teamName": ["a", "b"], "submissionDate": "2024", "score": ["0.5", ""]}
    )
    board = from_kaggle(shown)
    assert board["a"] == 0.5
    assert np.isnan(board["b"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="Score"), "no column 'score', which leaderboards of Kaggle"),
        (lambda t: t.drop(columns="SubmissionDate"), "a second row for a team, and no column"),
        (lambda t: t.assign(SubmissionDate="soon"), "column 'SubmissionDate' holds no date"),
        (lambda t: t.assign(Score=np.nan), "every score is missing"),
        (lambda t: t.assign(TeamId=None), "column 'TeamId' is empty"),
    ],
)
def test_errors(change, message):
    with pytest.raises(lb.ScoresError, match=message):
        from_kaggle(change(pd.read_csv(DATA / "kaggle_history.csv")))


@pytest.mark.parametrize("name", ["rmse", "log_loss", "error rate"])
def test_a_board_of_a_loss_is_refused(name):
    table = pd.DataFrame({"team": ["a", "b"], name: [0.1, 0.2]})
    with pytest.raises(lb.ScoresError, match="is the name of a loss, of which less is better"):
        lb.sota.read_board(table, se=0.1, score=name)
