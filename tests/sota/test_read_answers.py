"""Boards of answers: shares of right ones, and how classifiers depend on each other."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import board
from leaderbayes._numerics.maximum import conditionals

THETA, N = np.linspace(0.7, 0.85, 16), 300


def simulated(rng, rho, n=1000, theta=THETA, theta_0=0.85):
    """Answers (player, round) of Boland's model."""
    up, down = conditionals(theta, rho, theta_0)
    reference = rng.random(n) < theta_0
    chance = np.where(reference, up[:, None], down[:, None])
    right = board((rng.random(chance.shape) < chance).astype(float))
    return right.assign_coords(round=[f"q{i}" for i in range(n)])


@pytest.fixture(scope="module")
def answers():
    return simulated(np.random.default_rng(1), 0.5, N)


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.3, 0.5])
def test_what_answers_were_drawn_from(rho):
    """Means over boards are the truth, as far as so many boards tell."""
    rng = np.random.default_rng(2)
    boards = [lb.sota.read_answers(simulated(rng, rho)) for _ in range(25)]
    scores = np.array(boards)
    error = scores.std(axis=0, ddof=1) / np.sqrt(len(boards))
    # 16 shares and one rho: beyond 4 standard errors in one of 100 suites.
    assert np.all(np.abs(scores.mean(axis=0) - THETA) < 4.0 * error)
    found = np.array([board.attrs["rho"] for board in boards])
    assert abs(found.mean() - rho) < 4.0 * found.std(ddof=1) / np.sqrt(len(boards))
    inside = [b.attrs["rho_lower"] <= rho <= b.attrs["rho_upper"] for b in boards]
    assert np.mean(inside) > 0.95 - 4.0 * np.sqrt(0.95 * 0.05 / len(boards))


@pytest.mark.slow
def test_the_best_is_covered():
    """Intervals of the best theta, dependence estimated, hold it."""
    rng, best, inside = np.random.default_rng(3), THETA.max(), []
    for _ in range(12):
        board = lb.sota.read_answers(simulated(rng, 0.5))
        found = lb.sota.summary(lb.sota.posterior(board, draws=100, seed=1))
        inside.append(found["theta_sota_lower"] <= best <= found["theta_sota_upper"])
    assert np.mean(inside) > 0.95 - 4.0 * np.sqrt(0.95 * 0.05 / len(inside))


def test_as_by_hand(answers):
    """The board is that of the means, and rho that of the answers."""
    board = lb.sota.read_answers(answers, classes=4)
    means = answers.mean("round").to_series()
    by_hand = lb.sota.read_board(means, n=N, classes=4)
    xr.testing.assert_equal(board, by_hand)
    rho = ["rho", "rho_lower", "rho_upper"]
    said = {name: value for name, value in board.attrs.items() if name not in (*rho, "source")}
    assert said == {name: value for name, value in by_hand.attrs.items() if name != "source"}
    pairs = np.corrcoef(answers)[np.triu_indices(len(answers), 1)]
    assert board.attrs["rho"] == pytest.approx(np.sqrt(pairs.mean()))
    assert "rho" in lb.sota.posterior(board, draws=50, seed=1)["posterior"]
    shrunk = lb.sota.shrink(by_hand, rho=board.attrs["rho"])
    xr.testing.assert_identical(lb.sota.shrink(board), shrunk)


@pytest.mark.filterwarnings("ignore:[\\s\\S]*RandomVariable:DeprecationWarning")
def test_a_rho_that_is_given_wins(answers):
    board = lb.sota.read_answers(answers)
    bare = lb.sota.read_board(answers.mean("round").to_series(), n=N)
    a, b = (lb.sota.posterior(x, rho=0.4, draws=25, seed=1)["posterior"] for x in (board, bare))
    xr.testing.assert_identical(a.to_dataset(), b.to_dataset())
    for rho in (0.0, 0.4):
        assert lb.sota.shrink(board, rho=rho).attrs["rho"] == rho
    # A board that says a number says it as an argument does; one without says 0.
    said = lb.sota.posterior(bare.assign_attrs(rho=0.4), draws=25, seed=1)
    assert "rho" not in said["posterior"]
    assert "ease" in said["posterior"]
    assert lb.sota.shrink(bare).attrs["rho"] == 0.0
    with pytest.raises(lb.LeaderbayesError, match="rho=2"):
        lb.sota.shrink(bare.assign_attrs(rho=2.0))
    assert "rho" in [v.name for v in lb.models.sota(board).free_RVs]
    assert "rho" not in [v.name for v in lb.models.sota(board, rho=0.3).free_RVs]


def test_every_shape_is_one_board(answers, tmp_path):
    """Long or wide, file or frame, words or numbers, either array."""
    board = lb.sota.read_answers(answers)
    wide = answers.to_pandas().T
    wide.to_csv(tmp_path / "answers.csv", index_label="question_id")
    long = answers.rename("correct").to_series().reset_index()
    words = long.assign(correct=np.where(long["correct"] == 1.0, "correct", "incorrect"))
    named = long.set_axis(["who", "which", "fine"], axis=1)
    sources = {
        "wide file": lb.sota.read_answers(tmp_path / "answers.csv"),
        "long": lb.sota.read_answers(long),
        "words": lb.sota.read_answers(words),
        "named": lb.sota.read_answers(named, player="who", round="which", score="fine"),
        "scores": lb.sota.read_answers(lb.read_scores(words)),
        "classifiers": lb.sota.read_answers(
            answers.rename(player="classifier", round="instance").astype(np.uint8)
        ),
        "wrong": lb.sota.read_answers(
            long.assign(correct=1.0 - long["correct"]), higher_is_better=False
        ),
    }
    for name, other in sources.items():
        xr.testing.assert_allclose(other, board, rtol=0, atol=1e-12)
        assert other.attrs["rho"] == pytest.approx(board.attrs["rho"]), name
        assert other.attrs["higher_is_better"] == (name != "wrong")
    board.to_netcdf(tmp_path / "board.nc")
    xr.testing.assert_identical(xr.load_dataarray(tmp_path / "board.nc").drop_encoding(), board)


def test_clusters(answers):
    few = answers.isel(round=slice(0, 50))
    copied = xr.concat([few.assign_coords(round=[f"{k}.{q}" for q in few["round"].values])
                        for k in range(4)], "round")  # fmt: skip
    copied = copied.assign_coords(cluster=("round", np.tile(few["round"].to_numpy(), 4)))
    with pytest.warns(lb.LeaderbayesWarning, match="LB027 Items come in 50 clusters"):
        lb.sota.read_answers(copied)
    alone = few.assign_coords(cluster=("round", few["round"].to_numpy()))
    assert lb.sota.read_answers(alone).attrs["n"] == 50


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda a: a.where(a["round"] != "q3"), None, None),
        (
            lambda a: a.where((a["round"] != "q3") | (a["player"] != "p2")),
            lb.ScoresError,
            "'p2' has no answer to 'q3', and 0 more are missing: score missing answers",
        ),
        (lambda a: a * 0.5, lb.ScoresError, "has 0.5 on .*: answers are 1 .right. or 0"),
        (
            lambda a: (a * 0.5).assign_attrs(answers=1, runs=2.0),
            lb.ScoresError,
            "Keep one run of several",
        ),
        (lambda a: a * 0.0, lb.LeaderbayesError, "Fewer than two classifiers have both"),
        (
            lambda a: xr.concat([a, a], pd.Index(["x", "y"], name="tournament")),
            lb.ScoresError,
            r"to 2 test sets .*\.sel\(tournament='x'\)",
        ),
        (lambda a: a.rename(player="team"), lb.ScoresError, "dimensions player and round"),
    ],
)
def test_what_cannot_be_read(answers, change, error, message):
    small = change(answers.isel(round=slice(0, 30)))
    if error is None:  # nobody was asked
        assert lb.sota.read_answers(small).attrs["n"] == 29
        return
    with pytest.raises(error, match=message):
        lb.sota.read_answers(small)


def test_columns_are_of_tables(answers):
    with pytest.raises(lb.LeaderbayesError, match="'player' is for tables, not arrays"):
        lb.sota.read_answers(answers, player="who")
    with pytest.raises(lb.LeaderbayesError, match="classes=1"):
        lb.sota.read_answers(answers, classes=1)
