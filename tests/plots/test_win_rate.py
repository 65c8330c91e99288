"""The figure of win rates: points are of the better player."""

import numpy as np
from scipy.special import expit

import leaderbayes as lb


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
