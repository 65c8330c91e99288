"""The command audit."""

import json

import pandas as pd
import pytest

from command import call

QUESTIONS = [
    "players", "pairs", "removal_round", "aggregators", "left_out", "check", "plan", "halves",
]  # fmt: skip


@pytest.fixture(scope="module")
def audited(folder):
    asked = ("audit", "scores.csv", "--seed", 1)
    done = call(*asked, "--out", "audited", cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((folder / "audited" / "run.json").read_text())


def test_words_and_json_agree(audited):
    printed, made = audited
    assert list(made["questions"]) == QUESTIONS
    plain = " ".join(printed.split())
    for question in made["questions"].values():
        assert " ".join(question["message"].split()) in plain
    assert made["found"] == [n for n in QUESTIONS if made["questions"][n]["found"]]
    assert (made["seed"], made["unit"]) == (1, "round")
    assert "[red]a" in printed
    assert made["questions"]["left_out"]["rows"]["unit"][0]["unit"] == "0"


def test_a_folder_of_tables(audited, folder):
    made = folder / "audited"
    assert {"audit.txt", "run.json", "publish.csv", "players.csv", "pairs_jointly.csv",
            "aggregators.csv", "left_out.csv", "halves.csv"} <= {
        file.name for file in made.iterdir()
    }  # fmt: skip
    table = pd.read_csv(made / "publish.csv")
    assert {"ranks", "group", "converged", "warnings"} <= set(table)
    # A negative number stays as it is, with its interval, too; a name that may be run does not.
    numbers = table["epp"].str.extract(r"^(\S+) \[(\S+), (\S+)\]$").astype(float)
    assert numbers.notna().all(axis=None)
    assert (numbers[0] < 0).any()


@pytest.mark.slow
def test_votes(votes):
    done = call("audit", "votes.csv", "--seed", 1, "--json", cwd=votes)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["unit"] == "judge"
    assert {"removal_judge", "removal_vote"} <= set(made["questions"])
    assert made["read"]["kind"] == "votes"
