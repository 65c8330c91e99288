"""What further votes leave of the variance: against votes that are there."""

import numpy as np
import pytest

from leaderbayes._numerics.further_votes import (
    Law,
    covariance_after,
    now,
    posterior_after,
    prior_precision,
    root_of_gain,
)
from leaderbayes._numerics.newton import inverse
from leaderbayes._numerics.vote_intercept import judged, marginal
from leaderbayes._numerics.votes import Dependence, Estimate, Votes, dependence, maximum


@pytest.fixture(scope="module", params=[0, 1])
def made(request):
    rng = np.random.default_rng(1)
    m, n, judges, k = 5, 1200, 9, request.param
    i = rng.integers(0, m, n)
    j = (i + rng.integers(1, m, n)) % m
    judge, prompt = rng.integers(0, judges, n), rng.integers(0, 150, n)
    epp, own = rng.normal(0.0, 0.5, m), rng.normal(0.0, 0.6, (judges, m))
    eta = epp[i] - epp[j] + own[judge, i] - own[judge, j]
    won = (rng.random(n) < 1.0 / (1.0 + np.exp(-eta))).astype(float)
    effect = np.ones((n, k))
    votes = Votes(m, i.astype(np.int32), j.astype(np.int32), won, np.ones(n), won**2, effect)
    at = maximum(votes)
    groups = (judge, prompt)
    together = dependence(votes, at, groups)
    return votes, at, together, groups, now(votes, at, together, groups)


def test_without_further_votes_it_is_as_it_is(made):
    votes, at, together, _, here = made
    bread = inverse(at.hessian, votes.players)
    v = (bread @ together.meat @ bread)[: votes.players, : votes.players]
    for same in (True, False):
        assert covariance_after(here, 0.0, None, same=same) == pytest.approx(v, rel=1e-6)
        assert covariance_after(here, 0.0, np.array([[0, 1]]), same=same) == pytest.approx(
            v, rel=1e-6
        )


def test_as_many_again_by_others_halve_it(made):
    here = made[-1]
    v = covariance_after(here, 0.0, None, same=False)
    assert covariance_after(here, here.votes, None, same=False) == pytest.approx(v / 2.0)


def test_votes_doubled_by_the_same_judges(made):
    """As votes themselves say, that are written down twice, on new prompts."""
    votes, at, together, (judge, prompt), here = made
    n = len(votes.n)
    twice = Votes(votes.players, *(np.concatenate([part, part]) for part in votes[1:]))
    groups = np.tile(judge, 2), np.concatenate([prompt, prompt + 150])
    again = now(twice, at._replace(hessian=2.0 * at.hessian), together, groups)
    expected = covariance_after(here._replace(factor=here.factor), n, None, same=True)
    meat = again.phi * again.at.hessian
    for k, apart in zip(here.factor, again.apart, strict=True):
        meat = meat + k * apart
    bread = inverse(again.at.hessian, votes.players)
    v = (bread @ meat @ bread)[: votes.players, : votes.players]
    assert expected == pytest.approx(v, rel=1e-6)


def test_the_same_judges_leave_a_floor(made):
    here = made[-1]
    v = [np.trace(covariance_after(here, k * here.votes, None, same=True)) for k in (0, 1e4, 1e7)]
    assert v[0] > v[1] > 0.2 * v[0]
    assert v[2] == pytest.approx(v[1], rel=1e-3)
    assert np.trace(covariance_after(here, 1e7 * here.votes, None, same=False)) < 1e-6 * v[0]


def test_votes_on_a_pair_alone_drawn(made):
    """The sums over judges, by votes that are drawn."""
    votes, at, together, (judge, prompt), here = made
    rng, more, pair = np.random.default_rng(2), 4000, (1, 3)
    who = rng.choice(judge, more)
    parts = [
        np.full(more, pair[0]), np.full(more, pair[1]), np.zeros(more), np.ones(more),
        np.zeros(more), np.zeros((more, votes.effect.shape[1])),
    ]  # fmt: skip
    joined = Votes(
        votes.players, *(np.concatenate([a, b]) for a, b in zip(votes[1:], parts, strict=True))
    )
    groups = np.append(judge, who), np.append(prompt, 150 + np.arange(more))
    again = now(joined, at, together, groups)
    p = 1.0 / (1.0 + np.exp(at.epp[pair[1]] - at.epp[pair[0]]))
    hessian = at.hessian.copy()
    for a, b, sign in ((1, 1, 1.0), (3, 3, 1.0), (1, 3, -1.0), (3, 1, -1.0)):
        hessian[a, b] += sign * more * p * (1.0 - p)
    bread = inverse(hessian, votes.players)
    meat = again.phi * hessian + here.factor[0] * again.apart[0]
    v = (bread @ meat @ bread)[: votes.players, : votes.players]
    only = here._replace(factor=here.factor * [1.0, 0.0, 0.0])
    found = covariance_after(only, more, np.array([pair]), same=True)
    c = np.eye(votes.players)[pair[0]] - np.eye(votes.players)[pair[1]]
    assert c @ found @ c == pytest.approx(c @ v @ c, rel=0.05)


def test_priors_and_gains():
    rng = np.random.default_rng(3)
    root = rng.normal(size=(4, 6))
    root -= root.mean(axis=0)
    v = root @ root.T
    prior = 2.0 * (np.eye(4) - 0.25)
    after = posterior_after(prior, v)
    assert prior_precision(after, v) == pytest.approx(prior)
    gain = root_of_gain(v, after)
    assert gain @ gain.T == pytest.approx(v - after)


def test_the_favour_of_judges_as_the_marginal_likelihood_has_it():
    """PMRA's information of f times the votes by the same judges, to Laplace's order."""
    rng = np.random.default_rng(4)
    m, n, judges, spread = 4, 1500, 15, 0.8
    i = rng.integers(0, m, n)
    j = (i + rng.integers(1, m, n)) % m
    judge = rng.integers(0, judges, n)
    x = np.array([0.5, 0.1, -0.2, -0.4, 0.3, spread])
    eta = x[i] - x[j] + x[m] + rng.normal(0.0, spread, judges)[judge]
    won = (rng.random(n) < 1.0 / (1.0 + np.exp(-eta))).astype(float)
    rows = judged(i, j, won, np.ones(n), judge, m)
    at = marginal(x, rows, 20)
    p = 1.0 / (1.0 + np.exp(-(x[i] - x[j] + x[m] + spread * at.mode[judge])))
    votes = Votes(
        m, i.astype(np.int32), j.astype(np.int32), won, np.ones(n), won**2, np.ones((n, 1))
    )
    estimate = Estimate(x[:m], x[m:-1], at.information[:-1, :-1], at.gradient[:-1])
    together = Dependence(1.0, np.zeros(1), np.array([15.0]), at.information[:-1, :-1])
    law = Law(0, p * (1.0 - p), lambda gap: 0.25 + 0.0 * gap, (judge, spread))
    here = now(votes, estimate, together, (judge,), law)
    for f in (1.0, 4.0):
        more = marginal(x, rows._replace(won=f * rows.won, n=f * rows.n), 20).information[:-1, :-1]
        found = here.favour.hessian(f)
        assert found == pytest.approx(more, abs=0.03 * np.abs(more).max())
        assert found[m, m] == pytest.approx(more[m, m], rel=0.02)
    # The average favour is known no better than of so many judges.
    assert here.favour.hessian(1e6)[m, m] == pytest.approx(judges / spread**2, rel=1e-3)
