"""The command sota."""

import json

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from command import call


@pytest.mark.parametrize(
    "options", [{}, {"rule": "crop"}, {"convention": "published"}, {"criterion": "upper"},
                {"rho": 0.5, "dependence": "copula"}],
)  # fmt: skip
def test_an_estimate_is_that_of_python(board, options):
    given = [text for name, value in options.items() for text in (f"--{name}", value)]
    done = call("sota", "few.csv", "--n", 200, *given, "--json", cwd=board)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    direct = lb.sota.shrink(lb.sota.read_board(board / "few.csv", n=200), **options)
    for name in ("theta_sota", "theta_sota_lower", "expected_max", "observed_max", "teams_above"):
        assert result[name] == pytest.approx(float(direct[name])), name
    assert result["how"] == options.get("rule", "shrink")
    free = lb.sota.winner(lb.sota.read_board(board / "few.csv", n=200), rho=options.get("rho"))
    assert result["law_free"]["message"] == free.attrs["message"]


def test_sentences(board):
    done = call("sota", "few.csv", "--n", 200, cwd=board)
    assert "Highest score of 8 teams on 200 instances: 0.9000 (95% interval" in done.stdout
    assert "Estimated true performance of the best (shrink): 0.8" in done.stdout
    assert "scored above it." in done.stdout


@pytest.mark.slow
def test_a_posterior_and_its_files(board):
    few = ["--sampler", "exact", "--draws", 60, "--chains", 2, "--seed", 1, "--out", "best"]
    done = call("sota", "few.csv", "--n", 200, *few, "--json", cwd=board)
    assert done.returncode in (0, 1), done.stderr
    assert {path.name for path in (board / "best").iterdir()} == {
        "board.png", "leaderboard.csv", "posterior.nc", "run.json"
    }  # fmt: skip
    kept = json.loads((board / "best" / "run.json").read_text(encoding="utf-8"))
    assert kept.pop("command")["seed"] == 1
    assert kept == json.loads(done.stdout)
    fit = lb.read_fit(board / "best" / "posterior.nc")
    assert float(lb.sota.summary(fit)["theta_sota"]) == kept["theta_sota"]
    table = pd.read_csv(board / "best" / "leaderboard.csv")
    assert list(table["team"]) == list(lb.leaderboard(fit)["team"])


def test_answers_know_n_and_rho(folder):
    source = lb.datasets.load("answers").attrs["source"]
    done = call("sota", source, "--answers", "--classes", 10, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["n"], result["m"]) == (600, 115)
    assert result["rho"] == pytest.approx(0.55, abs=0.01)


def test_a_public_and_a_private_board(folder):
    rng = np.random.default_rng(1)
    theta, names = rng.beta(85, 15, 60), [f"team {k}" for k in range(60)]
    for name, n in (("public", 500), ("private", 2000)):
        pd.DataFrame({"team": names, "score": rng.binomial(n, theta) / n}).to_csv(
            folder / f"{name}.csv", index=False
        )
    given = ("--n", 2000, "--public", "public.csv", "--public-n", 500, "--seed", 1)
    done = call("sota", "private.csv", *given, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    looks = json.loads(done.stdout)["two_looks"]
    boards = (
        lb.sota.read_board(folder / f"{name}.csv", n=n)
        for name, n in (("public", 500), ("private", 2000))
    )
    assert looks["message"] == lb.sota.two_looks(*boards, seed=1).attrs["message"]
    assert looks["message"] in call("sota", "private.csv", *given, cwd=folder).stdout


def test_digits_are_those_of_the_interval(folder):
    """Of errors of 0.003, known to 0.00001, four decimals say one number three times."""
    rows = "\n".join(f"t{k},{0.00308 + 0.000011 * k:.7f}" for k in range(20))
    (folder / "fine.csv").write_text(f"team,rmse\n{rows}\n")
    given = ("sota", "fine.csv", "--se", 1e-5, "--lower-is-better", "--chance", 0.01)
    said = json.loads(call(*given, "--json", cwd=folder).stdout)
    best, lower, upper = (said[f"theta_sota{end}"] for end in ("", "_lower", "_upper"))
    printed = call(*given, cwd=folder).stdout
    assert f"{best:.6f} (95% interval {lower:.6f} to {upper:.6f})" in printed
