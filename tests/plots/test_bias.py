"""The figure of the bias of the best score."""

import numpy as np
import pytest

import leaderbayes as lb
from figures import drawn, texts, uprights


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
