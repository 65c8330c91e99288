"""The figure of many leaderboards side by side."""

import numpy as np

import leaderbayes as lb
from figures import drawn


def test_leaderboards_are_sorted(across):
    table = across["leaderboards"]
    collection = lb.plots.leaderboards(table, backend="none")
    for name in ("standardised", "p_check", "tied_for_top"):
        (points,) = drawn(collection, name, "scatter")
        order = table.sort_values("standardised")
        np.testing.assert_array_equal(points["x"], order[name])
        np.testing.assert_array_equal(points["y"], [3, 2, 1, 0])
    ticks = drawn(collection, "standardised", "yticks")[0]
    assert ticks["labels"] == list(order["tournament"])
