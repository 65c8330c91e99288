"""The command frontier."""

import json

import pytest

import leaderbayes as lb
from command import call


def test_table_and_json_agree_with_python(priced):
    asked = ("frontier", "ranked", "--cost", "costs.csv", "--cost-column", "out")
    made = json.loads(call(*asked, "--json", cwd=priced).stdout)
    dt = lb.read_fit(priced / "ranked" / "posterior.nc")
    table = lb.frontier(dt, {"[red]a": 3, 'b "x"': 1, "c": 4, "d": 5})
    assert [row["player"] for row in made["players"]] == table["player"].tolist()
    for row, own in zip(made["players"], table.to_dict("records"), strict=True):
        assert row == pytest.approx(own)
    both = ("--figures", "png", "--figures", "svg")
    done = call(*asked, "--out", "front", *both, cwd=priced)
    assert done.returncode == 0, done.stderr
    assert "On the frontier with probability 0.95 or more: b " in done.stdout
    names = sorted(path.name for path in (priced / "front").iterdir())
    assert names == ["frontier.csv", "frontier.png", "frontier.svg", "run.json"]


def test_repeated_costs(priced):
    asked = ("frontier", "ranked", "--cost", "costs.csv", "--cost-column", "in,out", "--json")
    made = json.loads(call(*asked, cwd=priced).stdout)
    assert made["players"][0]["cost"] == 0.75
    assert made["players"][0]["cost_lower"] < 0.75
