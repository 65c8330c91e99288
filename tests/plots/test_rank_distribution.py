"""The figure of ranks: which cell is whose."""

import itertools

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board
from figures import drawn


def test_cells_are_of_the_player_and_the_rank(fitted):
    collection = lb.plots.rank_distribution(fitted, backend="none")
    (cells,) = drawn(collection, "board", "heat_map")
    names = lb.leaderboard(fitted)["player"].to_list()
    share = lb.rank_probability(fitted).sel(player=names).to_numpy()
    np.testing.assert_array_equal(cells["values"][::-1], share)
    (rows,) = drawn(collection, "board", "yticks")
    assert dict(zip(rows["ticks"], rows["labels"], strict=True))[5] == names[0]


@pytest.mark.parametrize("figsize", [None, "column", "page"])
def test_ranks_of_179_do_not_collide(figsize):
    values = np.random.default_rng(1).normal(size=(179, 6))
    names = [f"net-large-instruct-v2 {k:03d}" for k in range(179)]
    dt = lb.fit(board(values).assign_coords(player=names), sampler="laplace", draws=50, seed=1)
    figure = lb.plots.rank_distribution(dt, figsize=figsize, backend="matplotlib")
    axes, canvas = figure.get_viz("plot", "board"), figure.get_viz("figure").canvas
    canvas.draw()
    boxes = [each.get_window_extent() for each in axes.get_xticklabels()]
    assert len(boxes) > 4
    for one, other in itertools.pairwise(boxes):
        assert one.x1 + 1.0 < other.x0
