"""Curves of the bias of the best score: numbers and marks where they belong."""

import numpy as np
import pytest

import leaderbayes as lb
from figures import drawn, texts, uprights

BACKENDS = ["matplotlib", "plotly", "bokeh", "none"]


@pytest.fixture(scope="module")
def curves():
    return [
        lb.paper.bias_curve("m", [1, 10, 100], n=200),
        lb.paper.bias_curve("m", [1, 10, 100], n=400),
        lb.paper.bias_curve("rho", [0.0, 0.5, 0.95], n=200, m=20, spread=0.05),
    ]


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_backend_draws(curves, backend):
    assert lb.paper.plot_bias(curves, at={"m": [10, 50]}, backend=backend).backend == backend
    one = lb.paper.bias_curve("m", [1], n=20)  # has no width
    other = lb.paper.bias_curve("rho", [0.9], n=20, m=5, spread=0.1)
    assert lb.paper.plot_bias([one, other], backend=backend).backend == backend


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


def test_what_is_no_curve():
    with pytest.raises(lb.LeaderbayesError, match="at least one curve"):
        lb.paper.plot_bias([])
    with pytest.raises(lb.LeaderbayesError, match="at marks 'x'"):
        lb.paper.plot_bias(lb.paper.bias_curve("m", [1, 10]), at={"x": 1})
