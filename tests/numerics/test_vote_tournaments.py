"""Estimates of several tournaments: what they have in common, and where it is sampled."""

import numpy as np
import pytest
from scipy.special import expit

from leaderbayes._numerics.vote_tournaments import (
    Cells,
    coordinates,
    expand,
    log_density,
    parts,
)
from leaderbayes._numerics.votes import Moments, Votes, dependence, effective, maximum

PLAYERS, TOURNAMENTS = 4, 3


def estimate(seed=1, size=900, judges=10, opinion=1.0, order=False, rare=1.0):
    """Votes of judges who take their opinions along, their estimate, and how they go together."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0.0, 0.7, (TOURNAMENTS, PLAYERS))
    opinions = rng.normal(0.0, opinion, (judges, PLAYERS))
    of, judge = rng.integers(0, TOURNAMENTS, size), rng.integers(0, judges, size)
    of = np.where(rng.random(size) < rare, of, 0)
    first = rng.integers(0, PLAYERS, size)
    second = (first + rng.integers(1, PLAYERS, size)) % PLAYERS
    here = strength[of] + opinions[judge]
    eta = here[np.arange(size), first] - here[np.arange(size), second]
    outcome = (rng.random(size) < expit(eta)).astype(float)
    one, cells = np.ones(size), np.arange(PLAYERS * TOURNAMENTS)
    votes = Votes(
        len(cells), (of * PLAYERS + first).astype(np.int32),
        (of * PLAYERS + second).astype(np.int32), outcome, one, outcome**2,
        np.ones((size, int(order))),
    )  # fmt: skip
    at = maximum(votes, 0.0 if rare == 1.0 else 1.0)
    p = expit(at.epp[votes.first] - at.epp[votes.second] + votes.effect @ at.beta)
    moments = Moments(p, p * (1.0 - p))
    return votes, at, moments, judge, of, Cells(cells % PLAYERS, cells // PLAYERS, PLAYERS)


@pytest.fixture(scope="module", params=[False, True], ids=["strengths", "and order"])
def found(request):
    votes, at, moments, judge, _, cells = estimate(order=request.param)
    together = dependence(votes, at, (judge,))
    return votes, at, together, parts(votes, at, moments, together, (judge,), cells)


def test_nothing_is_lost_and_nothing_counted_twice(found):
    """What is in common and each tournament's own add up to the estimate's covariance there."""
    votes, at, together, taken = found
    whole = effective(votes, at, together).covariance
    both = taken.matched.covariance + taken.shared @ taken.shared.T
    for t in range(TOURNAMENTS):
        own = slice(t * PLAYERS, (t + 1) * PLAYERS)
        # Small directions of what is in common are each tournament's own.
        np.testing.assert_allclose(np.trace(both[own, own]), np.trace(whole[own, own]), rtol=0.02)
    # The same judges make the same error of a player in all.
    first, second = slice(0, PLAYERS), slice(PLAYERS, 2 * PLAYERS)
    shared = (taken.shared @ taken.shared.T)[first, second]
    assert np.trace(shared) > 0.5 * np.trace(taken.tau2[0] * np.eye(PLAYERS)) / 10


@pytest.mark.parametrize("order", [False, True])
def test_few_votes_elsewhere_take_nothing_away(order):
    """What opinions make unsure where there are many votes stays, whatever else is unsure."""
    votes, at, moments, judge, _, cells = estimate(size=4000, rare=0.01, opinion=0.7, order=order)
    together = dependence(votes, at, (judge,))
    taken = parts(votes, at, moments, together, (judge,), cells)
    assert taken.tau2[0] > 0.2
    whole = effective(votes, at, together).covariance
    both = taken.matched.covariance + taken.shared @ taken.shared.T
    for t in range(TOURNAMENTS):
        own = slice(t * PLAYERS, (t + 1) * PLAYERS)
        np.testing.assert_allclose(np.trace(both[own, own]), np.trace(whole[own, own]), rtol=0.02)


def test_matches_are_within_tournaments(found):
    taken = found[3]
    across = taken.cells.tournament[:, None] != taken.cells.tournament
    assert (taken.matched.n[across] == 0.0).all()
    assert (taken.matched.n[~across] > 0.0).sum() == TOURNAMENTS * PLAYERS * (PLAYERS - 1)
    # At the estimate they have won what they were expected to.
    p = expit(found[1].epp[:, None] - found[1].epp)
    np.testing.assert_allclose(taken.matched.points, (taken.matched.n * p).sum(axis=1))


def test_judges_of_one_tournament_each_have_nothing_in_common():
    votes, at, moments, judge, of, cells = estimate()
    others = judge * TOURNAMENTS + of
    together = dependence(votes, at, (others,))
    taken = parts(votes, at, moments, together, (others,), cells)
    assert taken.tau2[0] == 0.0
    assert taken.shared.shape == (len(cells.player), 0)
    np.testing.assert_allclose(taken.matched.covariance, effective(votes, at, together).covariance)


def test_coordinates_are_near_standard_normal(found):
    """At the start, whatever the scales, curvature is about one on every way: of w in hundreds."""
    taken = found[3]
    at = coordinates(taken, found[1])
    for ways in (at.cells, at.means):
        np.testing.assert_allclose(
            ways.vector.T @ ways.vector, np.eye(len(ways.middle)), atol=1e-10
        )
    np.testing.assert_allclose(at.means.vector.sum(axis=0), 0.0, atol=1e-10)
    for log_scales in ((-0.5, -3.0), (-0.5, 0.0), (-3.0, 0.0)):
        x = at.start.copy()
        x[:2] = log_scales
        step = 1e-4 * np.eye(x.size)[2:]
        slope = [
            (log_density(x - s, taken.matched, at, (2.0, 2.0))[1]
             - log_density(x + s, taken.matched, at, (2.0, 2.0))[1])[2:] / 2e-4
            for s in step
        ]  # fmt: skip
        curvature = np.linalg.eigvalsh(np.array(slope))
        assert 0.2 < curvature[0]
        assert curvature[-1] < 5.0


def test_strengths_sum_to_zero(found):
    at = coordinates(found[3], found[1])
    x = at.start + np.random.default_rng(2).standard_normal(at.start.size)
    mean, strength = expand(x, at)
    np.testing.assert_allclose(mean.sum(), 0.0, atol=1e-10)
    by = np.bincount(found[3].cells.tournament, strength)
    np.testing.assert_allclose(by, 0.0, atol=1e-10)
