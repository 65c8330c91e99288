"""Reading votes: every form, every refusal, and the same votes in every form."""

import gzip
import io

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
    bare = lb.read_votes(FORMS["letters"])
    assert set(bare.variables) == {"first", "second", "outcome", "player"}
