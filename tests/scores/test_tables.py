"""Sources of every kind to one table, and errors that name the place."""

import gzip

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

import leaderbayes as lb

LONG = "model,fold,auc\na,1,0.5\nb,1,0.6\na,2,0.7\nb,2,\n"


def test_gzip_parquet_and_dataframe_agree(write, tmp_path):
    table = pd.read_csv(write(LONG))
    table.to_parquet(tmp_path / "s.parquet")
    expected = lb.read_scores(write(LONG))
    for source in (write(gzip.compress(LONG.encode()), "s.csv.gz"), tmp_path / "s.parquet", table):
        np.testing.assert_array_equal(lb.read_scores(source), expected)
    shuffled = table.sample(frac=1, random_state=1)
    again = lb.read_scores(shuffled).reindex_like(expected)
    np.testing.assert_array_equal(again, expected)


def test_first_bytes_count_not_the_name(write, tmp_path):
    pd.read_csv(write(LONG)).to_parquet(tmp_path / "s.parquet")
    expected = lb.read_scores(write(LONG))
    for content in (gzip.compress(LONG.encode()), (tmp_path / "s.parquet").read_bytes()):
        np.testing.assert_array_equal(lb.read_scores(write(content)), expected)


@pytest.mark.parametrize(
    "name", ["a b", 'quo"te', "100%", "Zürich 東京", "x" * 10_000, "NA", "01", "[red]", "$x_1$"]
)
def test_names_are_kept(write, name):
    table = pd.DataFrame({"player": [name, "other"], "round": "1", "score": [1.0, 2.0]})
    path = write(table.to_csv(index=False))
    assert lb.read_scores(path)["player"].values[0] == name
    assert lb.read_scores(table)["player"].values[0] == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n", "first line is empty"),
        ("model,fold,auc\n", "header and no row"),
        ("model;fold;auc\na;1;0.5\n", "separated by semicolons; use commas"),
        ("model\tfold\tauc\na\t1\t0.5\n", "separated by tabs"),
        ("model,fold,auc\na,1,high\nb,1,2\n", "line 2: column 'auc' holds 'high', which is not"),
        ('model,fold,auc\na,1,"0,5"\nb,1,2\n', "a decimal comma"),
        ("model,fold,auc\na,1,1\nb,1,inf\n", "line 3: column 'auc' is infinite; .*is losing"),
        (
            "model,fold,auc\na,1,1\nb,1,1\na,1,2\n",
            "line 4: a second score for player 'a', round '1'",
        ),
        ("model,fold,auc\na,1,1\na,2,1\n", "the only player is 'a'"),
        ("model,fold,auc\na,1,1\n,1,1\n", "line 3: column 'model' is empty"),
        ("model,fold,auc\na,1,\nb,1,\n", "every score is missing"),
        ("model,fold,auc\na,1,1,9\nb,1,1\n", "line 2: 4 cells do not fit the header"),
        ("model,fold,fold\na,1,1\n", "two columns are called 'fold'"),
        ("model,auc\na,1\nb,2\n", "no column is known for the round"),
        (b"model,fold,auc\na,1,1\nb\xff,1,1\n", "line 3 is not UTF-8"),
        ("model,fold,auc\na,1,1\nb\0,1,1\n", "line 3 holds a NUL"),
        ("task,a,b\nx,1,bad\n", "column 'b' holds 'bad'"),
        ("ds,a,b\nx,1,2\ny,1\n", "line 3: 2 cells do not fit"),
        ('model,fold,auc\n"a\nb",1,1\nb,1,bad\n', "line 4: column 'auc' holds 'bad'"),
        ("player,round,Score,SCORE\na,1,1,1\n", "both look like the score"),
        ("dataset,seed,fold,a,b\nd,1,1,1,2\n", "'seed' looks like a round"),
        ("0.1,0.2\n0.3,0.4\n", "first line holds the number '0.1'"),
        ("a,1,0.2\nb,1,0.4\n", "first line holds the number '1'"),
        ("ds\ta, x\tb\n1\t2, 3\t4\n", "separated by tabs"),
        ("model,fold,brier,gini\na,1,1,1\n", "which column is the score"),
        ("model,d1,\na,1,2\nb,1,2\n", "a column of scores has no name; name its round"),
    ],
)
def test_errors_name_the_place(write, text, message):
    with pytest.raises(lb.ScoresError, match=message) as caught:
        lb.read_scores(write(text))
    assert "scores.csv" in str(caught.value)


def test_blank_lines_do_not_shift_line_numbers(write):
    with pytest.raises(lb.ScoresError, match="line 4"):
        lb.read_scores(write("model,fold,auc\na,1,1\n\nb,1,x\n"))


def test_an_index_that_holds_names_counts(tmp_path):
    index = pd.Index(["iris", "iris", "wine"], name="dataset")
    frame = pd.DataFrame({"A": [0.1, 0.2, 0.5], "B": [0.3, 0.4, 0.3]}, index=index)
    frame.to_parquet(tmp_path / "s.parquet")
    for source in (frame, tmp_path / "s.parquet"):
        scores = lb.read_scores(source)
        assert list(scores["tournament"].values) == ["iris", "wine"]
    long = pd.DataFrame({"player": ["a", "b"], "round": ["1", "1"], "score": [1.0, 2.0]}).set_index(
        ["player", "round"]
    )
    np.testing.assert_array_equal(lb.read_scores(long), [[1], [2]])
    column = pd.DataFrame({"index": ["x", "y"], "A": [0.1, 0.2], "B": [0.3, 0.4]})
    column.to_parquet(tmp_path / "i.parquet")
    assert list(lb.read_scores(tmp_path / "i.parquet")["round"].values) == ["x", "y"]


def test_an_index_of_any_name():
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


def test_text_that_is_not_unicode(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffers = [None, pa.py_buffer(np.array([0, 1, 3], "i4").tobytes()), pa.py_buffer(b"\xffAB")]
    bad = pa.Array.from_buffers(pa.string(), 2, buffers)
    names = ["player", "round", "score"]
    table = pa.table([bad, pa.array([1, 1]), pa.array([0.5, 0.6])], names=names)
    pq.write_table(table, tmp_path / "bad.parquet")
    with pytest.raises(lb.ScoresError, match="not a readable Parquet"):
        lb.read_scores(tmp_path / "bad.parquet")
    frame = pd.DataFrame(
        {"player": pd.Series(["\ud800", "b"], dtype=object), "round": 1, "score": 1.0}
    )
    with pytest.raises(lb.ScoresError, match=r"row 0.*is not text"):
        lb.read_scores(frame)


@pytest.mark.parametrize("source", [None, [1, 2], 3, {"params": [1], "split0_test_x": [1, 2]}])
def test_sources_of_no_kind(source):
    with pytest.raises(lb.ScoresError):
        lb.read_scores(source)


def test_cv_results():
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 3]},
        cv=4,
        scoring=["accuracy", "f1_macro"],
        refit=False,
    ).fit(*load_iris(return_X_y=True))
    scores = lb.read_scores(search.cv_results_, score="accuracy")
    assert dict(scores.sizes) == {"player": 2, "round": 4}
    assert list(scores["player"].values) == ["max_depth=1", "max_depth=3"]
    assert (
        scores.sel(player="max_depth=3", round="split2")
        == search.cv_results_["split2_test_accuracy"][1]
    )
    with pytest.raises(lb.ScoresError, match=r"several metrics \(accuracy, f1_macro\)"):
        lb.read_scores(search.cv_results_)
    with pytest.raises(lb.ScoresError, match="did you mean 'accuracy'"):
        lb.read_scores(search.cv_results_, score="acuracy")


def test_a_search_saved_as_a_table(tmp_path):
    results = {
        "mean_fit_time": [9.0, 9.0],
        "params": [{"a": 1}, {"a": 2}],
        "split0_test_f1": [0.1, 0.2],
        "split0_test_my_test_f1": [0.3, 0.4],
    }
    frame = pd.DataFrame(results)
    frame.to_csv(tmp_path / "search.csv", index=False)
    for source in (results, frame, tmp_path / "search.csv"):
        np.testing.assert_array_equal(lb.read_scores(source, score="f1"), [[0.1], [0.2]])


def test_a_search_with_categories_that_do_not_join():
    odd = pd.DataFrame(
        {
            "params": ["a", "b"],
            "split0_test_f1": pd.Series([(1, 2), 0.7], dtype="category"),
            "split1_test_f1": pd.Series([0.1, 0.2], dtype="category"),
        }
    )
    with pytest.raises(lb.ScoresError, match=r"row 0.*'score' holds '\(1, 2\)'"):
        lb.read_scores(odd)


@pytest.mark.parametrize(
    "cells",
    [
        ["0.5", "0.25", "1.125"],
        ["0.5", "", "1.125"],
        ["0.5", "NA", "1.125"],
        ["0.5", "12", " 3.5 ", '"4.25"'],
        ["0.5", "-2.5e-3", "0.1e+2"],
        ["0.12345678901234567", "1.00000000000000011", "2.2250738585072011e-308"],
    ],
)
def test_decimals_are_the_numbers_that_are_written(tmp_path, cells):
    """Whether the column is read as numbers at once, or as text that holds them."""
    rows = [f"{who},{k},{cell}" for k, cell in enumerate(cells) for who in ("a", "b")]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["model,fold,score", *rows]) + "\n", encoding="utf-8")
    plain = [cell.strip(' "') for cell in cells]
    wanted = [float(cell) if cell not in ("", "NA") else np.nan for cell in plain]
    np.testing.assert_array_equal(lb.read_scores(path).sel(player="a"), wanted)


def test_names_that_are_decimals_are_kept_as_they_are_written(tmp_path):
    """1.10 and 1.1 are two repeats' folds, or versions of a model."""
    path = tmp_path / "scores.csv"
    path.write_text(
        "model,fold,score\n1.0,1.1,0.5\n1.0,1.10,0.5\n2.50,1.1,0.75\n\n2.50,1.10,0.5\n",
        encoding="utf-8",
    )
    scores = lb.read_scores(path)
    assert scores["player"].to_numpy().tolist() == ["1.0", "2.50"]
    assert scores["round"].to_numpy().tolist() == ["1.1", "1.10"]


def test_settings_of_a_search_that_are_decimals_are_kept_as_they_are_written(tmp_path):
    path = tmp_path / "search.csv"
    path.write_text("params,split0_test_x,split1_test_x\n0.5,0.25,0.5\n0.50,1,0.75\n", "utf-8")
    assert lb.read_scores(path)["player"].to_numpy().tolist() == ["0.5", "0.50"]


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("0.5x", "line 302: column 'score' holds '0.5x'"),
        ("True", "line 302: column 'score' holds 'True'"),
        ("9007199254740993.0", "line 302: column 'score' holds the whole number"),
        ("inf", "line 302: column 'score' is infinite"),
        ("0.5,1", "line 302: 4 cells"),
    ],
)
def test_what_comes_after_the_first_decimals_is_refused_with_its_line(tmp_path, last, message):
    rows = [f"m{k % 2},{k // 2},0.5" for k in range(300)] + [f"m0,150,{last}"]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["model,fold,score", *rows]) + "\n", encoding="utf-8")
    with pytest.raises(lb.ScoresError, match=message):
        lb.read_scores(path)
