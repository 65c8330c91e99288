"""fit(sampler="laplace") against NUTS, and as a DataTree that everything takes."""

import subprocess
import sys

import numpy as np
import pytest
import xarray as xr
from scipy.special import log_expit
from scipy.stats import halfnorm, kstest

import leaderbayes as lb
from conftest import kolmogorov_bound, simulate


@pytest.fixture(scope="module")
def approximate(scores):
    return lb.fit(scores, sampler="laplace", seed=1)


def test_agrees_with_nuts(fitted, approximate):
    """Means within 0.1 standard deviations beside Monte Carlo error, probabilities within 0.03."""
    epp, near = (dt["posterior"]["epp"] for dt in (fitted, approximate))
    dims = ("chain", "draw")
    sd = epp.std(dims)
    error = 3.5 * np.sqrt(1.0 / 400 + 1.0 / near[0, :, 0].size)
    assert (abs(near.mean(dims) - epp.mean(dims)) < (0.1 + error) * sd).all()
    ratio = near.std(dims) / sd
    assert ((ratio > 0.75) & (ratio < 1.15)).all()
    p, q = (lb.win_probability(dt)["mean"] for dt in (fitted, approximate))
    assert float(abs(p - q).max()) < 0.03
    assert approximate.attrs["weight"] == fitted.attrs["weight"]
    name = "epp_scale"
    assert float(approximate["posterior"][name].mean()) == pytest.approx(
        float(fitted["posterior"][name].mean()), rel=0.1
    )


def test_log_likelihood_by_round(scores, approximate):
    """The weight times the sum over pairs that met."""
    epp = approximate["posterior"]["epp"][1, 7].to_numpy()
    values = scores.transpose("round", "player").to_numpy()
    gap, ahead = epp[:, None] - epp, np.sign(values[:, :, None] - values[:, None])
    pair = np.where(ahead > 0, log_expit(gap), 0.0)  # NaN, absent players, are not above 0
    expected = approximate.attrs["weight"] * pair.sum(axis=(1, 2))
    np.testing.assert_allclose(approximate["log_likelihood"]["place"][1, 7], expected)


def test_log_prior(approximate):
    """The density of HalfNormal(2), as PyMC has it."""
    scale = approximate["posterior"]["epp_scale"]
    np.testing.assert_allclose(
        approximate["log_prior"]["epp_scale"], halfnorm(scale=2.0).logpdf(scale)
    )


def test_prior_is_the_models(scores):
    """By NUTS and by Laplace: the same groups, and the same laws."""
    dt = lb.fit(scores, sampler="laplace", prior=True, prior_scale=0.5, draws=4000, seed=1)
    prior = dt["prior"].to_dataset()
    assert prior["epp"].dims == ("chain", "draw", "player")
    assert dt["prior_predictive"]["place"].dims == ("chain", "draw", "round", "player")
    np.testing.assert_allclose(prior["epp"].sum("player"), 0.0, atol=1e-12)
    scale = prior["epp_scale"].to_numpy().ravel()
    bound = kolmogorov_bound(4000)
    assert kstest(scale, halfnorm(scale=0.5).cdf).statistic < bound
    # Of m normal strengths less their mean, sqrt(m / (m - 1)) of each is normal with sigma.
    normal = prior["epp"].to_numpy()[0] / scale[:, None] * np.sqrt(6 / 5)
    assert max(kstest(each, "norm").statistic for each in normal.T) < bound
    places = dt["prior_predictive"]["place"]
    assert ((places == 0).all(("chain", "draw")) == (dt["observed_data"]["place"] == 0)).all()


def test_prior_changes_no_other_group(scores, approximate):
    dt = lb.fit(scores, sampler="laplace", prior=True, seed=1)
    for name in approximate.children:
        xr.testing.assert_identical(dt[name].to_dataset(), approximate[name].to_dataset())


def test_everything_takes_it(approximate, tmp_path):
    assert lb.leaderboard(approximate).attrs["converged"]
    assert 0.0 < float(lb.check(approximate)["p_round"]) < 1.0
    assert np.isfinite(lb.loo(approximate).elpd)
    approximate.to_netcdf(tmp_path / "fit.nc")
    back = xr.open_datatree(tmp_path / "fit.nc")
    xr.testing.assert_allclose(
        back["posterior"].to_dataset(), approximate["posterior"].to_dataset()
    )


def test_replicates_are_thinned(scores):
    dt = lb.fit(scores, sampler="laplace", draws=100, seed=1, replicates=40)
    assert dt["posterior_predictive"]["place"].sizes["draw"] == 10
    np.testing.assert_array_equal(dt["posterior_predictive"]["draw"], np.arange(0, 100, 10))


def test_replicates_are_boards(scores, approximate):
    drawn = approximate["posterior_predictive"]["place"].to_numpy()
    absent = np.isnan(scores.transpose("round", "player").to_numpy())
    assert ((drawn == 0) == absent).all()
    # Round 0 is complete: a permutation of the places.
    assert (np.sort(drawn[..., 0, :], axis=-1) == np.arange(1, 7)).all()


def test_needs_no_pymc():
    code = (
        "import sys, numpy as np, leaderbayes as lb;"
        "s = lb.datasets.load('classifiers', 'breast_cancer');"
        "lb.leaderboard(lb.fit(s, sampler='laplace', draws=50, seed=1));"
        "assert not {'pymc', 'pytensor', 'arviz'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "davidson"}, "for model='bradley_terry'"),
        ({"centring": 0.5}, "no option 'centring'"),
        ({"prior_scale": 0.0}, "prior_scale"),
        ({"weight": 2.0}, "weight"),
        ({"replicates": 0}, "replicates"),
        ({"ties": "floor"}, "floor"),
    ],
)
def test_bad_options(scores, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.fit(scores, sampler="laplace", **options)


def test_across_rounds():
    board = simulate([1.0, 0.0, -1.0], 8, np.random.default_rng(1))
    dt = lb.fit(board, sampler="laplace", within_round=False, draws=50, seed=1)
    assert dt["posterior_predictive"]["place"].max() == 24
