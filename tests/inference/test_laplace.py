"""fit(sampler="laplace") against NUTS, and as a DataTree that everything takes."""

import inspect
import json
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr
from scipy.special import log_expit
from scipy.stats import halfnorm, ks_2samp, kstest

import leaderbayes as lb
from conftest import kolmogorov_bound, simulate
from leaderbayes._inference import metropolis
from leaderbayes._inference.bradley_terry import draw_exactly
from leaderbayes._inference.psis import MAX_PARETO_K


@pytest.fixture(scope="module")
def approximate(scores):
    return lb.fit(scores, sampler="laplace", seed=1)


def test_agrees_with_nuts(fitted, approximate):
    """Means within 0.05 standard deviations and ends within 0.1, beside Monte Carlo error."""
    dims = ("chain", "draw")
    for name in ("epp", "epp_scale"):
        one, two = (dt["posterior"][name] for dt in (fitted, approximate))
        sd = one.std(dims)
        share = np.sqrt(sum(1.0 / dt.attrs["min_ess"] for dt in (fitted, approximate)))
        assert (abs(two.mean(dims) - one.mean(dims)) < (0.05 + 4.0 * share) * sd).all()
        # An end's error: of a normal law sqrt(p (1 - p)) over the density, 2.1 times a mean's at
        # p = 0.05.
        for level in (0.05, 0.95):
            gap = abs(two.quantile(level, dims) - one.quantile(level, dims))
            assert (gap < (0.1 + 4.0 * 2.1 * share) * sd).all()
    p, q = (lb.win_probability(dt)["mean"] for dt in (fitted, approximate))
    assert float(abs(p - q).max()) < 0.03
    assert approximate.attrs["weight"] == fitted.attrs["weight"]


def test_says_how_it_was_drawn(approximate):
    attrs = approximate.attrs
    assert attrs["sampler"] == "laplace"
    assert attrs["converged"] == 1
    assert attrs["pareto_k"] < MAX_PARETO_K
    assert attrs["max_rhat"] < 1.01
    assert attrs["min_ess"] > 400
    assert 0.0 < float(approximate["sample_stats"]["acceptance_rate"].mean()) < 1.0
    assert not approximate["sample_stats"]["diverging"].any()


@pytest.mark.parametrize("shape", [{"draws": 50}, {"chains": 1}, {"chains": 1, "draws": 7}])
def test_few_draws_converge(scores, shape):
    """What is diagnosed are the chains that they are of."""
    dt = lb.fit(scores, seed=1, **shape)
    assert dt.attrs["converged"] == 1
    sizes = {"chain": 4, "draw": 1000} | {name[:-1]: size for name, size in shape.items()}
    assert dict(dt["posterior"]["epp_scale"].sizes) == sizes


def test_auto_takes_it(scores, approximate):
    dt = lb.fit(scores, seed=1)
    assert dt.attrs["sampler"] == "laplace"
    for name in approximate.children:
        xr.testing.assert_identical(dt[name].to_dataset(), approximate[name].to_dataset())


def test_auto_takes_nuts_where_weights_do_not_do(scores, monkeypatch):
    monkeypatch.setattr(metropolis, "MAX_PARETO_K", -1.0)
    dt = lb.fit(scores, draws=500, seed=1, progressbar=False)
    assert dt.attrs["sampler"] == "nutpie"
    assert "pareto_k" not in dt.attrs
    assert "tune" in dt.attrs
    assert "energy" in dt["sample_stats"]
    with pytest.warns(lb.ConvergenceWarning, match="LB001 .*Pareto k .*sampler='auto'"):
        asked = lb.fit(scores, sampler="laplace", draws=300, seed=1)
    assert asked.attrs["sampler"] == "laplace"
    assert asked.attrs["converged"] == 0
    assert "LB001" in json.loads(asked.attrs["warnings"])[0]


def test_log_likelihood_by_round(scores, approximate):
    """The weight times the sum over pairs that met."""
    epp = approximate["posterior"]["epp"][1, 7].to_numpy()
    values = scores.transpose("round", "player").to_numpy()
    gap, ahead = epp[:, None] - epp, np.sign(values[:, :, None] - values[:, None])
    pair = np.where(ahead > 0, log_expit(gap), 0.0)  # NaN, absent players, are not above 0
    expected = approximate["constant_data"]["weight"].to_numpy() * pair.sum(axis=(1, 2))
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
    # Differences of two of Student's law are not taken off their mean.
    epp = prior["epp"].to_numpy()[0] / scale[:, None]
    law = np.random.default_rng(3).standard_t(4.0, (2, 100_000))
    for i, j in ((0, 1), (2, 5)):
        assert ks_2samp(epp[:, i] - epp[:, j], law[0] - law[1]).pvalue > 1e-3
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
        "dt = lb.fit(s, sampler='laplace', draws=50, seed=1); lb.leaderboard(dt);"
        "assert not {'pymc', 'pytensor', 'arviz_stats', 'scipy.stats'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "mean_score"}, "sampler='laplace' is for models of matches"),
        ({"centring": 2.0}, "centring"),
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


def test_options_are_those_of_the_model():
    """Fit reads them where PyMC need not be loaded."""
    ours, models = (
        inspect.getfullargspec(f).kwonlydefaults for f in (draw_exactly, lb.models.bradley_terry)
    )
    assert ours == models
