"""Strengths of one's own, put into a model by pm.do."""

import numpy as np
import pymc as pm
import pytensor
import pytest

import leaderbayes as lb
from leaderbayes._answers.refit import arguments_of
from leaderbayes._fits.posterior import Posterior
from leaderbayes.models._registry import MODELS

BOARD = lb.datasets.load("classifiers", "iris").isel(player=slice(4), round=slice(6))


@pytest.mark.parametrize("name", ["bradley_terry", "davidson", "plackett_luce", "round_intercept"])
def test_the_likelihood_remains(name):
    build, matches = getattr(lb.models, name), lb.matches(BOARD)
    given = np.array([0.5, -0.25, 0.75, -1.0])
    with build(matches) as extended:
        shift = pm.Normal("shift", dims="player")
    own = pm.do(extended, {"epp": shift - shift.mean()}, prune_vars=True)
    fixed = pm.do(build(matches), {"epp": given})
    for free in ("epp_unit", "epp_scale"):
        assert free not in own.named_vars
    assert {"within_round", "ties", "scores"} <= set(own.named_vars)  # what the answers read
    points = [model.initial_point() for model in (own, fixed)]
    points[0]["shift"] = given
    values = [
        model.compile_logp(model.observed_RVs, mode="FAST_COMPILE")(point)
        for model, point in zip((own, fixed), points, strict=True)
    ]
    np.testing.assert_allclose(values[0], values[1])


@pytest.mark.parametrize("name", ["bradley_terry", "plackett_luce", "round_intercept"])
def test_the_prior_scale_is_data(name):
    with getattr(lb.models, name)(lb.matches(BOARD)) as model:
        pm.set_data({"prior_scale": [0.01]})
        scale = pm.draw(model["epp_scale"], 200, random_seed=1)
    assert 0.0 < scale.max() < 0.05


def sampled(model):
    """A few draws, without a compiler."""
    with pytensor.config.change_flags(mode="FAST_COMPILE"), model:
        return pm.sample(
            9, tune=0, chains=2, cores=1, step=pm.Metropolis(blocked=True), random_seed=1,
            progressbar=False, compute_convergence_checks=False, quiet=True,
        )  # fmt: skip


@pytest.mark.parametrize(("name", "options"), [
    ("bradley_terry", {"weight": "composite", "prior_df": 7.0}),
    pytest.param("bradley_terry", {"weight": 0.5, "test_fraction": 0.2}, marks=pytest.mark.slow),
    ("davidson", {"weight": 1.0, "test_fraction": 0.2, "tie_scale": 1.5}),
    pytest.param("plackett_luce", {"weight": 0.25, "prior_scale": 3.0}, marks=pytest.mark.slow),
    ("round_intercept", {"intercept_scale": 0.5, "order": list("dbca")}),
    ("mean_score", {"test_fraction": 0.2, "prior_scale": 3.0}),
    pytest.param("rasch", {"difficulty_scale": 1.5, "prior_scale": 3.0}, marks=pytest.mark.slow),
])  # fmt: skip
def test_options_are_found_in_draws_of_pymc(name, options):
    scores = BOARD.astype(float).assign_coords(player=list("abcd")).assign_attrs(BOARD.attrs)
    if name == "rasch":
        scores = (scores > scores.mean()).astype(float).assign_attrs(scores.attrs)
    model = MODELS[name]
    given = lb.matches(scores) if "matches" in model.data else scores
    dt = sampled(model.build(given, **options))
    assert arguments_of(Posterior(dt)).items() >= options.items()
    if "weight" in options:
        said = "composite-likelihood weight" in str(lb.report.text(dt))
        assert said == (options["weight"] == "composite")


def test_no_round_is_left_out_of_matches_across_rounds():
    dt = sampled(lb.models.bradley_terry(lb.matches(BOARD, within_round=False)))
    with pytest.raises(lb.LeaderbayesError, match="across rounds"):
        lb.loo(dt)


def test_what_the_likelihood_has_taken_in_cannot_be_set():
    """Of other data every model would say that it was fitted to them."""
    matches = lb.matches(BOARD)
    across = lb.models.davidson(lb.matches(BOARD, within_round=False))
    for model, name in [
        (lb.models.mean_score(BOARD), "scores"),
        (lb.models.round_intercept(matches), "place"),
        (lb.models.bradley_terry(matches), "test_fraction"),
        (lb.models.dynamic(matches), "period_of_round"),
    ]:
        with pytest.raises(TypeError, match=name):
            pm.set_data({name: model[name].eval()}, model=model)
    with pytest.raises(KeyError):
        pm.set_data({"places": matches["place"].to_numpy()}, model=across)


def test_without_our_prior_or_with_further_observed_data_nothing_is_refitted():
    with lb.models.plackett_luce(lb.matches(BOARD)) as observed:
        pm.Normal("speed", observed["epp"], 1.0, observed=np.arange(4.0), dims="player")
    with lb.models.bradley_terry(lb.matches(BOARD)) as extended:
        shift = pm.Normal("shift", dims="player")
    without = pm.do(extended, {"epp": shift - shift.mean()}, prune_vars=True)
    for dt in map(sampled, (observed, without)):
        assert lb.leaderboard(dt).shape[0] == 4
        with pytest.raises(lb.LeaderbayesError, match="fit your own model"):
            lb.sensitivity(dt)
