"""The figure of a plan."""

import numpy as np

import leaderbayes as lb
from figures import drawn


def test_plan_is_drawn_as_it_is(planned):
    collection = lb.plots.plan(planned, backend="none")
    bands = drawn(collection, "p_decided", "fill_between_y")
    shares = drawn(collection, "p_decided", "scatter")
    widths = drawn(collection, "width", "scatter")
    ways = [planned.sel(who=who) for who in planned["who"].to_numpy()]
    for way, band, share, width in zip(ways, bands, shares, widths, strict=True):
        np.testing.assert_array_equal(band["y_bottom"], way["p_decided_lower"])
        np.testing.assert_array_equal(band["y_top"], way["p_decided_upper"])
        np.testing.assert_array_equal(share["y"], way["p_decided"])
        np.testing.assert_array_equal(share["x"], [5, 20])
        np.testing.assert_array_equal(width["y"], [planned["width_now"], *way["width"]])
        np.testing.assert_array_equal(width["x"], [0, 5, 20])
