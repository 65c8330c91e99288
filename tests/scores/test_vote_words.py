"""What words and numbers of an outcome mean, by the column and the names of the players."""

import re

import pandas as pd
import pytest

import leaderbayes as lb
from leaderbayes._scores.vote_words import word_of

WON = ["first", "tie", "second", "first", "second", "tie", "first"]
VALUES = {"first": 1.0, "tie": 0.5, "second": 0.0}
BY_SIGN = {"first": 1, "tie": 0, "second": -1}
BY_PLACE = {"first": 1, "tie": 0, "second": 2}


def table(column, codes, *, sides="ab", ties=True):
    won = WON if ties else [who for who in WON if who != "tie"]
    a, b = (["fox", "owl", "elk", "fox", "owl", "elk", "fox"][: len(won)],
            ["owl", "elk", "fox", "elk", "fox", "owl", "owl"][: len(won)])  # fmt: skip
    outcomes = [codes[who] for who in won]
    names = [f"model_{side}" for side in sides]
    return pd.DataFrame({names[0]: a, names[1]: b, column: outcomes}), [VALUES[who] for who in won]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Model A", "modela"), ("tie (bothbad)", "tiebothbad"), ("½–½", "1/2-1/2"), ("1.0", "1"),
        ("[[B>>A]]", "b>>a"), ("A is better", "a"), ("-1", "-1"), ("-0.0", "0"), ("win", "win"),
        ("0.50", "0.5"), ("1 - 0", "1-0"), ("B ≻ A", "b>a"),
    ],
)  # fmt: skip
def test_words(text, word):
    assert word_of(text) == word


@pytest.mark.parametrize("column", ["result", "outcome", "label"])
@pytest.mark.parametrize("ties", [True, False])
def test_signs_of_a_result(column, ties):
    """-1, 0 and 1 are the second, a tie and the first: what the first one got."""
    votes, values = table(column, BY_SIGN, ties=ties)
    assert lb.read_votes(votes)["outcome"].values.tolist() == values


@pytest.mark.parametrize("column", ["winner", "preference", "choice", "vote"])
@pytest.mark.parametrize("ties", [True, False])
def test_signs_of_who_was_liked_are_said(column, ties):
    votes, values = table(column, BY_SIGN, ties=ties)
    with pytest.warns(lb.LeaderbayesWarning, match=f"LB047 .*'{column}'.* -1 is for the first"):
        found = lb.read_votes(votes)
    assert found["outcome"].values.tolist() == values
    assert "1: the first won" in found.attrs["read_as"]
    assert "-1: the second won" in found.attrs["read_as"]


def advised(message, frame):
    """Do what a message says of a DataFrame, each way that it names."""
    ways = re.findall(r"table\['\w+'\]\.map\(\{[^}]*\}\)", message)
    column = frame.columns[2]
    return [frame.assign(**{column: eval(way, {"table": frame})}) for way in ways]


def test_what_is_advised_where_signs_are_the_other_way_round(write):
    votes, values = table("preference", BY_SIGN)
    for source, frame in ((votes, votes), (write(votes.to_csv(index=False)), votes),
                          (votes.astype(str), votes.astype(str))):  # fmt: skip
        with pytest.warns(lb.LeaderbayesWarning, match="LB047") as said:
            lb.read_votes(source)
        (turned,) = advised(str(said[0].message), frame)
        found = lb.read_votes(turned)["outcome"].values.tolist()
        assert found == [1.0 - value for value in values]


@pytest.mark.parametrize("column", ["winner", "preference", "label", "outcome"])
@pytest.mark.parametrize("sides", ["ab", "12"])
def test_1_and_2_are_places(column, sides):
    votes, values = table(column, BY_PLACE, sides=sides, ties=False)
    assert lb.read_votes(votes)["outcome"].values.tolist() == values


@pytest.mark.parametrize("column", ["winner", "preference", "label", "choice"])
def test_0_is_nobody_where_players_are_called_1_and_2(column):
    votes, values = table(column, BY_PLACE, sides="12")
    assert lb.read_votes(votes)["outcome"].values.tolist() == values


@pytest.mark.parametrize(
    ("column", "codes", "sides", "ways"),
    [
        ("winner", BY_PLACE, "ab", 2),
        ("winner", {"first": 0, "second": 1, "tie": 2}, "ab", 2),
        ("winner", {"first": 1, "second": 0, "tie": 1}, "12", 3),
        ("winner", {"first": 1, "second": 0, "tie": 1}, "ab", 3),
        ("winner", {"first": 1, "second": 2, "tie": 3}, "ab", 3),
        ("result", {"first": 2, "second": 0, "tie": 1}, "ab", 3),
        ("result", BY_PLACE, "12", 3),
        ("outcome", {"first": 1, "second": 3, "tie": 2}, "12", 3),
    ],
)
def test_what_may_be_several_is_refused_with_each_way_to_write_it(
    column, codes, sides, ways, write
):
    votes, _ = table(column, codes, sides=sides)
    for source in (votes, write(votes.to_csv(index=False))):
        with pytest.raises(lb.ScoresError, match="it may be read") as told:
            lb.read_votes(source)
        written = advised(str(told.value), votes)
        read = [tuple(lb.read_votes(each)["outcome"].values) for each in written]
        assert len(set(read)) == ways
        # One of them is what was meant.
        assert tuple(codes[who] == codes["first"] for who in WON) in {
            tuple(value == 1.0 for value in each) for each in read
        }


@pytest.mark.parametrize("word", ["neither", "Neither is good", "both wrong", "equally bad"])
def test_neither_is_that_both_are_bad(word):
    votes = pd.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["A", word]})
    assert lb.read_votes(votes)["outcome"].values.tolist() == [1.0, 0.5]
    assert lb.read_votes(votes, both_bad="drop").sizes["vote"] == 1


@pytest.mark.parametrize("word", ["neither is better", "neither wins", "both", "no winner"])
def test_neither_is_better_is_a_tie(word):
    votes = pd.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["A", word]})
    assert lb.read_votes(votes, both_bad="drop")["outcome"].values.tolist() == [1.0, 0.5]
