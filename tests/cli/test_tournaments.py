"""The command tournaments."""

import json

import pandas as pd
import pytest

import leaderbayes as lb
from command import call
from leaderbayes._cli._tournaments import _print

FEW = ("--draws", 20, "--replicates", 10, "--seed", 1, "--workers", 1)


def test_fitted_compared_and_continued(two):
    given = ("tournaments", "two.csv", "--store", "study", *FEW, "--json")
    done = call(*given, "--out", "compared", cwd=two)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert list(result) == [
        "model", "seed", "tournaments", "players", "embedding", "failed", "why_nuts",
        "diagnostics", "warnings", "read",
    ]  # fmt: skip
    study = lb.study.open(two / "study")
    for row, direct in zip(
        result["tournaments"], lb.study.compare(study).to_dict("records"), strict=True
    ):
        assert {name: row[name] for name in direct} == pytest.approx(direct)
    assert result["embedding"] is None  # of two tournaments there is none
    assert result["players"][0]["p_average"] >= result["players"][-1]["p_average"]
    names = {path.name for path in (two / "compared").iterdir()}
    assert names == {
        "compare.csv", "average.csv", "average.png", "leaderboard.png", "run.json"
    }  # fmt: skip
    # A row has its own warnings, and those of reading.
    table = pd.read_csv(two / "compared" / "compare.csv", keep_default_na=False)
    assert "LB010" not in table["warnings"][0]
    assert {"LB010", "LB040"} <= set(table["warnings"][1].split())
    average = pd.read_csv(two / "compared" / "average.csv", index_col=0)
    assert average["warnings"].str.contains("LB010 .*LB040").all()
    assert call(*given, cwd=two).stdout == done.stdout
    other = call(*given, "--ties", "drop", cwd=two)
    assert other.returncode == 2
    assert "made with arguments" in other.stderr
    assert "Beats the average player most often" in call(*given[:-1], cwd=two).stdout


def test_tournaments_that_share_no_player(two):
    """They have no embedding, and all else."""
    alone = "".join(
        f"z,{player},{k},{k % 3 + n}\n" for k in range(5) for n, player in enumerate("XYZ")
    )
    (two / "three.csv").write_text((two / "two.csv").read_text() + alone)
    done = call("tournaments", "three.csv", "--store", "three", *FEW, "--json", cwd=two)
    assert done.returncode == 0, done.stderr
    assert "no embedding. Tournaments 'x/1' and 'z' share no player" in done.stderr
    result = json.loads(done.stdout)
    assert result["embedding"] is None
    assert len(result["tournaments"]) == 3
    assert result["tournaments"][2]["agreement"] is None


def test_mean_scores_of_many(mistakes, tmp_path):
    """By how much each leader leads, and ranks over all: what needs log-odds is not there."""
    table = mistakes.to_dataframe("error").reset_index().dropna().astype({"error": int})
    table.to_csv(tmp_path / "mistakes.csv", index=False)
    given = ("tournaments", "mistakes.csv", "--store", "study", "--lower-is-better", *FEW[2:])
    done = call(*given, "--out", "out", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["model"] == "mean_score"
    leaders = {row["tournament"]: row["leader"] for row in result["tournaments"]}
    assert leaders == {"reading": "p0", "maths": "p0", "code/2": "p3"}
    ranks = [player["average_rank"] for player in result["players"]]
    assert ranks == sorted(ranks)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "average.csv", "average.png", "leaderboard.png", "compare.csv", "run.json",
    }  # fmt: skip
    text = call(*given, cwd=tmp_path).stdout
    assert "Average rank over all tournaments:" in text
    (reading,) = (line.split() for line in text.splitlines() if line.split()[:1] == ["reading"])
    assert reading[1:5] == ["4", "x", "80", "p0"]
    assert float(reading[7]) == pytest.approx(result["tournaments"][0]["lead"], abs=0.005)


def test_votes(votes):
    given = ("tournaments", "votes.csv", "--store", "groups", "--seed", 1, "--workers", 1)
    done = call(*given, "--tournament", "group", cwd=votes)
    assert done.returncode == 0, done.stderr
    assert "5 x " in done.stdout
    assert lb.study.open(votes / "groups").attrs["model"] == "bradley_terry"


def test_no_number_is_cut_and_luck_reverses_nothing(capsys):
    row = {
        "players": 6, "rounds": 8, "p_check": 0.46, "leader": "p0", "p_best": 0.75,
        "tied_for_top": 2, "agreement": 0.87, "odd_player": "p3", "odd_z": 1.26, "converged": True,
    }  # fmt: skip
    reversed_ = {"x" * 40: 0.03, "modèles-de-langue": 0.55, "漢字の名前のとても長い": 0.98}
    result = {
        "tournaments": [row | {"tournament": t, "p_reversed": p} for t, p in reversed_.items()],
        "players": [{"player": "p0", "p_average": 0.75}],
        "why_nuts": {"modèles-de-langue": "Pareto k 0.91 (below 0.7)"},
    }
    _print(result)
    said = capsys.readouterr().out
    for line in said.splitlines()[3:6]:
        assert line.rsplit(maxsplit=10)[1:] == [
            "6", "x", "8", "p0", "0.75", "2", "0.46", "0.87", "p3", "(1.3)"
        ]  # fmt: skip
    assert "xxxxxxxx … xxxxxxxxxxxx" in said
    assert "Probably in reverse of the usual order: 漢字の名前のとても長い." in said
    assert "modèles-de-langue was sampled by NUTS: Pareto k 0.91 (below 0.7)." in said
