"""Figures of what was made of posteriors, of boards and of searches."""

from copy import copy

import numpy as np
import pytest
from scipy.stats import binomtest

import leaderbayes as lb
from figures import axes, heat, key, points, rows, segments, titles


def test_sensitivity_of_ranks(moved):
    collection = lb.plots.sensitivity(moved)
    ax, rank = axes(collection), moved["rank"].to_numpy()
    names, m = list(moved["player"].to_numpy()), moved.sizes["player"]
    assert rows(ax) == names
    ends, _ = segments(ax)
    without = moved["without"].to_numpy() != ""
    for some, part in ((~without, slice(m)), (without, slice(m, None))):
        some[0] = True
        np.testing.assert_array_equal(ends[part, 0], rank[some].min(axis=0))
        np.testing.assert_array_equal(ends[part, 1], rank[some].max(axis=0))
    np.testing.assert_array_equal(points(ax)[:m, 0], rank[0])
    fits = moved["fits"].to_series()
    assert len(key(collection)) == (fits > 0).sum()
    assert f"round left out ({fits['round']} fits)" in key(collection)[-1]


def test_sensitivity_of_pairs(moved):
    collection = lb.plots.sensitivity(moved, what="pairs", top=4)
    share = (moved["verdict"].to_numpy() == 1).mean(axis=0)[:4, :4]
    np.testing.assert_allclose(heat(axes(collection)), share)
    assert titles(collection)[0].endswith(f": the best 4 of {moved.sizes['player']}")
    with pytest.raises(lb.LeaderbayesError, match=r"leaderbayes\.sensitivity"):
        lb.plots.sensitivity(moved["rank"])
    with pytest.raises(lb.LeaderbayesError, match="what="):
        lb.plots.sensitivity(moved, what="all")


def test_plan(planned):
    collection = lb.plots.plan(planned)
    decided, widths = (axes(collection, name) for name in ("p_decided", "width"))
    lines = [line for line in decided.lines if line.get_marker() == "o"]
    assert len(lines) == planned.sizes["who"]
    for line, who in zip(lines, planned["who"], strict=True):
        np.testing.assert_allclose(line.get_ydata(), planned["p_decided"].sel(who=who))
        np.testing.assert_array_equal(line.get_xdata(), planned["rounds"])
    first = next(line for line in widths.lines if line.get_marker() == "o")
    assert first.get_ydata()[0] == float(planned["width_now"])
    assert key(collection)[0] == planned.attrs["question"]
    empty = planned.isel(rounds=slice(0))
    with pytest.raises(lb.LeaderbayesError, match="nothing to draw"):
        lb.plots.plan(empty)


def test_average_player_and_rank(across):
    average = across["average"]
    ax = axes(lb.plots.average(average))
    best = average["overall"].to_series().sort_values(ascending=False).index
    expected = average["mean"].sel(player=best).transpose("tournament", "player").to_numpy()
    np.testing.assert_allclose(heat(ax), expected)
    crosses = ax.collections[0].get_offsets()
    np.testing.assert_array_equal(crosses, np.argwhere(np.isnan(expected))[:, ::-1])
    rank = across["average_rank"]
    values = heat(axes(lb.plots.average(rank)))
    assert np.nanmax(values) <= 1.0
    first = rank["rank"].sortby(rank["average_rank"]).transpose("tournament", "player").to_numpy()
    np.testing.assert_array_equal(np.nanargmax(values, axis=1), np.nanargmin(first, axis=1))


def test_tunability(across):
    made = across["tunability"]
    collection = lb.plots.tunability(made)
    for group in made["group"].to_numpy():
        ends, _ = segments(axes(collection, group))
        own = made["p_win"].isel(player=made["player_group"].to_numpy() == group)
        there = own.notnull().any("player").to_numpy()
        np.testing.assert_allclose(ends[: there.sum(), 0], own.min("player")[there])
        np.testing.assert_allclose(ends[: there.sum(), 1], own.max("player")[there])
        best = made.sel(group=group).isel(tournament=there)
        np.testing.assert_allclose(ends[2 * there.sum() :, 0], best["best_lower"])
        np.testing.assert_allclose(ends[2 * there.sum() :, 1], best["best_upper"])
        left, right = axes(collection, group).get_xlim()
        assert left < 0.0 < 1.0 < right


def test_embedding(across):
    made = across["embedding"]
    ax = axes(lb.plots.embedding(made))
    np.testing.assert_allclose(ax.collections[1].get_offsets(), made["score"][:, :2])
    tips, loading = ax.collections[3].get_offsets(), made["loading"].to_numpy()[:, :2]
    ratio = np.hypot(*tips.T) / np.hypot(*loading.T)
    np.testing.assert_allclose(ratio, ratio[0])
    # The ellipses hold normal draws with the embedding's probability.
    draws = made["score_draws"].to_numpy()[:, 0, :2]
    outline = ax.collections[0].get_segments()[0][:-1] - made["score"].to_numpy()[0, :2]
    inverse = np.linalg.inv(np.cov((draws - draws.mean(axis=0)).T, bias=True))
    distance = np.einsum("si,ij,sj->s", outline, inverse, outline)
    np.testing.assert_allclose(distance, distance[0])
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) > 3
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])
    with pytest.raises(lb.LeaderbayesError, match="one dimension"):
        lb.plots.embedding(made.isel(component=[0]))


@pytest.mark.parametrize(("name", "source"), [("average", "study.average"), ("plan", "plan")])
def test_something_else(fit, name, source):
    with pytest.raises(lb.LeaderbayesError, match=rf"leaderbayes\.{source}, not DataTree"):
        getattr(lb.plots, name)(fit)


# Searches


def test_search(search):
    collection = lb.plots.search(search, "ccp_alpha", "criterion")
    ax = axes(collection, "search")
    assert ax.get_xscale() == "log"
    assert [text.get_text() for text in ax.get_yticklabels()] == ["entropy", "gini"]
    drawn = {tuple(at) for at in points(ax)}
    tried = zip(
        search.cv_results_["param_ccp_alpha"], search.cv_results_["param_criterion"], strict=True
    )
    assert drawn == {(alpha, float(criterion == "gini")) for alpha, criterion in tried}
    sizes = {float(size) for each in ax.collections for size in each.get_sizes()}
    assert {14.0, 60.0} <= sizes
    for bad, message in (
        ({"x": "depth"}, "no parameter 'depth'"),
        ({"iteration": 99}, "iteration=99"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=message):
            lb.plots.search(search, **{"x": "ccp_alpha", "y": "criterion", **bad})
    with pytest.raises(lb.LeaderbayesError, match="fitted"):
        lb.plots.search(1, "a", "b")


def test_race(search):
    decisions = search.decisions_
    collection = lb.plots.search(search)
    compared = decisions[decisions["decision"].isin(("tied", "stays", "dropped"))]
    for k, mine in compared.groupby("iteration"):
        ax = axes(collection, f"iteration {k}")
        dropped = mine.loc[mine["decision"] == "dropped", "candidate"].nunique()
        assert sum(line.get_marker() == "o" for line in ax.lines) == dropped
        assert sum(line.get_marker() != "o" for line in ax.lines) == mine["candidate"].nunique()
        assert f"{dropped} dropped" in ax.get_title()
    with pytest.raises(lb.LeaderbayesError, match="name both x and y"):
        lb.plots.search(search, "criterion")
    alone = copy(search)
    alone.decisions_ = decisions[decisions["decision"] == "leads"]
    with pytest.raises(lb.LeaderbayesError, match="two candidates"):
        lb.plots.search(alone)


# Boards


def test_board(board, estimate):
    collection = lb.plots.board(board, estimate, lowest=0.0)
    ax = axes(collection)
    assert sum(bar.get_height() for bar in ax.patches) == board.size
    marks = [line.get_xdata()[0] for line in ax.lines]
    np.testing.assert_allclose(marks, [float(board.max()), float(estimate["theta_sota"])])
    (ends,), _ = segments(ax)
    np.testing.assert_allclose(
        ends, [float(estimate[f"theta_sota_{e}"]) for e in ("lower", "upper")]
    )
    # Bins are whole multiples of 1 / n, with scores in their middle.
    left = np.array([bar.get_x() for bar in ax.patches]) * 500
    np.testing.assert_allclose(left % 1.0, 0.5)
    hidden = axes(lb.plots.board(board, estimate, lowest=0.85))
    assert f"({int((board < 0.849).sum())} teams below 0.849 are not shown)" in hidden.get_xlabel()


def test_a_board_without_an_estimate(board):
    (ends,), _ = segments(axes(lb.plots.board(board)))
    alone = binomtest(445, 500).proportion_ci()
    np.testing.assert_allclose(ends, [alone.low, alone.high])
    assert lb.plots.board(lb.sota.read_board([1.0, 1.0], n=4))
    with pytest.raises(lb.LeaderbayesError, match="read_board"):
        lb.plots.board(board.drop_attrs())
