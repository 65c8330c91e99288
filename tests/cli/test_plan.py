"""The command plan."""

import json

import pytest

import leaderbayes as lb
from command import call


@pytest.mark.parametrize(
    ("options", "over", "numbers"),
    [(["--pair", "[red]a", "d", "--rounds", "5,20"], "rounds", [5, 20]),
     (["--pair", "c", "d", "--players", "c", "--players", "d", "--rounds", "5"], "rounds", [5]),
     ([], "rounds", None)],
)  # fmt: skip
def test_a_plan_is_that_of_python(folder, options, over, numbers):
    done = call("plan", "scores.csv", *options, "--seed", 1, cwd=folder)
    assert done.returncode == 0, done.stderr
    made = json.loads(
        call("plan", "scores.csv", *options, "--seed", 1, "--json", cwd=folder).stdout
    )
    assert made["over"] == over
    if numbers is not None:
        assert sorted({row[over] for row in made["rows"]}) == numbers
    dt = lb.fit(lb.read_scores(folder / "scores.csv"), seed=1, replicates=1)
    asked = {}
    if "--pair" in options:
        asked["pair"] = tuple(options[1:3])
    if "--players" in options:
        asked["players"] = ["c", "d"]
    direct = lb.plan(dt, seed=1, rounds=numbers, **asked)
    assert made["message"] == direct.attrs["message"]
    assert [row["p_decided"] for row in made["rows"]] == direct["p_decided"].values.ravel().tolist()
    assert made["message"] in done.stdout
    assert f"+{made['rows'][0][over]}" in done.stdout


def test_votes(votes):
    asked = ("plan", "votes.csv", "--pair", "owl", "elk", "--votes", "100,200", "--seed", 1)
    made = json.loads(call(*asked, "--json", cwd=votes).stdout)
    assert made["over"] == "votes"
    assert {row["clusters"] for row in made["rows"]} == {"same", "new"}
    shown = call(*asked, cwd=votes)
    assert shown.returncode == 0, shown.stderr
    assert "+200" in shown.stdout


def test_without_a_file(tmp_path):
    asked = "plan --players 3 --difference 0.5 --sd 1 --rounds 5,20 --seed 1".split()
    made = json.loads(call(*asked, "--json", cwd=tmp_path).stdout)
    direct = lb.design(3, difference=0.5, sd=1.0, rounds=(5, 20), seed=1)
    assert made["message"] == direct.attrs["message"]
    assert [row["p_correct"] for row in made["rows"]] == direct["p_correct"].values.ravel().tolist()
    shown = call(*asked, cwd=tmp_path)
    assert direct.attrs["message"] in shown.stdout
