"""What adapters share: columns that play a role, and their errors."""

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from leaderbayes.adapters._columns import arrange, choose, collect, direction, read_frame, require

ROWS = [
    {"who": "a", "fold": 1, "auc": 0.5},
    {"who": "b", "fold": 1, "auc": 0.75, "task": "t"},
]


@pytest.fixture
def table():
    return collect("results", ROWS, lambda k: f"record {k}")


def test_records_become_a_table_with_every_column(table):
    assert list(table.frame.columns) == ["who", "fold", "auc", "task"]
    assert pd.isna(table.frame["task"][0])
    # Numbers are those that were given: whole ones do not turn into floats.
    assert table.frame["fold"].tolist() == [1, 1]
    assert type(table.frame["fold"][0]) is int
    with pytest.raises(lb.ScoresError, match="results: record 1: no good"):
        table.refuse("no good", 1)


def test_scores_of_columns_that_are_named(table):
    scores = arrange(table, player="who", round="fold", score="auc", better=False)
    assert dict(scores.sizes) == {"player": 2, "round": 1}
    np.testing.assert_array_equal(scores.sel(round="1"), [0.5, 0.75])
    assert scores.attrs["higher_is_better"] == 0
    with pytest.raises(lb.ScoresError, match="record 0: column 'task' is empty"):
        arrange(table, player="who", round="fold", score="auc", tournament="task", better=True)


def test_a_column_that_is_not_there(table):
    require(table, ["who", "auc"], "results of a kind")
    with pytest.raises(
        lb.ScoresError, match="no column 'fould', which results of a kind have; did you mean 'fold'"
    ):
        require(table, ["who", "fould"], "results of a kind")
    with pytest.raises(lb.ScoresError, match="a header and no row"):
        require(table._replace(frame=table.frame.iloc[:0]), ["who"], "results")


@pytest.mark.parametrize(
    ("metric", "metrics", "message"),
    [
        (None, ["auc", "f1"], "which metric is the score. Name one .*: 'auc', 'f1'"),
        (None, [], "no column is left for the score"),
        ("acu", ["auc", "f1"], "no metric 'acu'; did you mean 'auc'"),
    ],
)
def test_a_metric_is_not_guessed(table, metric, metrics, message):
    with pytest.raises(lb.ScoresError, match=message):
        choose(table, metric, metrics)
    assert choose(table, None, ["auc"]) == "auc"
    assert choose(table, "f1", ["auc", "f1"]) == "f1"


def test_a_direction_is_known_or_given(table):
    assert direction(table, "auc", None) is True
    assert direction(table, "rmse", None) is False
    assert direction(table, "rmse", True) is True
    with pytest.raises(lb.ScoresError, match="whether more of 'points' is better is not known"):
        direction(table, "points", None)


@pytest.mark.parametrize("source", [None, 3, [1, 2], {"a": [1]}])
def test_sources_of_no_kind(source):
    with pytest.raises(lb.ScoresError, match=f"cannot be read from a {type(source).__name__}"):
        read_frame(source, 1.0)


def test_a_warning_of_names_points_to_the_line_that_calls_an_adapter():
    runs = {"task": "t", "framework": ["RF", "rf"], "fold": 0, "metric": "acc", "result": [0.5, 1]}
    with pytest.warns(lb.LeaderbayesWarning, match="LB041") as warned:
        lb.adapters.from_amlb(pd.DataFrame(runs))
    assert warned[0].filename == __file__
