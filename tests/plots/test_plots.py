"""Every plot in every backend, and the mark of a result that must not be trusted."""

import numpy as np
import pytest
from scipy.special import expit

import leaderbayes as lb

GREY = "#8A8A8A"
AT = range(5, -1, -1)  # heights of six players
PLOTS = ["leaderboard", "win_probability", "rank_distribution", "win_rate", "deviance"]


@pytest.fixture(scope="module")
def fitted(scores):
    """Draws; who drew them is of no account here."""
    return lb.fit(scores, sampler="laplace", draws=500, seed=1)


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


def drawn(collection, name, function):
    return [e for e in collection.get_viz("plot", name) if e["function"] == function]


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


def test_cells_are_of_the_player_and_the_rank(fitted):
    collection = lb.plots.rank_distribution(fitted, backend="none")
    (cells,) = drawn(collection, "board", "heat_map")
    names = lb.leaderboard(fitted)["player"].to_list()
    share = lb.rank_probability(fitted).sel(player=names).to_numpy()
    np.testing.assert_array_equal(cells["values"][::-1], share)
    (rows,) = drawn(collection, "board", "yticks")
    assert dict(zip(rows["ticks"], rows["labels"], strict=True))[5] == names[0]


def test_points_of_the_deviance_check(fitted):
    result = lb.check(fitted, seed=2)
    collection = lb.plots.deviance(fitted, seed=2, backend="none")
    colour = {"replicated_round": "#0072B2", "replicated_naive": "#D55E00"}  # blue, orange
    points = {e["facecolor"]: e for e in drawn(collection, "board", "scatter")}
    for name in colour:
        np.testing.assert_array_equal(points[colour[name]]["x"], result["observed"])
        np.testing.assert_array_equal(points[colour[name]]["y"], result[name])
    said = {e["color"]: e["string"] for e in drawn(collection, "board", "text")}
    assert f"rankings, p = {float(result['p_round']):.2f}" in said[colour["replicated_round"]]
    assert f"matches, p = {float(result['p_naive']):.2f}" in said[colour["replicated_naive"]]


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
