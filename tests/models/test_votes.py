"""Votes in a pymc.Model, and the same likelihood on arrays."""

import warnings

import arviz as az
import numpy as np
import pymc as pm
import pytest

import leaderbayes as lb
import leaderbayes.models._votes as module
from graphs import AS_IT_STANDS
from leaderbayes.models._votes import (
    VoteTarget,
    matched_strengths,
    observe_votes,
    vote_statistics,
)
from votes import draw

PLAYERS = 4
PLAIN = {"mode": "FAST_COMPILE"}


def votes_with(rng, covariates):
    votes = draw(np.linspace(0.8, -0.8, PLAYERS), 200, rng, judges=6, spread=0.6, ties=0.15)
    votes = votes.assign_coords(prompt=("vote", rng.integers(0, 30, 200)))
    if covariates:
        votes["covariates"] = ("vote", "covariate"), 10.0 * rng.normal(size=(200, 1))
        votes = votes.assign_coords(covariate=["length"])
    return votes


def statistics(votes, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.HintWarning)
        return vote_statistics(votes, **options)


def built(found, *, tie):
    with pm.Model(coords={"player": found.rows.kept["player"].to_numpy()}) as model:
        scale = pm.HalfNormal("epp_scale", 2.0)
        unit = pm.StudentT("unit", nu=4.0, sigma=scale, dims="player")
        a = matched_strengths(unit, found)
        epp = pm.Deterministic("epp", a - a.mean(), dims="player")
        observe_votes(found, epp, pm.Normal("tie", 0.0, 2.0) if tie else None)
    return model


@pytest.mark.parametrize("tie", [False, True])
@pytest.mark.parametrize(
    ("covariates", "order", "matched"),
    [(False, False, False), (False, True, True), (True, True, False)],
)
def test_arrays_equal_the_model(tie, covariates, order, matched):
    """Value of the model's outcome and of ``matching``; gradients by differences."""
    rng = np.random.default_rng(1)
    found = statistics(votes_with(rng, covariates), tie=tie, order_effect=order, matched=matched)
    model, target = built(found, tie=tie), VoteTarget(found, tie=tie)
    asked = [model["outcome"]] + ([model["matching"]] if matched else [])
    density = model.compile_logp(vars=asked, mode=AS_IT_STANDS)
    k, effects = len(target.extra_scale), len(found.rows.effects)
    for _ in range(2):
        a, extra = rng.normal(size=PLAYERS), rng.normal(size=k)
        point = {"epp_scale_log__": 0.0, "unit": a}
        point |= {"effect_size": extra[:effects]} if effects else {}
        point |= {"tie": extra[effects]} if tie else {}
        point |= {"matching_interval__": extra[-1]} if matched else {}
        value, by_a, by_extra = target.log_likelihood(a[None], extra[None])
        assert value[0] == pytest.approx(float(density(point)), rel=1e-9)
        steps = 1e-6 * np.eye(PLAYERS + k)
        ends = [
            target.log_likelihood(a + s * steps[:, :PLAYERS], extra + s * steps[:, PLAYERS:], False)
            for s in (1.0, -1.0)
        ]
        numeric = (ends[0][0] - ends[1][0]) / 2e-6
        np.testing.assert_allclose(np.append(by_a, by_extra), numeric, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("tie", [False, True])
def test_the_model_is_sampled_and_predicts(tie):
    votes = votes_with(np.random.default_rng(2), True)
    found = statistics(votes, tie=tie, order_effect=True)
    with built(found, tie=tie):
        before = pm.sample_prior_predictive(20, random_seed=1, compile_kwargs=PLAIN)
        dt = pm.sample(
            20, tune=20, chains=1, random_seed=1, progressbar=False, nuts_sampler="pymc",
            compile_kwargs=PLAIN,
        )  # fmt: skip
        after = pm.sample_posterior_predictive(
            dt, random_seed=1, progressbar=False, compile_kwargs=PLAIN
        )
    for again, group in ((before, "prior_predictive"), (after, "posterior_predictive")):
        outcome = again[group]["outcome"]
        assert outcome.dims == ("chain", "draw", "vote")
        assert set(np.unique(outcome)) == {0.0, 0.5, 1.0}
    share = float((after["posterior_predictive"]["outcome"] == 0.5).mean())
    assert share == pytest.approx(0.15, abs=0.06)
    known = dt["constant_data"].dataset
    np.testing.assert_array_equal(known["weight"], found.weight)
    assert {"first", "second", "count", "judge", "prompt", "opinion_variance"} <= set(known)
    assert known["effect"].to_numpy().tolist() == ["order", "length"]
    assert known["effect_unit"][1] == pytest.approx(float(votes["covariates"].std()))
    np.testing.assert_array_equal(dt["observed_data"]["outcome"], votes["outcome"])
    assert len(az.summary(dt, var_names=["epp", "effect_size"])) == 6


def test_votes_for_neither_are_data():
    votes = draw(np.zeros(3), 60, np.random.default_rng(3))
    votes["outcome"][:10] = np.nan
    found = statistics(votes)
    with built(found, tie=False) as model:
        table = model["both_bad"].eval()
    assert table.sum() == 20.0
    assert len(found.rows.votes.n) == 50


def test_effects_that_are_integrated_out(monkeypatch):
    """Of many votes: the same posterior as with all parameters, by its mode and curvature."""
    rng = np.random.default_rng(4)
    votes = draw(np.linspace(0.8, -0.8, PLAYERS), 3000, rng, judges=60, spread=0.4)
    votes["covariates"] = ("vote", "covariate"), rng.normal(size=(3000, 1))
    found = statistics(votes.assign_coords(covariate=["length"]), order_effect=True)
    short = VoteTarget(found)
    assert len(short.extra_scale) == 0
    monkeypatch.setattr(module, "_EXACT", 10_000)
    whole = VoteTarget(found)
    at = short.reduced
    contrast = 0.05 * rng.normal(size=(400, PLAYERS))
    contrast -= contrast.mean(axis=1, keepdims=True)
    a = at.epp + contrast
    extra = short.others(a, np.empty((400, 0)), rng)["effect_size"]
    # Conditional on strengths effects are normal: value less their density is the marginal's.
    centred = extra - at.mean - contrast @ at.slope.T
    normal = -0.5 * np.einsum("ki,ij,kj->k", centred, np.linalg.inv(at.covariance), centred)
    joint = whole.log_likelihood(a, extra, False)[0] - 0.5 * ((extra / 5.0) ** 2).sum(axis=1)
    marginal = short.log_likelihood(a, np.empty((400, 0)), False)[0]
    apart = joint - normal - marginal
    assert np.std(apart) < 0.05 * np.std(marginal)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"matched": "auto"}, "matched='auto': choose None, True or False"),
        ({"tie": True, "ties": "drop"}, "davidson has a parameter for ties"),
        ({"covariates": ["width"]}, "'width' is not known"),
        ({"cluster": "colour"}, "cluster='colour' is not known"),
    ],
)
def test_bad_options(options, said):
    votes = draw(np.zeros(3), 60, np.random.default_rng(3))
    with pytest.raises(lb.LeaderbayesError, match=said):
        vote_statistics(votes, **options)


@pytest.mark.parametrize("kind", ["two", "baseline", "halves"])
def test_who_is_first_explains_the_order(kind):
    """Each pair in one order, and no way round."""
    rng = np.random.default_rng(0)
    pairs = {
        "two": [(0, 1)], "baseline": [(0, k) for k in range(1, 5)],
        "halves": [(i, j) for i in range(3) for j in (3, 4)],
    }[kind]  # fmt: skip
    votes = draw(np.zeros(5), 200, rng, pairs=pairs)
    with pytest.raises(lb.LeaderbayesError, match="do not identify the effect of the order"):
        vote_statistics(votes, order_effect=True)
