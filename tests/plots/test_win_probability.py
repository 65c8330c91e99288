"""The figure of win probabilities: which cell is whose."""

import numpy as np

import leaderbayes as lb
from figures import drawn


def test_cells_are_of_the_row_against_the_column(fitted):
    """The best player on top and on the left; written and coloured alike."""
    collection = lb.plots.win_probability(fitted, backend="none")
    (cells,) = drawn(collection, "board", "heat_map")
    names = lb.leaderboard(fitted)["player"].to_list()
    mean = lb.win_probability(fitted)["mean"].sel(player=names, opponent=names).to_numpy()
    np.testing.assert_array_equal(cells["values"][::-1], mean)
    (rows,) = drawn(collection, "board", "yticks")
    assert dict(zip(rows["ticks"], rows["labels"], strict=True))[5] == names[0]
    texts = drawn(collection, "board", "text")
    assert {(int(t["x"].squeeze()), 5 - int(t["y"].squeeze())): t["string"] for t in texts} == {
        (j, i): f"{mean[i, j]:.2f}" for i in range(6) for j in range(6) if i != j
    }


def test_by_the_record(misfit):
    collection = lb.plots.win_probability(misfit, by="record", backend="none")
    (cells,) = drawn(collection, "board", "heat_map")
    names = lb.leaderboard(misfit)["player"].to_list()
    mean = lb.win_probability(misfit, by="record")["mean"].sel(player=names, opponent=names)
    np.testing.assert_array_equal(cells["values"][::-1], mean.to_numpy())
    (title,) = drawn(collection, "board", "title")
    assert title["string"] == "MISFIT. P(row beats column), own matches"
