"""Options that commands share, and what they read."""

import inspect
import json

import pytest

import leaderbayes as lb
from command import call
from leaderbayes._cli import cli
from leaderbayes._inference.fit import SAMPLERS


def test_what_was_read_is_said(folder):
    done = call("rank", "scores.csv", "--ml", cwd=folder)
    read = "read: player=player, round=round, score=score (higher is better), 4 players x 12 rounds"
    assert done.stderr == read + ", 0 missing\n"
    assert "read:" not in done.stdout
    quiet = call("rank", "scores.csv", "--ml", "--json", cwd=folder)
    assert quiet.stderr == ""


def test_what_was_read_is_in_the_json(folder):
    done = call("rank", "scores.csv", "--ml", "--json", "--out", "read", cwd=folder)
    read = json.loads(done.stdout)["read"]
    assert read == {
        "columns": "player=player, round=round, score=score",
        "higher_is_better": True,
        "sizes": {"player": 4, "round": 12},
        "missing": 0,
    }
    assert json.loads((folder / "read" / "run.json").read_text())["read"] == read


def test_a_file_above_the_limit(folder):
    limit = ("--max-mb", "0.0001")
    for command in (("rank", "--ml"), ("sota", "--n", 100), ("rank", "--format", "amlb")):
        done = call(command[0], "scores.csv", *command[1:], *limit, cwd=folder)
        assert done.returncode == 2, done.stderr
        assert "scores.csv: holds more than the limit of 0.0001 MB" in done.stderr
        assert "--max-mb" in done.stderr


def test_a_loss_needs_its_direction(folder):
    (folder / "rmse.csv").write_text((folder / "scores.csv").read_text().replace("score", "rmse"))
    orders = []
    for option in ("--lower-is-better", "--higher-is-better"):
        done = call("rank", "rmse.csv", "--ml", "--json", option, cwd=folder)
        orders.append([row["player"] for row in json.loads(done.stdout)["players"]])
    assert orders[0] == orders[1][::-1]
    done = call("rank", "rmse.csv", "--ml", cwd=folder)
    assert done.returncode == 2
    assert "rmse.csv: 'rmse' is the name of a loss" in done.stderr
    assert "--lower-is-better" in done.stderr


COUNTERPARTS = {
    "rank": [lb.fit, lb.leaderboard, lb.matches, lb.likelihood.round_intercept],
    "compare": [lb.fit, lb.compare],
    "plan": [lb.plan, lb.matches, lb.models.bradley_terry],
    "tournaments": [lb.study.fit, lb.matches, lb.study.compare],
    "report": [lb.report.text, lb.report.html],
}  # fmt: skip
# The draws of a study's check are others than those of its fits; PMRA's ties are of votes only.
OTHERS = {("draws", lb.study.compare), ("ties", lb.likelihood.round_intercept)}


@pytest.mark.parametrize("command", ["rank", "compare", "tournaments", "plan"])
def test_samplers_are_those_of_python(command):
    (option,) = [option for option in cli.commands[command].params if option.name == "sampler"]
    assert tuple(option.type.choices) == SAMPLERS


@pytest.mark.parametrize("command", COUNTERPARTS)
def test_defaults_are_those_of_python(command):
    """Where the command line has a default of its own, and Python has one, they are the same."""
    own = {option.name: option for option in cli.commands[command].params}
    compared = 0
    for function in COUNTERPARTS[command]:
        for name, parameter in inspect.signature(function).parameters.items():
            if name not in own or (name, function) in OTHERS:
                continue
            wanted = parameter.default
            if wanted in (None, inspect.Parameter.empty):
                assert not isinstance(own[name].default, str | int | float), name
                continue
            if isinstance(wanted, tuple):
                wanted = ",".join(map(str, wanted))
            assert own[name].default == wanted, (name, function.__name__)
            compared += 1
    assert compared > 0


def test_results_of_other_programs(tmp_path):
    rows = [
        f"credit,{learner},cv,{k},{(7 * i + 3 * k * (i + 1)) % 11},0"
        for i, learner in enumerate(["tree", "forest", "svm"])
        for k in range(12)
    ]
    header = "task_id,learner_id,resampling_id,iteration,classif.ce,classif.auc"
    (tmp_path / "bmr.csv").write_text("\n".join([header, *rows]))
    arguments = ("rank", "bmr.csv", "--ml", "--json", "--format", "mlr3")
    done = call(*arguments, "--score", "classif.ce", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    # Less error is better: what the columns of a table give with --lower-is-better.
    table = ("--player", "learner_id", "--round", "iteration", "--score", "classif.ce")
    again = call("rank", "bmr.csv", "--ml", "--json", *table, "--lower-is-better",
                cwd=tmp_path)  # fmt: skip
    assert json.loads(done.stdout)["players"] == json.loads(again.stdout)["players"]
    failed = call(*arguments, "--player", "learner_id", cwd=tmp_path)
    assert failed.returncode == 2
    assert "for --format table" in failed.stderr


def test_tasks_of_items_may_be_clusters(tmp_path):
    """As their readers' option clusters."""
    for task, right in (("art", "1101"), ("law", "1001"), ("sea", "0111")):
        for model, shift in (("large", 0), ("small", 1)):
            rows = [
                {"doc_id": k, "filter": "none", "acc": float(right[(k + shift) % 4])}
                for k in range(4)
            ]
            path = tmp_path / model / f"samples_{task}_2026-05-01T10-00-00.000000.jsonl"
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join(map(json.dumps, rows)))
    arguments = ("rank", ".", "--format", "lm-eval-samples", "--score", "acc", "--ml", "--json")
    done = call(*arguments, "--cluster", "task", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["read"]["sizes"] == {"player": 2, "round": 12}
    for cluster, said in (
        ("column", "is task or none"),
        ("none", "several tournaments; pick one with --only, rank each with --each, as clusters"),
    ):
        failed = call(*arguments, "--cluster", cluster, cwd=tmp_path)
        assert failed.returncode == 2
        assert said in failed.stderr
    failed = call("rank", ".", "--format", "mteb", "--cluster", "task", cwd=tmp_path)
    assert "of items: helm, inspect-ai" in failed.stderr
