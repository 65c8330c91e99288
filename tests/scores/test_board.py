"""Votes or scores, whichever a source holds."""

import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._scores.votes import Options, read_board

VOTES = "model_a,model_b,winner\nfox,owl,model_a\nowl,elk,tie (bothbad)\n"
SCORES = "model,fold,auc\na,1,0.5\nb,1,0.6\n"


def test_votes(write):
    xr.testing.assert_identical(read_board(path := write(VOTES)), lb.read_votes(path))
    assert read_board(path, votes=Options(both_bad="drop")).sizes["vote"] == 1
    lines = '{"winner": "fox", "loser": "owl"}\n{"winner": "owl", "loser": "elk"}\n'
    assert read_board(write(lines, "a.jsonl")).attrs["kind"] == "votes"


def test_scores(write):
    xr.testing.assert_identical(read_board(path := write(SCORES)), lb.read_scores(path))
    by_name = read_board(path, player="model", score="auc", higher_is_better=False)
    assert by_name.attrs["higher_is_better"] == 0
    assert read_board(path, higher_is_better=False).attrs["higher_is_better"] == 0
    assert read_board(pd.read_csv(path)).dims == ("player", "round")


@pytest.mark.parametrize(
    ("file", "content"), [("a.json", '{"results": 1}'), ("a.parquet", "nonsense"), ("a.csv", "")]
)
def test_what_is_neither_is_refused_as_scores(file, content, write):
    path = write(content, file)
    with pytest.raises(lb.ScoresError) as told:
        read_board(path)
    with pytest.raises(lb.ScoresError) as as_scores:
        lb.read_scores(path)
    assert str(told.value) == str(as_scores.value)


@pytest.mark.parametrize("kind", ["csv", "json", "jsonl"])
def test_votes_with_an_unknown_outcome_say_which(kind, tmp_path):
    table = pd.DataFrame(
        {"model_a": ["x", "x", "y"], "model_b": "z", "winner": ["model_a", "bogus", "tie"]}
    )
    path = tmp_path / f"votes.{kind}"
    if kind == "csv":
        table.to_csv(path, index=False)
    else:
        table.to_json(path, orient="records", lines=kind == "jsonl")
    with pytest.raises(lb.ScoresError, match=r"'bogus' \(1 vote\)"):
        read_board(path)
