"""One score in place of a board, on the command line."""

import json

import pytest
from scipy.stats import randint

import leaderbayes as lb
from command import call


def test_one_score(folder):
    done = call("sota", 0.931, "--n", 2000, "--variants", 27, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    found = lb.sota.claim(0.931, k=27, n=2000)
    assert result["theta"] == float(found["theta"])
    assert (result["k"], result["n"], result["warnings"]) == (27.0, 2000, [])
    text = call("sota", 93.1, "--n", 2000, "--variants", "1-50", "--rho", 0.5, cwd=folder)
    theta = float(lb.sota.claim(0.931, k=randint(1, 51), n=2000, rho=0.5)["theta"])
    assert f"the best of about 26 variants, is worth {theta:.4f} (95% interval" in text.stdout
    assert "Were it the only one it would be worth 0.9306." in text.stdout
    other = call("sota", "-1.5", "--se", 0.1, "--spread", 0.1, "--json", cwd=folder)
    assert other.returncode == 2  # an option, to the command line
    other = call("sota", "--se", 0.1, "--spread", 0.1, "--json", "--", "-1.5", cwd=folder)
    assert json.loads(other.stdout)["score"] == -1.5


def test_variants_of_a_board(folder):
    (folder / "few.csv").write_text("team,score\na,0.9\nb,0.88\nc,0.85\nd,0.84\n")
    assert "; 1 team scored above it." in call("sota", "few.csv", "--n", 500, cwd=folder).stdout
    alone, tried = (
        json.loads(call("sota", "few.csv", "--n", 500, "--json", *more, cwd=folder).stdout)
        for more in ([], ["--variants", 20])
    )
    assert tried["law_free"]["theta_sota_lower"] < alone["law_free"]["theta_sota_lower"]
    assert tried["law_free"]["theta_sota_upper"] == alone["law_free"]["theta_sota_upper"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([0.931], "Give n (--n)"),
        ([0.931, "--n", "size"], "--n size: give a number"),
        ([0.931, "--n", 100, "--variants", "many"], "--variants many: give a number from 1 up"),
        ([0.931, "--n", 100, "--variants", "9-2"], "the second number is below the first"),
        ([0.931, "--n", 100, "--classes", 3], "--classes is of a board"),
        (
            ["few.csv", "--n", 500, "--variants", "1-5"],
            "of a board give one number, or --sampler exact",
        ),
        (["few.csv", "--n", 500, "--spread", 0.1], "--spread is of one score"),
    ],
)
def test_refuses(folder, arguments, message):
    bad = call("sota", *arguments, cwd=folder)
    assert bad.returncode == 2
    assert message in bad.stderr
    assert bad.stdout == ""
