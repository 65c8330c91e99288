"""Figures of the paper: every backend, and numbers and marks where they belong."""

import numpy as np
import pytest
from scipy import stats

import leaderbayes as lb

BACKENDS = ["matplotlib", "plotly", "bokeh", "none"]


@pytest.fixture(scope="module")
def curves():
    return [
        lb.paper.bias_curve("m", [1, 10, 100], n=200),
        lb.paper.bias_curve("m", [1, 10, 100], n=400),
        lb.paper.bias_curve("rho", [0.0, 0.5, 0.95], n=200, m=20, spread=0.05),
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
def test_every_backend_draws(curves, backend):
    law = lb.sota.maximum(0.9, 100, n=300)
    made = [
        lb.paper.plot_multiplicity(law, theta=0.9, backend=backend),
        lb.paper.plot_bias(curves, at={"m": [10, 50]}, backend=backend),
        lb.paper.plot_auc(0.8, n=200, positive_rate=0.1, m=20, seed=0, backend=backend),
    ]
    assert {collection.backend for collection in made} == {backend}


def test_multiplicity_of_the_paper():
    law = lb.sota.maximum(0.9, 1000, n=3000)
    made = lb.paper.plot_multiplicity(law, theta=0.9, backend="none")
    assert uprights(made, "board") == [law["mean"], law["quantile"].sel(probability=0.975)]
    better = lb.paper.naive_interval(0.9, 3000)[1]
    # "P = 0.10": nine of ten significantly better classifiers are taken to be worse.
    chance = stats.binom.sf(int(3000 * law["mean"]), 3000, better)
    assert round(chance, 2) == 0.10
    assert any(text.endswith(f"P = {chance:.3f}") for text in texts(made, "board"))
    shaded = drawn(made, "board", "fill_between_y")
    assert [e["y_top"].sum() for e in shaded] == pytest.approx(
        [chance, stats.binom.sf(int(3000 * law["quantile"][-1]) - 1, 3000, better)], rel=1e-2
    )
    bar = next(e for e in drawn(made, "board", "line") if e["y"][0] < 0.0)
    np.testing.assert_allclose(bar["x"], lb.paper.naive_interval(0.9, 3000))


def test_multiplicity_refuses_auc():
    law = lb.sota.maximum(0.8, 5, n=300, positive_rate=0.1)
    with pytest.raises(lb.LeaderbayesError, match=r"sota\.maximum"):
        lb.paper.plot_multiplicity(law, theta=0.8)


def test_bias_draws_the_curves(curves):
    made = lb.paper.plot_bias(curves, at={"rho": 0.5}, backend="none")
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
    made = lb.paper.plot_bias(lb.paper.bias_curve("m", rows["m"]), backend="none")
    (line,) = drawn(made, "bias_m", "line")
    np.testing.assert_allclose(line["y"] + 0.9, rows["expected_max"], atol=5e-5)
    (line,) = drawn(made, "sd_m", "line")
    np.testing.assert_allclose(line["y"], rows["sd_max"], atol=1e-6)


def test_auc_draws_every_classifier_and_instance():
    made = lb.paper.plot_auc(0.8, n=200, positive_rate=0.1, m=20, seed=0, backend="none")
    assert [len(e["x"]) for e in drawn(made, "scores", "scatter")] == [180, 20]
    curves = np.hstack([e["y"] for e in drawn(made, "roc", "multiple_lines")])
    assert curves.shape[1] == 20
    assert np.all(np.diff(curves, axis=0) >= 0.0)
    np.testing.assert_array_equal(curves[0], 0.0)
    np.testing.assert_array_equal(curves[-1], 1.0)
    again = lb.paper.plot_auc(0.8, n=200, positive_rate=0.1, m=20, seed=0, backend="none")
    assert texts(again, "roc") == texts(made, "roc")


@pytest.mark.parametrize(
    ("theta", "options"),
    [(1.0, {"positive_rate": 0.1}), (0.8, {"positive_rate": 0.0}),
     (0.8, {"positive_rate": 0.1, "m": 0})],
)  # fmt: skip
def test_auc_refuses(theta, options):
    with pytest.raises(lb.LeaderbayesError, match="give"):
        lb.paper.plot_auc(theta, n=200, **options)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_has_no_width(backend):
    certain = lb.sota.maximum(1.0, 5, n=10)
    lb.paper.plot_multiplicity(certain, theta=1.0, backend=backend)
    one = lb.paper.bias_curve("m", [1], n=20)
    other = lb.paper.bias_curve("rho", [0.9], n=20, m=5, spread=0.1)
    lb.paper.plot_bias([one, other], backend=backend)


def test_what_is_no_law_or_curve():
    curve = lb.paper.bias_curve("m", [1, 10])
    estimated = lb.sota.maximum([0.8, 0.7], se=0.01)
    for call, message in (
        (lambda: lb.paper.plot_bias([]), "at least one curve"),
        (lambda: lb.paper.plot_bias(curve, at={"x": 1}), "at marks 'x'"),
        (lambda: lb.paper.plot_multiplicity(estimated, theta=0.8), "law of accuracies"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=message):
            call()
