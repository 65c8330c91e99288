"""Files of every format, and errors that name the place."""

import gzip
import io
import json
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._scores.sources import parse, read_table

TABLE = pd.DataFrame(
    {
        "model_a": ["fox", "owl", "élk"],
        "model_b": ["owl", "élk", "fox"],
        "winner": ["model_a", "tie", "model_b"],
        "question_id": ["q1", "q2", "q3"],
    }
)


def written(kind):
    if kind == "parquet":
        TABLE.to_parquet(buffer := io.BytesIO())
        return buffer.getvalue()
    return {
        "csv": lambda: TABLE.to_csv(index=False),
        "tsv": lambda: TABLE.to_csv(index=False, sep="\t"),
        "json": lambda: json.dumps(TABLE.to_dict("records")),
        "jsonl": lambda: TABLE.to_json(orient="records", lines=True, force_ascii=False),
        "lists.json": lambda: json.dumps(TABLE.to_dict("list")),
        "lines.json": lambda: TABLE.to_json(orient="records", lines=True),
    }[kind]().encode()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", "csv tsv parquet json jsonl lists.json lines.json".split())
def test_the_same_in_every_format(kind, packed, write):
    content = gzip.compress(written(kind)) if packed else written(kind)
    path = write(content, f"votes.{kind}{'.gz' if packed else ''}")
    xr.testing.assert_equal(lb.read_votes(path), lb.read_votes(TABLE))


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "json", "jsonl"])
@pytest.mark.parametrize("name", ["votes", "votes.txt"])
def test_without_a_name(kind, name, write):
    xr.testing.assert_equal(lb.read_votes(write(written(kind), name)), lb.read_votes(TABLE))


def test_a_folder_of_parquet_files(tmp_path):
    (tmp_path / "more").mkdir()
    TABLE[:2].to_parquet(tmp_path / "a.parquet")
    TABLE[2:].to_parquet(tmp_path / "more" / "b.pq")
    xr.testing.assert_equal(lb.read_votes(tmp_path), lb.read_votes(TABLE))
    TABLE[2:].assign(other=1).to_parquet(tmp_path / "more" / "b.pq")
    with pytest.raises(lb.ScoresError, match=r"b\.pq: other columns than"):
        lb.read_votes(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(lb.ScoresError, match=r"without Parquet files .*--format lm-eval"):
        lb.read_votes(tmp_path / "empty")


def test_rows_are_named_as_the_file_has_them(write):
    for kind, place in {"tsv": "line 3", "jsonl": "line 2", "json": "record 1"}.items():
        table = read_table(write(written(kind), f"votes.{kind}"))
        assert table.row(1).startswith(place)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n", "first line is empty"),
        ("model,fold,auc\n", "header but no scores"),
        (",acc,,f1\nm,1,2,3\n", "first line names 2 of 4 columns; remove any text above"),
        ("model,fold,auc\na,1,1,9\nb,1,1\n", "line 2: 4 cells do not fit the header"),
        ("ds,a,b\nx,1,2\ny,1\n", "line 3: 2 cells do not fit"),
        ("model,fold,fold\na,1,1\n", "two columns are called 'fold'"),
        (b"model,fold,auc\na,1,1\nb\xff,1,1\n", "line 3 is not UTF-8"),
        ("model,fold,auc\na,1,1\nb\0,1,1\n", "line 3 holds a NUL"),
        ('model,fold,auc\n"a\nb",1,1\nb,1,bad\n', "line 4: column 'auc' holds 'bad'"),
        ("model,fold,auc\na,1,1\n\nb,1,x\n", "line 4: column 'auc'"),
        ("0.1,0.2\n0.3,0.4\n", "first line holds the number '0.1'"),
        ("a,1,0.2\nb,1,0.4\n", "first line holds the number '1'"),
    ],
)
def test_errors_of_text_name_the_place(write, text, message):
    with pytest.raises(lb.ScoresError, match=message) as caught:
        lb.read_scores(write(text))
    assert "scores.csv" in str(caught.value)


REFUSED = {
    "line": ("a.jsonl", '{"model_a": 1}\n\n{"model_a"\n', "a.jsonl: line 3: not readable"),
    "no object": ("a.jsonl", '{"a": 1}\n3\n', "line 2 is not an object"),
    "no table": ("a.json", '{"a": 1}', "this JSON is not a table.*lm-eval"),
    "results": ("a.json", '{"results": {"a": 1}, "versions": {}}', "this JSON is not a table"),
    "no records": ("a.json", "[]", "this JSON is not a table"),
    "unequal": ("a.json", '{"a": [1], "b": [1, 2]}', "do not make a table"),
    "twice": ("a.json", '[{"a": 1, "a": 2}]', "'a' appears twice"),
    "Parquet": ("a.parquet", "nonsense", "not a readable Parquet"),
    "gzip": ("a.csv.gz", "nonsense", "damaged gzip file"),
    "Excel": ("a.csv", b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml", "Excel.*as CSV UTF-8"),
    "zip": (
        "a.csv",
        b"PK\x03\x04" + bytes(26) + b"scores.csv",
        "a packed file.*Unpack it.*inspect-ai",
    ),
    "tar": ("a.csv", gzip.compress(bytes(257) + b"ustar", mtime=0), "a packed file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_files_of_other_kinds(name, write):
    file, content, message = REFUSED[name]
    for read in (lb.read_votes, lb.read_scores):
        with pytest.raises(lb.ScoresError, match=message):
            read(write(content, file))


@pytest.mark.parametrize(
    "header",
    ["PK,round,score", "CDF,round,score", "BZhang,a,b", "[a],[b],c", "{a},{b},c", "<x>,b,c"],
)
def test_tables_of_text_are_let_through(write, header):
    assert read_table(write(f"{header}\n1,2,3\n")).frame.shape == (1, 3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1, "b": 2, "a": 3}', "the key 'a' appears twice"),
        (b"{", "here: not readable as JSON"),
        (b"\xff\xfe", "here: not readable as JSON"),
        (b"[" * 200_000, "too deeply nested"),
    ],
)
def test_json_in_which_nothing_is_lost(content, message):
    assert parse(b"\xef\xbb\xbf[1, {}]", "here") == [1, {}]
    with pytest.raises(lb.ScoresError, match=message):
        parse(content, "here")


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


@pytest.mark.parametrize(
    "cells",
    [
        ["0.5", "0.25", "1.125"],
        ["0.5", "", "NA"],
        ["0.5", "12", " 3.5 ", '"4.25"'],
        ["0.5", "-2.5e-3", "0.1e+2"],
        ["0.12345678901234567", "1.00000000000000011", "2.2250738585072011e-308"],
    ],
)
def test_decimals_are_the_numbers_that_are_written(write, cells):
    rows = [f"{who},{k},{cell}" for k, cell in enumerate(cells) for who in ("a", "b")]
    path = write("\n".join(["model,fold,score", *rows]) + "\n")
    plain = [cell.strip(' "') for cell in cells]
    wanted = [float(cell) if cell not in ("", "NA") else np.nan for cell in plain]
    np.testing.assert_array_equal(lb.read_scores(path).sel(player="a"), wanted)


def test_names_are_kept_as_they_are_written(write):
    """1.10 and 1.1 are two repeats' folds, or versions of a model; 01 and +1 are no 1."""
    text = "model,fold,score\n1.0,1.1,0.5\n1.0,1.10,0.5\n2.50,1.1,0.75\n\n2.50,1.10,0.5\n"
    scores = lb.read_scores(write(text))
    assert scores["player"].to_numpy().tolist() == ["1.0", "2.50"]
    assert scores["round"].to_numpy().tolist() == ["1.1", "1.10"]
    text = "model,fold,score\na,01,1\nb,01,2\na,+1,3\nb,-0,4\na, 2,5\n"
    assert lb.read_scores(write(text))["round"].values.tolist() == ["01", "+1", "-0", "2"]


def test_a_text_that_repeats_takes_room_once(tmp_path):
    """A small file of dictionary-encoded text makes no table of gigabytes."""
    pa = pytest.importorskip("pyarrow")
    n = 4000
    for model in (
        ["a" * 5000, "b" * 5000] * n,
        pa.array(["a" * 5000, "b" * 5000] * n).dictionary_encode(),
    ):
        table = pa.table(
            {"model": model, "task": [str(k // 2) for k in range(2 * n)], "score": [0.5] * 2 * n}
        )
        pa.parquet.write_table(table, tmp_path / "s.parquet")
        tracemalloc.start()
        before = pa.total_allocated_bytes()
        scores = lb.read_scores(tmp_path / "s.parquet")
        assert scores.shape == (2, n)
        assert tracemalloc.get_traced_memory()[1] + pa.total_allocated_bytes() - before < 20e6
        tracemalloc.stop()
