"""The figure of the predictive check."""

import numpy as np

import leaderbayes as lb
from figures import drawn, uprights


def test_histograms_of_the_deviance_check(fitted):
    result = lb.check(fitted, seed=2)
    collection = lb.plots.deviance(fitted, seed=2, backend="none")
    colour = {"replicated_round": "#0072B2", "replicated_naive": "#D55E00"}  # blue, orange
    bars = {e["facecolor"]: e for e in drawn(collection, "board", "hist")}
    assert uprights(collection, "board") == [0.0]
    for name in colour:
        bar = bars[colour[name]]
        edges = np.append(bar["l_e"], bar["r_e"][-1])
        more = (result[name] - result["observed"]).to_numpy()
        np.testing.assert_array_equal(bar["y"], np.histogram(more, edges)[0])
        assert sum(bar["y"]) == result.sizes["draw"]
    said = {e["color"]: e["string"] for e in drawn(collection, "board", "text")}
    assert f"rankings, p = {float(result['p_round']):.2f}" in said[colour["replicated_round"]]
    assert f"matches, p = {float(result['p_naive']):.2f}" in said[colour["replicated_naive"]]
