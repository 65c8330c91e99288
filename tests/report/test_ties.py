"""Bars beside the rows of the page: over whom they go."""

import re

import numpy as np
import pytest

import leaderbayes as lb
from conftest import simulate
from leaderbayes.report._ties import ties


@pytest.fixture(scope="module")
def wide():
    made = simulate(np.linspace(-1.5, 1.5, 20), 25, np.random.default_rng(5))
    return lb.fit(made, sampler="laplace", seed=1)


def test_rows_of_a_bar_are_a_group(wide):
    group, table = lb.groups(wide), lb.leaderboard(wide)
    paths, width = ties(group, table)
    assert width > 7
    began, joined = {}, []
    for row, path in enumerate(paths):
        for x, top, end in re.findall(r"M(\d+) (\d+)V(\d+)", path):
            if top != "0":
                began[x] = row
            assert began[x] <= row
            if end != "100":
                joined.append((began.pop(x), row))
    assert not began
    rank = {name: k for k, name in enumerate(table["player"])}
    runs = [sorted(rank[name] for name in who) for _, who in group.groupby("group")["player"]]
    assert sorted(joined) == sorted((run[0], run[-1]) for run in runs if len(run) > 1)


def test_of_too_many_bars_the_numbers_are_left(wide, monkeypatch):
    monkeypatch.setattr("leaderbayes.report._ties._MOST", 1)
    assert ties(lb.groups(wide), lb.leaderboard(wide)) == ([""] * 20, 0)


def test_the_page_draws_them(wide, tmp_path):
    text = lb.report.html(wide, tmp_path / "p.html").read_text("utf-8")
    paths, _ = ties(lb.groups(wide), lb.leaderboard(wide))
    drawn = re.findall(r'<svg class="bars".*?<path d="([^"]+)"/>', text)
    assert drawn == [path for path in paths if path]
    assert "a bar beside the rows" in text
