"""The figure of win rates: points are of the better player."""

import numpy as np
from scipy.special import expit

import leaderbayes as lb
from figures import drawn


def test_win_rates_are_of_the_better_player(fitted, scores):
    axes = lb.plots.win_rate(fitted, backend="matplotlib").get_viz("plot", "board")
    epp = fitted["posterior"]["epp"].mean(("chain", "draw")).to_series()
    epp = epp.sort_values(ascending=False)
    expected = []
    for k, better in enumerate(epp.index):
        for worse in epp.index[k + 1 :]:
            gap = scores.sel(player=better) - scores.sel(player=worse)
            won = float((gap > 0).sum() / gap.notnull().sum())
            expected.append([expit(epp[better] - epp[worse]), won])
    np.testing.assert_allclose(axes.collections[-1].get_offsets(), expected)


def test_the_line_of_a_fit_lies_over_the_points(fitted):
    drawings = lb.plots.win_rate(fitted, backend="none").get_viz("plot", "board")
    kinds = [e["function"] for e in drawings if e["function"] in ("line", "scatter")]
    assert kinds == ["scatter", "line"]
    line = drawn(lb.plots.win_rate(fitted, backend="none"), "board", "line")[0]
    np.testing.assert_array_equal(line["x"], line["y"])
    axes = lb.plots.win_rate(fitted, backend="matplotlib").get_viz("plot", "board")
    assert axes.lines[0].get_zorder() > max(each.get_zorder() for each in axes.collections)
