"""The command frontier."""

import json

import pytest

import leaderbayes as lb
from command import call

COSTS = 'model,in,out\n[red]a,1.5,3\n"b ""x""",0.5,1\nc,2,4\nd,2.5,5\n'


@pytest.fixture(scope="module")
def priced(folder):
    (folder / "costs.csv").write_text(COSTS)
    (folder / "wrong.csv").write_text("model,price\n[red]a,-1\nc,2\ne,1\n")
    call("rank", "scores.csv", "--draws", 200, "--out", "for_costs", "--seed", 1, cwd=folder)
    return folder


def test_table_and_json_agree_with_python(priced):
    asked = ("frontier", "for_costs", "--cost", "costs.csv", "--cost-column", "out")
    made = json.loads(call(*asked, "--json", cwd=priced).stdout)
    dt = lb.read_fit(priced / "for_costs" / "posterior.nc")
    table = lb.frontier(dt, {"[red]a": 3, 'b "x"': 1, "c": 4, "d": 5})
    assert [row["player"] for row in made["players"]] == table["player"].tolist()
    for row, own in zip(made["players"], table.to_dict("records"), strict=True):
        assert row == pytest.approx(own)
    done = call(*asked, "--out", "front", cwd=priced)
    assert done.returncode == 0, done.stderr
    assert "On the frontier with probability 0.95 or more: b " in done.stdout
    names = sorted(path.name for path in (priced / "front").iterdir())
    assert names == ["frontier.csv", "frontier.png", "run.json"]


def test_repeated_costs(priced):
    asked = ("frontier", "for_costs", "--cost", "costs.csv", "--cost-column", "in,out", "--json")
    made = json.loads(call(*asked, cwd=priced).stdout)
    assert made["players"][0]["cost"] == 0.75
    assert made["players"][0]["cost_lower"] < 0.75


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["costs.csv"], "which column is the cost? Name it (--cost-column NAME"),
        (["costs.csv", "--cost-column", "mid"], "no column of costs 'mid'"),
        (["wrong.csv"], "cost: no value for 'b \"x\"', 'd'; no player 'e'; below 0 for '[red]a'"),
        (["none.csv"], "none.csv"),
    ],
)
def test_refused(priced, arguments, message):
    done = call("frontier", "for_costs", "--cost", *arguments, cwd=priced)
    assert done.returncode == 2
    assert message in done.stderr
