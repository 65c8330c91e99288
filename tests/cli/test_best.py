"""How good the best of a board is, in sentences and tables, and what is written of it."""

import json

import pandas as pd
import pytest

import leaderbayes as lb
from command import call


@pytest.fixture(scope="module")
def board(folder):
    rows = "\n".join(f"t{k},{0.9 - 0.005 * k:.3f}" for k in range(8))
    (folder / "few.csv").write_text(f"team,score\n{rows}\n")
    return ["sota", "few.csv", "--n", 200, "--sensitivity"]


@pytest.mark.slow
def test_sensitivity(folder, board):
    short = ["--draws", 60, "--chains", 2, "--seed", 1, "--rho", 0.2]
    done = call(*board, *short, cwd=folder)
    assert done.returncode == 0, done.stderr
    for word in ("base  flexible", "law   mixture", "rho   0.6", "no law", "+0.00"):
        assert word in done.stdout
    said = json.loads(call(*board, *short, "--json", cwd=folder).stdout)
    for row in said["rows"][:-1]:
        ends = f"{row['theta_sota_lower']:.4f} to {row['theta_sota_upper']:.4f}"
        assert f"{row['theta_sota']:.4f}  {ends}" in done.stdout
    assert said["rows"][-1]["theta_sota"] is None
    assert (said["seed"], said["prob"]) == (1, 0.95)
    assert said["message"] in done.stdout.replace(" \n", " ").replace("\n", " ")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--rule", "crop"], "--rule is of the estimate: leave it or --sensitivity out."),
        (["--floor", 0.5], "--floor is not of --sensitivity"),
        (["--sampler", "abc-smc"], "--sampler is not of --sensitivity"),
    ],
)
def test_what_it_has_no_use_for(folder, board, option, message):
    bad = call(*board, *option, cwd=folder)
    assert (bad.returncode, bad.stdout) == (2, "")
    assert message in bad.stderr


def test_files(folder, board):
    """What is printed, in files; of a posterior all teams, and what a page is made of."""
    few = ["--sampler", "exact", "--draws", 60, "--chains", 2, "--seed", 1, "--out", "best"]
    done = call(*board[:-1], *few, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (folder / "best").iterdir()) == [
        "board.png", "leaderboard.csv", "posterior.nc", "run.json"
    ]  # fmt: skip
    said, kept = (
        json.loads(done.stdout),
        json.loads((folder / "best" / "run.json").read_text(encoding="utf-8")),
    )
    assert kept.pop("command")["seed"] == 1
    assert kept == said
    fit = lb.read_fit(folder / "best" / "posterior.nc")
    assert float(lb.sota.summary(fit)["theta_sota"]) == said["theta_sota"]
    table = pd.read_csv(folder / "best" / "leaderboard.csv")
    assert list(table["team"]) == list(lb.leaderboard(fit)["team"])
    assert bool(table["converged"].all()) == said["diagnostics"]["converged"]
    page = call("report", "best", "--out", "page.html", cwd=folder)
    assert page.returncode in (0, 3), page.stderr


def test_files_of_an_estimate_and_of_the_table(folder, board):
    done = call(*board[:-1], "--out", "estimate", "--figures", "svg", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (folder / "estimate").iterdir()} == {"board.svg", "run.json"}
    few = ["--law", "beta", "--draws", 30, "--chains", 2, "--seed", 1]
    call(*board, *few, "--out", "table", cwd=folder)
    assert {path.name for path in (folder / "table").iterdir()} == {"run.json", "sensitivity.csv"}
    table = pd.read_csv(folder / "table" / "sensitivity.csv")
    assert list(table["what"])[:3] == ["base", "law", "law"]
    claim = call("sota", 0.9, "--n", 200, "--variants", 3, "--out", "claim", cwd=folder)
    assert claim.returncode == 2
    assert "--out is of a board" in claim.stderr
    assert not (folder / "claim").exists()


def test_one_team_is_no_crowd(folder):
    (folder / "one.csv").write_text("team,score\na,0.887\n")
    options = ["--n", 1000, "--sampler", "exact", "--seed", 1]
    done = call("sota", "one.csv", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Best of 1 team on 1000 instances: 0.8870." in done.stdout
    assert "many teams" not in done.stdout


def test_scores_of_few_digits_are_told_apart_from_their_interval(folder):
    """Of errors of 0.003, known to 0.00001, four decimals say one number three times."""
    rows = "\n".join(f"t{k},{0.00308 + 0.000011 * k:.7f}" for k in range(20))
    (folder / "fine.csv").write_text(f"team,rmse\n{rows}\n")
    few = ["--sampler", "exact", "--draws", 60, "--chains", 2, "--seed", 1, "--out", "fine"]
    done = call("sota", "fine.csv", "--se", 1e-5, "--lower-is-better", *few, cwd=folder)
    said = json.loads((folder / "fine" / "run.json").read_text("utf-8"))
    best, lower, upper = (said[f"theta_sota{end}"] for end in ("", "_lower", "_upper"))
    assert f"{best:.6f} (95% interval {lower:.6f} to {upper:.6f})" in done.stdout
    free = said["law_free"]
    ends = f"between {free['theta_sota_lower']:.6f} and {free['theta_sota_upper']:.6f}"
    assert ends in done.stdout
    dt = lb.read_fit(folder / "fine" / "posterior.nc")
    page = lb.report.html(dt, folder / "fine.html").read_text("utf-8")
    assert f"{lower:.6f} to {upper:.6f}".replace("-", "\N{MINUS SIGN}") in page
    if dt.attrs["converged"]:
        assert f"{upper:.6f}".replace("-", "\N{MINUS SIGN}") in lb.report.text(dt)
