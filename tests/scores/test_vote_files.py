"""Files of votes: the same table in every format."""

import gzip
import io
import json

import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._scores.vote_files import read_vote_table

TABLE = pd.DataFrame(
    {
        "model_a": ["fox", "owl", "élk"],
        "model_b": ["owl", "élk", "fox"],
        "winner": ["model_a", "tie", "model_b"],
        "question_id": ["q1", "q2", "q3"],
    }
)
PGN = """\
[Event "Cup"]
[Date "2026.01.31"]
[White "Fox, A."]
[Black "Owl \\"B\\""]
[Result "1-0"]

1. e4 e5 {a comment
on two lines} 2. Nf3 1-0

[Event "Cup"]
[Date "2026.??.??"]
[White "Owl \\"B\\""]
[Black "Fox, A."]
[Result "1/2-1/2"]

1. d4 1/2-1/2
[Event "Cup"]
[White "Owl \\"B\\""]
[Black "Elk"]
[Result "*"]

*
"""


def written(kind):
    records = TABLE.to_dict("records")
    if kind == "parquet":
        buffer = io.BytesIO()
        TABLE.to_parquet(buffer)
        return buffer.getvalue()
    texts = {
        "csv": TABLE.to_csv(index=False),
        "tsv": TABLE.to_csv(index=False, sep="\t"),
        "json": json.dumps(records),
        "jsonl": TABLE.to_json(orient="records", lines=True, force_ascii=False),
        "columns.json": TABLE.to_json(),
        "lists.json": json.dumps(TABLE.to_dict("list")),
        "split.json": TABLE.to_json(orient="split"),
        "under.json": json.dumps({"version": 1, "votes": records}),
        "lines.json": TABLE.to_json(orient="records", lines=True),
    }
    return texts[kind].encode()


KINDS = (
    "csv tsv parquet json jsonl columns.json lists.json split.json under.json lines.json".split()
)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_in_every_format(kind, packed, write):
    content = gzip.compress(written(kind)) if packed else written(kind)
    path = write(content, f"votes.{kind}{'.gz' if packed else ''}")
    xr.testing.assert_equal(lb.read_votes(path), lb.read_votes(TABLE))


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "json", "jsonl"])
def test_without_a_name_or_with_the_format(kind, write):
    there = lb.read_votes(TABLE)
    xr.testing.assert_equal(lb.read_votes(write(written(kind), "votes")), there)
    xr.testing.assert_equal(lb.read_votes(write(written(kind), "votes.txt"), format=kind), there)


def test_pgn(write):
    found = lb.read_votes(write(PGN, "games.pgn"))
    assert found["player"].values.tolist() == ["Fox, A.", 'Owl "B"']
    assert found["outcome"].values.tolist() == [1.0, 0.5]
    assert found["time"].dt.year.values[0] == 2026
    assert found["time"].isnull().values.tolist() == [False, True]
    assert "1 game without a result, left out" in found.attrs["read_as"]
    named = lb.read_votes(write(PGN, "games.txt"), tournament="Event")
    assert named["tournament"].values.tolist() == ["Cup", "Cup"]


REFUSED = {
    "line": ("a.jsonl", '{"model_a": 1}\n\n{"model_a"\n', "a.jsonl: line 3: not readable"),
    "no object": ("a.jsonl", '{"a": 1}\n3\n', "line 2 holds no object"),
    "no table": ("a.json", '{"a": 1}', "this JSON is no table"),
    "no records": ("a.json", "[]", "there is no vote"),
    "unequal": ("a.json", '{"a": [1], "b": [1, 2]}', "make no table"),
    "no tag": ("a.pgn", "1. e4", "no tag of a game"),
    "no result": ("a.pgn", '[White "a"]\n[Black "b"]\n', "line 1 has no tag Result"),
    "twice": ("a.json", '[{"a": 1, "a": 2}]', "'a' stands twice"),
    "empty": ("a.tsv", "", "the file is empty"),
    "no UTF-8": ("a.pgn", b'[White "\xff"]', "line 1 is not UTF-8"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, write):
    file, content, message = REFUSED[name]
    with pytest.raises(lb.ScoresError, match=message):
        lb.read_votes(write(content, file))


def test_rows_are_named_as_the_file_has_them(write):
    for kind, place in {"tsv": "line 3", "jsonl": "line 2", "json": "record 1"}.items():
        table, found = read_vote_table(write(written(kind), f"votes.{kind}"))
        assert found == kind
        assert table.row(1).startswith(place)


def test_formats_and_sources_are_known(write):
    with pytest.raises(lb.LeaderbayesError, match="format='xlsx'"):
        lb.read_votes(write("a,b\n"), format="xlsx")
    with pytest.raises(lb.ScoresError, match="cannot be read from a list"):
        lb.read_votes([])
