"""The figure of the check of fit."""

import numpy as np
import pytest

import leaderbayes as lb
from figures import drawn
from leaderbayes.plots import _deviance
from votes import fit, votes_of


@pytest.mark.parametrize("varies", [False, True])  # as Davidson's
def test_bars_of_the_deviance_check(fitted, varies, monkeypatch):
    result = lb.check(fitted, seed=2)
    own = float(result["observed"][0])
    if varies:
        result["observed"] = result["observed"] + np.linspace(0.0, 3.0, result.sizes["draw"])
        monkeypatch.setattr(_deviance, "check", lambda *_, **__: result)
    collection = lb.plots.deviance(fitted, seed=2, backend="none")
    colour = {"replicated_round": "#0072B2", "replicated_naive": "#D55E00"}  # blue, orange
    (bars,), (line,) = (drawn(collection, "board", what) for what in ("hist", "vline"))
    assert line["x"] == (0.0 if varies else own)
    right = np.asarray(bars["l_e"]) >= line["x"]
    beyond = result["replicated_round"] - (result["observed"] if varies else 0.0)
    assert np.sum(bars["y"]) == result.sizes["draw"]
    assert np.sum(np.asarray(bars["y"])[right]) <= float((beyond >= line["x"]).sum())
    (outline,) = drawn(collection, "board", "line")
    assert np.sum(outline["y"]) == 2 * result.sizes["draw"]
    said = {e["color"]: e["string"] for e in drawn(collection, "board", "text")}
    assert f"rankings, p = {float(result['p_round']):.2f}" in said[colour["replicated_round"]]
    assert f"matches, p = {float(result['p_naive']):.2f}" in said[colour["replicated_naive"]]


def test_votes_that_strengths_describe_whatever_they_are():
    """Of two players there is nothing to check, and a figure that says so."""
    dt = fit(votes_of([0, 1, 0, 1], [1, 0, 1, 0], [1.0, 1.0, 0.0, 0.5], 2), sampler="laplace")
    collection = lb.plots.deviance(dt, seed=1, backend="none")
    said = [each["string"] for each in drawn(collection, "board", "title")]
    assert any("Check of votes: none" in each for each in said)
    assert not drawn(collection, "board", "vline")
