"""Rounds resampled."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board, simulate


@pytest.fixture(scope="module")
def matches():
    return lb.matches(simulate([0.9, 0.4, 0.0, -1.3], 30, np.random.default_rng(1)))


def test_spread_is_the_sandwich(matches):
    samples = lb.likelihood.bootstrap(matches, seed=3)
    assert samples.attrs["missing"] == 0
    np.testing.assert_allclose(samples.sum("player"), 0.0, atol=1e-9)
    error = np.sqrt(np.diag(lb.likelihood.bradley_terry(matches)["covariance"]))
    # 30 rounds: the bootstrap's spread exceeds the linear approximation by its curvature.
    np.testing.assert_allclose(samples.std("replicate"), error, rtol=0.2)
    same = lb.likelihood.bootstrap(matches, seed=3, replicates=20)
    again = lb.likelihood.bootstrap(matches, seed=3, replicates=20)
    np.testing.assert_array_equal(same, again)


def test_missing_scores_are_resampled_with_their_rounds():
    values = simulate([0.5, 0.0, -0.5], 12, np.random.default_rng(4)).to_numpy()
    values[0, :4] = np.nan
    matches = lb.matches(board(values))
    samples = lb.likelihood.bootstrap(matches, replicates=50, pseudo_rounds=1.0, seed=0)
    # By hand: the first sample's rounds.
    chosen = np.random.default_rng(0).multinomial(12, np.full(12, 1 / 12))
    again = lb.matches(board(np.repeat(values, chosen, axis=1)))
    fit = lb.likelihood.bradley_terry(again, pseudo_rounds=1.0)
    np.testing.assert_allclose(samples[0], fit["epp"], atol=1e-8)


def test_samples_without_an_estimate_are_missing():
    scores = board([[2.0, 2, 2, 2, 1], [1, 1, 1, 1, 2]])
    samples = lb.likelihood.bootstrap(lb.matches(scores), replicates=400, seed=0)
    # Without the one round that the second wins: (4/5)^5; three binomial errors. All of it: 5^-5.
    share = 0.8**5 + 0.2**5
    assert samples.attrs["missing"] / 400 == pytest.approx(share, abs=3 * np.sqrt(share / 400))
    assert np.isnan(samples).any("player").sum() == samples.attrs["missing"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: lb.likelihood.bootstrap(m, replicates=1), "replicates=1"),
        (lambda m: lb.likelihood.bootstrap(m, model="elo"), "model='elo'"),
        (lambda m: lb.likelihood.bootstrap(m.assign_attrs(ties="floor")), "choose 'half'"),
        (lambda m: lb.likelihood.bootstrap(lb.matches(board([[1.0], [1.0]]))), "single round"),
        (
            lambda m: lb.likelihood.bootstrap(
                m.expand_dims(tournament=["x", "y"]), pseudo_rounds=1.0
            ),
            "several",
        ),
    ],
)
def test_bad_options(matches, call, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        call(matches)
