"""Boards as they are read: which way is up, teams once, and what is known of them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import warned

BOARD = pd.DataFrame({"team": ["a", "b", "c"], "rmse": [0.31, 0.3, 0.4], "se": 0.01})


@pytest.mark.parametrize("name", ["rmse", "log_loss", "error", "error rate"])
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
    turned = lb.sota.read_board(BOARD, se="se", score="rmse", higher_is_better=False, chance=1.0)
    assert (turned.attrs["higher_is_better"], turned.attrs["chance"]) == (0, -1.0)
    np.testing.assert_array_equal(turned, -BOARD["rmse"])
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
    with pytest.warns(lb.LeaderbayesWarning, match="LB020 2 of 3 scores are not multiples of"):
        lb.sota.read_board([0.5, 0.55, 0.123456], n=10)
    named = lb.sota.read_board(pd.DataFrame({"who": ["a"], "points": [0.5]}), n=2, score="points")
    assert named.sizes["team"] == 1


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ([93.1, 0.91], {}, "divide percentages by 100"),
        ([0.9, -0.1], {}, "-0.1; shares must be from 0 to 1"),
        ([np.nan], {}, "has no scores"),
        ([0.9], {"n": 0}, "n=0"),
        ([0.9], {"n": 10**30}, r"n=1000.* up to 1000000000"),
        (pd.DataFrame({"who": ["a"], "points": [0.5]}), {}, "which column is the score"),
        (pd.DataFrame({"score": [0.5]}), {"score": "acc"}, "no column 'acc'"),
        ("absent.csv", {}, "absent.csv: cannot be read"),
    ],
)
def test_bad_boards(source, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.sota.read_board(source, **({"n": 100} | options))


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
        ({"classes": 3, "chance": 0.3}, "Use classes or chance, not both"),
        ({"classes": 3, "se": 0.1, "n": None}, "use chance instead"),
        ({"classes": 3, "metric": "auc", "positive_rate": 0.2}, "use chance instead"),
        ({"chance": 1.0}, "chance=1.0"),
        ({"chance": np.inf, "se": 0.1, "n": None}, "chance=inf"),
        ({"positive_rate": 0.2}, "positive_rate, .* is for boards of AUC"),
        ({"metric": "auc"}, "which need it: metric='auc', positive_rate"),
        ({"metric": "auc", "positive_rate": 1.0}, "positive_rate=1.0"),
        ({"metric": "f1"}, "metric='f1'"),
    ],
)
def test_bad_facts(options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.sota.read_board([0.9, 0.8], **{"n": 100} | options)


def test_a_column_called_by_a_metric_is_the_score():
    table = pd.DataFrame({"rank": [1, 2], "team": ["a", "b"], "RMSE": [0.4, 0.5], "sd": [0.1, 0.1]})
    board = lb.sota.read_board(table, se="sd", higher_is_better=False)
    np.testing.assert_array_equal(board, [-0.4, -0.5])
    with pytest.raises(lb.ScoresError, match=r"--score NAME\): 'mine'\."):
        lb.sota.read_board(table.rename(columns={"RMSE": "mine"}), se="sd")


# Kaggle's leaderboards.

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
        (lambda t: t.drop(columns="SubmissionDate"), "a team has two rows, and no column"),
        (lambda t: t.assign(SubmissionDate="soon"), "column 'SubmissionDate' has no date"),
        (lambda t: t.assign(Score=np.nan), "has no scores"),
        (lambda t: t.assign(TeamId=None), "column 'TeamId' is empty"),
    ],
)
def test_errors_of_kaggle(change, message):
    with pytest.raises(lb.ScoresError, match=message):
        lb.sota.read_board(change(pd.read_csv(DATA / "kaggle_history.csv")), n=1000)


# Standard errors.

ERRORS = pd.DataFrame({"score": [0.5, 1.0, np.nan], "se": [0.1, np.nan, np.nan]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"give n .--n., the instances .*, or se .--se., .*: a number, or a column"),
        ({"n": 10, "se": 0.1}, "only one"),
        ({"se": 0.0}, "se=0.0"),
        ({"se": "se"}, "column 'se' is empty; a score needs a standard error"),
        ({"n": "size"}, "n='size'"),
        ({"se": "sd"}, "no column 'sd'"),
        ({"se": 0.1, "metric": "auc", "positive_rate": 0.2}, "metric='auc' is for AUCs on n"),
    ],
)
def test_bad_errors(options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.sota.read_board(ERRORS, **options)


# Percentages, and what a Series says.


def test_percent():
    """Percentages are shares times 100, and chance is in the same unit."""
    board = lb.sota.read_board([93.1, 92.0, 91.5, 0.0], n=1000, chance=50.0)
    np.testing.assert_allclose(board, [0.931, 0.92, 0.915, 0.0])
    assert (board.attrs["percent"], board.attrs["chance"]) == (1, 0.5)
    assert "percent" not in lb.sota.read_board([0.93, 0.9], n=100).attrs
    losses = lb.sota.read_board([7.0, 8.5], n=1000, higher_is_better=False)
    np.testing.assert_allclose(losses, [0.93, 0.915])
    with pytest.raises(lb.ScoresError, match=r"holds 93 and 0\.92; shares must be from 0 to 1"):
        lb.sota.read_board([0.92, 93.0], n=100)
    with pytest.raises(lb.ScoresError, match=r"holds 931; shares must be from 0 to 1"):
        lb.sota.read_board([931.0, 93.0], n=100)


def test_what_a_series_says():
    teams = pd.Series(np.arange(400, 450) / 500, name="score")
    teams.attrs |= {"n": 500, "classes": 7}
    board = lb.sota.read_board(teams)
    assert (board.attrs["n"], board.attrs["classes"]) == (500, 7)
    other = lb.sota.read_board(teams, n=1000, classes=3)
    assert (other.attrs["n"], other.attrs["classes"]) == (1000, 3)
    assert "chance" in lb.sota.read_board(teams, chance=0.1).attrs
    assert lb.sota.read_board(teams, n=1000).attrs["classes"] == 7
    assert "classes" not in lb.sota.read_board(teams, se=0.1).attrs


# Scores as they are printed, and the n that they tell.


def printed(n, digits, m, how, rng):
    """Shares of n as a competition prints them."""
    x, unit = rng.binomial(n, rng.beta(50, 10, m)), 10**digits
    whole = x * unit // n if how == "truncated" else np.floor(x * unit / n + 0.5)
    return np.round(whole / unit, digits)


def said_of(score, n):
    return warned(lb.sota.read_board, score, n=n)


@pytest.mark.parametrize("how", ["truncated", "rounded"])
@pytest.mark.parametrize(("n", "digits"), [(50, 2), (799, 3), (3000, 5), (11072, 5), (99_999, 5)])
def test_printed_scores_are_shares(n, digits, how):
    assert said_of(printed(n, digits, 500, how, np.random.default_rng(n)), n) == []


@pytest.mark.parametrize("how", ["truncated", "rounded"])
@pytest.mark.parametrize(
    ("n", "digits", "given"), [(11072, 5, 13840), (790, 4, 1000), (8738, 4, 9216), (31, 3, 40)]
)
def test_the_lattice_tells_n(n, digits, given, how):
    found = said_of(printed(n, digits, 500, how, np.random.default_rng(1)), given)
    assert len(found) == 1
    assert f"All are multiples of 1/{n}, {how} to {digits} digits" in found[0]


def test_no_lattice_is_made_up():
    """Few scores, or few digits, fit to many test sets; scores of another metric to none."""
    rng = np.random.default_rng(2)
    assert "multiples of 1/37" in said_of([0.912, 0.907], 37)[0]
    assert "Check n, and that" in said_of([0.912, 0.907], 37)[0]
    assert said_of(np.round(rng.random(1000), 2), 200) == []
    other = said_of(np.round(rng.random(300), 6), 5000)
    assert "Check n, and that" in other[0]


def test_ranks_show_the_direction():
    """Of a loss the best team is not the one with the most of it."""
    table = pd.DataFrame({"rank": range(1, 7), "team": [*"abcdef"],
                          "score": [0.30, 0.35, 0.41, 0.5, 0.62, 0.69]})  # fmt: skip
    with pytest.raises(lb.ScoresError, match=r"for a loss use .*; give n .--n., "):
        lb.sota.read_board(table)  # both at once
    with pytest.raises(
        lb.ScoresError, match="'rank' ranks low values of 'score' first: for a loss"
    ):
        lb.sota.read_board(table, n=1000)
    board = lb.sota.read_board(table, n=1000, higher_is_better=False)
    assert str(board.idxmax("team").item()) == "a"
    lb.sota.read_board(table.assign(score=table["score"][::-1].to_numpy()), n=1000)


@pytest.mark.parametrize("estimates", [False, True])
def test_losses_are_answered_as_losses(estimates):
    """As the gains that they are the complement, or the negative, of."""
    loss = np.array([0.08, 0.09, 0.09, 0.1, 0.11, 0.12, 0.13, 0.6])
    known = {"se": 0.01, "chance": 0.5} if estimates else {"n": 100}
    whole = 0.0 if estimates else 1.0
    turned = known | ({"chance": -0.5} if estimates else {})
    losses = lb.sota.read_board(loss, **known, higher_is_better=False)
    gains = lb.sota.read_board(np.round(whole - loss, 2), **turned)
    for answer in (lb.sota.shrink, lb.sota.winner):
        one, other = answer(losses), answer(gains)
        for name in ("theta_sota", "observed_max"):
            for end, opposite in (("", ""), ("_lower", "_upper"), ("_upper", "_lower")):
                if name + end in one:
                    level = whole - float(other[name + opposite])
                    assert float(one[name + end]) == pytest.approx(level, abs=1e-6)
    best = lb.sota.shrink(losses)
    assert (int(best["m"]), int(best["below_chance"])) == (7, 1)
    assert best.attrs["left_out"] == "1 team at or below chance: '7'"
    assert "off its loss" in best.attrs["message"]
    lb.plots.board(losses, best)


def test_a_loss_that_is_no_share_has_no_n():
    table = pd.DataFrame({"team": [*"abc"], "log_loss": [0.3, 0.4, 0.5]})
    with pytest.raises(lb.ScoresError, match="not a share of wrong answers"):
        lb.sota.read_board(table, n=100, higher_is_better=False)
    error = table.rename(columns={"log_loss": "error"})
    assert lb.sota.read_board(error, n=10, higher_is_better=False).max() == 0.7
