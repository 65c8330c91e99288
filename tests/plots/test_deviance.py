"""The figure of the predictive check."""

import numpy as np

import leaderbayes as lb
from figures import drawn
from votes import fit, votes_of


def test_points_of_the_deviance_check(fitted):
    result = lb.check(fitted, seed=2)
    collection = lb.plots.deviance(fitted, seed=2, backend="none")
    colour = {"replicated_round": "#0072B2", "replicated_naive": "#D55E00"}  # blue, orange
    points = {e["facecolor"]: e for e in drawn(collection, "board", "scatter")}
    for name in colour:
        np.testing.assert_array_equal(points[colour[name]]["x"], result["observed"])
        np.testing.assert_array_equal(points[colour[name]]["y"], result[name])
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
