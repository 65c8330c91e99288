"""The figure of wins over the average player."""

import numpy as np

import leaderbayes as lb
from figures import drawn


def test_average_player_has_the_best_on_the_left(across):
    collection = lb.plots.average_player(across["average_player"], backend="none")
    (cells,) = drawn(collection, "board", "heat_map")
    overall = across["average_player"]["overall"].to_series().sort_values(ascending=False)
    assert drawn(collection, "board", "xticks")[0]["labels"] == list(overall.index)
    assert drawn(collection, "board", "yticks")[0]["labels"][0] == "one"
    first = across["average_player"]["mean"].sel(tournament="one", player=overall.index[0])
    assert cells["values"][-1, 0] == float(first)
    (cross,) = drawn(collection, "board", "scatter")
    assert np.isnan(cells["values"][cross["y"][0], cross["x"][0]])


def test_who_is_absent_has_no_colour_of_a_probability(across):
    from bokeh.models import LinearColorMapper

    figure = lb.plots.average_player(across["average_player"], backend="bokeh")
    mappers = list(figure.get_viz("figure").select({"type": LinearColorMapper}))
    assert mappers
    assert {mapper.nan_color for mapper in mappers} == {"white"}
