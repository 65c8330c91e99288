"""The figure of ranks: which cell is whose."""

import numpy as np

import leaderbayes as lb
from figures import drawn


def test_cells_are_of_the_player_and_the_rank(fitted):
    collection = lb.plots.rank_distribution(fitted, backend="none")
    (cells,) = drawn(collection, "board", "heat_map")
    names = lb.leaderboard(fitted)["player"].to_list()
    share = lb.rank_probability(fitted).sel(player=names).to_numpy()
    np.testing.assert_array_equal(cells["values"][::-1], share)
    (rows,) = drawn(collection, "board", "yticks")
    assert dict(zip(rows["ticks"], rows["labels"], strict=True))[5] == names[0]
