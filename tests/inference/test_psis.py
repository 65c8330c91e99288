"""Importance weights, smoothed: exact cases, and when they cannot be trusted."""

import numpy as np
import pytest

import leaderbayes as lb
from leaderbayes._inference.psis import MAX_PARETO_K, smooth


def test_nearly_equal_weights_are_kept_and_worth_all_draws():
    smoothed = smooth(1e-4 * np.random.default_rng(3).normal(size=1000) - 3.0)
    np.testing.assert_allclose(smoothed.weight, 1e-3, rtol=1e-3)
    assert smoothed.ess == pytest.approx(1000.0)


def test_a_shifted_normal_has_its_mean():
    """Draws of N(0, 1) for N(0.5, 1): log weights z / 2 but for a constant."""
    z = np.random.default_rng(0).normal(size=20_000)
    smoothed = smooth(0.5 * z)
    assert smoothed.weight.sum() == pytest.approx(1.0)
    assert smoothed.weight @ z == pytest.approx(0.5, abs=0.03)
    # The variance of such weights is e^(1/4) - 1.
    assert smoothed.ess == pytest.approx(20_000 * np.exp(-0.25), rel=0.05)
    assert smoothed.reliable(20_000)


def test_heavy_weights_are_not_reliable_and_say_why():
    """Draws of N(0, 1) for a normal of ten times its variance: weights without a variance."""
    z = np.random.default_rng(1).normal(size=4000)
    smoothed = smooth(0.45 * z**2)
    assert smoothed.pareto_k > MAX_PARETO_K
    assert not smoothed.reliable(4000)
    assert f"Pareto k {smoothed.pareto_k:.2f}" in str(smoothed)


def test_few_draws_are_enough_for_few():
    smoothed = smooth(0.1 * np.random.default_rng(2).normal(size=500))
    assert smoothed.ess > 400.0
    assert smoothed.reliable(500)
    assert not smoothed._replace(ess=100.0).reliable(500)
    assert smoothed._replace(ess=100.0).reliable(200)


@pytest.mark.parametrize("draws", [3, 12])
def test_too_few_draws_have_no_tail(draws):
    with pytest.raises(lb.LeaderbayesError, match=f"^{draws} draws do not tell .* take more"):
        smooth(np.linspace(-0.2, 0.1, draws))


def test_equal_weights_are_the_draws_themselves():
    smoothed = smooth(np.full(40, -7.0))
    np.testing.assert_allclose(smoothed.weight, 1 / 40)
    assert (smoothed.pareto_k, smoothed.ess) == (0.0, 40.0)
