"""PMRA's draws without PyMC: what they are of. Against PyMC's model they stand in test_rankings."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import simulate
from leaderbayes._inference.round_intercept import _half_normal_of
from leaderbayes._numerics.round_intercept import (
    listed_statistics,
    log_normalisers,
    outcomes,
)

DIMS = ("chain", "draw")


@pytest.fixture(scope="module")
def scores():
    return simulate([1.0, 0.4, 0.0, -1.4], 9, np.random.default_rng(3))


@pytest.fixture(scope="module")
def dt(scores):
    return lb.fit(scores, "round_intercept", weight=0.8, seed=1, prior=True)


def test_log_likelihood_is_given_the_intercepts(dt, scores):
    place = lb.matches(scores)["place"].to_numpy()
    order = np.arange(4)
    points, first, *sets = listed_statistics(outcomes(place, order), order)
    for draw in (0, 77):
        here = dt["posterior"].to_dataset().isel(chain=1, draw=draw)
        c = (here["intercept"] + here["intercept_round"]).to_numpy()
        epp = here["epp"].to_numpy()
        own = 0.8 * (points @ epp + first * c - log_normalisers(epp, c, *sets))
        known = dt["log_likelihood"]["outcome"].isel(chain=1, draw=draw)
        np.testing.assert_allclose(known, own, rtol=1e-9)


def test_groups(dt):
    assert dict(dt["posterior_predictive"]["outcome"].sizes) == {
        "chain": 4, "draw": 1000, "round": 9, "pair": 6,
    }  # fmt: skip
    assert list(dt["observed_data"]["pair"].to_numpy()[:2]) == ["p0 - p1", "p0 - p2"]
    assert set(dt["constant_data"]["order"].to_numpy()) == {0, 1, 2, 3}
    assert set(dt["log_prior"].data_vars) == {"epp_scale", "intercept", "intercept_scale"}
    assert (dt["posterior_predictive"]["outcome"] != 1).all()  # replicates do not tie


def test_prior(dt):
    """Normal and half-normal, of the scales that are asked for; four standard errors."""
    prior, draws = dt["prior"].to_dataset(), 1000
    for name, second in (("epp_scale", 2.0), ("intercept", 1.0), ("intercept_scale", 1.0)):
        square = (prior[name] ** 2).mean(DIMS)
        assert float(square) == pytest.approx(second**2, rel=4.0 * np.sqrt(2.0 / draws))
    assert abs(prior["epp"].sum("player")).max() < 1e-9


def test_mirrored_order_turns_the_intercept(scores):
    names = list(scores["player"].to_numpy())
    one, other = (
        lb.fit(scores, "round_intercept", order=order, seed=1, replicates=50)["posterior"]
        for order in (names, names[::-1])
    )
    for name, sign in (("epp", 1.0), ("intercept", -1.0), ("intercept_round", -1.0)):
        gap = abs(one[name].mean(DIMS) - sign * other[name].mean(DIMS)) / one[name].std(DIMS)
        assert (gap < 0.15).all()  # four standard errors of 1400 draws each


def test_ties_as_losses_of_the_first_listed(scores):
    tied = scores.round()
    dt = lb.fit(tied, "round_intercept", ties="loss", seed=1, replicates=50)
    half = lb.fit(tied, "round_intercept", seed=1, replicates=50)
    assert not (dt["observed_data"]["outcome"] == 1).any()
    assert (half["observed_data"]["outcome"] == 1).any()
    mean = [float(each["posterior"]["intercept"].mean()) for each in (dt, half)]
    assert mean[0] < mean[1]


def test_rounds_of_one_player_say_nothing(scores):
    """Their intercepts are as the prior has them."""
    alone = scores.astype(float).copy()
    alone[1:, -1] = np.nan
    dt = lb.fit(alone, "round_intercept", seed=1, replicates=50)
    assert dt.attrs["converged"] == 1
    last = dt["posterior"]["intercept_round"].isel(round=-1)
    unit = (last / dt["posterior"]["intercept_scale"]).to_numpy().ravel()
    assert abs(unit.mean()) < 4.0 / np.sqrt(unit.size)
    assert unit.std() == pytest.approx(1.0, rel=4.0 / np.sqrt(2.0 * unit.size))
    assert (dt["log_likelihood"]["outcome"].isel(round=-1) == 0.0).all()


def test_two_players():
    scores = simulate([0.5, -0.5], 8, np.random.default_rng(1))
    dt = lb.fit(scores, "round_intercept", seed=1, replicates=50)
    assert (dt.attrs["sampler"], dt.attrs["converged"]) == ("laplace", 1)


def test_half_normal_numbers_of_normal_ones():
    x = np.random.default_rng(1).standard_normal(20_000)
    s, slope = _half_normal_of(x, 1.7)
    np.testing.assert_allclose(np.sort(s)[::2000] / 1.7, abs_quantiles(np.sort(x)[::2000]))
    step = 1e-5
    above, below = (_half_normal_of(x[:50] + side * step, 1.7)[0] for side in (1.0, -1.0))
    np.testing.assert_allclose(slope[:50], (above - below) / (2.0 * step), rtol=1e-5)
    assert 0.0 <= _half_normal_of(-40.0, 1.0)[0] < 1e-10


def abs_quantiles(x):
    from scipy.stats import halfnorm, norm

    return halfnorm.ppf(norm.cdf(x))


def test_bad_order(scores):
    with pytest.raises(lb.LeaderbayesError, match="order lacks 'p1'"):
        lb.fit(scores, "round_intercept", order=["p0", "p0", "p2", "p3"])


def test_across_rounds_has_no_meaning(scores):
    with pytest.raises(lb.LeaderbayesError, match="within_round=True"):
        lb.fit(scores, "round_intercept", within_round=False)
