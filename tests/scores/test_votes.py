"""Reading votes: every form, every refusal, and the same votes in every form."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb

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
    assert set(lb.read_votes(FORMS["letters"]).variables) == {
        "first",
        "second",
        "outcome",
        "player",
    }


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


def test_a_draw_beside_winner_and_loser_is_not_won():
    table = pd.DataFrame({"winner": ["a", "b"], "loser": ["b", "a"], "result": ["won", "draw"]})
    with pytest.raises(lb.ScoresError, match=r"row 1 .*'draw', but 'winner' names who won"):
        lb.read_votes(table)


# -- what appears twice, or missing ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["nan", "None", "N/A", "null"])
def test_a_missing_name_is_no_player(name):
    table = ARENA.assign(model_b=["owl", "elk", name, "owl"])
    with pytest.raises(lb.ScoresError, match=rf"row 2 .*name is '{name}', which means a miss"):
        lb.read_votes(table)


@pytest.mark.parametrize(("column", "role"), [("judge", "judge"), ("question_id", "prompt")])
def test_an_empty_cell_of_what_clusters_says_what_to_do(column, role):
    cells = ARENA[column].where([True, False, True, True])
    with pytest.raises(lb.ScoresError, match=rf"row 1 .*{column}' is empty.*--{role} none"):
        lb.read_votes(ARENA.assign(**{column: cells}))


# -- options ---------------------------------------------------------------------------------------

TWO = {"x_a": [2, 1, 0, 1], "x_b": [1, 1, 1, 1]}  # of which the larger wins: OUTCOME


@pytest.mark.parametrize(
    ("name", "outcome", "larger"),
    [("x", ["x_a", "x_b"], True), ("x", "x_a,x_b", True), ("x", ["-x_a", "-x_b"], False),
     ("loss", ["-loss_a", "-loss_b"], False), ("time", "time_a, time_b", True)],
)  # fmt: skip
def test_the_larger_or_the_smaller_of_two_wins(name, outcome, larger):
    table = votes(**{key.replace("x", name): cells for key, cells in TWO.items()})
    found = lb.read_votes(table, outcome=outcome)
    assert found["outcome"].values.tolist() == [it if larger else 1.0 - it for it in OUTCOME]
    said = f"{name}_a and {name}_b (the {'larger' if larger else 'smaller'} wins)"
    assert said in found.attrs["read_as"]


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


def test_counts_of_votes():
    """Columns that may count are asked for, but those called numbers of votes."""
    for name in ("n_votes", "Number of votes"):
        found = lb.read_votes(COUNTED.assign(**{name: [10, 5, 0, 2]}))
        assert found["weight"].values.tolist() == [10, 5, 2]
        assert f"weight={name}; 1 row of weight 0, excluded" in found.attrs["read_as"]
    for name in ("n", "counts", "Count", "weights"):
        table = COUNTED.assign(**{name: [10, 5, 0, 2]})
        with pytest.raises(lb.ScoresError, match=rf"is column '{name}' the number .*--count none"):
            lb.read_votes(table)
        assert lb.read_votes(table, weight=name)["weight"].sum() == 17
        assert "weight" not in lb.read_votes(table, weight="none")


def test_weights_and_covariates():
    table = ARENA.assign(
        count=[1, 2, 3, 0.5], len_a=[5, 3, 1, 0], len_b=[1, 1, 1, 1], bold=[True, False, True, True]
    )
    found = lb.read_votes(table, covariates=["len", "bold"], weight="count")
    assert found["weight"].values.tolist() == [1, 2, 3, 0.5]
    assert found["covariate"].values.tolist() == ["len", "bold"]
    assert found["covariates"].dims == ("vote", "covariate")
    assert found["covariates"].values.tolist() == [[4, 1], [2, 0], [0, 1], [-1, 1]]
    assert "weight=count, covariates=len_a - len_b; bold" in found.attrs["read_as"]
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
    assert "date has no times in ISO 8601 and is ignored" in found.attrs["read_as"]
    with pytest.raises(lb.ScoresError, match=r"row 0 .*'31/01/26', which is not a time"):
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


def test_a_result_of_0_and_1_is_points():
    assert lb.read_votes(votes(result=[1, 0, 0, 1]))["outcome"].values.tolist() == [1, 0, 0, 1]
    with pytest.raises(lb.ScoresError, match="numbers may be places"):
        lb.read_votes(votes(result=[0, 0, 0, 0]))


@pytest.mark.parametrize("columns", [("black", "white"), ("away", "home"), ("model_b", "model_a")])
@pytest.mark.parametrize("cells", [[1, 0, 0, 1], ["win", "draw", "loss", "win"], [*"WLLW"]])
def test_columns_in_the_other_order_are_refused(columns, cells):
    """1 may be of who stands first in the table, or of who is called first."""
    one, other = columns
    table = votes(one, other, result=cells)
    for named in ({}, {"first": one, "second": other}):
        with pytest.raises(lb.ScoresError, match=rf"row 0 .*in another order: .*first={other!r}"):
            lb.read_votes(table, **named)
    found = lb.read_votes(table, first=other, second=one)
    np.testing.assert_array_equal(found["outcome"], lb.read_votes(votes(result=cells))["outcome"])
    assert found["player"][found["second"]].values.tolist() == FIRST
    # The winner's name needs no order.
    named = lb.read_votes(votes(*columns, winner=["fox", "tie", "fox", "tie"]))
    assert named["outcome"].values.tolist() == [1.0 - it for it in OUTCOME]


REFUSED = {
    "unknown": (
        ARENA.assign(winner=["model_a", "model_z", "model_z", "?!"]),
        r"row 1 .*'model_z', unknown .*'model_z' \(2 votes\), '\?!' \(1 vote\)",
    ),
    "nobody's name": (ARENA.assign(winner="cat"), "row 0 .*'cat', but the players are 'fox'"),
    "missing": (ARENA.assign(winner=["tie", None, "", "tie"]), "row 1 .*in 2 rows of 4; fill it"),
    "itself": (ARENA.assign(model_b=["owl", "owl", "fox", "cat"]), "row 1 .*'owl' is both players"),
    "no name": (ARENA.assign(model_b=["owl", " ", "fox", "owl"]), "row 1 .*'model_b' is empty"),
    "no prompt": (ARENA.assign(question_id=["", *"abc"]), "row 0 .*'question_id' is empty"),
    "weight": (ARENA.assign(n_votes=0), "no votes are left: .* of weight 0"),
    "infinite": (ARENA.assign(n_votes=[1, 1, np.inf, 1]), "row 2 .*'n_votes' is infinite; write"),
    "negative": (ARENA.assign(n_votes=[1, 1, 1, -1]), "row 3 .*'n_votes'.* is -1"),
    "parts": (ARENA.assign(n_votes=[1, 1, 1, 0.2]), "row 3 .*is 0.2, not a number of votes"),
    "three": (ARENA.assign(model_c="x"), "more than two players .*one row per pair"),
    "one player": (ARENA.assign(model_a="fox", model_b="fox"), "the only player is 'fox'"),
    "two columns": (
        ARENA.assign(**{"Model A": "x"}), "'model_a', 'Model A' are one name in two spellings"
    ),
    "two pairs": (
        ARENA.assign(player_1="x", player_2="y"), r"which columns are the players.*first=\.\.\."
    ),
    "two outcomes": (
        votes(label=["A"] * 4, verdict=["B"] * 4), r"which column is the outcome: .*outcome=\.\.\."
    ),
    "no outcome": (votes(), "no column was found for the outcome"),
    "no players": (ARENA[["winner", "judge"]], r"no two columns were found .*first=\.\.\., second"),
    "empty": (ARENA.iloc[:0], "a header but no votes"),
    "marks": (
        votes(winner_model_a=[1, 1, 0, 0], winner_model_b=[0, 1, 1, 0], winner_tie=[0, 0, 0, 1]),
        "row 1 .*one of the columns .* must be 1",
    ),
    "scores": (votes("a", "b", score_a=[1, None, 1, 1], score_b=1), "row 1 .*'score_a' is empty"),
    "answers": (ARENA.assign(model_a="x" * 301), "row 0 .*looks like an answer"),
    "nothing left": (ARENA.assign(winner="*"), "no votes are left"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    table, message = REFUSED[name]
    with pytest.raises(lb.ScoresError, match=message):
        lb.read_votes(table)


OPTIONS = {
    "one of both": ({"first": "model_a"}, "name both or neither"),
    "absent": ({"first": "x", "second": "model_b"}, "no column 'x' for first"),
    "twice": ({"prompt": "winner"}, "'winner' is given as prompt, but is"),
    "no names": ({"covariates": "len"}, "must be a list of names"),
    "no covariate": ({"covariates": ["len"]}, "no columns 'len_a' and 'len_b'"),
    "five": ({"outcome": ["winner"] * 5}, "name one column, two columns"),
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


def test_netcdf(tmp_path):
    table = ARENA.assign(n_votes=1, len_a=[5, 3, 1, 0], len_b=1, date=["2026-01-31"] * 4)
    found = lb.read_votes(table, covariates=["len"], both_bad="own", time="date")
    found.to_netcdf(tmp_path / "votes.nc")
    with xr.open_dataset(tmp_path / "votes.nc") as back:
        xr.testing.assert_equal(back.load(), found)
        assert back.attrs == found.attrs


@pytest.mark.parametrize("role", ["judge", "prompt", "time", "weight"])
def test_none_takes_no_column(role):
    columns = {"judge": "judge", "prompt": "prompt", "time": "date", "weight": "n_votes"}
    table = votes(winner=["A", "B", "A", "tie"], **{columns[role]: [1, 2, 3, 4]})
    assert role in lb.read_votes(table).variables
    found = lb.read_votes(table, **{role: "none"})
    assert role not in found.variables
    assert f"{role}=none" in found.attrs["read_as"]
    # A column may be called so.
    named = lb.read_votes(table.rename(columns={columns[role]: "none"}), **{role: "none"})
    assert role in named.variables
