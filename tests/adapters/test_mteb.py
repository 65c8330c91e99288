"""Results of MTEB."""

import json
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import leaderbayes as lb

read_mteb = partial(lb.read_results, program="mteb")

FOLDER = Path(__file__).parent / "data" / "mteb"


def test_tasks_are_rounds_and_subsets_are_averaged():
    scores = read_mteb(FOLDER)
    assert scores.dims == ("player", "round")
    assert scores["player"].values.tolist() == ["org/large", "org/small"]
    assert scores["round"].values.tolist() == ["QuizClassification", "QuizSTS"]
    np.testing.assert_allclose(scores, [[0.7, 0.6], [0.6, 0.5]])
    assert scores.attrs["higher_is_better"] == 1
    assert scores.attrs["columns"] == "player=model, round=task, score=main_score"


def test_splits_tasks_and_metrics_that_are_named():
    np.testing.assert_allclose(read_mteb(FOLDER, splits=["test"]), [[0.7, 0.7], [0.6, 0.6]])
    one = read_mteb(FOLDER, tasks=["QuizSTS"], metric="f1")
    np.testing.assert_allclose(one, [[0.5], [0.4]])
    named = read_mteb({"a": FOLDER / "org__large", "b": FOLDER / "org__small"})
    assert named["player"].values.tolist() == ["a", "b"]


def changed(tmp_path, change):
    """Copy the results, with those of one model on one task changed."""
    folder = tmp_path / "results"
    shutil.copytree(FOLDER, folder)
    path = folder / "org__small" / "r1" / "QuizSTS.json"
    result = change(json.loads(path.read_text()))
    path.write_text(result if isinstance(result, str) else json.dumps(result))
    return folder


def scored(test, **others):
    entries = [{"main_score": v, "hf_subset": s, "languages": []} for s, v in test]
    return {"task_name": "QuizSTS", "scores": {"test": entries} | others}


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda r: "{", {}, "QuizSTS.json: not readable as JSON"),
        (lambda r: {"test": {"main_score": 1}}, {}, "no 'task_name' and 'scores'.*since 1.11"),
        (lambda r: r | {"dataset_revision": "x"}, {}, "differs from .*dataset_revision"),
        (lambda r: scored([("default", 0.5)]), {}, "other splits or subsets .*validation/default"),
        (lambda r: scored([("default", "x")]), {}, "'default' of split 'test' has no number"),
        (lambda r: scored([("a", 0.5), ("a", 0.5)]), {}, "'a' of split 'test' appears twice"),
        (lambda r: r, {"splits": ["dev"]}, "no scores of these splits; there are 'test'"),
        (lambda r: r, {"splits": "test"}, "list of names"),
        (lambda r: r, {"tasks": ["QuizSTX"]}, "no task 'QuizSTX' .*did you mean 'QuizSTS'"),
        (lambda r: r, {"metric": "ndcg"}, "has no number 'ndcg'"),
        (lambda r: r | {"task_name": "QuizClassification"}, {}, "other splits|second score"),
    ],
)  # fmt: skip
def test_refusals(tmp_path, change, options, message):
    with pytest.raises(lb.ScoresError, match=message):
        read_mteb(changed(tmp_path, change), **options)


def test_splits_without_labels_are_left_out(tmp_path):
    """As in embeddings-benchmark/results, GritLM-7B on AFQMC: NaN on test beside validation."""

    def write(model, validation):
        (tmp_path / model / "revision").mkdir(parents=True)
        splits = {
            split: [{"hf_subset": "default", "languages": ["cmn-Hans"], "main_score": score}]
            for split, score in {"test": float("nan"), "validation": validation}.items()
        }
        held = {
            "dataset_revision": "b44c", "evaluation_time": 2.5, "kg_co2_emissions": None,
            "mteb_version": "1.12.41", "scores": splits, "task_name": "AFQMC",
        }  # fmt: skip
        (tmp_path / model / "revision" / "AFQMC.json").write_text(json.dumps(held))

    write("org__a", 0.3)
    write("org__b", 0.4)
    np.testing.assert_allclose(read_mteb(tmp_path), [[0.3], [0.4]])
