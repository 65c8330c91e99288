"""The command sensitivity."""

import json

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from command import call


@pytest.mark.slow
def test_words_and_json_say_the_same(folder):
    options = ("sensitivity", "scores.csv", "--model", "bradley_terry", "--prior", 1, "--seed", 1)
    done = call(*options, cwd=folder)
    assert done.returncode == 0, done.stderr
    made = json.loads(call(*options, "--json", cwd=folder).stdout)
    direct = lb.sensitivity(
        lb.read_scores(folder / "scores.csv"), models=("bradley_terry",), priors=(1.0,), seed=1
    )
    assert made["message"] == direct.attrs["message"]
    assert " ".join(made["message"].split()) in " ".join(done.stdout.split())
    assert [row["pairs_moved"] for row in made["moved"]] == direct["pairs_moved"].values.tolist()
    assert [row["fit"] for row in made["fits"]] == direct["fit"].values.tolist()


def test_a_folder_of_tables(folder):
    given = ("--model", "bradley_terry", "--prior", 1, "--weight", 1, "--ties", "half", "--seed", 1)
    done = call("sensitivity", "scores.csv", *given, "--out", "moved", cwd=folder)
    assert done.returncode == 0, done.stderr
    made = folder / "moved"
    assert {file.name for file in made.iterdir()} == {
        "moved.csv", "fits.csv", "ranks.csv", "sensitivity.png", "run.json",
    }  # fmt: skip
    fits = pd.read_csv(made / "fits.csv")
    ranks = pd.read_csv(made / "ranks.csv")
    assert len(ranks) == len(fits)
    assert fits["fit"].iloc[0] == "bradley_terry, ties=half, weight=1.0"


def test_votes(folder):
    rows = "".join(f"{a},{b},j{k % 5}\n" for k in range(40) for a, b in ("ab", "bc", "ac", "ca"))
    (folder / "votes.csv").write_text("winner,loser,judge\n" + rows)
    done = call("sensitivity", "votes.csv", "--seed", 1, "--prior", 1, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert {row["what"]: row["fits"] for row in made["moved"]} == {
        "model": 0, "ties": 0, "cluster": 1, "prior_scale": 0, "judge": 5,
    }  # fmt: skip
    assert made["read"]["kind"] == "votes"
    assert np.isfinite(made["fits"][0]["p_check"])


@pytest.mark.parametrize(
    ("file", "options", "said"),
    [
        ("two.csv", [], "pick one with --only"),
        ("scores.csv", ["--model", "best"], "models='best'"),
        ("scores.csv", ["--prior", -1], "priors"),
        ("scores.csv", ["--ties", "loss"], "'loss' is not one of"),
    ],
)
def test_what_cannot_be(two, file, options, said):
    done = call("sensitivity", file, *options, cwd=two)
    assert done.returncode == 2
    assert said in done.stderr
