"""What holds for every figure: backends, doubt, names, and what has no width."""

import json
from typing import get_args

import pytest

import leaderbayes as lb
from figures import drawn
from leaderbayes.plots._canvas import Backend, Plot, panels, thinned

BACKENDS = get_args(Backend)
# Every figure, of results that `get` gives by the names of their fixtures.
FIGURES = {
    "leaderboard": lambda get, **kind: lb.plots.leaderboard(get("fitted"), **kind),
    "win_probability": lambda get, **kind: lb.plots.win_probability(get("fitted"), **kind),
    "rank_distribution": lambda get, **kind: lb.plots.rank_distribution(get("fitted"), **kind),
    "win_rate": lambda get, **kind: lb.plots.win_rate(get("fitted"), **kind),
    "deviance": lambda get, **kind: lb.plots.deviance(get("fitted"), **kind),
    "plan": lambda get, **kind: lb.plots.plan(get("planned"), **kind),
    "average_player": lambda get, **kind: lb.plots.average_player(
        get("across")["average_player"], **kind
    ),
    "embedding": lambda get, **kind: lb.plots.embedding(get("across")["embedding"], **kind),
    "leaderboard of a study": lambda get, **kind: lb.plots.leaderboard(
        get("across")["leaderboards"], **kind
    ),
    "tunability": lambda get, **kind: lb.plots.tunability(get("across")["tunability"], **kind),
    "search": lambda get, **kind: lb.plots.search(get("search"), "ccp_alpha", "criterion", **kind),
    "race": lambda get, **kind: lb.plots.race(get("search").decisions_, **kind),
    "maximum": lambda get, **kind: lb.plots.maximum(get("law"), **kind),
    "maximum with theta": lambda get, **kind: lb.plots.maximum(get("law"), theta=0.9, **kind),
    "board": lambda get, **kind: lb.plots.board(get("board"), **kind),
    "board with estimate": lambda get, **kind: lb.plots.board(
        get("board"), get("estimate"), lowest=0.7, **kind
    ),
    "board with realisation": lambda get, **kind: lb.plots.board(
        get("board"), get("estimate"), realisation=get("realisation"), **kind
    ),
}
# Of laws and searches there is nothing to converge.
OF_DRAWS = [*list(FIGURES)[:10], "board with estimate"]


def test_every_figure_is_here():
    assert {name.split()[0] for name in FIGURES} == set(lb.plots.__all__)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", FIGURES)
def test_every_backend_draws(request, name, backend):
    collection = FIGURES[name](request.getfixturevalue, backend=backend)
    assert collection.backend == backend


@pytest.mark.parametrize(
    "name", ["leaderboard", "average_player", "embedding", "leaderboard of a study"]
)
def test_figures_are_saved(request, name, tmp_path):
    FIGURES[name](request.getfixturevalue, backend="matplotlib").savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000


@pytest.mark.parametrize("converged", [0, 1])
@pytest.mark.parametrize("name", OF_DRAWS)
def test_not_converged_shows(request, name, converged):
    def doubtful(made):
        if isinstance(made, dict):
            return {key: doubtful(one) for key, one in made.items()}
        made = made.copy()
        made.attrs = {**made.attrs, "converged": converged}
        return made

    collection = FIGURES[name](
        lambda fixture: doubtful(request.getfixturevalue(fixture)), backend="none"
    )
    titles = [drawn(collection, plot, "title")[0]["string"] for plot in collection.viz["plot"]]
    assert titles
    assert {title.startswith("NOT CONVERGED. ") for title in titles} == {not converged}


@pytest.mark.parametrize("count", [1, 59, 60, 61, 1000])
def test_labels_are_thinned_evenly(count):
    kept = range(count)[thinned(count)]
    assert kept[0] == 0
    assert len(kept) <= 60
    assert count <= 60 or len(kept) > 30


def test_dollars_are_no_mathematics():
    assert Plot(None, "matplotlib").labels(["$x$"]) == [r"\$x\$"]
    assert Plot(None, "plotly").labels(["$x$"]) == ["$x$"]
    assert len(Plot(None, "plotly").labels(["n" * 10_000])[0]) <= 41
    _, plots = panels({"x": "$a$"}, width=3, height=3, columns=1, backend="matplotlib")
    assert plots["x"].target.get_title() == r"\$a\$"


@pytest.mark.parametrize("name", ["leaderboard", "win_probability", "rank_distribution"])
def test_bad_top_and_backend(fitted, name):
    with pytest.raises(lb.LeaderbayesError, match="top=0"):
        getattr(lb.plots, name)(fitted, top=0)
    with pytest.raises(lb.LeaderbayesError, match="backend='mpl'"):
        getattr(lb.plots, name)(fitted, backend="mpl")


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_has_no_width(backend):
    certain = lb.sota.maximum(1.0, 5, n=10)
    lb.plots.maximum(certain, theta=1.0, backend=backend)
    lb.plots.board(lb.sota.read_board([1.0, 1.0], n=4), backend=backend)


@pytest.mark.parametrize(
    ("said", "title"), [("LB016 it does not fit.", "MISFIT. "), ("tournament 'a': LB016 it.", "")]
)
def test_misfit_is_of_the_board_that_is_drawn(laplace, said, title):
    made = laplace.copy()
    made.attrs["warnings"] = json.dumps([said])
    collection = lb.plots.leaderboard(made, backend="none")
    (written,) = drawn(collection, "board", "title")
    assert written["string"].startswith(title + "Leaderboard")
