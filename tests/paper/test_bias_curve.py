"""bias_curve: the paper's tables, and what it refuses."""

import numpy as np
import pytest

import leaderbayes as lb

CURVE = lb.paper.bias_curve


def test_table_3(published):
    for row in published[published["table"] == 3].itertuples():
        for over in ("m", "n", "theta"):
            rest = {"m": row.m, "n": row.n, "theta": row.theta}
            curve = CURVE(over, [rest.pop(over)], **rest)
            assert round(float(curve["bias"][0]) + row.theta_sota, 4) == row.expected_max
            assert round(float(curve["sd"][0]), 6) == pytest.approx(row.sd_max, abs=1e-9)


def test_table_1(published):
    for row in published[published["table"] == 1].fillna(0.0).itertuples():
        for over in ("rho", "spread"):
            rest = {"rho": row.rho, "spread": row.d}
            curve = CURVE(over, [rest.pop(over)], **rest)
            assert float(curve["bias"][0]) + 0.9 == pytest.approx(row.expected_max, abs=2e-4)
            assert float(curve["sd"][0]) == pytest.approx(row.sd_max, abs=2e-4)


def test_one_classifier_has_no_bias():
    curve = CURVE("m", [1, 2, 10], n=200, theta=0.7)
    assert curve["bias"][0] == pytest.approx(0.0, abs=1e-12)
    assert curve["sd"][0] == pytest.approx(np.sqrt(0.7 * 0.3 / 200))
    assert np.all(np.diff(curve["bias"]) > 0.0)
    # Nor have any that always agree.
    assert CURVE("rho", [1.0], n=200)["bias"][0] == pytest.approx(0.0, abs=1e-12)


def test_more_room_less_bias():
    assert np.all(np.diff(CURVE("spread", [0.0, 0.01, 0.05], n=300)["bias"]) < 0.0)


def test_missing_where_equation_8_forbids():
    curve = CURVE("rho", [0.5, 0.95], spread=0.025)
    np.testing.assert_array_equal(np.isnan(curve["bias"]), [False, True])
    np.testing.assert_array_equal(np.isnan(curve["sd"]), [False, True])


def test_says_what_it_holds():
    curve = CURVE("n", np.linspace(100, 300, 3), theta=0.8)
    assert curve.attrs == {"over": "n", "theta": 0.8, "m": 1000, "spread": 0.0, "rho": 0.0}
    assert curve["n"].dtype.kind == "i"
    assert curve["bias"].dims == ("n",)


@pytest.mark.parametrize(
    ("over", "value", "message"),
    [
        ("d", 0.1, "over='d': choose"),
        ("spread", -0.1, "spread=-0.1"),
        ("spread", 0.95, "thetas from"),
        ("theta", 1.5, "thetas from"),
        ("rho", 2.0, "rho=2"),
        ("m", 0, "m=0"),
        ("n", [3.0, 2.5], "n holds 2.5"),
    ],
)
def test_refuses(over, value, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        CURVE(over, value)
