"""Columns of votes by their names."""

import pandas as pd
import pytest

import leaderbayes as lb
from leaderbayes._scores.tables import Table
from leaderbayes._scores.vote_forms import beside, difference_of, recognise_form


def table(*columns):
    return Table("here", pd.DataFrame([["x"] * len(columns)], columns=columns), str)


@pytest.mark.parametrize(
    ("columns", "first", "kind", "outcome"),
    [
        ("model_a model_b winner", "model_a", "words", ("winner",)),
        ("Model-A Model-B Winner", "Model-A", "words", ("Winner",)),
        ("a b score_a score_b", "a", "scores", ("score_a", "score_b")),
        ("player1 player2 points1 points2", "player1", "scores", ("points1", "points2")),
        ("model_a model_b winner label score_a", "model_a", "words", ("winner",)),
        ("winner loser", "winner", "won", ()),
        ("winner_id winner_name loser_id loser_name", "winner_name", "won", ()),
        ("white_id black_id winner victory_status", "white_id", "words", ("winner",)),
        ("home_team home_team_id away_team away_team_id result", "home_team", "words", ("result",)),
        ("id model_a model_b winner_model_a winner_model_b winner_tie", "model_a", "marks",
         ("winner_model_a", "winner_model_b", "winner_tie")),
    ],
)  # fmt: skip
def test_forms(columns, first, kind, outcome):
    form = recognise_form(table(*columns.split()))
    assert (form.first, form.kind, form.outcome) == (first, kind, outcome)


def test_sides_of_given_columns_are_known():
    form = recognise_form(table("bot_left", "bot_right", "won"), "bot_left", "bot_right", "won")
    assert form.sides == ("left", "right")
    assert recognise_form(table("x", "y", "won"), "x", "y", "won").sides is None


def test_each_column_plays_one_role():
    t = table("model_a", "model_b", "winner", "prompt", "question_id", "user", "judge", "date")
    found = beside(t, recognise_form(t), {"judge": "user"})
    assert found == {"prompt": "question_id", "time": "date"}


def test_a_covariate_is_a_column_or_a_difference():
    t = table("model_a", "model_b", "winner", "len_a", "len_b", "bold", "x_1", "x_2", "x_a", "x_b")
    form = recognise_form(t)
    assert difference_of(t, "len", form) == ("len_a", "len_b")
    assert difference_of(t, "bold", form) == ("bold",)
    assert difference_of(t, "x", form) == ("x_a", "x_b")
    t = table("model_a", "model_b", "winner", "len_a", "len_b", "len")
    with pytest.raises(lb.ScoresError, match="is a column, and also"):
        difference_of(t, "len", recognise_form(t))
