"""Reading tables, and refusing what cannot be compared."""

import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

import leaderbayes as lb

LONG = "model,fold,auc\na,1,0.5\nb,1,0.6\na,2,0.7\nb,2,\n"


@pytest.fixture
def write(tmp_path):
    def to(text, name="scores.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return to


def test_long_csv(write):
    scores = lb.read_scores(write(LONG), higher_is_better=False)
    assert scores.dims == ("player", "round")
    assert list(scores["player"].values) == ["a", "b"]
    np.testing.assert_array_equal(scores, [[0.5, 0.7], [0.6, np.nan]])
    assert scores.attrs["higher_is_better"] == 0
    assert scores.attrs["scheme"] == "model/fold"
    assert scores.attrs["source"].endswith("scores.csv")


def test_gzip_parquet_and_dataframe_agree(write, tmp_path):
    table = pd.read_csv(write(LONG))
    table.to_parquet(tmp_path / "s.parquet")
    expected = lb.read_scores(write(LONG))
    for source in (write(gzip.compress(LONG.encode()), "s.csv.gz"), tmp_path / "s.parquet", table):
        np.testing.assert_array_equal(lb.read_scores(source), expected)
    shuffled = table.sample(frac=1, random_state=1)
    again = lb.read_scores(shuffled).reindex_like(expected)
    np.testing.assert_array_equal(again, expected)


def test_wide_rows_are_rounds(write):
    scores = lb.read_scores(write("task,svm,forest\nx,0.1,0.2\ny,0.3,\n"))
    assert list(scores["player"].values) == ["svm", "forest"]
    assert list(scores["round"].values) == ["x", "y"]
    np.testing.assert_array_equal(scores, [[0.1, 0.3], [0.2, np.nan]])


def test_wide_repeats_are_folds(write):
    scores = lb.read_scores(write("db,svm,forest\nx,1,2\nx,3,4\ny,5,6\ny,7,8\n"))
    assert dict(scores.sizes) == {"tournament": 2, "player": 2, "round": 2}
    np.testing.assert_array_equal(scores.sel(tournament="y", player="svm"), [5, 7])


def test_several_tournaments(write):
    text = "dataset,model,fold,acc\nd,a,1,1\nd,b,1,2\ne,a,1,3\ne,b,1,4\n"
    scores = lb.read_scores(write(text))
    assert scores.dims == ("tournament", "player", "round")
    tasks = lb.read_scores(write("dataset,model,acc\nd,a,1\nd,b,2\ne,a,3\ne,b,4\n"))
    assert tasks.dims == ("player", "round")
    assert list(tasks["round"].values) == ["d", "e"]


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
        ("model,fold,auc\na,1,1\nb,1,inf\n", "line 3: column 'auc' is infinite"),
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


def test_a_row_for_each_player(write):
    scores = lb.read_scores(write("model,d1,d2,d3\nA,.5,.2,.9\nB,.4,.3,.1\n"))
    assert list(scores["player"].values) == ["A", "B"]
    assert list(scores["round"].values) == ["d1", "d2", "d3"]
    np.testing.assert_array_equal(scores, [[0.5, 0.2, 0.9], [0.4, 0.3, 0.1]])


def test_columns_under_other_names(write):
    own = lb.read_scores(write("model,fold,points\na,1,1\nb,1,2\n"))
    np.testing.assert_array_equal(own, [[1], [2]])
    exact = lb.read_scores(write("player,round,score,Score\na,1,1,9\nb,1,2,8\n"))
    np.testing.assert_array_equal(exact, [[1], [2]])
    folds = lb.read_scores(write("dataset,repeat,fold,a,b\nd,1,1,1,2\nd,2,1,3,4\n"))
    assert list(folds["round"].values) == ["1.1", "2.1"]
    assert list(folds["player"].values) == ["a", "b"]
    blanks = lb.read_scores(write('player, round, score\na, 1, 1\nb ,1,2\na,"2",3\n'))
    np.testing.assert_array_equal(blanks, [[1, 3], [2, np.nan]])
    mixed = lb.read_scores(write("what,a,b\niris,1,2\n1049,3,4\n"))
    assert list(mixed["round"].values) == ["iris", "1049"]
    index = lb.read_scores(write("Unnamed: 0,a,b\n0,1,2\n1,3,4\n"))
    assert list(index["player"].values) == ["a", "b"]


def test_a_player_without_scores_is_no_label(write):
    with pytest.warns(lb.LeaderbayesWarning, match="LB040 .*scores.csv: 'A' has no score and is"):
        scores = lb.read_scores(write("A,B,C\nNA,0.1,0.2\n-,0.3,0.4\n"))
    assert list(scores["player"].values) == ["A", "B", "C"]


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


@pytest.mark.parametrize(
    "scores",
    [
        np.array([1 + 2j, 2]),
        pd.to_datetime(["2020-01-01", None]),
        pd.to_timedelta([1, 2], unit="s"),
        pd.period_range("2020", periods=2, freq="D"),
        np.array([2**53, 2**53 + 1]),
        np.array([10**400, 1], dtype=object),
        np.array(["2020-01-01", "1"], dtype=object),
    ],
)
def test_what_is_no_number(scores):
    table = pd.DataFrame({"player": ["a", "b"], "round": "1", "score": scores})
    with pytest.raises(lb.ScoresError, match="column 'score'"):
        lb.read_scores(table)


def test_numbers_of_every_kind():
    from decimal import Decimal

    import pyarrow as pa

    for values in (
        np.array([True, False]),
        np.array([True, False], dtype=object),
        np.array([Decimal(1), None], dtype=object),
        pd.array([1, None], dtype="Int64"),
        pd.array([Decimal(1), None], dtype=pd.ArrowDtype(pa.decimal128(10, 3))),
        pd.Categorical(["1", "0"]),
    ):
        table = pd.DataFrame({"score": values}).iloc[[0, 1, 0]]
        table = table.assign(player=["a", "b", "b"], round=["1", "1", "2"])
        assert float(lb.read_scores(table)[0, 0]) == 1.0


@pytest.mark.parametrize("source", [None, [1, 2], 3, {"params": [1], "split0_test_x": [1, 2]}])
def test_sources_of_no_kind(source):
    with pytest.raises(lb.ScoresError):
        lb.read_scores(source)


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


@pytest.mark.parametrize(
    ("column", "cell", "message"),
    [
        ("player", ["a"], "row 0 .*column 'player' holds .*which is not text"),
        ("player", "\ud800", "row 0 .*column 'player' holds .*which is not text"),
        ("score", "\ud800", "row 0 .*column 'score' holds .*which is not a number"),
        ("score", {"a": 1.0}, "row 0 .*column 'score' holds .*which is not a number"),
        pytest.param(
            "score",
            10**5000,
            "row 0 .*column 'score' holds 'int', which is not a number",
            id="huge",
        ),
    ],
)
def test_cells_of_any_kind(column, cell, message):
    frame = pd.DataFrame({"player": ["a", "b"], "round": 1, "score": 1.0}).astype(object)
    frame.at[0, column] = cell
    with pytest.raises(lb.ScoresError, match=message):
        lb.read_scores(frame)


def test_a_label_of_half_characters():
    label = pd.Series(["\ud800", "b"], dtype=object)
    frame = pd.DataFrame({"x": label, "A": [1.0, 2.0], "B": [2.0, 3.0]})
    with pytest.raises(lb.ScoresError, match=r"column 'x' holds .*which is not text"):
        lb.read_scores(frame)


def test_columns_that_are_not_text():
    frame = pd.DataFrame({"player": ["a", "b"], "round": 1, "score": 1.0})
    frame.columns = pd.Index(["player", "\ud800", "score"], dtype=object)
    with pytest.raises(lb.ScoresError, match=r"a column is called .*which is not text"):
        lb.read_scores(frame)
    with pytest.raises(lb.ScoresError, match="no column '3' for the player"):
        lb.read_scores(frame.set_axis(["player", "round", "score"], axis=1), player=3)


def test_blank_lines_do_not_shift_line_numbers(write):
    with pytest.raises(lb.ScoresError, match="line 4"):
        lb.read_scores(write("model,fold,auc\na,1,1\n\nb,1,x\n"))


def test_unknown_columns_and_files(write, tmp_path):
    with pytest.raises(
        lb.ScoresError, match="no column 'modle' for the player; did you mean 'model'"
    ):
        lb.read_scores(write(LONG), player="modle")
    with pytest.raises(lb.ScoresError, match="cannot be read"):
        lb.read_scores(tmp_path / "absent.csv")
    with pytest.raises(lb.ScoresError, match="not a whole gzip"):
        lb.read_scores(write(b"nonsense", "s.csv.gz"))
    with pytest.raises(lb.ScoresError, match="not a readable Parquet"):
        lb.read_scores(write(b"nonsense", "s.parquet"))
    with pytest.raises(lb.ScoresError, match="name it too"):
        lb.read_scores(write("who,points\na,2\n"), player="who")
    with pytest.raises(lb.ScoresError, match="is given as player and as round"):
        lb.read_scores(write(LONG), player="model", round="model")
    with pytest.raises(lb.ScoresError, match=r"row 1 \(from 0\): column 'score' is infinite"):
        lb.read_scores(pd.DataFrame({"player": ["a", "b"], "round": 1, "score": [0.0, np.inf]}))


@pytest.mark.parametrize("name", ["boards/bbtcomp_ll_wide.csv", "boards/amlb_2019_4h.csv"])
def test_real_boards(name):
    from conftest import REFERENCE

    if not (REFERENCE / name).exists():
        pytest.skip(f"../shared/reference/{name} is not beside this checkout")
    sizes = dict(lb.read_scores(REFERENCE / name).sizes)
    assert (
        sizes
        == {
            "boards/bbtcomp_ll_wide.csv": {"tournament": 132, "player": 16, "round": 4},
            "boards/amlb_2019_4h.csv": {"tournament": 39, "player": 7, "round": 10},
        }[name]
    )


@pytest.mark.parametrize(
    ("text", "round_name", "sizes"),
    [
        ("dataset,cv_fold,a,b\nx,0,1,2\nx,1,1,3\ny,0,1,4\ny,1,2,5\n", "cv_fold", (2, 2, 2)),
        ("foldId,a,b\n7,.1,.2\n9,.1,.3\n", "foldId", (2, 2)),
        ("index,a,b\n0,.1,.2\n1,.1,.3\n", "index", (2, 2)),
        ("id,a,b\n1,.1,.2\n2,.1,.3\n", "id", (2, 2)),
        ("dataset,id,a,b\nx,7,1,2\nx,9,1,3\ny,7,1,4\ny,9,2,5\n", "id", (2, 2, 2)),
        # The numbers of the rows are nothing where the rows have names.
        (",dataset,a,b\n0,x,1,2\n1,y,1,3\n2,z,1,4\n", "dataset", (2, 3)),
        (",model,d1,d2\n0,x,.1,.2\n1,y,.1,.3\n2,z,.1,.4\n", "column", (3, 2)),
        (
            "dataset,cv_fold,model,f1\nx,1,a,.1\nx,1,b,.2\ny,1,a,.1\ny,1,b,.2\n",
            "cv_fold",
            (2, 2, 1),
        ),
        ("model,fold,accuracy,fit_time,train_acc\na,1,1,2,3\nb,1,1,2,3\n", "fold", (2, 1)),
        ("model,arc_acc,boolq_acc\na,1,2\nb,1,2\n", "column", (2, 2)),
    ],
)
def test_rounds_are_recognised(write, text, round_name, sizes):
    scores = lb.read_scores(write(text))
    assert f"round={round_name}," in scores.attrs["columns"]
    assert scores.shape == sizes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fold,id,a,b\n1,7,.1,.2\n2,9,.1,.3\n", "column 'id' looks like a round"),
        ("a,b,k\n.1,.2,1\n.1,.3,2\n.1,.1,3\n", "column 'k' counts the rows"),
        ("t,k,a,b\nx,0,3,4\nx,1,3,4\nx,2,3,4\ny,0,1,2\ny,1,2,3\n", "column 'k' counts"),
        ("fold,a,b,Mean\n1,1,2,3\n", "column 'Mean' looks like a summary .* leave it out, or ren"),
        ("fold,a,b,avg_rank\n1,1,2,3\n", "column 'avg_rank' looks like a summary"),
        ("model,d1,d2,std\na,1,2,3\nb,1,2,3\n", "column 'std' looks like a summary"),
        ("config,fold,accuracy\n1,1,.5\n2,1,.6\n", "column 'accuracy' looks like the score"),
        (",1,2\nsvm,.1,.2\nknn,.3,.4\n", "are called '1', '2': is the table transposed?"),
        ("name,fold1,fold2\nsvm,.1,.2\nknn,.3,.4\n", "is the table transposed?"),
        ("model,fold,rmse\na,1,1\nb,1,2\n", "'rmse' is the name of a loss"),
        ("model,fold,test_logLoss\na,1,1\nb,1,2\n", "'test_logLoss' is the name of a loss"),
        ("model,fold,metric,value\na,1,mae,1\nb,1,mae,2\n", "'mae' is the name of a loss"),
        ("model,fold,accuracy,f1\na,1,1,1\n", "Name one .*--score NAME.*: 'accuracy', 'f1'"),
        ("model,fold,acc,log_loss\na,1,1,1\n", "Name one .*: 'acc', 'log_loss'"),
        ("model,fold,auc\na,1,1\nb,1,1\na,mean,1\n", "line 4: the round 'mean' looks like a sum"),
        ("dataset,a,b\nx,1,2\nAverage,1,2\n", "line 3: the round 'Average' looks like a summary"),
        (
            "dataset,part,model,f1\nx,1,a,1\nx,2,a,1\n",
            "line 3: a second .* round=dataset, score=f1",
        ),
        ("fold,a,b\n1,90.1%,80%\n", "'90.1%', which is not a number; remove the % sign"),
        ("a,b,c\n90.1%,80%,70%\n", "'90.1%', which is not a number; remove the % sign"),
        ("fold,a,b\n1,0.9 ± 0.1,1\n", "which is not a number; leave the ± and what follows"),
        ("fold,a,b\n1,90% +/- 1%,1\n", "which is not a number; leave the ± and what follows"),
    ],
)
def test_what_would_be_read_wrongly_is_refused(write, text, message):
    with pytest.raises(lb.ScoresError, match=message):
        lb.read_scores(write(text))


@pytest.mark.parametrize("name", ["neg_log_loss", "auc", "lossless", "terror", "value"])
def test_other_scores_need_no_direction(write, name):
    assert lb.read_scores(write(f"model,fold,{name}\na,1,1\nb,1,2\n")).attrs["higher_is_better"]


def test_a_direction_that_is_given_counts(write):
    path = write("model,fold,rmse\na,1,1\nb,1,2\n")
    for better in (True, False):
        assert lb.read_scores(path, higher_is_better=better).attrs["higher_is_better"] == better


def test_pivot_tables():
    rows = [(k, m, 0.1 * k, 0.5) for k in range(3) for m in ("svm", "knn")]
    frame = pd.DataFrame(rows, columns=["cv_fold", "model", "f1", "mae"])
    for values in ("f1", ["f1"]):
        wide = frame.pivot_table(index="cv_fold", columns="model", values=values)
        for table in (wide, wide.reset_index()):
            scores = lb.read_scores(table)
            assert list(scores["player"].values) == ["knn", "svm"]
            assert list(scores["round"].values) == ["0", "1", "2"]
    both = frame.pivot_table(index="cv_fold", columns="model")
    with pytest.raises(lb.ScoresError, match=r"several scores \('f1', 'mae'\)"):
        lb.read_scores(both)
    with pytest.raises(lb.ScoresError, match="'mae' is the name of a loss"):
        lb.read_scores(both[["mae"]])
    transposed = both["f1"].T.rename_axis([None])
    with pytest.raises(lb.ScoresError, match="transposed"):
        lb.read_scores(transposed)
    assert lb.read_scores(transposed.rename_axis("player")).shape == (2, 3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml", "an Excel workbook.*as CSV UTF-8"),
        (b"PK\x03\x04" + bytes(26) + b"scores.csv", "a zip archive.*unpack it"),
        (b"\x89HDF\r\n\x1a\n", "netCDF or HDF5.*leaderbayes.read_fit"),
        (b"CDF\x01", "netCDF"),
        (b"\x80\x04\x95", "a pickle.*DataFrame"),
        (b"\x89PNG\r\n", "a picture"),
        (b'{"model": {"0": 1}}', "JSON.*read_json"),
        (b'[\n {"model": 1}]', "JSON"),
        (b"<!DOCTYPE html>", "a page"),
        (gzip.compress(bytes(257) + b"ustar", mtime=0), "a tar archive"),
    ],
)
def test_files_of_other_kinds(write, content, message):
    with pytest.raises(lb.ScoresError, match=rf"scores.csv: this is {message}"):
        lb.read_scores(write(content))


def test_first_bytes_count_not_the_name(write, tmp_path):
    pd.read_csv(write(LONG)).to_parquet(tmp_path / "s.parquet")
    expected = lb.read_scores(write(LONG))
    for content in (gzip.compress(LONG.encode()), (tmp_path / "s.parquet").read_bytes()):
        np.testing.assert_array_equal(lb.read_scores(write(content)), expected)


def test_an_unknown_player_of_a_wide_table(write):
    with pytest.raises(
        lb.ScoresError, match=r"there are 'task', 'a', 'b'\. A wide table, .* needs no"
    ):
        lb.read_scores(write("task,a,b\nx,1,2\n"), player="modle")


CELLS = st.one_of(
    st.sampled_from(["", "a", "b", "1", "0.5", "-1e9", "inf", "nan", "1,2", '"', ";", "\n", "é"]),
    st.text(max_size=5),
)


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    content=st.one_of(
        st.binary(max_size=60),
        st.lists(st.lists(CELLS, max_size=5), max_size=6).map(
            lambda rows: "\n".join(
                ",".join(row) for row in [["model", "fold", "auc"], *rows]
            ).encode(errors="replace")
        ),
        st.lists(st.lists(CELLS, max_size=5), max_size=6).map(
            lambda rows: "\n".join(",".join(row) for row in rows).encode(errors="replace")
        ),
    ),
    suffix=st.sampled_from([".csv", ".csv.gz", ".parquet"]),
)
def test_fuzz_raises_errors_of_ours_only(write, content, suffix):
    try:
        scores = lb.read_scores(write(content, "fuzz" + suffix))
    except lb.ScoresError:
        return
    assert scores.sizes["player"] >= 2
    assert not np.isinf(scores).any()


def test_an_index_of_any_name():
    frame = pd.DataFrame({"round": 1, "score": [1.0, 2.0], "player": ["a", "b"]})
    frame.index = pd.MultiIndex.from_tuples([(1, 2), (3, 4)], names=[pd.NA, "x"])
    np.testing.assert_array_equal(lb.read_scores(frame), [[1.0], [2.0]])


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
