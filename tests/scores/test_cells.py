"""Numbers are read as they are written, or refused."""

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb


@pytest.fixture
def read(tmp_path):
    def from_cells(*cells):
        body = "".join(f'{k},"{cell}",0.5\n' for k, cell in enumerate(cells))
        (tmp_path / "scores.csv").write_text(f"fold,a,b\n{body}")
        return lb.read_scores(tmp_path / "scores.csv").sel(player="a").values

    return from_cells


@pytest.mark.parametrize("cell", ["", "NA", "N/A", "?", "-", "–", "—", "--"])
def test_cells_that_hold_nothing(read, cell):
    np.testing.assert_array_equal(read("0.1", cell, "0.2"), [0.1, np.nan, 0.2])


@pytest.mark.filterwarnings("ignore:LB051")
def test_large_numbers_that_are_no_whole_ones(read):
    cells = ["1e17", "9007199254740992", "0000000000000000001", "123456789012345678.5", "-1e300"]
    np.testing.assert_array_equal(read(*cells), [float(cell) for cell in cells])


def test_whole_numbers_of_parquet_with_a_missing_one(tmp_path):
    table = pd.DataFrame({"fold": [1, 2], "a": pd.array([2, None], "Int64"), "b": [3, 1]})
    table.to_parquet(tmp_path / "s.parquet")
    np.testing.assert_array_equal(lb.read_scores(tmp_path / "s.parquet"), [[2, np.nan], [3, 1]])


@pytest.mark.parametrize(
    ("cell", "remedy"),
    [
        ("90%", "remove the % sign"),
        ("1,000", "of thousands[?] leave it out"),
        ("0,5", "a decimal comma[?] use a point"),
        ("1 000", "which is not a number"),
        ("0.85 ± 0.1", "a mean with its error"),
        ("0.85 (0.1)", "a mean with its error"),
        ("0.85 (new)", "is not a number; leave a missing score empty"),
        ("timeout", "a missing score empty, or write a score below all others"),
    ],
)
def test_numbers_in_other_writings(read, cell, remedy):
    with pytest.raises(lb.ScoresError, match=rf"line 3: column 'a' holds .*{remedy}"):
        read("0.5", cell, "0.25")


def test_blanks_around_numbers_do_not_count(read):
    np.testing.assert_array_equal(read(" 0.5", "0.25 ", "\t1"), [0.5, 0.25, 1.0])


@pytest.mark.parametrize(
    "scores",
    [np.array([1 + 2j, 2]), pd.to_datetime(["2020-01-01", None]), pd.to_timedelta([1, 2], unit="s"),
     pd.period_range("2020", periods=2, freq="D"), np.array([10**400, 1], dtype=object),
     np.array(["2020-01-01", "1"], dtype=object)],
)  # fmt: skip
def test_what_is_no_number(scores):
    # pandas 2 looks for dates in objects, and fails on 10**400, where it is not told what they are.
    cells = pd.Series(scores, dtype=scores.dtype)
    table = pd.DataFrame({"player": ["a", "b"], "round": "1", "score": cells})
    with pytest.raises(lb.ScoresError, match="column 'score'"):
        lb.read_scores(table)


def test_every_wrong_cell_is_named_at_once():
    columns = {"a": [1, 2, 4, "x", "y"], "b": [1, 2, "z", 3, 5], "c": [1, 2, 3.5, 4, 1]}
    table = pd.DataFrame({"dataset": list("uvwxy")} | columns)
    said = "'x'.* has 1 other cell like it, first 'y' in row 4 .* Also: row 2 .*'b' holds 'z'"
    with pytest.raises(lb.ScoresError, match=said):
        lb.read_scores(table)
    table.columns = ["dataset", "a", None, "c"]
    with pytest.raises(lb.ScoresError, match=r"column 2 \(from 0\) has no name"):
        lb.read_scores(table)
    twice = pd.concat([pd.DataFrame({"data": ["u", "v"], "a": [1, 2.5], "b": [3, 4.5]})] * 2)
    with pytest.raises(lb.ScoresError, match="rows of each 'data' are copies"):
        lb.read_scores(twice)


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
