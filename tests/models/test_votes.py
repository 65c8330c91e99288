"""Votes in a pymc.Model, the specification in models/, and the same likelihood on arrays."""

import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr

import leaderbayes as lb
import leaderbayes.models._vote_target as module
from graphs import AS_IT_STANDS
from leaderbayes._numerics import design
from leaderbayes.models._votes import VoteTarget, model_of_votes, problem_of_votes, vote_statistics
from votes import draw

PLAYERS = 4
SPECIFICATION = Path(__file__).parents[2] / "models" / "votes" / "model.py"


def votes_with(rng, covariates=False, prompts=True):
    votes = draw(np.linspace(0.8, -0.8, PLAYERS), 60, rng, judges=6, spread=0.9, ties=0.15)
    if prompts:
        votes = votes.assign_coords(prompt=("vote", rng.integers(0, 12, 60)))
    if covariates:
        votes["covariates"] = ("vote", "covariate"), 10.0 * rng.normal(size=(60, 1))
        votes = votes.assign_coords(covariate=["length"])
    return votes


def quietly(make, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        return make("model", *arguments, **options)


@pytest.mark.parametrize(
    ("tie", "order", "matched", "prompts"),
    [(None, False, False, True), (2.0, True, True, False), (2.0, False, False, True)],
)
def test_model_equals_the_specification(tie, order, matched, prompts):
    """Weights of votes, and the density of all variables."""
    spec = runpy.run_path(str(SPECIFICATION))
    votes = votes_with(np.random.default_rng(1), prompts=prompts)
    own = {"matched": matched, "order_effect": order} | ({"tie_scale": tie} if tie else {})
    found, fast = (quietly(make, votes, **own) for make in (vote_statistics, model_of_votes))
    first, second, outcome = (votes[n].to_numpy() for n in ("first", "second", "outcome"))
    seen = first.astype(int), second.astype(int), outcome
    names = ["judge", "prompt"] if prompts else ["judge"]
    clusterings = [np.unique(votes[name], return_inverse=True)[1] for name in names]
    same = {"order": order, "tie_scale": tie}
    weight = spec["weights"](*seen, clusterings, PLAYERS, **same)
    np.testing.assert_allclose(found.together.weight, weight, rtol=1e-5)
    slow = spec["model"](*seen, found.together.weight, PLAYERS, matched=matched, **same)
    logp = [m.compile_logp(mode=AS_IT_STANDS) for m in (fast, slow)]
    rng, c, gaps = np.random.default_rng(2), found.centring, []
    for _ in range(4):
        point = {k: rng.normal(size=np.shape(v)) for k, v in fast.initial_point().items()}
        log_scale, other = point["epp_scale_log__"], dict(point)
        other["strength"] = np.exp((1.0 - c) * log_scale) * other.pop("epp_unit")
        if order:
            other["effect_size"] = other["effect_size"][0]
        gaps.append(logp[0](point) - logp[1](other) - (1.0 - c) * PLAYERS * log_scale)
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-8)


@pytest.mark.parametrize("tie", [None, 2.0])
@pytest.mark.parametrize(
    ("covariates", "order", "matched"),
    [(False, False, False), (False, True, True), (True, True, False)],
)
def test_fast_engine_has_the_density_of_the_pymc_model(
    tie, covariates, order, matched, monkeypatch
):
    monkeypatch.setattr(module, "_FEW", 0)
    votes = votes_with(np.random.default_rng(1), covariates)
    own = {"matched": matched, "order_effect": order} | ({"tie_scale": tie} if tie else {})
    model, problem = (quietly(make, votes, **own) for make in (model_of_votes, problem_of_votes))
    found = quietly(vote_statistics, votes, **own)
    c, ways = found.centring, found.ways
    target, logp = problem.target, model.compile_logp(mode=AS_IT_STANDS)
    effects, rng, gaps = (1 + covariates) * order, np.random.default_rng(2), []
    for _ in range(4):
        t, unit = rng.normal(), rng.normal(size=PLAYERS)
        extra = rng.normal(size=len(target.extra_scale))
        point = {"epp_scale_log__": t, "epp_unit": unit}
        point |= {"effect_size": extra[:effects]} if effects else {}
        point |= {"tie": extra[effects]} if tie else {}
        a, jacobian = np.exp((1.0 - c) * t) * unit, (1.0 - c) * PLAYERS * t
        if matched:
            # Strengths are sampled themselves, and a uniform alpha as a standard normal number.
            share = ndtr(extra[-1])
            point["matching_interval__"] = np.log(share / (1.0 - share))
            a = design.along(a[None], np.array([2.0 * share]), ways)[0]
            jacobian -= share * ways.log_known.sum()
            jacobian += np.log(share * (1.0 - share)) + 0.5 * extra[-1] ** 2
        x = np.append(a, extra)
        gaps.append(target.log_density(x[None], t)[0] + jacobian - logp(point))
        steps = 1e-6 * np.eye(x.size)
        ends = [target.log_density(x + sign * steps, t) for sign in (1.0, -1.0)]
        slope = target.gradient(x[None], t)[1][0]
        np.testing.assert_allclose(slope, (ends[0] - ends[1]) / 2e-6, rtol=1e-4, atol=1e-4)
        ends = [target.gradient(x + sign * steps, t)[1] for sign in (1.0, -1.0)]
        curved = (ends[1] - ends[0]) / 2e-6
        np.testing.assert_allclose(target.curvature(x, t), curved, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-7)


def test_votes_for_neither_are_data():
    votes = draw(np.zeros(3), 60, np.random.default_rng(3))
    votes["outcome"][:10] = np.nan
    found = quietly(vote_statistics, votes)
    assert quietly(model_of_votes, votes)["both_bad"].eval().sum() == 20.0
    assert len(found.rows.votes.n) == 50


def test_effects_that_are_integrated_out(monkeypatch):
    """Of many votes: the same posterior as with all parameters, by its mode and curvature."""
    rng = np.random.default_rng(4)
    votes = draw(np.linspace(0.8, -0.8, PLAYERS), 3000, rng, judges=60, spread=0.4)
    votes["covariates"] = ("vote", "covariate"), rng.normal(size=(3000, 1))
    votes = votes.assign_coords(covariate=["length"])
    rows = quietly(vote_statistics, votes, order_effect=True).rows.votes
    short = VoteTarget(rows, 2.0, 4.0)
    assert len(short.target.extra_scale) == 0
    monkeypatch.setattr(module, "_EXACT", 10_000)
    whole, at = VoteTarget(rows, 2.0, 4.0), short.reduced
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
