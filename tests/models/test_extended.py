"""Strengths of one's own, put into a model by pm.do."""

import numpy as np
import pymc as pm
import pytest

import leaderbayes as lb


@pytest.mark.parametrize("name", ["bradley_terry", "davidson", "plackett_luce", "round_intercept"])
def test_the_likelihood_remains(name):
    scores = lb.datasets.load("classifiers", "iris").isel(player=slice(4), round=slice(6))
    build, matches = getattr(lb.models, name), lb.matches(scores)
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
    scores = lb.datasets.load("classifiers", "iris").isel(player=slice(4), round=slice(6))
    with getattr(lb.models, name)(lb.matches(scores)) as model:
        pm.set_data({"prior_scale": [0.01]})
        scale = pm.draw(model["epp_scale"], 200, random_seed=1)
    assert 0.0 < scale.max() < 0.05


def test_no_other_fit_is_made_without_the_prior():
    matches = lb.matches(lb.datasets.load("classifiers", "iris")[:4, :6])
    with lb.models.bradley_terry(matches) as extended:
        shift = pm.Normal("shift", dims="player")
    with pm.do(extended, {"epp": shift - shift.mean()}, prune_vars=True):
        dt = pm.sample(100, tune=100, chains=2, progressbar=False, quiet=True)
    with pytest.raises(lb.LeaderbayesError, match="fit your own model"):
        lb.sensitivity(dt)
