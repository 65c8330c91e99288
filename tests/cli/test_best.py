"""How good the best of a board is, in sentences and a table."""

import json

import pytest

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
