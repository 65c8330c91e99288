"""Logs of inspect-ai, JSON and archives."""

import json
import sys
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import leaderbayes as lb

read_inspect_ai = partial(lb.read_results, program="inspect-ai")

FOLDER = Path(__file__).parent / "data" / "inspect_ai"


def test_samples_are_rounds_of_tasks():
    scores = read_inspect_ai(FOLDER, metric="match", tasks=["quiz_art"])
    assert scores.dims == ("player", "round")
    assert scores["player"].values.tolist() == ["openai/large", "openai/small"]
    assert scores["round"].values.tolist() == ["a0", "a1", "a2"]
    # Partial is half, no answer is none, and an error is missing.
    np.testing.assert_array_equal(scores, [[1, 1, 0.5], [1, 0, np.nan]])
    assert scores.attrs["columns"] == "player=model, round=sample, score=match"
    assert scores.attrs["higher_is_better"] == 1
    assert "runs" not in scores.attrs


def test_epochs_are_averaged():
    scores = read_inspect_ai(FOLDER, metric="match", tasks=["quiz_law"])
    np.testing.assert_array_equal(scores, [[1, 0.5], [0.5, 0]])
    assert scores.attrs["runs"] == 2
    assert scores.attrs["answers"] == 1
    assert scores.attrs["columns"].endswith("repeat=epoch, score=match")
    np.testing.assert_allclose(scores["run_variance"], [0.25, 0.25])


def test_a_value_of_a_scorer_with_several():
    scores = read_inspect_ai(
        FOLDER, metric="judge,clarity", tasks=["quiz_law"], higher_is_better=False
    )
    assert (scores == 0.5).all()
    assert scores.attrs["higher_is_better"] == 0


def packed(source, path, *, leave_out=(), **more):
    """Write the files of an archive into another."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            if name not in leave_out:
                new.writestr(name, more.get(name, old.read(name)))
    return path


def zstandard(source, path):
    """Pack the files of an archive with Zstandard, as inspect-ai does now."""
    codec = pa.Codec("zstd")
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, codec.compress(old.read(name), asbytes=True))
        sizes = {name: old.getinfo(name) for name in old.namelist()}
        for info in new.filelist:
            info.compress_type = 93
            info.file_size, info.CRC = sizes[info.filename].file_size, sizes[info.filename].CRC
    return path


ART = next(FOLDER.glob("*aaLarge.eval"))
SMALL = next(FOLDER.glob("*aaSmall.json"))


def test_logs_packed_with_zstandard(tmp_path):
    log = zstandard(ART, tmp_path / "large.eval")
    read = read_inspect_ai([log, SMALL], metric="match")
    np.testing.assert_array_equal(read, read_inspect_ai([ART, SMALL], metric="match"))


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="zipfile reads them")
def test_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    log = zstandard(ART, tmp_path / "large.eval")
    with pytest.raises(lb.MissingExtraError, match=r"large.eval: a log .*leaderbayes\[parquet\]"):
        read_inspect_ai([log, SMALL], metric="match")


@pytest.mark.parametrize(
    ("leave_out", "message"),
    [
        (["summaries.json"], "no summaries.json"),
        (["header.json"], "did not finish .status 'started'.; finish it .inspect eval-retry"),
        (["header.json", "_journal/start.json"], "no header.json in this archive"),
    ],
)
def test_archives_that_lack_something(tmp_path, leave_out, message):
    log = packed(ART, tmp_path / "log.eval", leave_out=leave_out)
    with pytest.raises(lb.ScoresError, match=f"log.eval: .*{message}"):
        read_inspect_ai([log, SMALL], metric="match")


@pytest.mark.parametrize("damage", [lambda c: c[:300], lambda c: c[:-900] + b"?" * 200 + c[-700:]])
def test_damaged_archives(tmp_path, damage):
    log = tmp_path / "log.eval"
    log.write_bytes(damage(ART.read_bytes()))
    with pytest.raises(lb.ScoresError, match=r"log.eval"):
        read_inspect_ai([log, SMALL], metric="match")


def test_as_a_table_its_reader_is_named():
    with pytest.raises(lb.ScoresError, match=r"for logs of inspect-ai use --format inspect-ai"):
        lb.read_scores(ART)


def log_of(model, *values, **more):
    samples = [
        {"id": k, "epoch": 1, "input": f"Question {k}?", "scores": {"match": {"value": value}}}
        for k, value in enumerate(values)
    ]
    of = {"model": model, "task": "quiz", "task_id": model, "task_version": 0}
    return {"status": "success", "eval": of, "samples": samples} | more


def write(tmp_path, *logs):
    for k, log in enumerate(logs):
        path = tmp_path / f"2026-05-01T10-00-0{k}_quiz_x.json"
        path.write_text(log if isinstance(log, str) else json.dumps(log))
    return tmp_path


SOUND = log_of("b", "C", "I")


@pytest.mark.parametrize(
    ("log", "options", "message"),
    [
        ("{", {}, "00_quiz_x.json: not readable as JSON"),
        ("[]", {}, "no 'eval' with a model and a task"),
        (log_of("a", "C") | {"samples": [3]}, {}, "no 'id' and 'epoch': '3'"),
        (log_of("a", "C", status="error"), {}, "did not finish .status 'error'"),
        (log_of("a", "C", invalidated=True), {}, "did not finish .status 'invalidated'"),
        (log_of("a", [1, 0]), {}, r"sample '0': column 'score' holds '\[1, 0\]'"),
        (log_of("a", {"x": 1, "y": 2}), {}, "several metrics|which metric .*'match,x', 'match,y'"),
        (log_of("a", "C") | {"samples": [{"scores": {"match": {"value": 1}}}]}, {}, "no 'id'"),
    ],
)
def test_refusals(tmp_path, log, options, message):
    with pytest.raises(lb.ScoresError, match=message):
        read_inspect_ai(write(tmp_path, log, SOUND), **options)


def test_tasks_and_samples_that_are_others(tmp_path):
    other = log_of("a", "C", "I")
    other["eval"]["task_version"] = 1
    with pytest.raises(lb.ScoresError, match=r"task 'quiz' differs from that in .*task_version"):
        read_inspect_ai(write(tmp_path, other, SOUND))
    other = log_of("a", "C", "I")
    other["samples"][1]["input"] = "Another?"
    with pytest.raises(
        lb.ScoresError, match=r"item '1' of task 'quiz' differs from that in .*input"
    ):
        read_inspect_ai(write(tmp_path, other, SOUND))


def test_a_log_that_was_retried_is_left_out(tmp_path):
    failed = log_of("b", "I", status="cancelled")
    scores = read_inspect_ai(write(tmp_path, failed, SOUND, log_of("a", "C", "C")))
    np.testing.assert_array_equal(scores, [[1, 0], [1, 1]])
