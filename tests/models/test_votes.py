"""What is fitted to votes equals its executable specification."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from leaderbayes._numerics.laplace import Board, Laplace, log_weight
from leaderbayes._numerics.votes import Votes, dependence, effective, maximum

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


def test_density_that_is_sampled_is_the_specifications(specification):
    first, second, outcome, judge, _ = simulate()
    points, n = specification["matches"](
        *specification["covariance"](first, second, outcome, [judge], 5)
    )
    density = specification["model"](points, n).compile_logp()
    rng = np.random.default_rng(2)
    strength, log_scale = rng.normal(size=(4, 5)), rng.normal(size=4)
    theirs = [
        float(density({"epp_scale_log__": s, "strength": a}))
        for s, a in zip(log_scale, strength, strict=True)
    ]
    drawn = Laplace(strength, np.exp(log_scale), np.zeros(4))
    ours = log_weight(drawn, Board(points, n, 2.0, 4.0))
    np.testing.assert_allclose(np.diff(ours), np.diff(theirs), atol=1e-8)
