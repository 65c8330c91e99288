"""The command audit."""

import json

import pandas as pd
import pytest

from command import call, loaded
from leaderbayes.datasets import path

QUESTIONS = [
    "players", "pairs", "removal_round", "aggregators", "left_out", "check", "plan", "halves",
]  # fmt: skip


def test_words_and_json_say_the_same(folder):
    options = ("audit", "scores.csv", "--seed", 1, "--simulations", 3)
    done = call(*options, cwd=folder)
    assert done.returncode == 0, done.stderr
    made = json.loads(call(*options, "--json", cwd=folder).stdout)
    assert list(made["questions"]) == QUESTIONS
    plain = " ".join(done.stdout.split())
    for question in made["questions"].values():
        assert " ".join(question["message"].split()) in plain
    assert made["found"] == [n for n in QUESTIONS if made["questions"][n]["found"]]
    assert made["seed"] == 1
    assert made["unit"] == "round"
    assert "[red]a" in done.stdout
    assert len(made["table"]["rows"]) == 4
    assert made["questions"]["left_out"]["rows"]["unit"][0]["unit"] == "0"


def test_a_folder_of_tables(folder):
    done = call("audit", "scores.csv", "--seed", 1, "--simulations", 3, "--out", "made", cwd=folder)
    assert done.returncode == 0, done.stderr
    made = folder / "made"
    names = {file.name for file in made.iterdir()}
    assert {"audit.txt", "run.json", "publish.csv", "publish.md", "publish.tex", "publish.html",
            "players.csv", "pairs_jointly.csv", "aggregators.csv", "left_out.csv",
            "halves.csv"} <= names  # fmt: skip
    table = pd.read_csv(made / "publish.csv")
    assert {"ranks", "group", "converged", "warnings"} <= set(table)
    # A negative number stays as it is, with its interval, too; a name that may be run does not.
    numbers = table["epp"].str.extract(r"^(\S+) \[(\S+), (\S+)\]$").astype(float)
    assert numbers.notna().all(axis=None)
    assert (numbers[0] < 0).any()
    lines = (made / "publish.md").read_text().splitlines()
    assert lines[1] == "| ---: | :--- | :--- | :--- | ---: | ---: |"
    assert r"| \[red\]a |" in (made / "publish.md").read_text()
    assert "a &" in (made / "publish.tex").read_text()
    assert "<td>[red]a</td>" in (made / "publish.html").read_text()
    run = json.loads((made / "run.json").read_text())
    assert run["command"]["seed"] == 1
    assert list(run["questions"]) == QUESTIONS


def test_several_tournaments(two):
    done = call("audit", "two.csv", cwd=two)
    assert done.returncode == 2
    assert (
        "--only, or take the mean score of each as a round with --means, or --model tournaments"
        in done.stderr
    )
    done = call("audit", "two.csv", "--only", "y", "--simulations", 2, "--seed", 1, cwd=two)
    assert done.returncode == 0, done.stderr
    options = ("audit", path("classifiers"), "--means", "--seed", 1, "--simulations", 2, "--json")
    made = json.loads(call(*options, cwd=two).stdout)
    assert made["questions"]["left_out"]["units"] == 5
    done = call("audit", "scores.csv", "--means", cwd=two)
    assert done.returncode == 2
    assert "--means is for a table of several tournaments" in done.stderr


def test_votes(folder):
    rows = "".join(f"{a},{b},j{k % 5}\n" for k in range(40) for a, b in ("ab", "bc", "ac", "ca"))
    (folder / "votes.csv").write_text("winner,loser,judge\n" + rows)
    done = call("audit", "votes.csv", "--seed", 1, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["unit"] == "judge"
    assert {"removal_judge", "removal_vote"} <= set(made["questions"])
    assert made["read"]["kind"] == "votes"


def test_votes_by_their_own_model(folder):
    rows = "".join(
        f"m{a},m{b},m{a if k % 3 else b},j{k % 5}\n"
        for k in range(40)
        for a, b in ("12", "23", "13", "31", "21", "32")
    )
    (folder / "votes.csv").write_text("player_a,player_b,winner,judge\n" + rows)
    done = call(
        "audit", "votes.csv", "--model", "round_intercept", "--seed", 1, "--json", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["model"] == "round_intercept"
    assert all(made["questions"][name]["applies"] for name in ("plan", "left_out", "halves"))
    rows = made["questions"]["aggregators"]["rows"]["aggregator"]
    assert [row["aggregator"] for row in rows] == ["win rate", "Borda", "EPP", "PMRA", "Elo"]
    done = call("audit", "votes.csv", "--model", "plackett_luce", cwd=folder)
    assert done.returncode == 2
    assert "of votes there are bradley_terry, davidson, round_intercept" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--model", "round_intercept"], "no audit of scores by --model round_intercept"),
        (["--across-rounds"], "of matches within rounds"),
        (["--simulations", 0], "0 is not in the range"),
    ],
)
def test_what_cannot_be(folder, options, said):
    done = call("audit", "scores.csv", *options, cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr


def test_it_imports_no_pymc(folder):
    arguments = ("audit", "scores.csv", "--simulations", 2)
    assert not {"pymc", "pytensor", "arviz"} & loaded(*arguments, cwd=folder)
