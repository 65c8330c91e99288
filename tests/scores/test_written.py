"""Whole numbers that are written as Python writes them, among those that are not."""

import io

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from leaderbayes._scores import written
from leaderbayes._scores.written import whole_as_written


def kept(content, delimiter=","):
    frame = pd.read_csv(io.BytesIO(content), sep=delimiter, header=0, na_filter=False)
    frame.columns = range(frame.shape[1])
    return whole_as_written(content, delimiter, frame)


@pytest.mark.parametrize("piece", [1, 5, 2**18])
@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (b"a,bb,c\n1,x,3\n-20,y,100\n0,z,-7\n", {0, 2}),
        (b"a,bb,c\n1,x,3\n-20,y,100", {0, 2}),  # no last line end
        (b"a,b\r\n1,2\r\n10,20\r\n", {0, 1}),
        (b"a,b\r\n1,2\r\n10,20", {0, 1}),
        (b"a,b\n1,2\r\n10,20\r\n", {0}),
        (b"a,b\n01,2\n10,20\n", {1}),
        (b"a,b\n1,2\n10,+20\n", {0}),
        (b"a,b\n 1,2\n10,20 \n", set()),
        (b"a,b\n-0,2\n10,20\n", {1}),
        (b'a,b\n"1",2\n10,20\n', {1}),
        (b'a,b\n1,"x, y"\n2,z\n', set()),  # where cells end is not clear
        (b'"a, b",c\n1,2\n', set()),
        (b"a,b\n9007199254740991,9007199254740992\n", {0}),
        (b"a,b\n-9007199254740991,-9007199254740992\n", {0}),
        (b"a,b\n1.0,2\n1e2,3\n", {1}),
        ("a,b\né,2\nü,3\n".encode(), {1}),
        (b"a,b\nx,y\n", set()),
        (b"a,b\n0,-0.5\n10,0.25\n-7,0\n", {0}),
        (b"a,b\n1,07\n2,9\n", {0}),
        (b"a,b\n1,-0\n2,9\n", {0}),
    ],
)
def test_columns_are_found(monkeypatch, content, columns, piece):
    monkeypatch.setattr(written, "_PIECE", piece)
    assert kept(content) == columns
    assert kept(content.replace(b",", b";"), ";") == columns or b", " in content


@pytest.mark.parametrize(
    "odd", ["01", "+1", " 1", '"1"', "1.0", "1e0", "True", "", "x", "-0", "9" * 20, "1_0"]
)
@pytest.mark.parametrize("rows", [20, 100_000])
@pytest.mark.filterwarnings("ignore:LB041:leaderbayes.LeaderbayesWarning")
def test_names_are_kept_as_they_are_written(tmp_path, odd, rows):
    """Whatever the rest looks like, and however late it comes."""
    names = [str(k) for k in range(2, rows)] + [odd]
    lines = [f"{who},{name},{name}" for who in ("a", "b") for name in names]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["model,round,score", *lines]) + "\n", encoding="utf-8")
    bare = odd.strip(' "')
    if bare in ("", "True", "x", "9" * 20, "1_0"):
        with pytest.raises(lb.ScoresError, match=f"line {rows}: column '(round|score)'"):
            lb.read_scores(path)
    else:
        scores = lb.read_scores(path)
        assert scores["round"].to_numpy().tolist() == [*names[:-1], bare]
        assert scores.values[1].tolist() == [*map(float, names[:-1]), float(bare)]


@pytest.mark.parametrize("seed", range(5))
def test_a_look_and_a_count_agree(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    cells = ["0", "7", "-7", "10", "-30", "0.5", "-0.25", "007", "-0", "-07", "+7", " 7", "7 "]
    found = []
    for _ in range(200):
        # One column is odd, if any.
        odd = rng.choice(cells, size=4)
        rows = [[*rng.choice(cells[:5], size=2), cell] for cell in odd]
        content = "".join(f"{','.join(row)}\n" for row in [list("abc"), *rows]).encode()
        looked = kept(content)
        with monkeypatch.context() as patch:
            patch.setattr(written, "_all_as_written", lambda *_: False)
            assert kept(content) == looked
        found.append(looked == {0, 1, 2})
    assert 0 < sum(found) < len(found)
