"""Tables of pandas and of searches, and names that they keep."""

import unicodedata

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

import leaderbayes as lb
from leaderbayes._scores.tables import alike, clean


@pytest.mark.parametrize(
    "name", ["a b", 'quo"te', "100%", "Zürich 東京", "x" * 10_000, "NA", "01", "[red]", "$x_1$"]
)
def test_names_are_kept(write, name):
    table = pd.DataFrame({"player": [name, "other"], "round": "1", "score": [1.0, 2.0]})
    path = write(table.to_csv(index=False))
    assert lb.read_scores(path)["player"].values[0] == name
    assert lb.read_scores(table)["player"].values[0] == name


def test_an_index_that_holds_names_counts(tmp_path):
    index = pd.Index(["iris", "iris", "wine"], name="dataset")
    frame = pd.DataFrame({"A": [0.1, 0.2, 0.5], "B": [0.3, 0.4, 0.3]}, index=index)
    frame.to_parquet(tmp_path / "s.parquet")
    for source in (frame, tmp_path / "s.parquet"):
        scores = lb.read_scores(source)
        assert list(scores["tournament"].values) == ["iris", "wine"]
    long = pd.DataFrame({"player": ["a", "b"], "round": ["1", "1"], "score": [1.0, 2.0]})
    np.testing.assert_array_equal(lb.read_scores(long.set_index(["player", "round"])), [[1], [2]])
    frame = pd.DataFrame({"round": 1, "score": [1.0, 2.0], "player": ["a", "b"]})
    frame.index = pd.MultiIndex.from_tuples([(1, 2), (3, 4)], names=[pd.NA, "x"])
    np.testing.assert_array_equal(lb.read_scores(frame), [[1.0], [2.0]])


def test_columns_that_are_not_text():
    frame = pd.DataFrame({"player": ["a", "b"], "round": 1, "score": 1.0})
    frame.columns = pd.Index(["player", "\ud800", "score"], dtype=object)
    with pytest.raises(lb.ScoresError, match=r"a column is called .*which is not text"):
        lb.read_scores(frame)
    with pytest.raises(lb.ScoresError, match="no column '3' for the player"):
        lb.read_scores(frame.set_axis(["player", "round", "score"], axis=1), player=3)


@pytest.mark.parametrize("source", [None, [1, 2], 3, {"params": [1], "split0_test_x": [1, 2]}])
def test_sources_of_no_kind(source):
    for read in (lb.read_scores, lb.read_votes):
        with pytest.raises(lb.ScoresError):
            read(source)


def test_cv_results():
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}, cv=4,
        scoring=["accuracy", "f1_macro"], refit=False,
    ).fit(*load_iris(return_X_y=True))  # fmt: skip
    scores = lb.read_scores(search.cv_results_, score="accuracy")
    assert dict(scores.sizes) == {"player": 2, "round": 4}
    assert list(scores["player"].values) == ["max_depth=1", "max_depth=3"]
    third = search.cv_results_["split2_test_accuracy"][1]
    assert scores.sel(player="max_depth=3", round="split2") == third
    with pytest.raises(lb.ScoresError, match=r"several metrics \(accuracy, f1_macro\)"):
        lb.read_scores(search.cv_results_)
    with pytest.raises(lb.ScoresError, match="did you mean 'accuracy'"):
        lb.read_scores(search.cv_results_, score="acuracy")


def test_a_search_saved_as_a_table(tmp_path):
    results = {
        "mean_fit_time": [9.0, 9.0], "params": [{"a": 0.5}, {"a": "0.50"}],
        "split0_test_f1": [0.1, 0.2], "split0_test_my_test_f1": [0.3, 0.4],
    }  # fmt: skip
    frame = pd.DataFrame(results)
    frame.to_csv(tmp_path / "search.csv", index=False)
    for source in (results, frame, tmp_path / "search.csv"):
        np.testing.assert_array_equal(lb.read_scores(source, score="f1"), [[0.1], [0.2]])


@given(name=st.text())
def test_clean_names_stay(name):
    once = clean(name)
    assert clean(once) == once
    assert clean(unicodedata.normalize("NFD", name)) == clean(unicodedata.normalize("NFC", name))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Zoe\u0308", "Zo\u00eb"),
        ("my\u00a0model", "my model"),
        ("\u3000a\u2009b\u200b", "a b"),
        ("\ufeffsvm\u00ad", "svm"),
        (" a b ", "a b"),
        ("a\nb", "a\nb"),
        ("\U0001f468\u200d\U0001f4bb", "\U0001f468\u200d\U0001f4bb"),
        ("２", "２"),
    ],
)
def test_what_becomes_of_names(name, expected):
    assert clean(name) == expected


def test_names_that_differ_in_case_or_width_only():
    names = ["SVM", "svm", "rf", "ＲＦ", "r f", "1", "1.0", "10", "01", "-1"]
    assert alike(names) == [("SVM", "svm"), ("rf", "ＲＦ", "r f"), ("1", "1.0")]
    assert alike(["a", "b"]) == []


def test_two_spellings_are_one_player():
    rows = [("Zo\u00eb", 1, 0.1), ("Zoe\u0308", 2, 0.2), ("b\u00a0c", 1, 0.3), ("b c", 2, 0.4)]
    table = pd.DataFrame(rows, columns=["player", "round", "score"])
    scores = lb.read_scores(table)
    assert list(scores["player"].values) == ["Zo\u00eb", "b c"]
    assert scores.notnull().all()
    with pytest.raises(lb.ScoresError, match=r"row 1 .*a second score for player 'Zoë'"):
        lb.read_scores(table.assign(round=1))
    wide = pd.DataFrame([[1, 0.1, 0.2]], columns=["fold", "Zo\u00eb", "Zoe\u0308"])
    with pytest.raises(lb.ScoresError, match="two columns are called 'Zoë'"):
        lb.read_scores(wide)
