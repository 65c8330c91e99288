"""The figure of a board and of its estimate."""

import numpy as np
import pytest
from scipy.stats import binomtest

import leaderbayes as lb
from figures import drawn, texts, uprights
from leaderbayes.plots._board import _whole_ticks


def test_board_shows_every_team_or_says_so(board):
    made = lb.plots.board(board, lowest=0.0, backend="none")
    (bars,) = drawn(made, "board", "hist")
    assert bars["y"].sum() == board.size
    assert drawn(made, "board", "xlabel")[0]["string"] == "score"
    made = lb.plots.board(board, lowest=0.8, backend="none")
    (bars,) = drawn(made, "board", "hist")
    assert bars["y"].sum() == (board >= 0.8).sum()
    label = drawn(made, "board", "xlabel")[0]["string"]
    assert f"({int((board < 0.8).sum())} teams below" in label


def test_board_marks(board, estimate, realisation):
    best, sota = float(board.max()), float(estimate["theta_sota"])
    alone = lb.plots.board(board, backend="none")
    assert uprights(alone, "board") == [best]
    bar = next(e for e in drawn(alone, "board", "line") if e["y"][0] < 0.0)
    np.testing.assert_allclose(bar["x"], binomtest(round(400 * best), 400).proportion_ci())
    # Any estimate with these names.
    names = ["theta_sota", "theta_sota_lower", "theta_sota_upper", "observed_max"]
    made = lb.plots.board(board, estimate[names], realisation=realisation, backend="none")
    assert uprights(made, "board") == [best, sota]
    bar = next(e for e in drawn(made, "board", "line") if e["y"][0] < 0.0)
    assert list(bar["x"]) == [estimate["theta_sota_lower"], estimate["theta_sota_upper"]]
    assert uprights(made, "realisation") == [best, realisation["score"].max()]
    for name, values in (("board", realisation["theta"]), ("realisation", realisation["score"])):
        outline = max(drawn(made, name, "line"), key=lambda e: len(e["x"]))
        edges = outline["x"][::2]
        np.testing.assert_array_equal(outline["y"][1:-1:2], np.histogram(values, edges)[0])


@pytest.mark.parametrize("top", [1, 2, 3, 7, 13, 60, 100, 1234])
def test_there_is_no_half_a_team(top):
    ticks = _whole_ticks(float(top))
    assert ticks[0] == 0
    assert 2 <= len(ticks) <= 7
    assert ticks[-1] <= top
    assert all(isinstance(tick, int) for tick in ticks)


def test_board_without_solution_says_so(board, estimate):
    titles = [
        drawn(lb.plots.board(board, one, backend="none"), "board", "title")[0]["string"]
        for one in (estimate, estimate.assign_attrs(solved=0), estimate.assign_attrs(converged=0))
    ]
    assert titles[0] == "60 teams on 400 instances"
    assert titles[1].startswith("NO SOLUTION. ")
    assert titles[2].startswith("NOT CONVERGED. ")


def test_board_of_auc():
    board = lb.sota.read_board([0.61, 0.7, 0.75], n=200, metric="auc", positive_rate=0.1)
    made = lb.plots.board(board, backend="none")
    assert uprights(made, "board") == [0.75]
    assert texts(made, "board") == ["best score 0.7500"]


def test_board_of_one_score():
    board = lb.sota.read_board([0.75], n=4)
    (bars,) = drawn(lb.plots.board(board, backend="none"), "board", "hist")
    assert bars["y"].sum() == 1


def test_board_of_estimates():
    board = lb.sota.read_board([30.5, 31.0, 34.0, 28.0], se=1.0)
    made = lb.plots.board(board, backend="none")
    assert uprights(made, "board") == [34.0]
    assert drawn(made, "board", "title")[0]["string"] == "4 teams"
    (bars,) = drawn(made, "board", "hist")
    assert bars["y"].sum() == 4


def test_board_of_equal_estimates():
    board = lb.sota.read_board([30.0, 30.0], se=1.0)
    (bars,) = drawn(lb.plots.board(board, backend="none"), "board", "hist")
    assert bars["y"].sum() == 2
