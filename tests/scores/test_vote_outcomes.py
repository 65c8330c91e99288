"""Outcomes, and tables that are of votes or not."""

import itertools
from pathlib import Path

import pandas as pd
import pytest

import leaderbayes as lb
from leaderbayes._scores.vote_outcomes import is_votes

ADAPTERS = Path(__file__).parents[1] / "adapters" / "data"
SHIPPED = Path(lb.__file__).parent / "data"


def test_a_table_of_votes_is_told_from_one_of_scores(write):
    votes = pd.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["tie", None]})
    assert is_votes(votes)
    assert is_votes(pd.DataFrame({"winner": ["x"], "loser": ["y"]}))
    assert is_votes(votes.assign(model_a=["x", "x"], model_b=["y", "y"], winner=["x", "y"]))
    assert not is_votes(votes.assign(winner=["tie", "green"]))
    assert not is_votes(votes.assign(winner=None))
    assert not is_votes(votes.drop(columns="winner"))
    assert not is_votes(votes.iloc[:0])
    # Scores of two players: a wide table.
    numbers = pd.DataFrame({"left": [0.5, 0.6], "right": [0.7, 0.4], "result": [1, 0]})
    assert not is_votes(numbers)
    with pytest.raises(lb.ScoresError, match=r"this is a table of votes.*read_votes"):
        lb.read_scores(votes)
    named = pd.DataFrame(
        {"model_a": list("xy"), "model_b": list("yz"), "winner": ["a", "b"], "score": [1, 2]}
    )
    scores = lb.read_scores(named, player="model_a", round="winner", score="score")
    assert scores.dims == ("player", "round")


def test_no_table_of_scores_is_one_of_votes():
    files = [*ADAPTERS.rglob("*.csv"), *SHIPPED.rglob("*.csv*")]
    assert len(files) > 5
    for path in files:
        assert not is_votes(pd.read_csv(path)), path


def test_one_word_for_each_side_however_written():
    for a, b in itertools.product(("A", "Model A", "left", "1"), ("B", "model_b", "right", "2")):
        table = pd.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": [a, b]})
        letters = {a, b} in ({"A", "2"}, {"1", "B"})
        if letters:
            with pytest.raises(lb.ScoresError, match="no one thing together"):
                lb.read_votes(table)
        else:
            assert lb.read_votes(table)["outcome"].values.tolist() == [1.0, 0.0]
