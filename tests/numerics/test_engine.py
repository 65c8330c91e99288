"""The fast engine's proposals, weighted, are the posterior: by brute force where it is small."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

import leaderbayes as lb
from conftest import board
from leaderbayes._numerics.engine import Engine
from leaderbayes.models._board import target_of_pairs
from leaderbayes.models._davidson import target_with_ties
from leaderbayes.models._round_intercept import problem

PRIOR_SCALE, DF = 2.0, 4.0


def matches(wins):
    wins = np.asarray(wins, float)
    return wins.sum(axis=1), wins + wins.T


def by_weight(target, draws=40_000, seed=1):
    """Proposals and the weights that make them the posterior, with their effective number."""
    proposed = Engine(target).propose(draws, np.random.default_rng(seed))
    weight = np.exp(proposed.log_weight - proposed.log_weight.max())
    weight /= weight.sum()
    return proposed, weight, 1.0 / (weight**2).sum()


@pytest.mark.parametrize("wins", [[[0, 3], [2, 0]], [[0, 5], [0, 0]], [[0, 0], [0, 0]]])
def test_two_players_by_quadrature(wins):
    """Means of the scale and of the difference equal sums over a grid of all three."""
    points, n = matches(wins)
    proposed, weight, effective = by_weight(target_of_pairs(points, n, PRIOR_SCALE, DF))
    assert effective > 10_000
    # Strengths in units of their scale.
    t, u = np.linspace(-12.0, 3.0, 150), np.sinh(np.linspace(-6.0, 6.0, 181))
    scale = np.exp(t)[:, None, None]
    one, two = scale * u[:, None], scale * u
    prior = -0.5 * (DF + 1.0) * np.log1p(u**2 / DF) + np.log(np.gradient(u))
    gap = one - two
    log = prior[:, None] + prior + t[:, None, None] - 0.5 * (scale / PRIOR_SCALE) ** 2
    log = log - points[0] * np.logaddexp(0.0, -gap) - points[1] * np.logaddexp(0.0, gap)
    p = np.exp(log - log.max())
    p /= p.sum()
    x = proposed.x
    for drawn, grid in (
        (np.tanh(x[:, 0] - x[:, 1]), np.tanh(gap)),
        (np.tanh(proposed.log_scale), np.tanh(t)[:, None, None]),
        (np.tanh(x.mean(axis=1)), np.tanh(0.5 * (one + two))),
    ):
        exact = (p * grid).sum()
        sd = np.sqrt((p * grid**2).sum() - exact**2)
        assert abs(weight @ drawn - exact) < 5.0 * sd / np.sqrt(effective)


def test_densities_of_proposals_are_normalised_alike():
    """Weights are a density ratio: their mean estimates one constant, whatever is proposed."""
    points, n = matches([[0, 4, 3], [2, 0, 5], [1, 1, 0]])
    target = target_of_pairs(points, n, PRIOR_SCALE, DF)
    engine = Engine(target)
    logs = []
    for seed in range(2):
        w = engine.propose(20_000, np.random.default_rng(seed)).log_weight
        logs.append(np.log(np.exp(w - w.max()).mean()) + w.max())
    # The same approximation widened: other proposals, and the same constant.
    engine.nodes = [node._replace(ways=1.3 * node.ways) for node in engine.nodes]
    w = engine.propose(20_000, np.random.default_rng(2)).log_weight
    logs.append(np.log(np.exp(w - w.max()).mean()) + w.max())
    assert np.ptp(logs) < 0.1


@pytest.mark.parametrize("nu", [-3.0, 0.5])
def test_ties_are_a_parameter(nu):
    """The posterior of nu, strengths being equal and many, is where ties put it."""
    rng, m, each = np.random.default_rng(4), 4, 40
    share = np.exp(nu) / (2.0 + np.exp(nu))
    tied = np.triu(rng.binomial(each, share, (m, m)), 1)
    won = np.triu(rng.binomial(each - tied, 0.5), 1)
    wins = won + np.triu(each - tied - won, 1).T + 0.5 * (tied + tied.T)
    points, n = matches(wins)
    target = target_with_ties(points, n, float(tied.sum()), (PRIOR_SCALE, DF, 2.0))
    proposed, weight, effective = by_weight(target, draws=8000)
    assert effective > 4000
    observed = tied.sum() / (each * 6)
    at = np.log(2.0 * observed / (1.0 - observed))
    assert weight @ proposed.x[:, m] == pytest.approx(at, abs=0.25)


@pytest.mark.parametrize("wins", [
    [[0, 6, 5], [0, 0, 3], [0, 2, 0]],
    pytest.param([[0, 3, 4], [2, 0, 3], [1, 2, 0]], marks=pytest.mark.slow),
])  # fmt: skip
def test_moves_leave_the_posterior_and_find_it(wins):
    """Draws of the posterior keep its law; equal points, after many moves, have it."""
    target = target_of_pairs(*matches(wins), PRIOR_SCALE, DF)
    engine, rng = Engine(target), np.random.default_rng(1)
    proposed = engine.propose(40_000, rng)
    weight = np.exp(proposed.log_weight - proposed.log_weight.max())
    some = rng.choice(len(weight), 2000, p=weight / weight.sum())
    x, t = proposed.x[some], proposed.log_scale[some]
    moved, scale, accepted = engine.move(x, t, rng, 20)
    assert accepted.mean() > 0.8
    at = engine.nodes[len(engine.nodes) // 2]
    far, wide = np.tile(at.mode, (2000, 1)), np.full(2000, at.log_scale)
    for _ in range(5):
        far, wide, _ = engine.move(far, wide, rng, 20)
    for new in ((moved, scale), (far, wide)):
        for one, other in ((x[:, 0] - x[:, 1], new[0][:, 0] - new[0][:, 1]), (t, new[1])):
            assert ks_2samp(one, other).pvalue > 1e-3


def test_ways_of_very_unequal_lengths_have_a_factor():
    """Where Cholesky's of their product fails, and where the curvature is not known."""
    rng, engine = np.random.default_rng(1), Engine.__new__(Engine)
    engine.order = rng.permutation(12)
    root = rng.standard_normal((12, 12)) * np.logspace(0, 11, 12)
    for curved in (np.eye(12), np.full((12, 12), np.nan)):
        ways = engine._floored(curved, root)
        ordered = ways[engine.order]
        np.testing.assert_allclose(ways @ ways.T, root @ root.T, rtol=1e-10)
        assert (np.diag(ordered) > 0.0).all()
        np.testing.assert_array_equal(np.tril(ordered, -1), 0.0)


def test_intercepts_that_do_not_differ_have_exact_slopes():
    """PMRA, where the first steps may lead: slopes are differences."""
    target = problem(lb.matches(board(np.random.default_rng(1).normal(size=(12, 10))))).target
    x, step = np.append(0.1 * np.arange(12.0), [0.3, -6.7]), 1e-4 * np.eye(14)
    slope = target.gradient(x[None], 0.0)[1][0]
    ends = [target.log_density(x + side * step, 0.0) for side in (1.0, -1.0)]
    np.testing.assert_allclose(slope, (ends[0] - ends[1]) / 2e-4, rtol=1e-3, atol=1e-3)
