"""The figure of groups: which players a bar joins."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from conftest import board, simulate
from figures import drawn
from leaderbayes.plots._groups import bars_of as placed

BLACK = "#000000"


@pytest.fixture(scope="module")
def wide():
    """Twenty players, of whom many are not told apart; their groups overlap."""
    rng = np.random.default_rng(5)
    return lb.fit(simulate(np.linspace(-1.5, 1.5, 20), 25, rng), sampler="laplace", seed=1)


def bars_of(collection):
    """Rows (first, last) that upright bars join, counted from the top."""
    m = len(drawn(collection, "board", "yticks")[0]["ticks"])
    return sorted(
        (round(m - 1 - max(e["y"]) + 0.25), round(m - 1 - min(e["y"]) - 0.25))
        for e in drawn(collection, "board", "line")
        if e["color"] == BLACK and len(e["x"]) == 2
    )


def runs_of(dt, **options):
    """Rows that groups of two or more join."""
    rank = {name: k for k, name in enumerate(lb.leaderboard(dt)["player"])}
    groups = lb.groups(dt, **options).groupby("group")["player"]
    runs = [sorted(rank[name] for name in members) for _, members in groups]
    return sorted((run[0], run[-1]) for run in runs if len(run) > 1)


@pytest.mark.parametrize("options", [{}, {"control": "joint"}, {"prob": 0.6}])
def test_bars_are_the_groups(wide, options):
    collection = lb.plots.groups(wide, backend="none", **options)
    runs = runs_of(wide, **options)
    assert len(runs) > 2
    assert bars_of(collection) == runs
    title = drawn(collection, "board", "title")[0]["string"]
    assert f"{options.get('prob', 0.95):.0%}" in title
    assert ("all claims together" in title) == (options.get("control") == "joint")


def test_points_and_intervals_are_the_leaderboards(wide):
    collection = lb.plots.groups(wide, prob=0.8, backend="none")
    table = lb.leaderboard(wide, prob=0.8)
    (points,) = drawn(collection, "board", "scatter")
    np.testing.assert_array_equal(points["x"], table["epp"])
    np.testing.assert_array_equal(points["y"], np.arange(20)[::-1])
    (lines,) = [e for e in drawn(collection, "board", "line") if len(e["x"]) == 60]
    np.testing.assert_array_equal(lines["x"][::3], table["epp_lower"])
    np.testing.assert_array_equal(lines["x"][1::3], table["epp_upper"])
    names = drawn(collection, "board", "yticks")[0]
    assert names["labels"] == list(table["player"])


def test_bars_beside_each_other_do_not_overlap(wide):
    lanes = {}
    for e in drawn(lb.plots.groups(wide, backend="none"), "board", "line"):
        if e["color"] == BLACK and len(e["x"]) == 2:
            lanes.setdefault(round(e["x"][0], 9), []).append(sorted(e["y"]))
    assert len(lanes) > 1
    for bars in lanes.values():
        bars.sort()
        assert all(a[1] < b[0] for a, b in pairwise(bars))


def test_demsar_has_the_same_bars(wide):
    collection = lb.plots.groups(wide, style="demsar", backend="none")
    epp = lb.leaderboard(wide)["epp"].to_numpy()
    bars = sorted(
        (int(np.abs(epp - max(e["x"])).argmin()), int(np.abs(epp - min(e["x"])).argmin()))
        for e in drawn(collection, "board", "line")
        if e["color"] == BLACK and len(e["x"]) == 2 and e["y"][0] < 0.0
    )
    assert bars == runs_of(wide)
    written = [e["string"] for e in drawn(collection, "board", "text")]
    assert set(lb.leaderboard(wide)["player"]) < set(written)
    # From each name a line goes to its strength.
    leads = [e for e in drawn(collection, "board", "line") if len(e["x"]) == 3 and e["y"][0] == 0]
    np.testing.assert_array_equal([e["x"][0] for e in leads], epp)


@pytest.mark.parametrize("style", ["rows", "demsar"])
def test_the_first_of_many(wide, style):
    collection = lb.plots.groups(wide, top=3, style=style, backend="none")
    (points,) = drawn(collection, "board", "scatter")
    assert len(points["x"]) == 3
    assert drawn(collection, "board", "title")[0]["string"].endswith(": the best 3 of 20")


def test_lower_scores_may_be_better(scores):
    turned = (-scores).assign_attrs(higher_is_better=0)
    dt = lb.fit(turned, "mean_score", seed=1)
    collection = lb.plots.groups(dt, style="demsar", backend="none")
    table = lb.leaderboard(dt)
    (points,) = drawn(collection, "board", "scatter")
    np.testing.assert_allclose(points["x"], -table["score"])
    ticks = {e["string"]: float(np.squeeze(e["x"])) for e in drawn(collection, "board", "text")
             if e["string"].lstrip("−").replace(".", "").isdigit()}  # fmt: skip
    assert len(ticks) > 1
    for text, at in ticks.items():
        assert float(text.replace("−", "-")) == pytest.approx(-at, abs=1e-9)


def test_unknown_style(laplace):
    with pytest.raises(lb.LeaderbayesError, match="style"):
        lb.plots.groups(laplace, style="forest", backend="none")


def test_nobody_is_tied():
    made = simulate([3.5, 0.0, -3.5], 400, np.random.default_rng(0))
    dt = lb.fit(made, sampler="laplace", seed=1)
    assert bars_of(lb.plots.groups(dt, backend="none")) == []
    assert lb.plots.groups(dt, style="demsar", backend="none")


@pytest.mark.parametrize("figsize", ["column", "page"])
def test_bars_in_neighbouring_lanes_do_not_touch(figsize):
    """Of many players in a row, so that there are many lanes."""
    rng = np.random.default_rng(2)
    values = np.linspace(0.0, 4.0, 120)[:, None] + rng.gumbel(size=(120, 20))
    names = [f"net-large-instruct-v2 {k:03d}" for k in range(120)]
    scores = board(values).assign_coords(player=names)
    dt = lb.fit(scores, sampler="laplace", draws=400, seed=1)
    figure = lb.plots.groups(dt, figsize=figsize, backend="matplotlib")
    axes, whole = figure.get_viz("plot", "board"), figure.get_viz("figure")
    whole.canvas.draw()
    bars = [line for line in axes.lines if line.get_color() == "#000000"]
    at = np.unique([axes.transData.transform((line.get_xdata()[0], 0.0))[0] for line in bars])
    lanes = at[np.append(True, np.diff(at) > 0.01)]
    assert len(lanes) > 8
    thick = max(line.get_linewidth() for line in bars) * whole.dpi / 72.0
    assert thick > 0.5
    assert np.diff(lanes).min() > 1.3 * thick


@pytest.mark.parametrize("style", ["rows", "demsar"])
@pytest.mark.parametrize("size", [24, 50])
def test_one_column_holds_all_letters_beside_long_names(style, size):
    rng = np.random.default_rng(2)
    values = np.linspace(0.0, 4.0, 12)[:, None] + rng.gumbel(size=(12, 20))
    names = [f"{'a model of some organisation, instruct, in eight bits'[:size]} {k:02d}"
             for k in range(12)]  # fmt: skip
    dt = lb.fit(board(values).assign_coords(player=names), sampler="laplace", draws=200, seed=1)
    figure = lb.plots.groups(dt, style=style, figsize="column", backend="matplotlib")
    axes, whole = figure.get_viz("plot", "board"), figure.get_viz("figure")
    whole.canvas.draw()
    for text in (axes.title, axes.xaxis.label, *axes.texts, *axes.get_yticklabels()):
        if text.get_text() and (text in axes.texts or text is axes.title or axes.axison):
            box = text.get_window_extent()
            assert box.x0 >= 0.0, text.get_text()
            assert box.x1 <= whole.bbox.x1, text.get_text()


def test_bars_of_a_lane_are_apart_where_neighbours_are_close():
    """Strengths next to each other are no gap that an eye sees."""
    table = pd.DataFrame({"player": list("abcd")})
    group = pd.DataFrame({"group": [1, 1, 2, 2], "player": list("abcd")})
    along = np.array([3.0, 2.0, 1.9, 0.0])
    assert placed(group, table, 4) == [(0, (0, 1)), (0, (2, 3))]
    assert placed(group, table, 4, along, 0.2) == [(0, (0, 1)), (1, (2, 3))]
    assert placed(group, table, 4, along, 0.09) == [(0, (0, 1)), (0, (2, 3))]


@pytest.mark.parametrize("figsize", ["column", "page"])
def test_demsar_of_few_has_room_for_its_axis(fitted, figsize):
    """Plotly's title and margins leave a line each for the axis' name and for its ticks."""
    figure = lb.plots.groups(fitted, style="demsar", figsize=figsize, backend="plotly")
    layout = figure.get_viz("figure").layout
    low, high = layout.yaxis.range
    line = (layout.height - layout.margin.t - (layout.margin.b or 80)) / (high - low)
    data = figure.get_viz("figure").data
    sizes = [e.textfont.size for e in data if e.mode == "text" and "epp:" in str(e.text)]
    # The name hangs from 1.55, ticks stand on 0.35.
    assert 1.2 * line > 1.9 * sizes[0] * 0.75
    # Ticks of one column are few.
    texts = drawn(
        lb.plots.groups(fitted, style="demsar", figsize=figsize, backend="none"), "board", "text"
    )
    ticks = [e for e in texts if e["y"] == 0.35]
    assert 1 < len(ticks) <= (4 if figsize == "column" else 8)
