"""What systems resolved of SWE-bench."""

import json
from pathlib import Path

import numpy as np
import pytest

import leaderbayes as lb
from leaderbayes.adapters import from_swe_bench

FOLDER = Path(__file__).parent / "data" / "swe_bench"
REPORTS = sorted((FOLDER / "reports").iterdir())
INSTANCES = [
    "django__django-1", "django__django-2", "psf__requests-4", "psf__requests-5",
    "pytest-dev__pytest-3",
]  # fmt: skip


def test_reports():
    scores = from_swe_bench(REPORTS)
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
    assert "cluster" not in from_swe_bench(REPORTS, clusters=False).coords
    np.testing.assert_array_equal(from_swe_bench(FOLDER / "reports"), scores)


def test_experiments_with_all_instances():
    more = [*INSTANCES, "sympy__sympy-6"]
    scores = from_swe_bench(FOLDER / "verified", instances=more)
    assert scores["player"].values.tolist() == ["20260501_large", "20260502_small", "20260503_mini"]
    scores = scores.sel(round=more)
    np.testing.assert_array_equal(
        scores, [[1, 1, 0, 0, 1, 0], [1, 0, 0, 0, 0, 0], [1, 0, 0, np.nan, 1, np.nan]]
    )


def test_experiments_alone_are_of_the_instances_that_they_name():
    with pytest.warns(lb.LeaderbayesWarning, match="LB053 .*the 4 instances that any .*instances="):
        scores = from_swe_bench(FOLDER / "verified")
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
        ({"resolved_ids": []}, {}, "no metric 'resolved', but none"),
    ],
)  # fmt: skip
def test_refusals(tmp_path, report, options, message):
    path = tmp_path / "a.run.json"
    path.write_text(report if isinstance(report, str) else json.dumps(report))
    with pytest.raises(lb.ScoresError, match=message):
        from_swe_bench([path, REPORTS[0]], **options)
