"""The command plan."""

import json

import numpy as np
import pytest

from command import call, loaded
from leaderbayes.datasets import path


def test_plan_says_how_many_rounds(folder):
    options = ("--a", "[red]a", "--b", "d", "--rounds", "5,20", "--simulations", 20, "--seed", 1)
    done = call("plan", "scores.csv", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "[red]a against d" in done.stdout
    assert "+20" in done.stdout
    made = json.loads(call("plan", "scores.csv", *options, "--json", cwd=folder).stdout)
    assert list(made) == [
        "question", "message", "prob", "target", "simulations", "seed", "contested", "p_now",
        "width_now", "rounds_needed", "rows", "warnings", "read",
    ]  # fmt: skip
    assert [(row["who"], row["rounds"], row["runs"]) for row in made["rows"]] == [
        ("all", 5, 20), ("all", 20, 80), ("contested", 5, 10), ("contested", 20, 40),
    ]  # fmt: skip
    assert made["message"].replace("[red]a", "") in done.stdout.replace("[red]a", "")


def test_plan_of_what_is_decided(folder):
    rows = "".join(f"{p},{k},{100 * (p == 'a') + (7 * i + 3 * k * (i + 1)) % 11}\n"
                   for i, p in enumerate("abc") for k in range(20))  # fmt: skip
    (folder / "clear.csv").write_text("player,round,score\n" + rows)
    done = call("plan", "clear.csv", "--seed", 1, "--simulations", 10_000, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "decided already" in done.stdout
    assert "Warning: LB010 a never lost to anybody else" in done.stderr
    made = json.loads(call("plan", "clear.csv", "--seed", 1, "--json", cwd=folder).stdout)
    assert made["rows"] == []
    assert made["rounds_needed"] == {"all": 0.0, "contested": 0.0}


def test_plan_of_several_tournaments_names_them(folder):
    done = call("plan", path("classifiers"), cwd=folder)
    assert done.returncode == 2
    assert "--only: breast_cancer, diabetes" in done.stderr


def test_plan_imports_no_pymc(folder):
    arguments = ("plan", "scores.csv", "--rounds", 5, "--simulations", 2)
    assert not {"pymc", "pytensor", "arviz"} & loaded(*arguments, cwd=folder)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--a", "b"], "belong together"),
        (["--rounds", "5,x"], "whole numbers"),
        (["--rounds", "0"], "from 1 up"),
        (["--a", "c", "--b", "nobody"], "nobody"),
        (["--only-players", "c"], "lack"),
        (["--prob", "0.4"], "above 0.5 and below 1"),
        (["--width", "0.1"], "model='mean_score'"),
        (["--likelihood", "normal"], "no option 'likelihood'"),
    ],
)
def test_plan_refuses(folder, options, message):
    done = call("plan", "scores.csv", *options, cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_plan_of_items_and_runs(folder):
    """In items, runs and the metric's unit, on paper and as JSON."""
    rng = np.random.default_rng(1)
    rows = "".join(
        f"{model},{item},{run},{int(rng.random() < share)}\n"
        for model, share in (("small", 0.5), ("large", 0.6))
        for item in range(60)
        for run in (1, 2)
    )
    (folder / "log.csv").write_text("model,question_id,epoch,correct\n" + rows)
    options = ("--model", "mean_score", "--width", 0.1, "--rounds", "100", "--seed", 1)
    done = call("plan", "log.csv", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    for said in (
        "items",
        "+100",
        "400",
        "+4 each",
        "the same items",
        "An interval 0.1 wide takes",
    ):
        assert said in done.stdout
    made = json.loads(call("plan", "log.csv", *options, "--json", cwd=folder).stdout)
    assert made["unit"] == "item"
    assert [(row["rounds"], row["runs"]) for row in made["rows"]] == [(100, 400)]
    assert made["rounds_for_width"] > 100
    assert list(made["width_runs"]) == ["1", "2", "4"]
    assert 0.0 < made["run_share"] <= 1.0
    assert made["width_any_runs"] < made["width_runs"]["4"] < made["width_now"]


def test_plan_of_folds_names_no_option_that_it_lacks(folder):
    done = call(
        "plan", path("classifiers"), "--only", "iris", "--rounds", 5, "--simulations", 5, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert "LB017 rounds look like folds" in done.stderr
    assert "--test-fraction" not in done.stderr
