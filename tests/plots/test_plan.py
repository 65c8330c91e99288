"""The figure of a plan."""

import numpy as np
import pytest

import leaderbayes as lb
from figures import drawn
from votes import draw, fit


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


def test_a_plan_of_votes_is_drawn_as_it_is():
    votes = draw(np.array([0.3, 0.1, -0.4]), 400, np.random.default_rng(1), spread=0.5)
    planned = lb.plan(fit(votes), ("m0", "m1"), votes=(100, 800), seed=1)
    collection = lb.plots.plan(planned, backend="none")
    shares = drawn(collection, "p_decided", "scatter")
    widths = drawn(collection, "width", "scatter")
    ways = [
        planned.sel(who=who, clusters=clusters)
        for who in planned["who"].to_numpy()
        for clusters in planned["clusters"].to_numpy()
    ]
    assert len(ways) == 4
    for way, share, width in zip(ways, shares, widths, strict=True):
        np.testing.assert_array_equal(share["y"], way["p_decided"])
        np.testing.assert_array_equal(share["x"], [100, 800])
        np.testing.assert_array_equal(width["y"], [planned["width_now"], *way["width"]])
    with pytest.raises(lb.LeaderbayesError, match="nothing to draw"):
        lb.plots.plan(planned.isel(votes=[]))
