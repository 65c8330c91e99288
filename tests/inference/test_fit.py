"""The posterior end to end: groups, attrs, determinism, round trip, agreement with ArviZ."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import halfnorm

import leaderbayes as lb
from conftest import board, simulate
from leaderbayes._scores.matches import components


def test_groups_and_attrs(fitted, scores):
    assert {
        "posterior", "sample_stats", "posterior_predictive", "log_likelihood", "log_prior",
        "observed_data", "constant_data", "prior", "prior_predictive",
    } <= set(fitted.children)  # fmt: skip
    np.testing.assert_allclose(fitted["posterior"]["epp"].sum("player"), 0.0, atol=1e-9)
    xr.testing.assert_equal(fitted["constant_data"]["scores"], scores)
    assert fitted["constant_data"]["scores"].attrs == scores.attrs
    assert fitted["log_likelihood"]["place"].dims == ("chain", "draw", "round")
    assert fitted.attrs["converged"] == 1
    assert fitted.attrs["max_rhat"] < 1.01
    assert json.loads(fitted.attrs["arguments"])["weight"] == "composite"
    assert 0 < fitted.attrs["weight"] <= 1


def test_replicates_are_rankings(fitted):
    places = fitted["posterior_predictive"]["place"]
    observed = fitted["observed_data"]["place"]
    np.testing.assert_array_equal((places == 0).all(("chain", "draw")), observed == 0)
    full = places.isel(round=0)
    np.testing.assert_array_equal(
        np.sort(full, axis=-1), np.broadcast_to(np.arange(1, 7), full.shape)
    )


def test_same_seed_same_numbers(fitted, scores):
    again = lb.fit(scores, draws=500, tune=500, seed=1, sampler="nutpie", progressbar=False)
    for group in ("posterior", "posterior_predictive", "log_likelihood"):
        xr.testing.assert_equal(again[group].to_dataset(), fitted[group].to_dataset())


def test_netcdf_keeps_everything(fitted, tmp_path):
    fitted.to_netcdf(tmp_path / "posterior.nc")
    back = xr.open_datatree(tmp_path / "posterior.nc").load()
    back.close()
    assert back.attrs == fitted.attrs
    assert lb.leaderboard(back).equals(lb.leaderboard(fitted))
    assert lb.deviance(back).equals(lb.deviance(fitted))
    xr.testing.assert_identical(*(lb.check(dt, draws=5, seed=1) for dt in (back, fitted)))


def test_log_prior_is_of_what_options_set(fitted, fitted_davidson):
    assert list(fitted["log_prior"].data_vars) == ["epp_scale"]
    assert set(fitted_davidson["log_prior"].data_vars) == {"epp_scale", "tie"}
    scale = fitted["posterior"]["epp_scale"]
    prior_scale = json.loads(fitted.attrs["arguments"])["prior_scale"]
    expected = halfnorm(scale=prior_scale).logpdf(scale)
    np.testing.assert_allclose(fitted["log_prior"]["epp_scale"], expected)


def test_warning_marks_every_output(scores):
    with pytest.warns(lb.ConvergenceWarning, match="LB001"):
        dt = lb.fit(
            scores, draws=20, tune=20, chains=2, seed=1, sampler="nutpie", progressbar=False
        )
    assert dt.attrs["converged"] == 0
    table = lb.leaderboard(dt)
    assert not table.attrs["converged"]
    assert "LB001" in json.loads(table.attrs["warnings"])[0]


@pytest.mark.slow
def test_posterior_approaches_maximum_likelihood():
    rng = np.random.default_rng(4)
    truth = np.array([1.2, 0.4, 0.0, -0.4, -1.2])
    board_of = simulate(truth, 400, rng)
    dt = lb.fit(board_of, draws=1000, chains=2, seed=2, progressbar=False)
    mean = dt["posterior"]["epp"].mean(("chain", "draw"))
    sd = dt["posterior"]["epp"].std(("chain", "draw"))
    estimate = lb.likelihood.bradley_terry(lb.matches(board_of))
    assert (np.abs(mean - estimate["epp"]) < 0.2 * sd).all()
    # Sum-to-zero posterior sd against the sandwich's, whose error at 400 rounds is a few percent.
    sandwich = np.sqrt(np.diag(estimate["covariance"]))
    np.testing.assert_allclose(sd, sandwich, rtol=0.2)
    assert (np.abs(mean - truth) < 4 * sd).all()


@pytest.mark.slow
def test_davidson_recovers_strengths_and_ties():
    from leaderbayes._numerics.places import draw_places

    rng = np.random.default_rng(6)
    truth, nu = np.array([1.0, 0.5, -0.5, -1.0]), 0.0
    place = draw_places(truth, np.ones((400, 4), bool), rng, tie=nu)
    dt = lb.fit(board(-place.T.astype(float)), "davidson", seed=3, progressbar=False)
    for name, expected in (("epp", truth), ("tie", nu)):
        draws = dt["posterior"][name]
        gap = np.abs(draws.mean(("chain", "draw")) - expected) / draws.std(("chain", "draw"))
        # The grid of ties is exact for equal players only; 4 sd allow for that.
        assert float(gap.max()) < 4


def test_duplicating_rounds_halves_variances(scores):
    complete = scores.drop_isel(round=3)
    twice = board(np.hstack([complete, complete]))
    one, two = (
        lb.likelihood.bradley_terry(lb.matches(s), covariance="model") for s in (complete, twice)
    )
    np.testing.assert_allclose(two["epp"], one["epp"], atol=1e-8)
    np.testing.assert_allclose(two["covariance"] * 2, one["covariance"], rtol=1e-6, atol=1e-8)


def test_disconnected_board_warns_and_names_groups():
    nan = np.nan
    rng = np.random.default_rng(8)
    strong, weak = rng.normal(size=(3, 12)) + 50, rng.normal(size=(3, 12))
    with pytest.warns(lb.DisconnectedWarning, match="p3, p4 and p5 never beat anybody else"):
        dt = lb.fit(board(np.vstack([strong, weak])), seed=1, progressbar=False)
    assert "LB010" in json.loads(dt.attrs["warnings"])[0]
    with pytest.warns(lb.DisconnectedWarning, match="never met"):
        lb.models.bradley_terry(
            lb.matches(board([[1, 2, 1, nan], [2, 1, 2, nan], [nan] * 3 + [1], [nan] * 3 + [2]]))
        )


def test_few_rounds_warn():
    with (
        pytest.warns(lb.WeightWarning, match="LB011 1 round is"),
        pytest.warns(lb.DisconnectedWarning),
    ):
        model = lb.models.bradley_terry(lb.matches(board([[1.0], [2.0], [3.0]])))
    assert model["weight"].get_value() == pytest.approx(3 / 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "elo"}, "bradley_terry, davidson"),
        ({"weight": 0.0}, "weight=0.0"),
        ({"weight": "magic"}, "weight='magic'"),
        ({"prior_scale": -1.0}, "prior_scale=-1.0"),
        ({"ties": "floor"}, "ties='floor'"),
        ({"ties": "drop", "within_round": False}, "across rounds"),
        ({"model": "davidson", "ties": "drop"}, "choose 'half'"),
        ({"draws": 0}, "draws=0"),
        (
            {"sampler": "nuts"},
            "sampler='nuts' is not known; choose one of auto, laplace, nutpie, pymc, numpyro",
        ),
        ({"seed": -1}, "seed=-1"),
        ({"within_round": "no"}, "within_round='no': give True or False"),
        ({"prior": 1}, "prior=1: give True or False"),
        ({"model": np.array([1, 2])}, "is not known"),
        ({"sampler": np.array([1, 2])}, "is not known"),
    ],
)
def test_bad_options(scores, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.fit(scores, **{"progressbar": False, **options})


@pytest.mark.parametrize("given", ["wide.csv", pd.DataFrame({"a": [1.0], "b": [2.0]})])
def test_what_is_no_scores_is_to_be_read(given):
    with pytest.raises(lb.ScoresError, match=r"not (str|DataFrame): .* leaderbayes\.read_scores"):
        lb.fit(given)


def test_across_rounds(scores):
    dt = lb.fit(scores, within_round=False, seed=1, progressbar=False)
    assert dt.attrs["weight"] < 0.2
    assert np.isfinite(dt["log_likelihood"]["place"]).all()


@pytest.mark.slow
def test_board_in_two_components_is_ranked_with_a_warning_that_names_them(reference):
    scores = reference("eloml/auc_scores.csv")
    with pytest.warns(lb.DisconnectedWarning, match="and 33 more never lost to anybody else"):
        dt = lb.fit(scores, seed=1, progressbar=False)
    assert dt.attrs["converged"]
    top = lb.leaderboard(dt).head(36)["player"]
    group = components(lb.matches(scores))
    assert set(top) == set(group.index[group == 1])
