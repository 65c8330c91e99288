"""The figure of a leaderboard, order and intervals; of a study, boards side by side."""

import numpy as np
import pytest

import leaderbayes as lb
from figures import drawn

GREY = "#8A8A8A"


AT = range(5, -1, -1)  # heights of six players


def test_best_player_is_on_top(fitted):
    axes = lb.plots.leaderboard(fitted, backend="matplotlib").get_viz("plot", "board")
    best = lb.leaderboard(fitted)["player"].iloc[0]
    at = dict(zip([t.get_text() for t in axes.get_yticklabels()], axes.get_yticks(), strict=True))
    assert at[best] == max(at.values())
    assert len(lb.plots.leaderboard(fitted, top=2, backend="matplotlib").get_viz(
        "plot", "board"
    ).get_yticks()) == 2  # fmt: skip


def test_intervals_of_the_leaderboard(fitted):
    """Thin lines hold 95 % of the draws, thick ones half as much, points their mean."""
    axes = lb.plots.leaderboard(fitted, backend="matplotlib").get_viz("plot", "board")
    epp = fitted["posterior"]["epp"].transpose("player", ...).to_numpy().reshape(6, -1)
    best_first = np.argsort(-epp.mean(axis=1))
    intervals = [line for line in axes.lines if line.get_color() != GREY]
    widths = [line.get_linewidth() for line in intervals]
    assert len(intervals) == 12
    assert max(widths[:6]) < min(widths[6:])
    for lines, prob in ((intervals[:6], 0.95), (intervals[6:], 0.475)):
        tails = np.quantile(epp[best_first], [(1 - prob) / 2, (1 + prob) / 2], axis=1)
        np.testing.assert_allclose([line.get_xdata() for line in lines], tails.T)
        np.testing.assert_allclose([line.get_ydata() for line in lines], [[y, y] for y in AT])
    points = axes.collections[-1].get_offsets()
    np.testing.assert_allclose(points, np.column_stack([epp.mean(axis=1)[best_first], AT]))


def test_leaderboards_of_a_study_are_sorted(across):
    table = across["leaderboards"]
    collection = lb.plots.leaderboard(table, backend="none")
    for name in ("standardised", "p_check", "tied_for_top"):
        (points,) = drawn(collection, name, "scatter")
        order = table.sort_values("standardised")
        np.testing.assert_array_equal(points["x"], order[name])
        np.testing.assert_array_equal(points["y"], [3, 2, 1, 0])
    ticks = drawn(collection, "standardised", "yticks")[0]
    assert ticks["labels"] == list(order["tournament"])


def test_a_study_is_compared(study):
    """A study is drawn as the table of its comparison, with the same probability."""
    collection = lb.plots.leaderboard(study, prob=0.6, backend="none")
    table = lb.study.compare(study, prob=0.6).sort_values("standardised")
    for name in ("standardised", "p_check", "tied_for_top"):
        (points,) = drawn(collection, name, "scatter")
        np.testing.assert_array_equal(points["x"], table[name])
    with pytest.raises(lb.LeaderbayesError, match="top= is of one leaderboard"):
        lb.plots.leaderboard(study, top=2, backend="none")


def test_a_study_of_scores_has_no_deviance(study_of_scores):
    """The most certain on top."""
    collection = lb.plots.leaderboard(study_of_scores, backend="none")
    table = lb.study.compare(study_of_scores).sort_values("p_best", ascending=False)
    for name in ("p_best", "tied_for_top"):
        (points,) = drawn(collection, name, "scatter")
        np.testing.assert_array_equal(points["x"], table[name])
    assert drawn(collection, "p_best", "yticks")[0]["labels"] == list(table["tournament"])
    assert not drawn(collection, "tied_for_top", "yticks")[0]["labels"]
