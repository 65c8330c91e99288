"""Reading votes: every form, every refusal, and the same votes in every form."""

import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._scores.vote_outcomes import is_votes

# fox beats owl, owl and elk tie, fox beats elk (shown second), both of cat and owl are bad.
FIRST = ["fox", "owl", "elk", "cat"]
SECOND = ["owl", "elk", "fox", "owl"]
OUTCOME = [1.0, 0.5, 0.0, 0.5]
ARENA = pd.DataFrame(
    {
        "model_a": FIRST,
        "model_b": SECOND,
        "winner": ["model_a", "tie", "model_b", "tie (bothbad)"],
        "question_id": ["q1", "q2", "q3", "q4"],
        "judge": ["ann", "ann", "bob", "bob"],
        "tstamp": [1.5, 2.5, 3.5, 4.5],
    }
)


def votes(first="model_a", second="model_b", **columns):
    return pd.DataFrame({first: FIRST, second: SECOND, **columns})


FORMS = {
    "model_a": ARENA,
    "as written": votes("Model A", "MODEL-B", Winner=["A", "Tie", "b", "both bad"]),
    "sides": votes("left", "right", winner=["left", "tie", "right", "both_bad"]),
    "names": votes("left", "right", winner=["fox", "tie", "fox", "bothbad"]),
    "letters": votes(preference=["A", "C", "B", "C"]),
    "left and right": votes("left", "right", verdict=["L", "tie", "R", "tie"]),
    "marks": votes(
        winner_model_a=[1, 0, 0, 0], winner_model_b=[0, 0, 1, 0], winner_tie=[0, 1, 0, 1]
    ),
    "booleans": votes(
        winner_model_a=[True, False, False, False],
        winner_model_b=[False, False, True, False],
        winner_tie=[False, True, False, True],
    ),
    "scores": votes("a", "b", score_a=[3, 1, 0.5, 0], score_b=[2, 1, 0.75, 0]),
    "home": votes("home_team", "away_team", home_score=[3, 1, 0, 2], away_score=[1, 1, 4, 2]),
    "football": votes("HomeTeam", "AwayTeam", FTHG=[3, 1, 0, 2], FTAG=[1, 1, 4, 2]),
    "football, letters": votes("HomeTeam", "AwayTeam", FTR=["H", "D", "A", "D"]),
    "both": votes(
        "HomeTeam", "AwayTeam", FTHG=[3, 1, 0, 2], FTAG=[1, 1, 4, 2], FTR=["H", "D", "A", "D"]
    ),
    "1X2": votes("home", "away", outcome=["1", "X", "2", "X"]),
    "chess": votes("white", "black", result=["1-0", "1/2-1/2", "0-1", "½-½"]),
    "points": votes("player_1", "player_2", result=[1, 0.5, 0, 0.5]),
    "win": votes("player1", "player2", result=["win", "draw", "loss", "draw"]),
    "W/L": votes("player 1", "player 2", outcome=["W", "D", "L", "D"]),
    "better": votes("system1", "system2", better=["1", "same", "2", "neither"]),
    "signs": votes(label=[1, 0, -1, 0]),
    "places": votes("generator_1", "generator_2", preference=[1.0, 1.5, 2.0, 1.5]),
    "comparisons": votes(verdict=["[[A>B]]", "A=B", "B>>A", "B=A"]),
    "sentences": votes(vote=["Model A is better", "Draw", "Model B wins", "equal"]),
    "white": votes("white_player", "black_player", winner=["white", "draw", "black", "draw"]),
}


@pytest.mark.parametrize("name", FORMS)
def test_the_same_votes_in_every_form(name):
    found = lb.read_votes(FORMS[name])
    assert found["player"].values.tolist() == ["fox", "owl", "elk", "cat"]
    assert found["first"].values.tolist() == [0, 1, 2, 3]
    assert found["second"].values.tolist() == [1, 2, 0, 1]
    assert found["outcome"].values.tolist() == OUTCOME
    assert found["first"].dtype == found["second"].dtype == np.int32
    assert found["outcome"].dtype == float
    assert found.attrs["ordered"] == 1
    assert found.attrs["kind"] == "votes"
    assert found.attrs["source"] == "the DataFrame"


@pytest.mark.parametrize("name", FORMS)
def test_the_same_votes_as_text(name, write):
    there, text = lb.read_votes(FORMS[name]), FORMS[name].to_csv(index=False)
    xr.testing.assert_equal(lb.read_votes(write(text)), there)


def test_what_else_a_row_holds():
    found = lb.read_votes(ARENA)
    assert found["prompt"].values.tolist() == ["q1", "q2", "q3", "q4"]
    assert found["judge"].values.tolist() == ["ann", "ann", "bob", "bob"]
    assert found["time"].values.tolist() == [1.5, 2.5, 3.5, 4.5]
    assert found.attrs["read_as"] == (
        "first=model_a, second=model_b, outcome=winner (model_a: the first won; tie: tie; model_b: "
        "the second won; tie (bothbad): both bad), prompt=question_id, judge=judge, time=tstamp; "
        "1 vote that both are bad count as ties"
    )
    assert "unused" not in found.attrs
    more = ARENA.assign(language="en", turn=1, len_a=1.0, len_b=2.0)
    assert lb.read_votes(more, covariates=["len"]).attrs["unused"] == "'language', 'turn'"
    bare = lb.read_votes(FORMS["letters"])
    assert set(bare.variables) == {"first", "second", "outcome", "player"}


# -- who won, without an order ---------------------------------------------------------------------


def test_winner_and_loser_have_no_order():
    table = pd.DataFrame({"Winner": ["fox", "elk"], "Loser": ["owl", "fox"]})
    found = lb.read_votes(table)
    assert found.attrs["ordered"] == 0
    assert found["outcome"].values.tolist() == [1.0, 1.0]
    assert found["player"].values.tolist() == ["fox", "owl", "elk"]
    assert "who was shown first is not known" in found.attrs["read_as"]
    tied = lb.read_votes(table.assign(tie=[False, True]))
    assert tied["outcome"].values.tolist() == [1.0, 0.5]


@pytest.mark.parametrize(
    "columns",
    [("chosen_model", "rejected_model"), ("winner_name", "loser_name"),
     ("winning_team", "losing_team"), ("chosen", "rejected")],
)  # fmt: skip
def test_other_names_of_who_won(columns):
    table = pd.DataFrame(dict(zip(columns, (["fox", "elk"], ["owl", "fox"]), strict=True)))
    assert lb.read_votes(table).attrs["ordered"] == 0


def test_a_draw_beside_winner_and_loser_is_not_won():
    table = pd.DataFrame({"winner": ["a", "b"], "loser": ["b", "a"], "result": ["won", "draw"]})
    with pytest.raises(lb.ScoresError, match=r"row 1 .*'draw', but 'winner' names who won"):
        lb.read_votes(table)


# -- what is there twice, or missing ---------------------------------------------------------------


def test_rows_that_repeat_others_with_their_id_are_named():
    numbered = ARENA.assign(vote_id=[5, 6, 7, 8])
    again = pd.concat([numbered] * 3, ignore_index=True)
    with pytest.warns(lb.LeaderbayesWarning, match=r"LB048 .*8 rows repeat others .*row 0 .*again"):
        lb.read_votes(again)
    lb.read_votes(numbered)
    lb.read_votes(pd.concat([numbered, numbered.assign(judge="eve")], ignore_index=True))


def test_votes_from_both_sides_are_named():
    once = pd.concat([votes(result=["W", "D", "L", "D"])] * 3)
    back = votes(result=["L", "D", "W", "D"]).rename(
        columns={"model_a": "model_b", "model_b": "model_a"}
    )
    said = "every vote is there from the other side, too"
    assert said in lb.read_votes(pd.concat([once, *[back] * 3])).read_as
    assert said not in lb.read_votes(pd.concat([once, once])).read_as
    assert said not in lb.read_votes(pd.concat([once, *[back] * 2, *[once] * 2, back])).read_as


@pytest.mark.parametrize("name", ["nan", "None", "N/A", "null"])
def test_a_missing_name_is_no_player(name):
    table = ARENA.assign(model_b=["owl", "elk", name, "owl"])
    with pytest.raises(lb.ScoresError, match=rf"row 2 .*name is '{name}', which stands for a miss"):
        lb.read_votes(table)


def test_other_columns_of_judges_are_named():
    found = lb.read_votes(ARENA.assign(user=list("wxyz")))
    assert found["judge"].values.tolist() == ["ann", "ann", "bob", "bob"]
    assert "user is not taken for the judge (judge='user', --judge user" in found.read_as
    assert "user is not" not in lb.read_votes(ARENA.assign(user="x"), judge="judge").read_as


@pytest.mark.parametrize(("column", "role"), [("judge", "judge"), ("question_id", "prompt")])
def test_an_empty_cell_of_what_clusters_says_what_to_do(column, role):
    cells = ARENA[column].where([True, False, True, True])
    with pytest.raises(lb.ScoresError, match=rf"row 1 .*{column}' is empty.*--{role} COLUMN"):
        lb.read_votes(ARENA.assign(**{column: cells}))


def test_an_empty_tournament_is_named_or_none_is_asked_for():
    table = ARENA.assign(language=["en", "", "de", "en"])
    with pytest.raises(lb.ScoresError, match=r"row 1 .*language' is empty.*COLUMN\), or none\.$"):
        lb.read_votes(table, tournament="language")


def test_a_winner_in_other_capitals():
    with pytest.raises(lb.ScoresError, match=r"row 0 .*'FOX', and the player is called 'fox'"):
        lb.read_votes(ARENA.assign(winner=["FOX", "tie", "fox", "owl"]))


@pytest.mark.parametrize(
    ("columns", "scores"),
    [
        (("home", "visitor"), ("home_score", "visitor_score")),
        (("HOME_TEAM_ID", "VISITOR_TEAM_ID"), ("PTS_home", "PTS_away")),
    ],
)
def test_visitors(columns, scores, write):
    table = votes(*columns, **dict(zip(scores, ([3, 1, 0, 2], [1, 1, 4, 2]), strict=True)))
    names = {name: 1000 + k for k, name in enumerate(["fox", "owl", "elk", "cat"])}
    if "ID" in columns[0]:
        table[list(columns)] = table[list(columns)].apply(lambda cells: cells.map(names))
    assert lb.read_votes(table)["outcome"].values.tolist() == OUTCOME
    assert is_votes(table)
    letters = votes(*columns, result=["H", "D", "V", "D"])
    assert lb.read_votes(letters)["outcome"].values.tolist() == OUTCOME


def test_two_models_of_a_log_that_are_a_list_in_text():
    log = pd.DataFrame({"models": ['["fox", "owl"]', "['elk', 'fox']"],
                        "type": ["leftvote", "rightvote"]})  # fmt: skip
    found = lb.read_votes(log)
    assert found["player"].values.tolist() == ["fox", "owl", "elk"]
    assert found["outcome"].values.tolist() == [1.0, 0.0]


# -- options ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "equal"),
    [(("winner_score", "loser_score"), True), (("goals_winner", "goals_loser"), True),
     (("winner_score", "loser_score"), False)],
)  # fmt: skip
def test_equal_scores_of_a_winner_and_a_loser(columns, equal):
    """They are a draw that is listed so, or were won by something else: nobody knows."""
    table = pd.DataFrame({"winner": ["a", "b"], "loser": ["b", "a"]})
    table[list(columns)] = [[2, 1], [1, 1 - (not equal)]]
    if not equal:
        assert lb.read_votes(table)["outcome"].values.tolist() == [1.0, 1.0]
        return
    with pytest.raises(lb.ScoresError, match=r"row 1 .* are equal, in 1 row, .*column tie"):
        lb.read_votes(table)
    tied = table.assign(tie=table[columns[0]] == table[columns[1]])
    assert lb.read_votes(tied)["outcome"].values.tolist() == [1.0, 0.5]


TWO = {"x_a": [2, 1, 0, 1], "x_b": [1, 1, 1, 1]}  # of which the larger wins: OUTCOME


@pytest.mark.parametrize(
    ("name", "outcome", "larger"),
    [
        ("x", ["x_a", "x_b"], True),
        ("x", "x_a,x_b", True),
        ("x", ["-x_a", "-x_b"], False),
        ("loss", ["-loss_a", "-loss_b"], False),
        ("loss", "+loss_a, +loss_b", True),
        ("time", ["+time_a", "+time_b"], True),
    ],
)
def test_the_larger_or_the_smaller_of_two_wins(name, outcome, larger):
    table = votes(**{key.replace("x", name): cells for key, cells in TWO.items()})
    found = lb.read_votes(table, outcome=outcome)
    assert found["outcome"].values.tolist() == [it if larger else 1.0 - it for it in OUTCOME]
    said = f"{name}_a and {name}_b (the {'larger' if larger else 'smaller'} wins)"
    assert said in found.attrs["read_as"]


def test_ranks_beside_players():
    table = votes(rank_a=[1, 1.5, 2, 1], rank_b=[2, 1.5, 1, 1])
    for options in ({}, {"outcome": ["rank_a", "rank_b"]}):
        assert lb.read_votes(table, **options)["outcome"].values.tolist() == OUTCOME
    of_world = table.assign(rank_a=[17, 20, 3, 1])
    with pytest.raises(lb.ScoresError, match=r"'rank_b' may be ranks .* or something that was"):
        lb.read_votes(of_world)


@pytest.mark.parametrize(
    ("columns", "outcome", "message"),
    [
        (["loss_a", "loss_b"], ["loss_a", "loss_b"], r"--outcome=-loss_a,-loss_b.*\+loss_a"),
        (["time_a", "time_b"], "time_a,time_b", "does the smaller win"),
        (["x_a", "x_b"], ["-x_a", "x_b"], "the same sign before both"),
        (["win_1", "win_2"], ["win_1", "win_2"], "numbers of wins, of which each is a vote: call"),
    ],
)
def test_which_of_two_wins_is_asked(columns, outcome, message):
    table = pd.DataFrame({"x": FIRST, "y": SECOND, columns[0]: [3, 1, 0, 1], columns[1]: 1})
    with pytest.raises(lb.ScoresError, match=message):
        lb.read_votes(table, first="x", second="y", outcome=outcome)


def test_numbers_of_wins_are_votes():
    table = votes("player1", "player2", win1=[32, 0, 1, 0], win2=[6, 2, 0, 1])
    found = lb.read_votes(table)
    assert found["weight"].sum() == 42
    assert float((found["weight"] * found["outcome"]).sum()) == 33
    with pytest.raises(lb.ScoresError, match=r"like numbers of wins.*vote: leave outcome out"):
        lb.read_votes(table, outcome=["win1", "win2"])
    with pytest.raises(lb.ScoresError, match=r"'win1' is a number of wins.*leave outcome out"):
        lb.read_votes(table, outcome="win1")


@pytest.mark.parametrize(("both_bad", "last"), [("tie", [0.5]), ("drop", []), ("own", [np.nan])])
def test_both_bad(both_bad, last):
    found = lb.read_votes(ARENA, both_bad=both_bad)
    np.testing.assert_array_equal(found["outcome"], [1.0, 0.5, 0.0, *last])
    assert found.attrs["both_bad"] == both_bad
    # Who has no vote left is no player.
    assert ("cat" in found["player"].values) == (both_bad != "drop")


def test_columns_by_name():
    outcome = ["A", "tie", "B", "tie"]
    table = pd.DataFrame({"x": FIRST, "y": SECOND, "z": outcome, "where": list("ddee")})
    found = lb.read_votes(table, first="x", second="y", outcome="z", tournament="where")
    assert found["outcome"].values.tolist() == OUTCOME
    assert found["tournament"].values.tolist() == list("ddee")
    scores = pd.DataFrame({"x": FIRST, "y": SECOND, "p": [2, 1, 0, 1], "q": [1, 1, 1, 1]})
    found = lb.read_votes(scores, first="x", second="y", outcome=["p", "q"])
    assert found["outcome"].values.tolist() == OUTCOME


COUNTED = pd.DataFrame(
    {
        "model_a": ["fox", "fox", "owl", "owl"],
        "model_b": ["owl", "owl", "elk", "elk"],
        "winner": ["model_a", "model_b", "model_a", "model_b"],
    }
)


@pytest.mark.parametrize("name", ["n", "counts", "Count", "freq", "frequency", "size", "weights"])
def test_counts_of_votes_are_read(name):
    found = lb.read_votes(COUNTED.assign(**{name: [10, 5, 0, 2]}))
    assert found["weight"].values.tolist() == [10, 5, 2]
    assert f"weight={name}; 1 row of no vote (weight 0), left out" in found.attrs["read_as"]


@pytest.mark.parametrize(
    "column",
    [
        {"size": [19, 19, 19, 19]},  # of a board
        {"n": [1, 2, 3, 4]},  # of the row
        {"freq": [0.5, 0.2, 0.2, 0.1]},
        {"frequency": [3, -1, 2, 1]},
        {"n": ["few", "more", "more", "few"]},
    ],
)
def test_what_may_count_something_else_is_said(column):
    (name,) = column
    found = lb.read_votes(COUNTED.assign(**column))
    assert "weight" not in found
    assert f"{name} is not taken for how many votes a row stands for" in found.attrs["read_as"]
    assert f"--count {name}" in found.attrs["read_as"]


def test_counts_of_rows_that_are_alike_are_no_counts():
    """One vote a row, with a number beside that is of the players, say."""
    again = pd.concat([COUNTED, COUNTED], ignore_index=True).assign(n=[3, 4, 5, 6] * 2)
    assert "weight" not in lb.read_votes(again)
    assert lb.read_votes(again, weight="n")["weight"].sum() == 36


SINGLE = {  # what stands beside a number that is none of votes, and what is said of it
    "its own number": ({"vote_id": [7, 3, 9, 1]}, "vote_id is another in each row"),
    "a time": ({"date": ["2026-01-31"] * 4}, r"rows have a time \(date\)"),
    "a judge on a prompt": (
        {"judge": list("aabb"), "question_id": [1, 1, 2, 2]}, "rows are of a judge and a prompt"
    ),
}  # fmt: skip


@pytest.mark.parametrize("beside", SINGLE)
@pytest.mark.parametrize("name", ["size", "num", "count", "votes", "weight"])
def test_numbers_beside_single_votes_are_no_counts(beside, name):
    columns, why = SINGLE[beside]
    table = COUNTED.assign(**columns, **{name: [9, 13, 9, 19]})
    found = lb.read_votes(table)
    assert "weight" not in found
    assert re.search(rf"{name} is not taken for how many votes .*{why}", found.attrs["read_as"])
    assert lb.read_votes(table, weight=name)["weight"].sum() == 50


def test_what_tells_rows_apart_beside_counts():
    """A language beside makes rows of counts; what is called n or size may be of single votes."""
    again = pd.concat([COUNTED, COUNTED], ignore_index=True).assign(
        language=["en"] * 4 + ["pl"] * 4
    )
    numbers = [9, 13, 9, 19, 9, 9, 13, 13]
    assert lb.read_votes(again.assign(count=numbers))["weight"].sum() == sum(numbers)
    assert "weight" not in lb.read_votes(again.assign(size=numbers))
    by_language = lb.read_votes(again.assign(size=numbers), tournament="language")
    assert by_language["weight"].sum() == sum(numbers)


def test_weights_of_importance_are_no_counts():
    found = lb.read_votes(COUNTED.assign(weight=[0.5, 0.25, 2, 1]))
    assert "weight" not in found
    assert "weights of importance are no counts" in found.attrs["read_as"]


def test_weights_and_covariates():
    table = ARENA.assign(
        count=[1, 2, 3, 0.5], len_a=[5, 3, 1, 0], len_b=[1, 1, 1, 1], bold=[True, False, True, True]
    )
    found = lb.read_votes(table, covariates=["len", "bold"], weight="count")
    assert found["weight"].values.tolist() == [1, 2, 3, 0.5]
    assert found["covariate"].values.tolist() == ["len", "bold"]
    assert found["covariates"].dims == ("vote", "covariate")
    assert found["covariates"].values.tolist() == [[4, 1], [2, 0], [0, 1], [-1, 1]]
    said = "weight=count, covariates=len_a - len_b; bold; count is not whole, and is 6.5 votes"
    assert said in found.attrs["read_as"]
    other = votes("left", "right", winner=["left"] * 4, length_left=[1] * 4, right_length=[3] * 4)
    with pytest.raises(lb.ScoresError, match="no column 'length'"):
        lb.read_votes(other, covariates=["length"])
    found = lb.read_votes(
        other.rename(columns={"right_length": "length_right"}), covariates=["length"]
    )
    assert found["covariates"].values.ravel().tolist() == [-2] * 4


TIMES = {
    "dates": (["2026-01-31", "2026-02-01 12:00", None, "2026-02-01T12:00:00Z"], "M"),
    "pgn": (["2026.01.31", "2026.??.??", "????.??.??", "2026.02.01"], "M"),
    "numbers": ([1, 2, 3.5, 4], "f"),
    "text": (["1", "2", "", "4"], "f"),
    "datetimes": (pd.date_range("2026-01-31", periods=4, tz="Europe/Warsaw"), "M"),
}


@pytest.mark.parametrize("name", TIMES)
def test_times(name):
    column, kind = TIMES[name]
    assert lb.read_votes(ARENA.assign(tstamp=column))["time"].dtype.kind == kind


def test_what_is_no_time_is_not_taken_unless_given():
    table = ARENA.drop(columns="tstamp").assign(date=["31/01/26"] * 4)
    found = lb.read_votes(table)
    assert "time" not in found
    assert "date holds no times in ISO 8601 and is not taken" in found.attrs["read_as"]
    with pytest.raises(lb.ScoresError, match=r"row 0 .*'31/01/26', which is no time"):
        lb.read_votes(table, time="date")


def test_whole_numbers_stay_labels_as_they_are():
    found = lb.read_votes(ARENA.assign(question_id=[7, 7, 8, 8]))
    assert found["prompt"].values.tolist() == [7, 7, 8, 8]


# -- what may be read in two ways ------------------------------------------------------------------


def test_players_called_as_the_sides():
    table = pd.DataFrame({"model_a": ["A", "B"], "model_b": ["B", "A"], "winner": ["A", "A"]})
    with pytest.raises(lb.ScoresError, match=r"row 1 .*may be read .*as the name of a player"):
        lb.read_votes(table)
    clear = lb.read_votes(table.assign(winner=["model_a", "model_a"]))
    assert clear["outcome"].values.tolist() == [1.0, 1.0]
    # One order only: both ways say the same.
    assert lb.read_votes(table.iloc[:1])["outcome"].values.tolist() == [1.0]


def test_a_player_called_tie():
    table = pd.DataFrame(
        {"left": ["tie", "owl"], "right": ["owl", "tie"], "winner": ["tie", "owl"]}
    )
    with pytest.raises(lb.ScoresError, match="may be read"):
        lb.read_votes(table)


@pytest.mark.parametrize("column", ["winner", "label", "preference", "choice"])
@pytest.mark.parametrize("cells", [[0, 1, 1, 0], [0, 1, 2, 0], ["0", "1", "tie", "0"]])
def test_numbers_from_0_may_be_places_or_points(column, cells):
    with pytest.raises(lb.ScoresError, match="may be read"):
        lb.read_votes(votes(**{column: cells}))


def test_a_result_of_0_and_1_is_points():
    assert lb.read_votes(votes(result=[1, 0, 0, 1]))["outcome"].values.tolist() == [1, 0, 0, 1]
    with pytest.raises(lb.ScoresError, match="may be read"):
        lb.read_votes(votes(result=[0, 0, 0, 0]))


def test_home_and_away_letters_are_not_a_and_b():
    table = votes("home", "away", result=["A", "H", "D", "A"])
    assert lb.read_votes(table)["outcome"].values.tolist() == [0.0, 1.0, 0.5, 0.0]


OTHER_ORDER = [("black", "white"), ("away", "home"), ("right", "left"), ("model_b", "model_a")]


@pytest.mark.parametrize("columns", OTHER_ORDER)
@pytest.mark.parametrize(
    "cells",
    [[1, 0, 0, 1], ["win", "draw", "loss", "win"], [*"WLLW"], ["first", "second", *["tie"] * 2]],
)
def test_places_of_columns_in_the_other_order_are_refused(columns, cells):
    """1 may be of who stands first in the table, or of who is called first."""
    one, other = columns
    table = votes(one, other, result=cells)
    with pytest.raises(lb.ScoresError, match=rf"row 0 .*{one!r} stands before .*--first {other}"):
        lb.read_votes(table)
    found = lb.read_votes(table, first=one, second=other)["outcome"]
    assert found[0] == 1.0
    np.testing.assert_array_equal(found, lb.read_votes(votes(result=cells))["outcome"])


@pytest.mark.parametrize(
    ("columns", "cells"),
    [
        (("black", "white"), ["black", "draw", "white", "draw"]),
        (("black", "white"), ["B", "draw", "W", "draw"]),
        (("black", "white"), ["B+R", "draw", "W+3.5", "draw"]),
        (("black", "white"), ["0-1", "1/2-1/2", "1-0", "1/2-1/2"]),
        (("away", "home"), ["A", "D", "H", "D"]),
        (("right", "left"), ["right", "tie", "left", "tie"]),
        (("model_b", "model_a"), ["model_b", "tie (inconsistent)", "A is better", "both are good"]),
        (("model_b", "model_a"), ["B>A", "A=B", "A>>B", "tie"]),
        (("player_2", "player_1"), ["2", "tie", "1", "tie"]),
        (("model_b", "model_a"), ["fox", "tie", "fox", "tie"]),
    ],
)
def test_sides_of_columns_in_the_other_order(columns, cells):
    table = votes(*columns, winner=cells)
    found = lb.read_votes(table)
    assert found["player"][found["second"]].values.tolist() == FIRST
    assert found["outcome"].values.tolist() == [1.0 - it for it in OUTCOME]
    if "fox" not in cells:
        with pytest.raises(lb.ScoresError, match=f"which is a side, .* --second {columns[0]}"):
            lb.read_votes(table, first=columns[0], second=columns[1])


REFUSED = {
    "unknown": (
        ARENA.assign(winner=["model_a", "model_z", "model_z", "?!"]),
        r"row 1 .*'model_z' \(2 votes\), '\?!' \(1 vote\), which is not known",
    ),
    "nobody's name": (ARENA.assign(winner="cat"), "row 0 .*names 'cat', but the players are 'fox'"),
    "missing": (ARENA.assign(winner=["tie", None, "", "tie"]), "row 1 .*in 2 rows of 4; fill it"),
    "itself": (ARENA.assign(model_b=["owl", "owl", "fox", "cat"]), "row 1 .*'owl' is both players"),
    "no name": (ARENA.assign(model_b=["owl", " ", "fox", "owl"]), "row 1 .*'model_b' is empty"),
    "no prompt": (ARENA.assign(question_id=["", *"abc"]), "row 0 .*'question_id' is empty"),
    "weight": (ARENA.assign(n_votes=0), "no vote is left: .* of a weight of 0"),
    "infinite": (ARENA.assign(n_votes=[1, 1, np.inf, 1]), "row 2 .*'n_votes' is infinite; write"),
    "negative": (ARENA.assign(n_votes=[1, 1, 1, -1]), "row 3 .*'n_votes'.* is -1"),
    "parts": (ARENA.assign(n_votes=[1, 1, 1, 0.2]), "row 3 .*importance .*Rename or drop"),
    "two counts": (
        COUNTED.assign(count=[3, 1, 2, 2], n=[3, 1, 2, 1]), "'count', 'n'.*Name it .*--count"
    ),
    "one player": (ARENA.assign(model_a="fox", model_b="fox"), "the only player is 'fox'"),
    "two columns": (
        ARENA.assign(**{"Model A": "x"}), "'model_a', 'Model A' have the same name"
    ),
    "two pairs": (
        ARENA.assign(player_1="x", player_2="y"), r"which columns are the players.*first=\.\.\."
    ),
    "two outcomes": (
        votes(label=["A"] * 4, verdict=["B"] * 4), r"which column is the outcome: .*outcome=\.\.\."
    ),
    "no outcome": (votes(), "no column is known for the outcome"),
    "no players": (ARENA[["winner", "judge"]], r"no two columns are known .*first=\.\.\., second"),
    "empty": (ARENA.iloc[:0], "a header and no vote"),
    "marks": (
        votes(winner_model_a=[1, 1, 0, 0], winner_model_b=[0, 1, 1, 0], winner_tie=[0, 0, 0, 1]),
        "row 1 .*one must be 1",
    ),
    "scores": (votes("a", "b", score_a=[1, None, 1, 1], score_b=1), "row 1 .*'score_a' is empty"),
    "answers": (ARENA.assign(model_a="x" * 301), "row 0 .*looks like an answer"),
    "nothing left": (ARENA.assign(winner="*"), "no vote is left"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    table, message = REFUSED[name]
    with pytest.raises(lb.ScoresError, match=message):
        lb.read_votes(table)


OPTIONS = {
    "one of both": ({"first": "model_a"}, "give both, or none"),
    "absent": ({"first": "x", "second": "model_b"}, "no column 'x' for first"),
    "twice": ({"prompt": "winner"}, "'winner' is given as prompt, and taken"),
    "no names": ({"covariates": "len"}, "give a list of names"),
    "no covariate": ({"covariates": ["len"]}, "no columns 'len_a' and 'len_b'"),
    "five": ({"outcome": ["winner"] * 5}, "give the name of a column; or two"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_refused(name):
    options, message = OPTIONS[name]
    with pytest.raises(lb.ScoresError, match=message):
        lb.read_votes(ARENA, **options)
    with pytest.raises(lb.LeaderbayesError, match="both_bad='no'"):
        lb.read_votes(ARENA, both_bad="no")


def test_names_alike_are_warned_of():
    table = ARENA.assign(model_a=["fox", "owl", "elk", "Fox"])
    with pytest.warns(lb.LeaderbayesWarning, match="LB041 .*'fox', 'Fox'"):
        assert lb.read_votes(table).sizes["player"] == 4


def test_the_line_of_a_file_is_named(write):
    text = ARENA.assign(winner=["tie", "tie", "zebra", "tie"]).to_csv(index=False)
    with pytest.raises(lb.ScoresError, match=r"scores\.csv: line 4: column 'winner' holds 'zebra'"):
        lb.read_votes(write(text))


def test_netcdf(tmp_path):
    table = ARENA.assign(n_votes=1, len_a=[5, 3, 1, 0], len_b=1, date=["2026-01-31"] * 4)
    found = lb.read_votes(table, covariates=["len"], both_bad="own", time="date")
    found.to_netcdf(tmp_path / "votes.nc")
    with xr.open_dataset(tmp_path / "votes.nc") as back:
        xr.testing.assert_equal(back.load(), found)
        assert back.attrs == found.attrs


def test_order_of_rows_and_sides():
    found, turned = (
        lb.read_votes(ARENA),
        lb.read_votes(ARENA.rename(columns={"model_a": "model_b", "model_b": "model_a"})),
    )
    np.testing.assert_array_equal(found["outcome"], turned["outcome"])
    names = [
        f["player"].values[f[k].values].tolist() for f, k in ((found, "first"), (turned, "second"))
    ]
    assert names[0] == names[1]


@pytest.mark.parametrize("role", ["judge", "prompt", "time", "weight"])
def test_none_takes_no_column(role):
    columns = {"judge": "judge", "prompt": "prompt", "time": "date", "weight": "n_votes"}
    table = votes(
        "model_a", "model_b", winner=["A", "B", "A", "tie"], **{columns[role]: [1, 2, 3, 4]}
    )
    assert role in lb.read_votes(table).variables
    found = lb.read_votes(table, **{role: "none"})
    assert role not in found.variables
    assert f"{role}=none" in found.attrs["read_as"]
    if role in ("judge", "prompt"):
        gaps = table.assign(**{columns[role]: ["x", None, "x", "y"]})
        with pytest.raises(lb.ScoresError, match=f"{role}='none', --{role} none"):
            lb.read_votes(gaps)
        assert lb.read_votes(gaps, **{role: "none"}).sizes["vote"] == 4
    # A column may be called so.
    named = lb.read_votes(table.rename(columns={columns[role]: "none"}), **{role: "none"})
    assert role in named.variables
