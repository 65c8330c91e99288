import numpy as np
import pytest
from scipy.special import expit

import leaderbayes as lb
from leaderbayes._numerics.order_shift import order_shift
from leaderbayes._numerics.votes import Moments
from leaderbayes.likelihood._votes import weigh
from votes import votes_of

pytestmark = pytest.mark.filterwarnings("ignore:LB04")


def mostly_first(rng, *, order, stronger=0.9, judges=20, spread=0.3, m=8, n=2000):
    """Votes of judges with opinions, in which the stronger is mostly shown first."""
    epp = np.sort(rng.normal(0.0, 0.6, m))[::-1]
    i = rng.integers(0, m, n)
    j = (i + rng.integers(1, m, n)) % m
    swap = (i > j) == (rng.random(n) < stronger)
    i, j = np.where(swap, j, i), np.where(swap, i, j)
    judge, opinion = rng.integers(0, judges, n), rng.normal(0.0, spread, (judges, m))
    p = expit(epp[i] - epp[j] + order + opinion[judge, i] - opinion[judge, j])
    won = (rng.random(n) < p).astype(float)
    return votes_of(i, j, won, m, judge=[f"j{g}" for g in judge])


def shift_of(votes, **options):
    weighed = weigh(votes, **options)
    of, at = weighed.votes, weighed.at
    p = expit(at.epp[of.first] - at.epp[of.second])
    clusters = tuple(weighed.clusters.values())
    return order_shift(of, at, Moments(p, p * (1.0 - p)), clusters, weighed.together)


@pytest.mark.parametrize("options", [{}, {"cluster": "none"}])
def test_as_the_effect_that_is_estimated(options):
    votes = mostly_first(np.random.default_rng(2), order=0.1)
    shift = shift_of(votes, **options)
    fit = lb.likelihood.bradley_terry(votes, order_effect=True, **options)
    error = float(fit["effect_covariance"][0, 0]) ** 0.5
    assert shift.size == pytest.approx(float(fit["effect_size"][0]), abs=0.1 * error)
    assert shift.error == pytest.approx(error, rel=0.08)


@pytest.mark.parametrize(("judges", "stronger"), [(3, 0.9), (20, 0.9), (20, 0.5)])
def test_its_error_is_what_it_varies_by(judges, stronger):
    """Of 120 boards each; the sd of their z has a Monte Carlo error of 0.065."""
    rng = np.random.default_rng(3)
    found = [
        shift_of(mostly_first(rng, order=0.0, judges=judges, stronger=stronger, n=1000))
        for _ in range(120)
    ]
    z = np.array([each.size / each.error for each in found])
    assert 0.8 < z.std() < 1.2
    assert abs(z.mean()) < 4.0 / np.sqrt(120.0)
    assert (abs(z) > 3.0).sum() <= 2  # 0.3 expected


@pytest.mark.parametrize("judges", [3, 20])
def test_it_is_seen_where_the_stronger_is_mostly_first(judges):
    """Strengths take half of it, and of few judges each has it: neither hides it."""
    rng = np.random.default_rng(4)
    for _ in range(25):
        shift = shift_of(mostly_first(rng, order=0.5, judges=judges))
        assert shift.size > 3.0 * shift.error


def test_players_may_tell_who_is_first():
    """One against all, always first: its strength is the order, whatever they have won."""
    rng = np.random.default_rng(5)
    second = rng.integers(1, 5, 400)
    votes = votes_of(np.zeros(400), second, rng.random(400) < 0.6, 5)
    assert np.isinf(shift_of(votes).error)
    with pytest.warns(lb.HintWarning, match="LB045 players tell who was shown first"):
        weigh(votes)
    both = votes.assign(
        first=("vote", np.where(np.arange(400) < 40, votes["second"], votes["first"])),
        second=("vote", np.where(np.arange(400) < 40, votes["first"], votes["second"])),
    )
    assert np.isfinite(shift_of(both).error)
