"""OpenML's evaluations."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb

read_openml = partial(lb.read_results, program="openml")

DATA = Path(__file__).parent / "data"
TREE = "sklearn.tree.DecisionTreeClassifier(1)"


def test_tasks_are_rounds():
    scores = read_openml(DATA / "openml_evaluations.csv", metric="predictive_accuracy")
    assert scores.dims == ("player", "round")
    assert list(scores["round"].values) == ["credit-g (task 31)", "iris (task 59)"]
    assert list(scores["player"].values) == [
        TREE,
        "weka.RandomForest(2) (setup 8)",
        "weka.RandomForest(2) (setup 9)",
    ]
    np.testing.assert_array_equal(scores, [[0.70, 0.94], [0.76, 0.95], [0.75, np.nan]])
    assert scores.attrs["higher_is_better"] == 1


def test_the_function_says_the_direction():
    path = DATA / "openml_evaluations.csv"
    errors = read_openml(path, metric="root_mean_squared_error")
    assert errors.attrs["higher_is_better"] == 0
    assert list(errors["player"].values) == [TREE, "weka.RandomForest(2)"]
    with pytest.raises(lb.ScoresError, match=r"which metric is the score.*'predictive_accuracy'"):
        read_openml(path)
    table = pd.read_csv(path).assign(function="my_measure").iloc[[0, 2]]
    with pytest.raises(lb.ScoresError, match="direction of 'my_measure' unknown"):
        read_openml(table)
    assert read_openml(table, higher_is_better=False).attrs["higher_is_better"] == 0


def test_folds_are_rounds_of_a_tournament():
    path = DATA / "openml_per_fold.csv"
    scores = read_openml(path)
    assert scores.dims == ("tournament", "player", "round")
    np.testing.assert_array_equal(
        scores.sel(tournament="iris (task 59)", player=TREE), [0.94, 0.92, np.nan]
    )
    # As openml-python returns it: lists, not text.
    table = pd.read_csv(path)
    table["values"] = [[0.70, 0.68, 0.73], [0.94, 0.92], [0.76, 0.77, 0.71]]
    np.testing.assert_array_equal(read_openml(table), scores)


def test_a_run_without_values_is_missing():
    table = pd.read_csv(DATA / "openml_per_fold.csv").assign(values=["[0.7, 0.8]", None, "[]"])
    with pytest.warns(lb.LeaderbayesWarning, match="LB040"):
        scores = read_openml(table)
    np.testing.assert_array_equal(scores.sel(player=TREE)[0], [0.7, 0.8])
    assert scores.sel(player="weka.RandomForest(2)").isnull().all()


def test_errors():
    path = DATA / "openml_evaluations.csv"
    table = pd.read_csv(path)
    with pytest.raises(lb.ScoresError, match="no column 'flow_name', which evaluations of OpenML"):
        read_openml(table.drop(columns="flow_name"))
    with pytest.raises(lb.ScoresError, match="no column 'value', which evaluations of OpenML"):
        read_openml(table.drop(columns="value"), metric="predictive_accuracy")
    with pytest.raises(lb.ScoresError, match=r"row 7 \(from 0\): a second score for player"):
        read_openml(pd.concat([table, table.iloc[:1]]), metric="predictive_accuracy")
    folds = (DATA / "openml_per_fold.csv").read_text()
    bad = folds.replace('"[0.94, 0.92]"', "0.94")
    with pytest.raises(lb.ScoresError, match="column 'values' has no list of numbers"):
        read_openml(_frame(bad))
    with pytest.raises(lb.ScoresError, match=r"row 1 .*'score' holds 'high'"):
        read_openml(_frame(folds.replace("0.94,", '""high"",')))


def _frame(text):
    import io

    return pd.read_csv(io.StringIO(text), dtype=str)
