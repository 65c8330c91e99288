"""Options that commands share, and what they read."""

import inspect
import json
from importlib.metadata import version
from operator import attrgetter

import pytest

import leaderbayes as lb
from command import call
from leaderbayes._adapters.read import PROGRAMS
from leaderbayes._cli import cli
from leaderbayes._cli._options import FORMATS
from leaderbayes._inference.fit import fit

CLASSIFIERS = lb.datasets.load("classifiers").attrs["source"]

COUNTERPARTS = {
    "rank": "fit leaderboard",
    "compare": "fit compare",
    "audit": "fit audit leaderboard",
    "plan": "fit plan design",
    "sensitivity": "sensitivity",
    "tournaments": "fit study.fit study.average",
    "sota": "sota.read_board sota.winner",
    "report": "report.text report.html",
}


def options_of(command):
    return {option.name: option for option in cli.commands[command].params}


@pytest.mark.parametrize("command", ["rank", "compare", "audit", "plan", "tournaments"])
def test_a_command_that_fits_takes_what_fit_takes(command):
    """But the data, and the progress bar, which is shown on a terminal."""
    wanted = set(inspect.signature(fit).parameters) - {"data", "progressbar"}
    assert wanted <= set(options_of(command))


@pytest.mark.parametrize("command", COUNTERPARTS)
def test_defaults_are_those_of_python(command):
    own, compared = options_of(command), 0
    for called in COUNTERPARTS[command].split():
        for name, parameter in inspect.signature(attrgetter(called)(lb)).parameters.items():
            if name not in own or name in ("workers", "rounds") or own[name].required:
                continue
            default = own[name].default
            if isinstance(parameter.default, str | int | float) and default is not None:
                assert default == parameter.default, (name, called)
                compared += 1
            elif parameter.default is None:
                assert not isinstance(default, str | int | float), name
    assert compared > 0


def test_formats_are_those_of_the_adapters():
    assert PROGRAMS.keys() - {*FORMATS} == {"optuna", "sklearn"}  # which take objects


def test_version(tmp_path):
    assert version("leaderbayes") in call("--version", cwd=tmp_path).stdout


def test_models_are_those_of_the_registry(tmp_path):
    from leaderbayes.models._registry import MODELS

    shown = call("models", cwd=tmp_path).stdout
    fitted = [model for model in MODELS.values() if "board" not in model.data]
    assert all(model.name in shown and model.label in shown for model in fitted)


def test_what_was_read_is_printed(folder):
    done = call("rank", "scores.csv", "--ml", cwd=folder)
    said = "read: player=player, round=round, score=score (higher is better), 4 players x 12 rounds"
    assert said + ", 0 missing; players: " in done.stderr
    assert "read:" not in done.stdout
    quiet = call("rank", "scores.csv", "--ml", "--json", "--out", "read", cwd=folder)
    assert quiet.stderr == ""
    read = json.loads(quiet.stdout)["read"]
    assert read == {
        "columns": "player=player, round=round, score=score",
        "higher_is_better": True,
        "sizes": {"player": 4, "round": 12},
        "missing": 0,
    }
    assert json.loads((folder / "read" / "run.json").read_text())["read"] == read


def test_a_file_above_the_limit(folder):
    for command in (("rank", "--ml"), ("sota", "--n", 100), ("rank", "--format", "amlb")):
        given = (command[0], "scores.csv", *command[1:], "--max-mb", "0.0001")
        done = call(*given, cwd=folder)
        assert done.returncode == 2, done.stderr
        assert "scores.csv: holds more than the limit of 0.0001 MB" in done.stderr


def test_a_loss_needs_its_direction(folder):
    (folder / "rmse.csv").write_text((folder / "scores.csv").read_text().replace("score", "rmse"))
    orders = []
    for option in ("--lower-is-better", "--higher-is-better"):
        done = call("rank", "rmse.csv", "--ml", "--json", option, cwd=folder)
        orders.append([row["player"] for row in json.loads(done.stdout)["players"]])
    assert orders[0] == orders[1][::-1]
    done = call("rank", "rmse.csv", "--ml", cwd=folder)
    assert done.returncode == 2
    assert "--lower-is-better" in done.stderr


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
    for alien in (("--player", "learner_id"), ("--cluster", "task"), ("--judge", "x")):
        failed = call(*arguments, *alien, cwd=tmp_path)
        assert failed.returncode == 2
        assert f"{alien[0]} is for --format table" in failed.stderr


def test_tasks_of_items_may_be_clusters(tmp_path):
    """As their readers' option clusters."""
    for task, right in (("art", "1101"), ("law", "1001"), ("sea", "0111")):
        for model, shift in (("large", 0), ("small", 1)):
            rows = [
                {"doc_id": k, "filter": "none", "acc": float(right[(k + shift) % 4])}
                for k in range(4)
            ]
            file = tmp_path / model / f"samples_{task}_2026-05-01T10-00-00.000000.jsonl"
            file.parent.mkdir(exist_ok=True)
            file.write_text("\n".join(map(json.dumps, rows)))
    arguments = ("rank", ".", "--format", "lm-eval-samples", "--score", "acc", "--ml", "--json")
    done = call(*arguments, "--cluster", "task", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["read"]["sizes"] == {"player": 2, "round": 12}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.csv"], "absent.csv: cannot be read"),
        (["scores.csv", "--player", "modle"], "no column 'modle'"),
        (["scores.csv", "--weight", "much"], "'much' is neither 'composite' nor a number"),
        (["scores.csv", "--model", "elo"], "model='elo' is unknown: there are 'bradley_terry'"),
        (["scores.csv", "--ml", "--model", "davidson"], "has no model 'davidson'"),
        (["scores.csv", "--ml", "--sampler", "nutpie"], "--ml has no --sampler"),
        (["scores.csv", "--ml", "--option", "prior_df=4"], "--ml has no --option"),
        (["scores.csv", "--option", "prior_df"], "use NAME=VALUE, such as prior_df=4"),
        (["scores.csv", "--option", "prior_dof=4"], "did you mean 'prior_df'?"),
        (["scores.csv", "--option", "statistic=median"], "bradley_terry has no option 'statistic'"),
        (["scores.csv", "--order-effect"], "order_effect: for votes, which these data are not"),
        (["scores.csv", "--ties", "thirds"], "ties='thirds'"),
        (["scores.csv", "--only", "x"], "scores.csv: no tournament 'x'; there is one"),
        ([CLASSIFIERS, "--only", "irs"], "did you mean 'iris'?"),
        ([CLASSIFIERS, "--model", "davidson"], "choose one with --only: breast_cancer, dia"),
        (["scores.csv", "--test-fraction", "2"], "test_fraction=2.0"),
        (["scores.csv", "--nonsense"], "No such option"),
        (["scores.csv", "--prob", "nan"], "nan is not between 0 and 1"),
        (["scores.csv", "--first", "player", "--score", "x"], "omit one of them"),
    ],
)
def test_bad_input_exits_with_2_and_leaves_nothing(folder, arguments, message):
    done = call("rank", *arguments, "--out", "never", cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not (folder / "never").exists()
