"""What is fitted to votes equals its executable specification."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from graphs import AS_IT_STANDS
from leaderbayes._numerics import design
from leaderbayes._numerics.laplace import Board, Laplace, log_weight
from leaderbayes._numerics.votes import Votes, dependence, effective, maximum
from leaderbayes.likelihood._vote_models import weigh_davidson, weigh_intercept
from votes import votes_of

SPECIFICATION = Path(__file__).parents[2] / "models" / "votes" / "model.py"


@pytest.fixture(scope="module")
def specification():
    return runpy.run_path(str(SPECIFICATION))


def simulate(seed=1, players=5, size=250, judges=6, prompts=30):
    rng = np.random.default_rng(seed)
    strength, opinion = rng.normal(size=players), rng.normal(0.0, 0.7, (judges, players))
    first = rng.integers(0, players, size).astype(np.int32)
    second = ((first + rng.integers(1, players, size)) % players).astype(np.int32)
    judge, prompt = rng.integers(0, judges, size), rng.integers(0, prompts, size)
    eta = strength[first] - strength[second] + opinion[judge, first] - opinion[judge, second]
    outcome = (rng.random(size) < expit(eta)).astype(float)
    outcome[rng.random(size) < 0.1] = 0.5
    return first, second, outcome, judge, prompt


@pytest.mark.parametrize("by", ["judge", "both"])
def test_matches_that_votes_are_worth_equal_the_specification(specification, by):
    first, second, outcome, judge, prompt = simulate()
    clusterings = {"judge": [judge], "both": [judge, prompt]}[by]
    b, v = specification["covariance"](first, second, outcome, clusterings, 5)
    points, n = specification["matches"](b, v)
    one = np.ones(len(first))
    votes = Votes(5, first, second, outcome, one, outcome**2, np.empty((len(first), 0)))
    at = maximum(votes)
    matched = effective(votes, at, dependence(votes, at, tuple(clusterings)))
    np.testing.assert_allclose(at.epp, b, atol=1e-8)
    np.testing.assert_allclose(matched.covariance, v, rtol=1e-4, atol=1e-8)
    np.testing.assert_allclose(matched.n, n, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(matched.points, points, rtol=1e-3, atol=1e-4)


def read(first, second, outcome, judge, prompt):
    return votes_of(first, second, outcome, 5, judge=judge, prompt=prompt)


@pytest.mark.parametrize("by", ["judge", "both"])
def test_davidsons_votes_equal_the_specification(specification, by):
    first, second, outcome, judge, prompt = simulate(seed=2)
    clusterings = {"judge": [judge], "both": [judge, prompt]}[by]
    at, v = specification["davidson"](first, second, outcome, clusterings, 5)
    found = weigh_davidson(
        read(first, second, outcome, judge, prompt), ties="half",
        cluster="judge" if by == "judge" else "auto", order_effect=False, covariates=None,
    ).weighed  # fmt: skip
    np.testing.assert_allclose(np.append(found.at.epp, found.at.beta), at, atol=1e-5)
    np.testing.assert_allclose(found.matched.covariance[:5, :5], v, rtol=1e-3, atol=1e-6)
    points, n = specification["matches"](at[:5], v)
    np.testing.assert_allclose(found.matched.n, n, rtol=1e-2, atol=1e-3)
    np.testing.assert_allclose(found.matched.points, points, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("by", ["judge", "both"])
def test_votes_with_judges_advantages_equal_the_specification(specification, by):
    first, second, outcome, judge, prompt = simulate(seed=3)
    favour = np.random.default_rng(4).normal(0.4, 1.0, 6)
    outcome = (outcome + 0.3 * favour[judge] > 0.5).astype(float)
    judge = judge.astype(np.int64)
    clusterings = {"judge": [judge], "both": [judge, prompt]}[by]
    at, v = specification["round_intercept"](first, second, outcome, clusterings, 5)
    found = weigh_intercept(
        read(first, second, outcome, judge, prompt), ties="half",
        cluster="judge" if by == "judge" else "auto",
    ).weighed  # fmt: skip
    np.testing.assert_allclose(np.append(found.at.epp, found.at.beta), at[:-1], atol=2e-4)
    np.testing.assert_allclose(found.matched.covariance[:5, :5], v, rtol=0.01, atol=1e-3)


def test_density_that_is_sampled_is_the_specifications(specification):
    first, second, outcome, judge, _ = simulate()
    points, n = specification["matches"](
        *specification["covariance"](first, second, outcome, [judge], 5)
    )
    density = specification["model"](points, n).compile_logp(mode=AS_IT_STANDS)
    rng = np.random.default_rng(2)
    strength, log_scale = rng.normal(size=(4, 5)), rng.normal(size=4)
    theirs = [
        float(density({"epp_scale_log__": s, "strength": a}))
        for s, a in zip(log_scale, strength, strict=True)
    ]
    drawn = Laplace(strength, np.exp(log_scale), np.zeros(4))
    ours = log_weight(drawn, Board(points, n, 2.0, 4.0))
    np.testing.assert_allclose(np.diff(ours), np.diff(theirs), atol=1e-8)


def test_density_of_matched_pairs_is_the_specifications(specification):
    first, second, outcome, judge, _ = simulate()
    points, n = specification["matches"](
        *specification["covariance"](first, second, outcome, [judge], 5)
    )
    met = np.zeros((5, 5))
    np.add.at(met, ([0, 1, 2, 3], [1, 2, 3, 4]), [40.0, 25.0, 60.0, 31.0])
    met = met + met.T
    model = specification["matched"](points, n, met)
    density = model.compile_logp(mode=AS_IT_STANDS)
    board = Board(points, n, 2.0, 4.0)
    at = design.ways(met, board)
    rng = np.random.default_rng(3)
    ours, theirs = [], []
    for x in at.start + rng.normal(0.0, 0.5, (4, 7)):
        epp, scale, alpha = design.expand(x, at)
        log_scale = np.log(scale)
        unit = np.exp((1.0 - at.centring) * (log_scale - 0.5 * alpha * at.log_known))
        way, shrink = at.way, np.exp(0.5 * alpha * at.log_known)
        u = way @ (shrink * unit * x[2:])
        theirs.append(
            density({"epp_scale_log__": log_scale, "matching_interval__": x[1], "unit": u})
            # Of x, not of unit.
            + np.log(unit * shrink).sum()
        )
        ours.append(design.log_density(x, board, at)[0])
        strength = way @ (unit * x[2:])
        np.testing.assert_allclose(epp, strength - strength.mean(), atol=1e-12)
    np.testing.assert_allclose(np.diff(ours), np.diff(theirs), atol=1e-8)
