"""Every plot in every backend, and the mark of a result that must not be trusted."""

import numpy as np
import pytest
from scipy.special import expit

import leaderbayes as lb

GREY = "#8A8A8A"
AT = range(5, -1, -1)  # heights of six players
PLOTS = ["leaderboard", "win_probability", "rank_distribution", "win_rate", "deviance"]


@pytest.mark.parametrize("backend", ["matplotlib", "plotly", "bokeh", "none"])
@pytest.mark.parametrize("name", PLOTS)
def test_every_backend_draws(fitted, name, backend):
    collection = getattr(lb.plots, name)(fitted, backend=backend)
    assert collection.backend == backend


@pytest.mark.parametrize("name", PLOTS)
def test_not_converged_shows(fitted, name):
    doubtful = fitted.copy()
    doubtful.attrs = {**fitted.attrs, "converged": 0}
    for dt, marked in ((fitted, False), (doubtful, True)):
        axes = getattr(lb.plots, name)(dt, backend="matplotlib").get_viz("plot", "board")
        assert axes.get_title().startswith("NOT CONVERGED") == marked


def test_best_player_is_on_top(fitted):
    axes = lb.plots.leaderboard(fitted, backend="matplotlib").get_viz("plot", "board")
    best = lb.leaderboard(fitted)["player"].iloc[0]
    at = dict(zip([t.get_text() for t in axes.get_yticklabels()], axes.get_yticks(), strict=True))
    assert at[best] == max(at.values())
    assert len(lb.plots.leaderboard(fitted, top=2, backend="matplotlib").get_viz(
        "plot", "board"
    ).get_yticks()) == 2  # fmt: skip


def test_intervals_of_the_leaderboard(fitted):
    """Thin lines hold 95 % of the draws, thick ones half as much, points their mean."""
    axes = lb.plots.leaderboard(fitted, backend="matplotlib").get_viz("plot", "board")
    epp = fitted["posterior"]["epp"].transpose("player", ...).to_numpy().reshape(6, -1)
    best_first = np.argsort(-epp.mean(axis=1))
    intervals = [line for line in axes.lines if line.get_color() != GREY]
    widths = [line.get_linewidth() for line in intervals]
    assert len(intervals) == 12
    assert max(widths[:6]) < min(widths[6:])
    for lines, prob in ((intervals[:6], 0.95), (intervals[6:], 0.475)):
        tails = np.quantile(epp[best_first], [(1 - prob) / 2, (1 + prob) / 2], axis=1)
        np.testing.assert_allclose([line.get_xdata() for line in lines], tails.T)
        np.testing.assert_allclose([line.get_ydata() for line in lines], [[y, y] for y in AT])
    points = axes.collections[-1].get_offsets()
    np.testing.assert_allclose(points, np.column_stack([epp.mean(axis=1)[best_first], AT]))


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


def test_dollars_are_no_mathematics():
    from leaderbayes.plots._canvas import labels

    assert labels(["$x$"], "matplotlib") == [r"\$x\$"]
    assert labels(["$x$"], "plotly") == ["$x$"]
    assert len(labels(["n" * 10_000], "plotly")[0]) <= 41


@pytest.fixture(scope="module")
def planned(fitted):
    return lb.plan(fitted, ("p0", "p1"), rounds=(5, 20), simulations=5, seed=1)


@pytest.mark.parametrize("backend", ["matplotlib", "plotly", "bokeh", "none"])
def test_plan(planned, backend):
    collection = lb.plots.plan(planned, backend=backend)
    assert collection.backend == backend


def test_doubtful_plan_shows(planned):
    for made in (planned, planned.assign_attrs(converged=0)):
        axes = lb.plots.plan(made, backend="matplotlib").get_viz("plot", "width")
        assert axes.get_title().startswith("NOT CONVERGED") == (not made.attrs["converged"])


@pytest.mark.parametrize("name", ["leaderboard", "win_probability", "rank_distribution"])
def test_bad_top_and_backend(fitted, name):
    with pytest.raises(lb.LeaderbayesError, match="top=0"):
        getattr(lb.plots, name)(fitted, top=0)
    with pytest.raises(lb.LeaderbayesError, match="backend='mpl'"):
        getattr(lb.plots, name)(fitted, backend="mpl")
