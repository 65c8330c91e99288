"""Votes in a pymc.Model, and the same likelihood on arrays."""

import arviz as az
import numpy as np
import pymc as pm
import pytest
from scipy.special import ndtr

import leaderbayes as lb
import leaderbayes.models._vote_target as module
from graphs import AS_IT_STANDS
from leaderbayes._numerics import design
from leaderbayes._numerics.votes import counted
from leaderbayes.models._davidson import TIE_SCALE
from leaderbayes.models._registry import MODELS
from leaderbayes.models._vote_target import VoteTarget
from leaderbayes.models._votes import vote_statistics
from votes import draw

PLAYERS = 4
PLAIN = {"mode": "FAST_COMPILE"}
NAME = {False: "bradley_terry", True: "davidson"}


def votes_with(rng, covariates):
    votes = draw(np.linspace(0.8, -0.8, PLAYERS), 200, rng, judges=6, spread=0.6, ties=0.15)
    votes = votes.assign_coords(prompt=("vote", rng.integers(0, 30, 200)))
    if covariates:
        votes["covariates"] = ("vote", "covariate"), 10.0 * rng.normal(size=(200, 1))
        votes = votes.assign_coords(covariate=["length"])
    return votes


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
@pytest.mark.parametrize("tie", [False, True])
@pytest.mark.parametrize(
    ("covariates", "order", "matched"),
    [(False, False, False), (False, True, True), (True, True, False)],
)
def test_the_fast_engine_has_the_density_of_the_model(tie, covariates, order, matched):
    """And its gradients are those of differences."""
    rng = np.random.default_rng(1)
    votes, options = votes_with(rng, covariates), {"order_effect": order, "matched": matched}
    model = getattr(lb.models, NAME[tie])(votes, **options)
    target = MODELS[NAME[tie]].problem(votes, **options).target
    found = vote_statistics(NAME[tie], votes, tie_scale=TIE_SCALE if tie else None, **options)
    density, effects, gaps = model.compile_logp(mode=AS_IT_STANDS), covariates + order, []
    for _ in range(4):
        t, unit, extra = rng.normal(), rng.normal(size=PLAYERS), rng.normal(size=effects + tie)
        point = {"epp_scale_log__": t, "epp_unit": unit}
        point |= {"effect_size": extra[:effects]} if effects else {}
        point |= {"tie": extra[effects]} if tie else {}
        # Strengths are scale ** (1 - c) units.
        a, jacobian = (
            np.exp((1.0 - found.centring) * t) * unit,
            (1.0 - found.centring) * PLAYERS * t,
        )
        if matched:
            # The engine's are along ways, with alpha = 2 Phi(z); the model's alpha is uniform.
            z = rng.normal()
            share = ndtr(z)
            point["matching_interval__"] = np.log(share / (1.0 - share))
            a = design.along(a[None], np.array([design.LARGEST * share]), found.ways)[0]
            jacobian += np.log(share * (1.0 - share)) + 0.5 * z**2
            jacobian -= 0.5 * design.LARGEST * share * found.ways.log_known.sum()
            extra = np.append(extra, z)
        x = np.append(a, extra)
        gaps.append(target.log_density(x[None], t)[0] + jacobian - density(point))
        steps = 1e-6 * np.eye(x.size)
        ends = [target.log_density(x + sign * steps, t) for sign in (1.0, -1.0)]
        slope = target.gradient(x[None], t)[1][0]
        np.testing.assert_allclose(slope, (ends[0] - ends[1]) / 2e-6, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-8)


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
@pytest.mark.parametrize("tie", [False, True])
def test_the_model_is_sampled_and_predicts(tie):
    votes = votes_with(np.random.default_rng(2), True)
    with getattr(lb.models, NAME[tie])(votes, order_effect=True):
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
    if tie:
        share = float((after["posterior_predictive"]["outcome"] == 0.5).mean())
        assert share == pytest.approx(0.15, abs=0.06)
    known = dt["constant_data"].dataset
    assert {"first", "second", "count", "judge", "prompt", "opinion_variance"} <= set(known)
    assert known["effect"].to_numpy().tolist() == ["order", "length"]
    assert known["effect_unit"][1] == pytest.approx(float(votes["covariates"].std()))
    np.testing.assert_array_equal(dt["observed_data"]["outcome"], votes["outcome"])
    assert len(az.summary(dt, var_names=["epp", "effect_size"])) == 6


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
def test_votes_for_neither_are_data():
    votes = draw(np.zeros(3), 60, np.random.default_rng(3))
    votes["outcome"][:10] = np.nan
    model = lb.models.bradley_terry(votes)
    assert model["both_bad"].eval().sum() == 20.0
    assert model["vote_outcome"].eval().shape == (50,)


def test_effects_that_are_integrated_out(monkeypatch):
    """Of many votes: the same posterior as with all parameters, by its mode and curvature."""
    rng = np.random.default_rng(4)
    votes = draw(np.linspace(0.8, -0.8, PLAYERS), 3000, rng, judges=60, spread=0.4)
    votes["covariates"] = ("vote", "covariate"), rng.normal(size=(3000, 1))
    votes = votes.assign_coords(covariate=["length"])
    found = vote_statistics("bradley_terry", votes, order_effect=True)
    weighted = counted(found.rows.votes, found.together.weight)
    short = VoteTarget(weighted, *found.prior)
    monkeypatch.setattr(module, "_EXACT", 10_000)
    whole = VoteTarget(weighted, *found.prior)
    assert (short.target.extra_scale.size, whole.target.extra_scale.size) == (0, 2)
    at = short.reduced
    contrast = 0.05 * rng.normal(size=(400, PLAYERS))
    contrast -= contrast.mean(axis=1, keepdims=True)
    a = at.epp + contrast
    extra = short.expand(a, np.empty((400, 0)), rng)["effect_size"]
    # Conditional on strengths effects are normal: value less their density is the marginal's.
    centred = extra - at.mean - contrast @ at.slope.T
    normal = -0.5 * np.einsum("ki,ij,kj->k", centred, np.linalg.inv(at.covariance), centred)
    joint = whole.log_likelihood(a, extra, False)[0] - 0.5 * ((extra / 5.0) ** 2).sum(axis=1)
    marginal = short.log_likelihood(a, np.empty((400, 0)), False)[0]
    apart = joint - normal - marginal
    assert np.std(apart) < 0.05 * np.std(marginal)


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
        lb.models.bradley_terry(votes, order_effect=True)
