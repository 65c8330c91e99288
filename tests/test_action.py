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


def step_of(step, inputs, folder, **more):
    """Run a step with these inputs in its variables, in a folder."""
    given = {
        name: re.sub(
            r"\$\{\{ inputs\.(\w+) \}\}", lambda found: inputs.get(found[1], ""), str(value)
        )
        for name, value in step["env"].items()
    }
    scripts = Path(sys.executable).parent
    path = f"{folder / 'bin'}:{scripts}:{os.environ['PATH']}"
    own = {"PATH": path, "GITHUB_ACTION_PATH": str(ACTION), "GITHUB_OUTPUT": str(folder / "out"),
           "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}  # fmt: skip
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
        env=os.environ | given | own | more, cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


@pytest.mark.slow  # four commands, each in a process of its own
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_a_pull_request_is_told_what_changed(steps, tmp_path):
    """Two files, an earlier site, and a comment on what is different; then nothing is run twice."""
    write(tmp_path / "one.csv", [1.0, 0.0, -1.0], 1)
    write(tmp_path / "two.csv", [0.4, 0.2, 0.0], 2)
    inputs = {"results": "one.csv\n  two.csv\n", "site": "before", "title": "Mine", "options": ""}
    made = step_of(steps["Make the site"], inputs, tmp_path)
    assert made.returncode == 0, made.stderr
    assert sorted(path.name for path in (tmp_path / "before").iterdir()) == [
        "index.html", "index.json", "one.html", "one.json", "two.html", "two.json",
    ]  # fmt: skip
    assert (tmp_path / "out").read_text() == "site=before\ntrusted=true\n"
    assert "<h1>Mine</h1>" in (tmp_path / "before" / "index.html").read_text("utf-8")

    # The last of the first board is the best now.
    write(tmp_path / "one.csv", [1.0, 0.0, 4.0], 1)
    again = inputs | {"site": "site", "previous": "before"}
    made = step_of(steps["Make the site"], again, tmp_path)
    assert made.returncode == 0, made.stderr
    said = (tmp_path / "site" / "changes.md").read_text("utf-8")
    assert "`p2` leads now; `p0` did." in said
    assert "`p2` now distinguishable from `p0`" in said
    assert "two" not in said
    assert (tmp_path / "summary.md").read_text("utf-8") == said

    (tmp_path / "bin").mkdir()
    gh = tmp_path / "bin" / "gh"
    gh.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > asked\ncat "$7" > body\n')
    gh.chmod(0o755)
    done = step_of(steps["Comment"], again, tmp_path, NUMBER="7", GH_TOKEN="none")
    assert done.returncode == 0, done.stderr
    asked = (tmp_path / "asked").read_text().split("\n")
    assert asked[:5] == ["pr", "comment", "7", "--edit-last", "--create-if-none"]
    assert (tmp_path / "body").read_text("utf-8") == f"## Leaderboards\n\n{said}"


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("gh", "given", "status", "said"),
    [
        (None, {}, 2, "has no GitHub CLI; install gh"),
        ("exit 0", {"GH_TOKEN": ""}, 2, "the input token is empty"),
        ("exit 0", {"NUMBER": ""}, 2, "no pull request"),
        (
            "echo 'Resource not accessible by integration' >&2; exit 1",
            {},
            2,
            "pull-requests: write",
        ),
        ('cat "$7" > body', {}, 0, ""),
    ],
)
def test_a_comment_that_cannot_be_written_says_why(steps, tmp_path, gh, given, status, said):
    """Without gh, a token or its permission; and a long one is cut between characters."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "changes.md").write_text("x" * 59_980 + "é" * 200, encoding="utf-8")
    own = tmp_path / "bin"
    own.mkdir()
    for tool in ("bash", "cat", "mktemp", "rm"):
        (own / tool).symlink_to(shutil.which(tool))
    (own / "python").symlink_to(sys.executable)
    if gh:
        (own / "gh").write_text(f"#!/bin/sh\n{gh}\n")
        (own / "gh").chmod(0o755)
    more = {"PATH": str(own), "NUMBER": "7", "GH_TOKEN": "secret"} | given
    done = step_of(steps["Comment"], {"site": "site"}, tmp_path, **more)
    assert done.returncode == status, done.stderr
    assert said in done.stderr
    assert "secret" not in done.stdout + done.stderr
    if status:
        assert "::error::no comment was written: " in done.stderr
        assert 'comment: "false"' in done.stderr
    else:
        assert len((tmp_path / "body").read_text("utf-8")) == 60_000


@pytest.mark.parametrize("results", ["", "none.csv `touch harm` $(touch harm).csv"])
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
