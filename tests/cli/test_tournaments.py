"""The command tournaments."""

import json
import signal

import pandas as pd
import pytest

import leaderbayes as lb
from command import call, run
from leaderbayes._cli._tournaments import _executor, _print


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


def _write_mistakes(mistakes, folder):
    table = mistakes.to_dataframe("error").reset_index().dropna()
    table["error"] = table["error"].astype(int)
    table.to_csv(folder / "mistakes.csv", index=False)


def test_mean_scores_of_many(mistakes, tmp_path):
    """By how much each leader leads, and ranks over all: what needs log-odds is not there."""
    _write_mistakes(mistakes, tmp_path)
    arguments = (
        "tournaments", "mistakes.csv", "--store", "study", "--model", "mean_score", "--draws", 500,
        "--seed", 1, "--workers", 1, "--lower-is-better",
    )  # fmt: skip
    done = call(*arguments, "--out", "out", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    study = lb.study.open(tmp_path / "study")
    table = lb.study.compare(study)
    for row, said in zip(result["tournaments"], table.to_dict("records"), strict=True):
        assert row == pytest.approx(said)
    assert {row["tournament"]: row["leader"] for row in result["tournaments"]} == {
        "reading": "p0", "maths": "p0", "code/2": "p3",
    }  # fmt: skip
    ranks = lb.study.average_rank(study)["average_rank"].to_series()
    assert {p["player"]: p["average_rank"] for p in result["players"]} == pytest.approx(
        ranks.to_dict()
    )
    assert [p["average_rank"] for p in result["players"]] == sorted(ranks)
    assert result["embedding"] is None
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "average_rank.csv", "average_rank.png", "leaderboard.png", "leaderboards.csv", "run.json",
    }  # fmt: skip
    text = call(*arguments, cwd=tmp_path).stdout
    assert "Rank on average, over all tournaments:" in text
    lines = [line.split() for line in text.splitlines()]
    (reading,) = (line for line in lines if line[:1] == ["reading"])
    assert reading[1:5] == ["4", "x", "80", "p0"]
    assert float(reading[5]) == pytest.approx(table["lead"][0], abs=0.005)


def test_options_of_mean_scores(mistakes, tmp_path):
    _write_mistakes(mistakes, tmp_path)
    arguments = (
        "tournaments", "mistakes.csv", "--store", "study", "--workers", 1, "--seed", 1,
        "--lower-is-better",
    )  # fmt: skip
    done = call(
        *arguments, "--model", "mean_score", "--statistic", "median", "--of", "raw", "--draws",
        500, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2
    assert "statistic='median'" in done.stderr
    done = call(*arguments, "--statistic", "median", cwd=tmp_path)
    assert done.returncode == 2
    assert "bradley_terry has no option 'statistic'" in done.stderr


def test_models_of_votes_that_it_takes(tmp_path):
    rows = [f"m{k % 3},m{(k + 1) % 3},model_a,{'de' if k % 2 else 'en'}" for k in range(60)]
    header = "model_a,model_b,winner,language"
    (tmp_path / "votes.csv").write_text("\n".join([header, *rows]) + "\n")
    done = call(
        "tournaments", "votes.csv", "--tournament", "language", "--store", "study", "--model",
        "mean_score", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2
    assert "of votes there are bradley_terry, davidson, round_intercept." in done.stderr
    assert not (tmp_path / "study").exists()


def test_tournaments_whole_and_in_reverse(capsys):
    """No number is cut beside columns that are wider than their cells; luck reverses nothing."""
    row = {
        "players": 6, "rounds": 8, "p_check": 0.46, "leader": "p0", "p_best": 0.75,
        "tied_for_top": 2, "agreement": 0.87, "odd_player": "p3", "odd_z": 1.26, "converged": True,
    }  # fmt: skip
    reversed_ = {"x" * 40: 0.03, "modèles-de-langue": 0.55, "漢字の名前のとても長い": 0.98}
    result = {
        "model": "bradley_terry",
        "tournaments": [row | {"tournament": t, "p_reversed": p} for t, p in reversed_.items()],
        "players": [{"player": "p0", "p_average": 0.75}],
        "diagnostics": {"converged": True},
    }
    _print(result)
    said = capsys.readouterr().out
    for line in said.splitlines()[3:6]:
        assert line.rsplit(maxsplit=10)[1:] == [
            "6", "x", "8", "0.46", "p0", "0.75", "2", "0.87", "p3", "(1.3)"
        ]  # fmt: skip
    assert "xxxxxxxx … xxxxxxxxxxxx" in said
    assert "In reverse of the usual order, probably: 漢字の名前のとても長い 0.98." in said


def test_workers_end_with_an_interrupt():
    """They would fit what waits for them first: a terminal sends it to all."""
    with _executor(2, None) as executor:
        # Which is asked in a process of its own: here it raises KeyboardInterrupt.
        assert executor.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_DFL
