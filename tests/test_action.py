"""The GitHub Action: its steps, run here as a runner would."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

from conftest import simulate

ACTION = Path(__file__).parents[1] / ".github" / "actions" / "site"


@pytest.fixture(scope="module")
def steps():
    """Steps of ours, by name."""
    read = yaml.safe_load((ACTION / "action.yml").read_text("utf-8"))
    return {step["name"]: step for step in read["runs"]["steps"] if "name" in step}


def write(path, strengths, seed):
    scores = simulate(strengths, 15, np.random.default_rng(seed))
    table = scores.to_series().rename("score").reset_index()
    table["round"] = "data set " + table["round"]
    table.to_csv(path, index=False)


def step_of(step, inputs, folder):
    """Run a step with these inputs in its variables, in a folder."""
    given = {
        name: re.sub(
            r"\$\{\{ inputs\.(\w+) \}\}", lambda found: inputs.get(found[1], ""), str(value)
        )
        for name, value in step["env"].items()
    }
    scripts = Path(sys.executable).parent
    path = f"{folder / 'bin'}:{scripts}:{os.environ['PATH']}"
    own = {"PATH": path, "GITHUB_ACTION_PATH": str(ACTION), "GITHUB_OUTPUT": str(folder / "out")}
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
        env=os.environ | given | own, cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


@pytest.mark.slow  # three commands, each in a process of its own
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_a_site_of_two_files(steps, tmp_path):
    write(tmp_path / "one.csv", [1.0, 0.0, -1.0], 1)
    write(tmp_path / "two.csv", [0.4, 0.2, 0.0], 2)
    inputs = {"results": "one.csv\n  two.csv\n", "site": "site", "title": "Mine", "options": ""}
    made = step_of(steps["Make the site"], inputs, tmp_path)
    assert made.returncode == 0, made.stderr
    assert sorted(path.name for path in (tmp_path / "site").iterdir()) == [
        "index.html", "index.json", "one.html", "one.json", "two.html", "two.json",
    ]  # fmt: skip
    assert (tmp_path / "out").read_text() == "site=site\ntrusted=true\n"
    assert "<h1>Mine</h1>" in (tmp_path / "site" / "index.html").read_text("utf-8")


@pytest.mark.parametrize(
    "results", [pytest.param("", marks=pytest.mark.slow), "none.csv `touch harm` $(touch harm).csv"]
)
def test_what_is_no_file_stops_it_and_is_not_run(steps, tmp_path, results):
    inputs = {"results": results, "site": "site", "title": "T"}
    made = step_of(steps["Make the site"], inputs, tmp_path)
    assert made.returncode == 2
    assert not (tmp_path / "site").exists()
    assert not (tmp_path / "harm").exists()


def test_inputs_reach_scripts_as_variables_only(steps):
    """What stands in a command would be run."""
    for step in steps.values():
        assert "${{" not in step["run"]
