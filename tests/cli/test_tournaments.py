"""The command tournaments."""

import json

import pandas as pd
import pytest

from command import call, run


@pytest.mark.slow
def test_tournaments(two):
    """Fitted, compared, placed; continued without fitting again; figures and tables."""
    arguments = (
        "tournaments", "two.csv", "--store", "study", "--sampler", "laplace", "--seed", 1,
        "--workers", 2, "--json", "--out", "study_out",
    )  # fmt: skip
    done = run(*arguments, cwd=two)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert list(result) == [
        "model", "seed", "tournaments", "players", "embedding", "failed", "diagnostics",
        "warnings", "read",
    ]  # fmt: skip
    assert [row["tournament"] for row in result["tournaments"]] == ["x/1", "y"]
    assert result["embedding"] is None  # of two tournaments there is none
    assert result["players"][0]["p_average"] >= result["players"][-1]["p_average"]
    names = {path.name for path in (two / "study_out").iterdir()}
    assert {"leaderboards.csv", "average_player.png", "run.json"} <= names
    assert call(*arguments, cwd=two).stdout == done.stdout
    other = call(*arguments[:-3], "--draws", 10, cwd=two)
    assert other.returncode == 2
    assert "made with arguments" in other.stderr
    assert call(*arguments[:-3], cwd=two).stdout.count("\n") > 6


def test_tournaments_that_share_no_player(two):
    """They have no embedding, and all else."""
    alone = "".join(
        f"z,{player},{k},{k % 3 + n}\n" for k in range(5) for n, player in enumerate("XYZ")
    )
    (two / "three.csv").write_text((two / "two.csv").read_text() + alone)
    done = call(
        "tournaments", "three.csv", "--store", "three", "--sampler", "laplace", "--seed", 1,
        "--workers", 1, "--json", cwd=two,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "no embedding. Tournaments 'x/1' and 'z' share no player" in done.stderr
    result = json.loads(done.stdout)
    assert result["embedding"] is None
    assert len(result["tournaments"]) == 3
    assert result["tournaments"][2]["agreement"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scores.csv", "--store", "never"], "there is one tournament"),
        (["two.csv", "--store", "two.csv"], "this is no study"),
        (["two.csv", "--store", "two.csv/x"], "two.csv/x: cannot be written (a file stands"),
        (["two.csv", "--store", "never", "--dask", "nonsense://1"], "no scheduler answers"),
        (["two.csv"], "Missing option '--store'"),
    ],
)
def test_tournaments_bad_input(two, arguments, message):
    done = call("tournaments", *arguments, "--sampler", "laplace", "--workers", 1, cwd=two)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert not (two / "never").exists()


def test_a_cluster_that_does_not_answer_is_not_left_to_dask(two):
    """Commands run in one process here: what reads lazily afterwards must not ask that client."""
    distributed = pytest.importorskip("distributed")
    call("tournaments", "two.csv", "--store", "never", "--dask", "nonsense://1", cwd=two)
    with pytest.raises(ValueError, match="No clients found"):
        distributed.default_client()


def test_tables_of_studies_say_it_too(doubtful):
    done = call(
        "tournaments", "doubtful.csv", "--store", "doubtful", "--sampler", "laplace", "--seed", 1,
        "--workers", 1, "--json", "--out", "marks", cwd=doubtful,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    warned = json.loads(done.stdout)["warnings"]
    assert warned[0].startswith("LB040")
    assert any(line.startswith("tournament 'y': LB010") for line in warned)
    table = pd.read_csv(doubtful / "marks" / "leaderboards.csv", keep_default_na=False)
    # Board x does not fit.
    assert table["warnings"].tolist() == ["LB016 LB040", "LB010 LB040"]
    average = pd.read_csv(doubtful / "marks" / "average_player.csv", index_col=0)
    assert set(average["warnings"]) == {"LB010 LB016 LB040"}
    assert average["converged"].all()
