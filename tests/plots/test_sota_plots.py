"""Plots of the best score: every backend, and numbers and marks where they belong."""

import numpy as np
import pytest
from scipy import stats

import leaderbayes as lb

BACKENDS = ["matplotlib", "plotly", "bokeh", "none"]


@pytest.fixture(scope="module")
def law():
    return lb.sota.maximum_distribution(300, 0.9, 100)


@pytest.fixture(scope="module")
def board():
    theta = np.linspace(0.6, 0.9, 60)
    return lb.sota.read_board(lb.sota.simulate_boards(400, theta, seed=3)[0].to_numpy(), n=400)


@pytest.fixture(scope="module")
def estimate(board):
    return lb.sota.shrink(board)


@pytest.fixture(scope="module")
def realisation(board, estimate):
    return lb.sota.realisation(board, estimate, seed=1)


@pytest.fixture(scope="module")
def curves():
    return [
        lb.sota.bias_curve("m", [1, 10, 100], n=200),
        lb.sota.bias_curve("m", [1, 10, 100], n=400),
        lb.sota.bias_curve("rho", [0.0, 0.5, 0.95], n=200, m=20, spread=0.05),
    ]


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
def test_every_backend_draws(law, board, estimate, realisation, curves, backend):
    made = [
        lb.plots.maximum(law, backend=backend),
        lb.plots.maximum(law, theta=0.9, backend=backend),
        lb.plots.multiplicity(law, theta=0.9, backend=backend),
        lb.plots.bias(curves, at={"m": [10, 50]}, backend=backend),
        lb.plots.board(board, backend=backend),
        lb.plots.board(board, estimate, lowest=0.7, backend=backend),
        lb.plots.board(board, estimate, realisation=realisation, backend=backend),
        lb.plots.auc(0.8, 200, positive_rate=0.1, m=20, backend=backend),
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
    law = lb.sota.maximum_auc(300, 0.8, 50, positive_rate=0.1)
    made = lb.plots.maximum(law, backend="none")
    assert uprights(made, "pmf")[0] == float(law["mean"])
    assert drawn(made, "cdf", "xlabel")[0]["string"] == "best AUC"


def test_multiplicity_of_the_paper():
    law = lb.sota.maximum_distribution(3000, 0.9, 1000)
    made = lb.plots.multiplicity(law, theta=0.9, backend="none")
    assert uprights(made, "board") == [law["mean"], law["quantile"].sel(probability=0.975)]
    better = lb.sota.naive_interval(0.9, 3000)[1]
    # "P = 0.10": nine of ten significantly better classifiers are taken to be worse.
    chance = stats.binom.sf(int(3000 * law["mean"]), 3000, better)
    assert round(chance, 2) == 0.10
    assert any(text.endswith(f"P = {chance:.3f}") for text in texts(made, "board"))
    shaded = drawn(made, "board", "fill_between_y")
    assert [e["y_top"].sum() for e in shaded] == pytest.approx(
        [chance, stats.binom.sf(int(3000 * law["quantile"][-1]) - 1, 3000, better)], rel=1e-2
    )
    bar = next(e for e in drawn(made, "board", "line") if e["y"][0] < 0.0)
    np.testing.assert_allclose(bar["x"], lb.sota.naive_interval(0.9, 3000))


def test_multiplicity_refuses_auc():
    law = lb.sota.maximum_auc(300, 0.8, 5, positive_rate=0.1)
    with pytest.raises(lb.LeaderbayesError, match="maximum_distribution"):
        lb.plots.multiplicity(law, theta=0.8)


def test_bias_draws_the_curves(curves):
    made = lb.plots.bias(curves, at={"rho": 0.5}, backend="none")
    for name in ("bias", "sd"):
        lines = drawn(made, f"{name}_m", "line")
        for line, curve in zip(lines, curves[:2], strict=True):
            np.testing.assert_array_equal(line["y"], curve[name])
            np.testing.assert_array_equal(line["x"], curve["m"])
        assert texts(made, f"{name}_m") == ["n = 400", "n = 200"]
        # A curve alone needs no name.
        assert texts(made, f"{name}_rho") == []
        assert uprights(made, f"{name}_rho") == [0.5]
        limits = [drawn(made, f"{name}_{over}", "ylim")[0]["lims"] for over in ("m", "rho")]
        assert limits[0] == limits[1]


def test_bias_of_table_3(published):
    rows = published[(published["table"] == 3) & (published["n"] == 3000)]
    rows = rows[rows["theta"] == 0.9].sort_values("m")
    made = lb.plots.bias(lb.sota.bias_curve("m", rows["m"]), backend="none")
    (line,) = drawn(made, "bias_m", "line")
    np.testing.assert_allclose(line["y"] + 0.9, rows["expected_max"], atol=5e-5)
    (line,) = drawn(made, "sd_m", "line")
    np.testing.assert_allclose(line["y"], rows["sd_max"], atol=1e-6)


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
    np.testing.assert_allclose(bar["x"], lb.sota.naive_interval(best, 400))
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
    board = lb.sota.read_board([0.61, 0.7, 0.75], n=200, metric="auc")
    made = lb.plots.board(board, backend="none")
    assert uprights(made, "board") == [0.75]
    assert texts(made, "board") == ["best score 0.7500"]


def test_board_of_one_score():
    board = lb.sota.read_board([0.75], n=4)
    (bars,) = drawn(lb.plots.board(board, backend="none"), "board", "hist")
    assert bars["y"].sum() == 1


def test_auc_draws_every_classifier_and_instance():
    made = lb.plots.auc(0.8, 200, positive_rate=0.1, m=20, backend="none")
    assert [len(e["x"]) for e in drawn(made, "scores", "scatter")] == [180, 20]
    curves = np.hstack([e["y"] for e in drawn(made, "roc", "multiple_lines")])
    assert curves.shape[1] == 20
    assert np.all(np.diff(curves, axis=0) >= 0.0)
    np.testing.assert_array_equal(curves[0], 0.0)
    np.testing.assert_array_equal(curves[-1], 1.0)
    again = lb.plots.auc(0.8, 200, positive_rate=0.1, m=20, backend="none")
    assert texts(again, "roc") == texts(made, "roc")


@pytest.mark.parametrize(
    ("theta", "options"),
    [(1.0, {"positive_rate": 0.1}), (0.8, {"positive_rate": 0.0}),
     (0.8, {"positive_rate": 0.1, "m": 0})],
)  # fmt: skip
def test_auc_refuses(theta, options):
    with pytest.raises(lb.LeaderbayesError, match="give"):
        lb.plots.auc(theta, 200, **options)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_has_no_width(backend):
    certain = lb.sota.maximum_distribution(10, 1.0, 5)
    lb.plots.maximum(certain, theta=1.0, backend=backend)
    lb.plots.multiplicity(certain, theta=1.0, backend=backend)
    one = lb.sota.bias_curve("m", [1], n=20)
    lb.plots.bias([one, lb.sota.bias_curve("rho", [0.9], n=20, m=5, spread=0.1)], backend=backend)
    lb.plots.board(lb.sota.read_board([1.0, 1.0], n=4), backend=backend)


def test_what_is_no_law_or_curve():
    curve = lb.sota.bias_curve("m", [1, 10])
    estimated = lb.sota.maximum_estimate([0.8, 0.7], [0.01, 0.01])
    for call, message in (
        (lambda: lb.plots.bias([]), "at least one curve"),
        (lambda: lb.plots.bias(curve, at={"x": 1}), "at marks 'x'"),
        (lambda: lb.plots.maximum(estimated), "maximum_distribution or"),
        (lambda: lb.plots.multiplicity(estimated, theta=0.8), "law of accuracies"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=message):
            call()
