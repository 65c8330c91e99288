"""Results of HELM on instances."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import leaderbayes as lb

read_helm = partial(lb.read_results, program="helm")

FOLDER = Path(__file__).parent / "data" / "helm"
ART = "quiz:subject=art,method=joint"


def test_instances_are_rounds_and_trials_repeats():
    scores = read_helm(FOLDER, metric="exact_match", tasks=[ART])
    assert scores.dims == ("player", "round")
    assert scores["player"].values.tolist() == ["org/large", "org/small"]
    assert scores["round"].values.tolist() == ["id0", "id1", "id2"]
    # Those that are perturbed, all wrong, are left out.
    np.testing.assert_array_equal(scores, [[1, 0.5, 0], [0.5, 0, 0]])
    assert scores.attrs["runs"] == 2
    assert scores.attrs["columns"] == (
        "player=model, round=instance_id, repeat=train_trial_index, score=exact_match"
    )
    assert scores.attrs["higher_is_better"] == 1


def test_runs_are_tournaments_or_clusters():
    several = read_helm(FOLDER, metric="exact_match")
    assert several["tournament"].values.tolist() == [ART, ART.replace("art", "law")]
    one = read_helm(FOLDER, metric="exact_match", clusters=True)
    assert one["cluster"].values.tolist() == [ART] * 3 + [ART.replace("art", "law")] * 2
    assert one["round"].values[0] == f"{ART}.id0"
    named = read_helm({"a": FOLDER / "large-art", "b": FOLDER / "small-art"}, metric="exact_match")
    assert named["player"].values.tolist() == ["a", "b"]


def entry(item="id0", trial=0, name="exact_match", mean=1.0, **more):
    stats = [{"name": {"name": name, "split": "test"}, "count": 1, "mean": mean}]
    return {"instance_id": item, "train_trial_index": trial, "stats": stats} | more


def write(folder, model, entries, spec=None):
    (folder / model).mkdir()
    spec = (
        {"name": f"quiz:model={model}", "adapter_spec": {"model": model}} if spec is None else spec
    )
    (folder / model / "run_spec.json").write_text(json.dumps(spec))
    (folder / model / "per_instance_stats.json").write_text(
        entries if isinstance(entries, str) else json.dumps(entries)
    )


@pytest.mark.parametrize(
    ("entries", "options", "message"),
    [
        ("{", {}, "per_instance_stats.json: not readable as JSON"),
        ({}, {}, "has no list of instances"),
        ([entry(), entry(name="em")], {"metric": None}, "which metric .*'exact_match', 'em'"),
        ([entry(perturbation={"name": "typos"})], {}, "there is no metric"),
        ([entry(item=None)], {}, "no 'instance_id' and 'train_trial_index'"),
    ],
)
def test_refusals(tmp_path, entries, options, message):
    write(tmp_path, "a", entries)
    write(tmp_path, "b", [entry()])
    with pytest.raises(lb.ScoresError, match=message):
        read_helm(tmp_path, **{"metric": "exact_match"} | options)


def test_runs_without_a_specification(tmp_path):
    write(tmp_path, "a", [entry()], spec={"name": "quiz"})
    with pytest.raises(lb.ScoresError, match=r"run_spec.json: no 'name' and 'adapter_spec'"):
        read_helm(tmp_path)
    (tmp_path / "a" / "run_spec.json").unlink()
    with pytest.raises(lb.ScoresError, match=r"stats.json: there is no run_spec.json beside it"):
        read_helm(tmp_path)
