"""The figure of ranks over tournaments."""

import numpy as np
import pytest

import leaderbayes as lb
from figures import drawn


def test_the_best_on_the_left_and_dark(across):
    made = across["average_rank"]
    collection = lb.plots.average_rank(made, backend="none")
    (cells,) = drawn(collection, "board", "heat_map")
    order = made["average_rank"].to_series().sort_values()
    assert drawn(collection, "board", "xticks")[0]["labels"] == list(order.index)
    first = made["rank"].sel(tournament="one", player=order.index[0])
    assert cells["values"][-1, 0] == pytest.approx(float(6.0 - first) / 5.0)
    # Of five players in "three" the middle is the third.
    middle = cells["values"][1]
    assert np.nanmean(middle) == pytest.approx(0.5)
    (cross,) = drawn(collection, "board", "scatter")
    assert np.isnan(cells["values"][cross["y"][0], cross["x"][0]])
    with pytest.raises(lb.LeaderbayesError, match=r"study\.average_rank returns"):
        lb.plots.average_rank(across["average_player"], backend="none")
