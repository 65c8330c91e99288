"""The figure of records: which pairs do not go with the model."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board
from figures import drawn, texts
from leaderbayes.plots._heat_map import lightness

BLUE, ORANGE = "#0072B2", "#D55E00"


def test_each_pair_is_a_point_with_its_interval(fitted):
    names = lb.leaderboard(fitted)["player"].to_list()
    own, model = (
        lb.win_probability(fitted, by=by).sel(player=names, opponent=names)
        for by in ("record", "model")
    )
    better, worse = np.triu_indices(6, 1)
    collection = lb.plots.record(fitted, backend="none")
    points = drawn(collection, "board", "scatter")
    at = np.concatenate([e["x"] for e in points])
    up = np.concatenate([e["y"] for e in points])
    expected = model["mean"].to_numpy()[better, worse]
    order, wanted = np.argsort(at), np.argsort(expected)
    np.testing.assert_allclose(at[order], expected[wanted])
    np.testing.assert_allclose(up[order], own["mean"].to_numpy()[better, worse][wanted])
    lines = [e for e in drawn(collection, "board", "line") if len(e["x"]) > 2]
    ends = np.concatenate([e["y"].reshape(-1, 3) for e in lines])
    assert {tuple(np.round(end[:2], 9)) for end in ends} == {
        (round(low, 9), round(high, 9))
        for low, high in zip(
            own["lower"].to_numpy()[better, worse], own["upper"].to_numpy()[better, worse],
            strict=True,
        )
    }  # fmt: skip


def test_misfit_is_seen_and_named(misfit):
    """In a circle each pair's matches go one way, and the model says one half."""
    collection = lb.plots.record(misfit, backend="none")
    (points,) = [e for e in drawn(collection, "board", "scatter")]
    assert points["facecolor"] == ORANGE
    assert len(points["x"]) == 3
    said = texts(collection, "board")
    assert "does not: 3 (usual: up to about 0)" in said
    assert sum("own" in line and "model" in line for line in said) == 3
    assert drawn(collection, "board", "title")[0]["string"].startswith("MISFIT. ")


def test_no_misfit_of_what_fits(fitted):
    said = texts(lb.plots.record(fitted, backend="none"), "board")
    assert any(line.startswith("does not: 0") for line in said)


def test_pairs_that_never_met_are_left_out():
    """Two halves with one player in both."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(3, 20))
    values[0, 10:], values[2, :10] = np.nan, np.nan
    dt = lb.fit(board(values), sampler="laplace", seed=1)
    points = drawn(lb.plots.record(dt, backend="none"), "board", "scatter")
    assert sum(len(e["x"]) for e in points) == 2


def test_what_has_no_record(scores):
    with pytest.raises(lb.LeaderbayesError, match="fit matches"):
        lb.plots.record(lb.fit(scores, "mean_score", seed=1), backend="none")
    with pytest.raises(lb.LeaderbayesError, match="prob"):
        lb.plots.record(lb.fit(scores, sampler="laplace", seed=1), prob=1.0, backend="none")


def test_of_many_pairs_points_lie_over_intervals_and_the_line_over_both():
    """Of hundreds of pairs: light intervals that do not add up, below all points."""
    rng = np.random.default_rng(8)
    dt = lb.fit(board(rng.normal(size=(30, 20)) + np.linspace(0.0, 2.0, 30)[:, None]), seed=1,
                sampler="laplace", draws=100)  # fmt: skip
    drawings = lb.plots.record(dt, backend="none").get_viz("plot", "board")
    kinds = [e["function"] for e in drawings if e["function"] in ("line", "scatter")]
    points = kinds.index("scatter")
    assert kinds == ["line"] * points + ["scatter"] * (len(kinds) - points - 1) + ["line"]
    intervals = [e for e in drawings if e["function"] == "line"]
    assert len(intervals[-1]["x"]) == 2
    for each in intervals[:-1]:
        assert each.get("alpha") in (None, 1.0)
        assert lightness(each["color"]) > 0.6
