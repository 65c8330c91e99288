"""Who won, by words and numbers, and tables that are of votes or not."""

import itertools

import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._scores.vote_outcomes import word_of
from leaderbayes._scores.votes import read_board

WON = ["first", "tie", "second", "first", "second", "tie", "first"]
VALUES = {"first": 1.0, "tie": 0.5, "second": 0.0}
BY_SIGN = {"first": 1, "tie": 0, "second": -1}
BY_PLACE = {"first": 1, "tie": 0, "second": 2}


def is_votes(frame):
    """Whether a board is read as votes."""
    return isinstance(read_board(frame), xr.Dataset)


def test_a_table_of_votes_is_told_from_one_of_scores():
    votes = pd.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["tie", "y"]})
    assert is_votes(votes)
    assert is_votes(pd.DataFrame({"winner": ["x"], "loser": ["y"]}))
    for wrong in (votes.assign(winner=["tie", "green"]), votes.assign(winner=None), votes[:0]):
        with pytest.raises(lb.ScoresError):
            read_board(wrong)
    # Scores of two players: a wide table.
    numbers = pd.DataFrame({"left": [0.5, 0.6], "right": [0.7, 0.4], "third": [0.6, 0.2]})
    for columns in (["left", "right", "vote"], ["model_1", "model_2", "label"]):
        assert not is_votes(numbers.set_axis(columns, axis=1))
    with pytest.raises(lb.ScoresError, match=r"looks like a table of votes.*read_votes"):
        lb.read_scores(votes)
    named = votes.assign(winner=["a", "b"], score=[1, 2])
    scores = lb.read_scores(named, player="model_a", round="winner", score="score")
    assert scores.dims == ("player", "round")


def test_one_word_for_each_side_however_written():
    for a, b in itertools.product(("A", "Model A", "left", "1"), ("B", "model_b", "right", "2")):
        table = pd.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": [a, b]})
        if {a, b} in ({"A", "2"}, {"1", "B"}):
            with pytest.raises(lb.ScoresError, match="no one thing together"):
                lb.read_votes(table)
        else:
            assert lb.read_votes(table)["outcome"].values.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Model A", "modela"), ("tie (bothbad)", "tiebothbad"), ("½–½", "1/2-1/2"), ("1.0", "1"),
        ("[[B>>A]]", "b>>a"), ("A is better", "a"), ("-1", "-1"), ("-0.0", "0"), ("win", "win"),
        ("0.50", "0.5"), ("1 - 0", "1-0"), ("B ≻ A", "b>a"), ("W+1", "w+"),
    ],
)  # fmt: skip
def test_words(text, word):
    assert word_of(text) == word


def table(column, codes, *, sides="ab", ties=True):
    won = WON if ties else [who for who in WON if who != "tie"]
    a, b = (["fox", "owl", "elk", "fox", "owl", "elk", "fox"][: len(won)],
            ["owl", "elk", "fox", "elk", "fox", "owl", "owl"][: len(won)])  # fmt: skip
    outcomes = [codes[who] for who in won]
    names = [f"model_{side}" for side in sides]
    return pd.DataFrame({names[0]: a, names[1]: b, column: outcomes}), [VALUES[who] for who in won]


@pytest.mark.parametrize(
    ("columns", "codes", "sides", "ties"),
    [
        # -1, 0 and 1 are the second, a tie and the first: what the first one got.
        ("result outcome label", BY_SIGN, "ab", True),
        ("result outcome label", BY_SIGN, "ab", False),
        ("winner preference label outcome", BY_PLACE, "ab", False),
        ("winner preference label outcome", BY_PLACE, "12", False),
        # 0 is nobody, where players are called 1 and 2.
        ("winner preference label choice", BY_PLACE, "12", True),
    ],
)
def test_numbers(columns, codes, sides, ties):
    for column in columns.split():
        votes, values = table(column, codes, sides=sides, ties=ties)
        assert lb.read_votes(votes)["outcome"].values.tolist() == values


@pytest.mark.parametrize(
    ("column", "codes", "sides"),
    [
        ("winner", BY_PLACE, "ab"),
        ("winner", {"first": 0, "second": 1, "tie": 2}, "ab"),
        ("winner", {"first": 1, "second": 0, "tie": 1}, "12"),
        ("winner", {"first": 1, "second": 2, "tie": 3}, "ab"),
        ("result", {"first": 2, "second": 0, "tie": 1}, "ab"),
        ("result", BY_PLACE, "12"),
        ("outcome", {"first": 1, "second": 3, "tie": 2}, "12"),
        ("preference", BY_SIGN, "ab"),  # a scale, or what the first one got
        ("preference", {"first": -3, "second": 2, "tie": 0}, "ab"),
    ],
)
def test_numbers_that_may_mean_several_things_are_refused(column, codes, sides, write):
    votes, _ = table(column, codes, sides=sides)
    for source in (votes, write(votes.to_csv(index=False))):
        with pytest.raises(lb.ScoresError, match=r"numbers may be places.* Write model_a, model_b"):
            lb.read_votes(source)
    written = votes[column].map({codes["first"]: "model_a", codes["second"]: "model_b"})
    lb.read_votes(votes.assign(**{column: written.fillna("tie")}))


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        (["1 is much better", "About the same", "2 is slightly better"], [1, 0.5, 0]),
        (["A is significantly better", "no difference", "B is better"], [1, 0.5, 0]),
        (["Model A preferred", "equally good", "model B strongly preferred"], [1, 0.5, 0]),
        (["A", "neither is better", "no winner"], [1, 0.5, 0.5]),
    ],
)
def test_sentences(words, outcome):
    votes = pd.DataFrame({"system1": [*"abc"], "system2": [*"bca"], "preference": words})
    assert lb.read_votes(votes)["outcome"].values.tolist() == outcome


@pytest.mark.parametrize("word", ["neither", "Neither is good", "both wrong", "equally bad"])
def test_neither_is_that_both_are_bad(word):
    votes = pd.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["A", word]})
    assert lb.read_votes(votes)["outcome"].values.tolist() == [1.0, 0.5]
    assert lb.read_votes(votes, both_bad="drop").sizes["vote"] == 1


@pytest.mark.parametrize(
    ("columns", "outcome"),
    [
        ({"winner": ["player_1", "player_2", "player_1"]}, [1, 0, 1]),
        ({"winner_id": [101, 103, 101]}, [1, 0, 0]),
        ({"result": [1, 0, 1]}, [1, 0, 1]),
        ({"outcome": ["win", "draw", "loss"]}, [1, 0.5, 0]),
    ],
)
def test_players_may_be_called_by_number(columns, outcome):
    votes = pd.DataFrame({"player_1": [101, 102, 103], "player_2": [102, 103, 101]} | columns)
    found = lb.read_votes(votes)
    assert found["player"].values.tolist() == ["101", "102", "103"]
    assert found["outcome"].values.tolist() == outcome


def test_soft_preferences_are_half_wins_by_value():
    table = pd.DataFrame({
        "generator_1": ["base"] * 5, "generator_2": [*"ababa"],
        "preference": [1.02, 1.31, 1.5, 1.74, 1.98],
    })  # fmt: skip
    votes = lb.read_votes(table)
    assert votes["outcome"].values.tolist() == [1.0, 0.5, 0.5, 0.5, 0.0]
    assert "mean_score" in votes.attrs["read_as"]
    with pytest.raises(lb.ScoresError, match="unknown as an outcome"):
        lb.read_votes(table.assign(preference=[1.02, 1.31, 1.5, 1.74, 2.5]))
