"""Heat map of players over tournaments."""

import numpy as np
import xarray as xr

from figures import drawn
from leaderbayes.plots._across import over_tournaments


def test_rows_are_tournaments_from_the_top():
    shares = xr.DataArray(
        [[0.1, 0.9], [np.nan, 0.5]],
        dims=("tournament", "player"),
        coords={"tournament": ["t", "u"], "player": ["a", "b"]},
    )
    result = xr.Dataset({"mean": shares}, attrs={"converged": 0, "warnings": "[]"})
    collection = over_tournaments(result, shares.T, "title", "label", figsize=None, backend="none")
    (cells,) = drawn(collection, "board", "heat_map")
    np.testing.assert_array_equal(cells["values"], [[np.nan, 0.5], [0.1, 0.9]])
    (cross,) = drawn(collection, "board", "scatter")
    assert (list(cross["x"]), list(cross["y"])) == ([0], [0])
    (title,) = drawn(collection, "board", "title")
    assert title["string"] == "NOT CONVERGED. title"
