"""Plots across tournaments: every backend, and what is where."""

import numpy as np
import pytest

import leaderbayes as lb

GROUPS = {"p0": "a", "p1": "a", "p2": "a", "p3": "b", "p4": "b", "p5": "c"}
BACKENDS = ["matplotlib", "plotly", "bokeh", "none"]


@pytest.fixture(scope="module")
def made(study):
    return {
        "average_player": lb.study.average_player(study),
        "embedding": lb.study.embedding(study),
        "leaderboards": lb.study.compare(study, draws=10),
        "tunability": lb.study.tunability(study, GROUPS),
    }


PLOTS = ["average_player", "embedding", "leaderboards", "tunability"]


def drawn(collection, name, function):
    return [e for e in collection.get_viz("plot", name) if e["function"] == function]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PLOTS)
def test_every_backend_draws(made, name, backend, tmp_path):
    collection = getattr(lb.plots, name)(made[name], backend=backend)
    assert collection.backend == backend
    if backend == "matplotlib":
        collection.savefig(tmp_path / "figure.png")


@pytest.mark.parametrize("name", PLOTS)
def test_not_converged_shows(made, name):
    doubtful = made[name].copy()
    doubtful.attrs = {**doubtful.attrs, "converged": 0}
    collection = getattr(lb.plots, name)(doubtful, backend="none")
    plot = {"leaderboards": "p_check", "tunability": "b"}.get(name, "board")
    assert drawn(collection, plot, "title")[0]["string"].startswith("NOT CONVERGED. ")


def test_average_player_has_the_best_on_the_left(made):
    collection = lb.plots.average_player(made["average_player"], backend="none")
    (cells,) = drawn(collection, "board", "heat_map")
    overall = made["average_player"]["overall"].to_series().sort_values(ascending=False)
    assert drawn(collection, "board", "xticks")[0]["labels"] == list(overall.index)
    assert drawn(collection, "board", "yticks")[0]["labels"][0] == "one"
    first = made["average_player"]["mean"].sel(tournament="one", player=overall.index[0])
    assert cells["values"][-1, 0] == float(first)
    (cross,) = drawn(collection, "board", "scatter")
    assert np.isnan(cells["values"][cross["y"][0], cross["x"][0]])


def test_leaderboards_are_sorted(made):
    table = made["leaderboards"]
    collection = lb.plots.leaderboards(table, backend="none")
    for name in ("standardised", "p_check", "tied_for_top"):
        (points,) = drawn(collection, name, "scatter")
        order = table.sort_values("standardised")
        np.testing.assert_array_equal(points["x"], order[name])
        np.testing.assert_array_equal(points["y"], [3, 2, 1, 0])
    ticks = drawn(collection, "standardised", "yticks")[0]
    assert ticks["labels"] == list(order["tournament"])


def test_tunability_draws_quantiles(made):
    collection = lb.plots.tunability(made["tunability"], backend="none")
    epp = made["tunability"]["epp"].sel(player=["p0", "p1", "p2"])
    whole, box = (e for e in drawn(collection, "a", "line"))
    np.testing.assert_allclose(whole["x"][::3], epp.min("player"))
    np.testing.assert_allclose(whole["x"][1::3], epp.max("player"))
    np.testing.assert_allclose(box["x"][1::3], epp.quantile(0.75, "player"))
    limits = [drawn(collection, name, "xlim")[0]["lims"] for name in ("a", "b", "c")]
    assert limits[0] == limits[1] == limits[2]


def test_embedding_ellipses_hold_their_share(made):
    collection = lb.plots.embedding(made["embedding"], backend="none")
    points, tips = drawn(collection, "board", "scatter")
    score = made["embedding"]["score"].to_numpy()
    np.testing.assert_array_equal(points["x"], score[:, 0])
    assert len(tips["x"]) == 6
    names = {e["string"] for e in drawn(collection, "board", "text")}
    assert "reversed" in names
    outline = drawn(collection, "board", "line")[0]
    first = np.column_stack([outline["x"], outline["y"]])[:61] - score[0]
    draws = made["embedding"]["score_draws"].to_numpy()[:, 0]
    covariance = np.cov(draws.T, bias=True)
    radius = np.einsum("ki,ij,kj->k", first, np.linalg.inv(covariance), first)
    # The 95 % point of chi-square with 2 degrees of freedom.
    np.testing.assert_allclose(radius, 5.991, rtol=1e-3)


def test_embedding_of_one_dimension(study):
    with pytest.raises(lb.LeaderbayesError, match="embed in two"):
        lb.plots.embedding(lb.study.embedding(study, dimensions=1), backend="none")


def test_names_do_not_overlap_or_leave_the_plot():
    from leaderbayes.plots._embedding import _named

    # Five on one spot, of which four have room, each in its own direction; one at the border.
    points = np.array([[1.0, 1.0]] * 5 + [[1.99, -1.0]])
    limits = np.array([-2.0, -2.0]), np.array([2.0, 2.0])
    named = dict(_named(points, ["abc"] * 6, limits, 2))
    assert len({tuple(away) for k, away in named.items() if k < 5}) == 4
    np.testing.assert_array_equal(named[5], [-1, -1])
    # Tournaments, from position 2 on, come first.
    assert set(named) == {0, 2, 3, 4, 5}
