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


def in_one_order(rng, *, order=0.0, own=0.0, m=8, n=2000, pairs=None, both=0.0):
    """Votes of which each pair was seen in one order; pairs' own part has sd own."""
    epp, place = rng.normal(0.0, 0.6, m), rng.permutation(m)
    if pairs is None:
        pairs = [(i, j) for i in range(m) for j in range(m) if place[i] < place[j]]
    i, j = np.array(pairs)[rng.integers(0, len(pairs), n)].T
    part = np.triu(rng.normal(0.0, own, (m, m)), 1)
    swap = rng.random(n) < both
    i, j = np.where(swap, j, i), np.where(swap, i, j)
    p = expit(epp[i] - epp[j] + order + (part - part.T)[i, j])
    return votes_of(i, j, (rng.random(n) < p).astype(float), m)


def test_pairs_that_do_not_add_up_are_no_effect_of_the_order():
    """Each seen in one order: 6 of these 60 had LB045 while pairs' own part was left out."""
    rng = np.random.default_rng(6)
    found = [shift_of(in_one_order(rng, own=0.4)) for _ in range(60)]
    z = np.array([each.size / each.error for each in found])
    assert not any(each.both_orders for each in found)
    assert z.std() < 1.2  # it was 2.0
    assert (abs(z) > 3.0).sum() <= 1
    # Where they add up the effect is seen, and it is said what it leans on.
    assert all(
        (shift := shift_of(in_one_order(rng, order=0.5))).size > 3.0 * shift.error
        for _ in range(20)
    )
    with pytest.warns(lb.HintWarning, match=r"LB045 the one .* leans on strengths that add up"):
        weigh(in_one_order(rng, order=0.6))


def test_within_pairs_strengths_need_not_add_up():
    """Pairs seen in both orders tell the order, however large their own parts are."""
    rng = np.random.default_rng(7)
    for order in (0.0, 0.5):
        found = [shift_of(in_one_order(rng, order=order, own=0.8, both=0.3)) for _ in range(40)]
        z = np.array([(each.size - order) / each.error for each in found])
        assert all(each.both_orders for each in found)
        assert 0.7 < z.std() < 1.35
        assert abs(z.mean()) < 0.8
        assert (order == 0.0) or all(each.size > 3.0 * each.error for each in found)


def test_as_many_pairs_as_strengths_say_nothing_in_one_order():
    """Three in a ring: the order, or that strengths do not add up."""
    ring = [(0, 1), (1, 2), (2, 0)]
    rng = np.random.default_rng(8)
    assert np.isinf(shift_of(in_one_order(rng, order=0.5, m=3, pairs=ring)).error)
    both = shift_of(in_one_order(rng, order=0.5, m=3, pairs=ring, both=0.3))
    assert both.both_orders
    assert both.size > 3.0 * both.error


def test_within_pairs_beside_a_covariate():
    """A covariate that goes along with the order is not taken for it."""
    rng = np.random.default_rng(9)
    votes = in_one_order(rng, m=3, pairs=[(0, 1), (1, 2), (2, 0)], both=0.4)
    x = rng.normal(0.7, 1.0, 2000)  # higher of who is first
    first, second = votes["first"].to_numpy(), votes["second"].to_numpy()
    p = expit(0.5 * (first - second) + 0.6 * x)
    votes = votes.assign(
        outcome=("vote", (rng.random(2000) < p).astype(float)),
        covariates=(("vote", "covariate"), x[:, None]),
    ).assign_coords(covariate=["length"])
    without = shift_of(votes.drop_vars(["covariates", "covariate"]))
    assert without.size > 3.0 * without.error
    weighed = weigh(votes, covariates=["length"])
    of, at = weighed.votes, weighed.at
    p = expit(at.epp[of.first] - at.epp[of.second] + of.effect @ at.beta)
    shift = order_shift(of, at, Moments(p, p * (1.0 - p)), (), weighed.together)
    assert abs(shift.size) < 3.0 * shift.error
    fit = lb.likelihood.bradley_terry(votes, covariates=["length"], order_effect=True)
    error = float(fit["effect_covariance"][0, 0]) ** 0.5
    assert shift.error == pytest.approx(error, rel=0.1)
    assert shift.size == pytest.approx(float(fit["effect_size"][0]), abs=0.2 * error)


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
