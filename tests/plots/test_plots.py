"""Every plot in every backend, and the mark of a result that must not be trusted."""

import pytest

import leaderbayes as lb

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
