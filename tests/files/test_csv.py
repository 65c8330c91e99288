"""Names in a CSV are harmless, and come back as they were."""

import csv
import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leaderbayes as lb
from leaderbayes._files.write import protect, restore, write_csv

NAMES = [
    *("=1+1", "=cmd|' /C calc'!A0", "+x", "-x", "@SUM(A1)", "\tx", "\rx", "a\nb", "a\x1b[31mb"),
    *("\x85", "\u202egpj", "'=x", "''=x", "'x", "C:\\new", "=C:\\new", "'\\u001b", "-1+1", "- 1"),
    *("＝1", "=", "'", "-1 [=1, 2]", "-1 [-2, -3]+1", "-1 [2]", "-1 [-2, A1]", "=1 [1, 2]"),
    "-٣",  # spreadsheets know no such digits; what they make of the minus is theirs
]
TEXT = st.text(st.sampled_from(list("'\\=-+@u01bx \t\n\r\x1b\x9f.e,\"")), max_size=9) | st.text()


@given(name=TEXT)
def test_every_name_comes_back(name):
    cell = protect(name)
    assert restore(cell) == name
    # A formula's sign in front is left to numbers and their intervals, which run nothing.
    if cell[:1] in tuple("=+-@\t\r"):
        [float(number) for number in re.split(r" \[|, ", cell.removesuffix("]"))]
    assert all(char.isprintable() or char in " \u00a0" or ord(char) > 159 for char in cell)


@given(one=TEXT, other=TEXT)
def test_no_two_names_become_one(one, other):
    assert (protect(one) == protect(other)) == (one == other)


@pytest.mark.parametrize(
    "name",
    [
        *("svm", "-0.5", "+1e5", "-0.31 [-0.40, -0.2]", "-1 [-2, .5e3]", "a-b", "a=b", "C:\\new"),
        *("100%", "", "Zürich 東京", "O'Neil"),
    ],
)
def test_harmless_names_are_not_touched(name):
    assert protect(name) == restore(name) == name


@pytest.mark.parametrize("name", [name for name in NAMES if protect(name) != name])
def test_names_come_back_as_the_documentation_says(name):
    cell = protect(name)
    assert cell[0] == "'"
    assert json.loads('"' + cell[1:].replace('"', '\\"') + '"') == name


def test_a_table_that_is_written_is_read_again(tmp_path):
    names = [name for name in NAMES if name == name.strip()]
    wide = pd.DataFrame(
        np.random.default_rng(1).normal(size=(3, len(names))).round(3),
        index=pd.Index(["=a", "b\x07", "c"], name="task"),
        columns=pd.Index(names, name="player"),
    )
    write_csv(wide, tmp_path / "wide.csv", index=True)
    scores = lb.read_scores(tmp_path / "wide.csv")
    np.testing.assert_array_equal(scores, wide.to_numpy().T)
    assert list(scores["player"].values) == names
    assert list(scores["round"].values) == list(wide.index)
    long = wide.reset_index().melt("task", value_name="score")
    for kind in ("str", object):
        write_csv(long.astype({"task": kind, "player": kind}), tmp_path / "long.csv")
        again = lb.read_scores(tmp_path / "long.csv")
        assert list(again["player"].values) == names
        np.testing.assert_array_equal(again, scores)
    # Numbers are as they were, negative ones too.
    with (tmp_path / "long.csv").open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    assert [float(row[-1]) for row in rows] == list(long["score"])
    assert not any(row[1].startswith(tuple("=+-@\t\r")) for row in rows)


def test_tables_of_others_keep_their_apostrophes(tmp_path):
    (tmp_path / "s.csv").write_text("task,'tis,O'Neil\nx,.1,.2\n'y',.2,.1\n")
    scores = lb.read_scores(tmp_path / "s.csv")
    assert list(scores["player"].values) == ["'tis", "O'Neil"]
    assert list(scores["round"].values) == ["x", "'y'"]
