"""The command sensitivity."""

import json

import pandas as pd

import leaderbayes as lb
from command import call


def test_words_tables_and_json_agree_with_python(folder):
    given = ("--models", "bradley_terry", "--priors", 1, "--weights", "composite,1", "--ties",
             "half", "--no-rounds", "--seed", 1)  # fmt: skip
    done = call("sensitivity", "scores.csv", *given, "--out", "moved", cwd=folder)
    assert done.returncode == 0, done.stderr
    direct = lb.sensitivity(
        lb.read_scores(folder / "scores.csv"), models=["bradley_terry"], priors=[1.0],
        ties=["half"], rounds=False, seed=1,
    )  # fmt: skip
    made = json.loads((folder / "moved" / "run.json").read_text())
    assert made["message"] == direct.attrs["message"]
    assert " ".join(made["message"].split()) in " ".join(done.stdout.split())
    assert [row["pairs_moved"] for row in made["moved"]] == direct["pairs_moved"].values.tolist()
    assert [row["fit"] for row in made["fits"]] == direct["fit"].values.tolist()
    assert {"moved.csv", "fits.csv", "ranks.csv", "sensitivity.png"} <= {
        path.name for path in (folder / "moved").iterdir()
    }
    assert set(pd.read_csv(folder / "moved" / "ranks.csv", index_col=0)) >= {"c", "d", "converged"}
