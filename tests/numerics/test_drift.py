"""Strengths that move: the step by brute force, what is found, and what is none."""

import numpy as np
import pytest
from scipy.special import expit

from leaderbayes._numerics.drift import drift
from leaderbayes._numerics.votes import Moments, maximum
from leaderbayes.likelihood._votes import weigh
from votes import votes_of

pytestmark = pytest.mark.filterwarnings("ignore:LB04")


def board(rng, *, move=0.0, n=1000, m=6, judges=20, spread=0.3, turnover=False, own=0.0):
    """Votes in order of time, of which one player moves half-way; and which are later."""
    epp = rng.normal(0.0, 0.6, m)
    later = np.arange(n) >= n // 2
    i = rng.integers(0, m, n)
    # With own parts of pairs those who are near each other early, and any later.
    j = (i + np.where(later | (own == 0.0), rng.integers(1, m, n), rng.integers(1, 3, n))) % m
    judge = rng.integers(0, judges, n) + judges * (turnover & later)
    opinion = rng.normal(0.0, spread, (2 * judges, m))
    part = np.triu(rng.normal(0.0, own, (m, m)), 1)
    eta = epp[i] - epp[j] + opinion[judge, i] - opinion[judge, j] + (part - part.T)[i, j]
    eta += move * later * ((i == 0) * 1.0 - (j == 0))
    won = (rng.random(n) < expit(eta)).astype(float)
    return votes_of(i, j, won, m, judge=[f"j{g}" for g in judge]), later


def drift_of(votes, later, **options):
    weighed = weigh(votes, **options)
    of, at = weighed.votes, weighed.at
    p = expit(at.epp[of.first] - at.epp[of.second])
    clusters = tuple(weighed.clusters.values())
    return drift(of, Moments(p, p * (1.0 - p)), later, clusters, weighed.together)


def test_near_the_estimates_of_both_parts():
    votes, later = board(np.random.default_rng(1), move=0.5, n=4000, spread=0.0)
    found = drift_of(votes, later, cluster="none")
    of = weigh(votes, cluster="none").votes
    names = [name for name in of._fields if name != "players"]
    one, other = (
        maximum(of._replace(**{name: getattr(of, name)[part] for name in names})).epp
        for part in (~later, later)
    )
    np.testing.assert_allclose(found.moved, other - one, atol=0.02)
    assert int(np.argmax(np.abs(found.moved))) == 0


@pytest.mark.parametrize(
    "other", [{}, {"spread": 1.0}, {"turnover": True, "spread": 0.6}, {"own": 0.8, "n": 2000}]
)
def test_its_chance_is_what_it_says(other):
    """Of 20 boards each: 1 below 0.05 is expected."""
    rng = np.random.default_rng(2)
    p = np.array([drift_of(*board(rng, **other)).p_value for _ in range(20)])
    assert (p < 0.05).sum() <= 4
    assert p.min() > 0.001
    assert p.mean() > 0.35


def test_who_moves_is_found():
    rng = np.random.default_rng(3)
    for _ in range(5):
        found = drift_of(*board(rng, move=1.2, n=2000))
        assert found.p_value < 0.01
        z = found.moved / found.error
        assert int(np.argmax(np.abs(z))) == 0


def test_parts_of_other_players_are_not_compared():
    votes, later = board(np.random.default_rng(4), n=200)
    early = (votes["first"].values < 3) & (votes["second"].values < 3)
    late = (votes["first"].values > 2) & (votes["second"].values > 2)
    kept = votes.isel(vote=early | late)
    assert drift_of(kept, late[early | late]) is None
    # Who comes later is left out.
    new = votes.isel(vote=later | ((votes["first"].values > 0) & (votes["second"].values > 0)))
    rows = np.flatnonzero(later | ((votes["first"].values > 0) & (votes["second"].values > 0)))
    found = drift_of(new, later[rows])
    assert np.isnan(found.moved).tolist() == [True] + [False] * 5
