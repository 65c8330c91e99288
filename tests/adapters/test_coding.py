"""What systems solved of SWE-bench, LiveCodeBench and terminal-bench."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import leaderbayes as lb

read_livecodebench = partial(lb.read_results, program="livecodebench")
read_swe_bench = partial(lb.read_results, program="swe-bench")
read_terminal_bench = partial(lb.read_results, program="terminal-bench")

FOLDER = Path(__file__).parent / "data" / "swe_bench"
REPORTS = sorted((FOLDER / "reports").iterdir())
INSTANCES = [
    "django__django-1", "django__django-2", "psf__requests-4", "psf__requests-5",
    "pytest-dev__pytest-3",
]  # fmt: skip


def test_reports():
    scores = read_swe_bench(REPORTS)
    assert scores["player"].values.tolist() == ["org/large-1.5", "small"]
    assert scores["round"].values.tolist() == INSTANCES
    # Errors and empty patches are not resolved; what was not submitted is missing.
    np.testing.assert_array_equal(scores, [[1, 1, 0, 0, 1], [1, 0, 0, np.nan, 0]])
    assert scores["cluster"].values.tolist() == [
        "django/django", "django/django", "psf/requests", "psf/requests", "pytest-dev/pytest",
    ]  # fmt: skip
    assert scores.attrs["columns"] == (
        "player=model, round=instance_id, cluster=repository, score=resolved"
    )
    assert scores.attrs["higher_is_better"] == 1
    assert "cluster" not in read_swe_bench(REPORTS, clusters=False).coords
    np.testing.assert_array_equal(read_swe_bench(FOLDER / "reports"), scores)


def test_experiments_with_all_instances():
    more = [*INSTANCES, "sympy__sympy-6"]
    scores = read_swe_bench(FOLDER / "verified", instances=more)
    assert scores["player"].values.tolist() == ["20260501_large", "20260502_small", "20260503_mini"]
    scores = scores.sel(round=more)
    np.testing.assert_array_equal(
        scores, [[1, 1, 0, 0, 1, 0], [1, 0, 0, 0, 0, 0], [1, 0, 0, np.nan, 1, np.nan]]
    )


def test_experiments_alone_are_of_the_instances_that_they_name():
    with pytest.warns(lb.LeaderbayesWarning, match="LB053 .*the 4 instances that any .*instances="):
        scores = read_swe_bench(FOLDER / "verified")
    assert scores.sizes["round"] == 4
    assert scores.sel(player="20260502_small").values.tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("report", "options", "message"),
    [
        ("{", {}, "a.run.json: not readable as JSON"),
        ([], {}, "no 'resolved_ids' or 'resolved'"),
        ({"total": 3}, {}, "no 'resolved_ids' or 'resolved'"),
        ({"resolved_ids": 3}, {}, "\'resolved_ids\' must list instances, each once"),
        ({"resolved_ids": ["x-1", "x-1"]}, {}, "\'resolved_ids\' must list instances"),
        (
            {"resolved_ids": ["x-1"], "unresolved_ids": ["x-1"]}, {},
            "'x-1' is in 'resolved_ids' and 'unresolved_ids'",
        ),
        ({"resolved_ids": ["x-1"]}, {"instances": ["x-2"]}, "'x-1' is not among the instances="),
        ({"resolved_ids": ["x-1"]}, {"instances": "x-1"}, "list of names"),
        ({"resolved_ids": []}, {}, "no metric"),
    ],
)  # fmt: skip
def test_refusals(tmp_path, report, options, message):
    path = tmp_path / "a.run.json"
    path.write_text(report if isinstance(report, str) else json.dumps(report))
    with pytest.raises(lb.ScoresError, match=message):
        read_swe_bench([path, REPORTS[0]], **options)


def test_samples_of_livecodebench(tmp_path):
    for model, grades in {"a": [[True, False], [True, True]], "b": [[False, False]]}.items():
        of = [{"question_id": f"q{k}", "platform": "leetcode", "graded_list": g, "pass@1": 0.5}
              for k, g in enumerate(grades)]  # fmt: skip
        (tmp_path / model).mkdir()
        (tmp_path / model / "Scenario.codegeneration_2_0.2_eval_all.json").write_text(
            json.dumps(of)
        )
    scores = read_livecodebench(tmp_path)
    assert scores["player"].values.tolist() == ["a", "b"]
    np.testing.assert_array_equal(scores, [[0.5, 1.0], [0.0, np.nan]])
    assert (scores.attrs["runs"], scores.attrs["answers"]) == (2.0, 1)
    (tmp_path / "a" / "b_eval_all.json").write_text('[{"question_id": "q1", "graded_list": [1]}]')
    with pytest.raises(lb.ScoresError, match=r"record 0 .* 'graded_list' of true and false"):
        read_livecodebench(tmp_path)


def test_attempts_of_terminal_bench(tmp_path):
    for run, (agent, resolved) in enumerate([("x", (True, None)), ("y", (False, True)),
                                             ("x", (False, False))]):  # fmt: skip
        folder = tmp_path / str(run)
        (folder / "hello" / "trial").mkdir(parents=True)
        results = [{"task_id": t, "is_resolved": it} for t, it in zip("uv", resolved, strict=True)]
        (folder / "results.json").write_text(json.dumps({"id": "1", "results": results}))
        (folder / "hello" / "trial" / "results.json").write_text(json.dumps(results[0]))
        about = {"agent_name": agent, "model_name": "m"}
        (folder / "run_metadata.json").write_text(json.dumps(about))
    scores = read_terminal_bench(tmp_path)
    assert scores["player"].values.tolist() == ["x (m)", "y (m)"]
    np.testing.assert_array_equal(scores, [[0.5, 0.0], [0.0, 1.0]])
    with pytest.raises(lb.ScoresError, match=r"result 0 .* no 'task_id' and 'is_resolved'"):
        read_terminal_bench(
            {"x": FOLDER / "verified" / "20260501_large" / "results" / "results.json"}
        )
