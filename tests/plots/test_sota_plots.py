"""Plots of the best score: every backend, and numbers and marks where they belong."""

import numpy as np
import pytest

import leaderbayes as lb

BACKENDS = ["matplotlib", "plotly", "bokeh", "none"]


@pytest.fixture(scope="module")
def law():
    return lb.sota.maximum(0.9, 100, n=300)


@pytest.fixture(scope="module")
def board():
    theta = np.linspace(0.6, 0.9, 60)
    return lb.sota.read_board(lb.paper.simulate(theta, n=400, seed=3)[0].to_numpy(), n=400)


@pytest.fixture(scope="module")
def estimate(board):
    return lb.sota.shrink(board)


@pytest.fixture(scope="module")
def realisation(board, estimate):
    return lb.paper.realisation(board, estimate, seed=1)


def drawn(collection, name, function):
    """What the backend "none" recorded."""
    return [e for e in collection.get_viz("plot", name) if e["function"] == function]


def texts(collection, name):
    return [e["string"] for e in drawn(collection, name, "text")]


def uprights(collection, name):
    """Where vertical marks stand."""
    lines = drawn(collection, name, "line")
    return [e["x"][0] for e in lines if len(e["x"]) == 2 and e["x"][0] == e["x"][1]]


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_backend_draws(law, board, estimate, realisation, backend):
    made = [
        lb.plots.maximum(law, backend=backend),
        lb.plots.maximum(law, theta=0.9, backend=backend),
        lb.plots.board(board, backend=backend),
        lb.plots.board(board, estimate, lowest=0.7, backend=backend),
        lb.plots.board(board, estimate, realisation=realisation, backend=backend),
    ]
    assert {collection.backend for collection in made} == {backend}


def test_maximum_marks(law):
    made = lb.plots.maximum(law, theta=0.9, backend="none")
    mean, upper = float(law["mean"]), float(law["quantile"].sel(probability=0.975))
    for name in ("cdf", "pmf"):
        assert uprights(made, name) == [0.9, mean, upper]
        low, high = drawn(made, name, "xlim")[0]["lims"]
        assert low < 0.9
        assert float(law["cdf"].sel(x=int(high * 300))) > 0.999
        assert high - low < 0.15
    assert [f"{at:.4f}" in text for at, text in zip(
        (upper, mean, 0.9), texts(made, "cdf"), strict=True)] == [True] * 3  # fmt: skip
    (bars,) = drawn(made, "pmf", "hist")
    assert bars["y"].sum() == pytest.approx(1.0, abs=1e-3)
    middle = (bars["l_e"] + bars["r_e"]) / 2.0
    assert middle @ bars["y"] == pytest.approx(mean, abs=1e-3)


def test_maximum_auc():
    law = lb.sota.maximum(0.8, 50, n=300, positive_rate=0.1)
    made = lb.plots.maximum(law, backend="none")
    assert uprights(made, "pmf")[0] == float(law["mean"])
    assert drawn(made, "cdf", "xlabel")[0]["string"] == "best AUC"


def test_board_shows_every_team_or_says_so(board):
    made = lb.plots.board(board, lowest=0.0, backend="none")
    (bars,) = drawn(made, "board", "hist")
    assert bars["y"].sum() == board.size
    assert drawn(made, "board", "xlabel")[0]["string"] == "score"
    made = lb.plots.board(board, lowest=0.8, backend="none")
    (bars,) = drawn(made, "board", "hist")
    assert bars["y"].sum() == (board >= 0.8).sum()
    label = drawn(made, "board", "xlabel")[0]["string"]
    assert f"({int((board < 0.8).sum())} teams below" in label


def test_board_marks(board, estimate, realisation):
    best, sota = float(board.max()), float(estimate["theta_sota"])
    alone = lb.plots.board(board, backend="none")
    assert uprights(alone, "board") == [best]
    bar = next(e for e in drawn(alone, "board", "line") if e["y"][0] < 0.0)
    np.testing.assert_allclose(bar["x"], lb.paper.naive_interval(best, 400))
    # Any estimate with these names.
    names = ["theta_sota", "theta_sota_lower", "theta_sota_upper", "observed_max"]
    made = lb.plots.board(board, estimate[names], realisation=realisation, backend="none")
    assert uprights(made, "board") == [best, sota]
    bar = next(e for e in drawn(made, "board", "line") if e["y"][0] < 0.0)
    assert list(bar["x"]) == [estimate["theta_sota_lower"], estimate["theta_sota_upper"]]
    assert uprights(made, "realisation") == [best, realisation["score"].max()]
    for name, values in (("board", realisation["theta"]), ("realisation", realisation["score"])):
        outline = max(drawn(made, name, "line"), key=lambda e: len(e["x"]))
        edges = outline["x"][::2]
        np.testing.assert_array_equal(outline["y"][1:-1:2], np.histogram(values, edges)[0])


def test_board_without_solution_says_so(board, estimate):
    titles = [
        drawn(lb.plots.board(board, one, backend="none"), "board", "title")[0]["string"]
        for one in (estimate, estimate.assign_attrs(solved=0), estimate.assign_attrs(converged=0))
    ]
    assert titles[0] == "60 teams on 400 instances"
    assert titles[1].startswith("NO SOLUTION. ")
    assert titles[2].startswith("NOT CONVERGED. ")


def test_board_of_auc():
    board = lb.sota.read_board([0.61, 0.7, 0.75], n=200, metric="auc", positive_rate=0.1)
    made = lb.plots.board(board, backend="none")
    assert uprights(made, "board") == [0.75]
    assert texts(made, "board") == ["best score 0.7500"]


def test_board_of_one_score():
    board = lb.sota.read_board([0.75], n=4)
    (bars,) = drawn(lb.plots.board(board, backend="none"), "board", "hist")
    assert bars["y"].sum() == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_has_no_width(backend):
    certain = lb.sota.maximum(1.0, 5, n=10)
    lb.plots.maximum(certain, theta=1.0, backend=backend)
    lb.plots.board(lb.sota.read_board([1.0, 1.0], n=4), backend=backend)


def test_what_is_no_law():
    estimated = lb.sota.maximum([0.8, 0.7], se=0.01)
    with pytest.raises(lb.LeaderbayesError, match="law of accuracies or AUCs"):
        lb.plots.maximum(estimated)
