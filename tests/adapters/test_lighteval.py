"""Details of lighteval."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb

read_lighteval = partial(lb.read_results, program="lighteval")

DATE = "2026-05-01T10-00-00.000000"


def write(folder, model, task, answers, *, column="metric", date=DATE, query="Question {}?"):
    """Write details in the form of lighteval's, which a diff of Parquet would not show."""
    rows = [
        {
            "doc": {"id": str(k), "query": query.format(k), "choices": ["A", "B"]},
            column: values if isinstance(values, dict) else {"acc": values, "em": 1.0},
            "model_response": {"text": ["A"]},
        }
        for k, values in enumerate(answers)
    ]
    file = folder / "details" / model / date / f"details_{task}_{date}.parquet"
    file.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_parquet(file)
    return file


@pytest.fixture
def folder(tmp_path):
    for model, right in {"org/large": [1, 1, 0], "org/small": [1, 0, 0]}.items():
        write(tmp_path, model, "quiz:art|5", right)
        write(tmp_path, model, "quiz:law|5", right[:2])
    return tmp_path


def test_samples_are_rounds(folder):
    scores = read_lighteval(folder, metric="acc", tasks=["quiz:art|5"])
    assert scores.dims == ("player", "round")
    assert scores["player"].values.tolist() == ["org/large", "org/small"]
    np.testing.assert_array_equal(scores, [[1, 1, 0], [1, 0, 0]])
    assert scores.attrs["columns"] == "player=model, round=sample, score=acc"
    assert scores.attrs["higher_is_better"] == 1


def test_older_files_and_files_that_are_named(tmp_path):
    files = {m: write(tmp_path, m, "quiz", [1, k], column="metrics") for k, m in enumerate("ab")}
    np.testing.assert_array_equal(read_lighteval(files, metric="acc"), [[1, 0], [1, 1]])
    table = pd.read_parquet(files["a"]).drop(columns="doc")
    table.to_parquet(tmp_path / "bare.parquet")
    named = read_lighteval(
        {"a": tmp_path / "bare.parquet", "b": tmp_path / "bare.parquet"}, metric="acc"
    )
    assert named["round"].values.tolist() == ["0", "1"]


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ({"answers": [1], "column": "other"}, {}, "no column 'metric', which details of lighteval"),
        ({"answers": [1], "query": "Another?"}, {}, "item '0' of .* differs from .*doc.query"),
        ({"answers": [1], "model": "b", "date": "2026-05-02T10-00-00"}, {}, "second score for"),
    ],
)  # fmt: skip
def test_refusals(tmp_path, given, options, message):
    write(tmp_path, "b", "quiz", [1, 0])
    write(tmp_path, **{"model": "a", "task": "quiz"} | given)
    with pytest.raises(lb.ScoresError, match=message):
        read_lighteval(tmp_path, **{"metric": "acc"} | options)


def test_what_is_no_parquet(tmp_path):
    file = write(tmp_path, "a", "quiz", [1])
    file.write_bytes(file.read_bytes()[:50])
    with pytest.raises(lb.ScoresError, match="not a readable Parquet file"):
        read_lighteval(tmp_path)
