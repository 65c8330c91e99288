"""PMRA's backward elimination."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import simulate


@pytest.fixture(scope="module")
def matches():
    rng = np.random.default_rng(3)
    return lb.matches(simulate([1.2, 0.4, 0.0, -0.1, -0.1, -1.4], 15, rng))


@pytest.mark.parametrize("method", ["heuristic", "accelerated", "rigorous"])
def test_elimination(matches, method):
    fit = lb.likelihood.eliminate(matches, method=method)
    out = fit["player"].to_numpy()[fit["eliminated"]]
    zero = fit.attrs["zero"]
    assert zero == "p5"
    np.testing.assert_allclose(fit["epp"].sel(player=out), fit["epp"].sel(player=zero), atol=1e-9)
    steps = fit[[f"step_{k}" for k in ("player", "test", "p_value", "eliminated")]].to_dataframe()
    assert set(steps["step_player"][steps["step_eliminated"]]) == set(out)
    assert ((steps["step_p_value"] > 0.05) == steps["step_eliminated"]).all()
    assert set(steps["step_test"]) <= {"Wald" if method == "heuristic" else "LR"}
    # All that is left differs from the zero player.
    left = ~fit["eliminated"] & (fit["player"] != zero)
    z = (fit["fixed_effect"] / fit["fixed_effect_error"].where(left)).to_numpy()
    assert np.nanmin(abs(z)) > 1.9


@pytest.mark.filterwarnings("ignore:LB014")
def test_elimination_on_published_data(reference):
    scores = reference("pmra/scores.csv")
    full = lb.likelihood.round_intercept(lb.matches(scores, ties="loss"))
    fit = lb.likelihood.eliminate(lb.matches(scores, ties="loss"), method="accelerated")
    out = list(fit["player"].to_numpy()[fit["eliminated"]])
    assert out == ["knn6", "knn7", "knn8"]
    # The last joint test, by hand.
    same = [(name, "knn9") for name in out]
    restricted = lb.likelihood.round_intercept(lb.matches(scores, ties="loss"), hypothesis=same)
    assert float(restricted["loglik"]) == pytest.approx(float(fit["loglik"]), abs=1e-6)
    test = lb.likelihood.hypothesis_test(full, restricted=restricted)
    kept = fit["step_eliminated"].to_numpy()
    assert test["p_value"] == pytest.approx(fit["step_p_value"].to_numpy()[kept][-1], abs=1e-6)


def test_bad_elimination(matches):
    with pytest.raises(lb.LeaderbayesError, match="method='forward'"):
        lb.likelihood.eliminate(matches, method="forward")
    with pytest.raises(lb.LeaderbayesError, match="alpha=0"):
        lb.likelihood.eliminate(matches, alpha=0)


@pytest.mark.filterwarnings("ignore:LB014")  # listed in the order of their strengths
def test_nobody_leaves_where_all_differ():
    """Far apart: the first test of each way ends it, and the full model is what is left."""
    rng = np.random.default_rng(0)
    matches = lb.matches(simulate([3.0, 1.5, 0.0, -1.5, -3.0], 60, rng))
    full = lb.likelihood.round_intercept(matches)
    for method in ("heuristic", "accelerated", "rigorous"):
        fit = lb.likelihood.eliminate(matches, method=method)
        assert not fit["eliminated"].any()
        np.testing.assert_array_equal(fit["epp"], full["epp"])
    # Only "rigorous" tries players whose Wald p-value is small.
    assert list(fit["step_eliminated"].to_numpy()) == [False] * 4


def test_a_player_remains_beside_the_zero_player():
    """Of equals all but two have the zero player's strength, whatever their p-values."""
    rng = np.random.default_rng(2)
    fit = lb.likelihood.eliminate(lb.matches(simulate([0.0] * 4, 30, rng)), alpha=1e-9)
    assert int(fit["eliminated"].sum()) <= 3
    left = fit["player"].to_numpy()[~fit["eliminated"].to_numpy()]
    assert fit.attrs["zero"] in left
