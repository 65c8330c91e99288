"""Few votes without which another leads: against all sets that there are."""

from itertools import combinations

import numpy as np
import pytest

from leaderbayes._numerics.influence import Units, _taken, fewest
from leaderbayes._numerics.votes import Votes, maximum


def board(rng, groups=9, each=8, m=4, effects=0):
    n = groups * each
    i = rng.integers(0, m, n)
    j = (i + rng.integers(1, m, n)) % m
    epp, own = rng.normal(0.0, 0.4, m), rng.normal(0.0, 0.8, (groups, m))
    unit = np.repeat(np.arange(groups), each)
    p = 1.0 / (1.0 + np.exp(-(epp[i] - epp[j] + own[unit, i] - own[unit, j])))
    won = (rng.random(n) < p).astype(float)
    effect = rng.normal(size=(n, effects))
    votes = Votes(m, i.astype(np.int32), j.astype(np.int32), won, np.ones(n), won**2, effect)
    return Units(votes, unit.astype(np.int64), np.ones(groups, dtype=np.int64), 0.5)


def leader_without(units, gone):
    keep = ~np.isin(units.unit, list(gone))
    left = Votes(units.votes.players, *(part[keep] for part in units.votes[1:]))
    return int(np.argmax(maximum(left, units.penalty).epp))


def smallest(units, most=3):
    leader = leader_without(units, ())
    for size in range(1, most + 1):
        for gone in combinations(range(len(units.copies)), size):
            if leader_without(units, gone) != leader:
                return size
    return None


def test_as_few_as_of_all_sets():
    rng = np.random.default_rng(1)
    same, sizes = [], []
    for k in range(40):
        units = board(rng, effects=k % 2)
        found, best = fewest(units, 0.99), smallest(units)
        if best is None:
            assert not found.found or found.removed.sum() > 3
            continue
        assert found.found
        gone = np.flatnonzero(found.removed)
        assert leader_without(units, gone) == found.rival != found.leader
        assert len(gone) >= best
        assert len(gone) <= best + 1
        same.append(len(gone) == best)
        sizes.append(best)
    assert set(sizes) == {1, 2, 3}
    assert np.mean(same) > 0.9


def test_nothing_is_removed_in_vain():
    rng = np.random.default_rng(2)
    for _ in range(10):
        units = board(rng, groups=30, each=4)
        found = fewest(units, 0.9)
        gone = np.flatnonzero(found.removed)
        if found.found and len(gone) > 1:
            for kept in gone:
                assert leader_without(units, set(gone) - {kept}) == found.leader


def test_copies_are_votes_one_by_one():
    """Rows that are alike are one unit of so many copies."""
    rng = np.random.default_rng(3)
    units = board(rng, groups=60, each=1, m=3)
    votes = units.votes
    kind = (votes.first * 10 + votes.second * 2 + votes.won).astype(int)
    _, unit, copies = np.unique(kind, return_inverse=True, return_counts=True)
    together = fewest(units._replace(unit=unit.astype(np.int64), copies=copies), 0.5)
    alone = fewest(units, 0.5)
    assert together.removed.sum() == alone.removed.sum()
    assert together.after == pytest.approx(alone.after, abs=1e-8)
    assert together.shift[unit] == pytest.approx(alone.shift, abs=1e-8)


def test_a_shift_is_the_derivative():
    units = board(np.random.default_rng(4))
    found = fewest(units, 0.99)
    step, votes = 1e-4, units.votes
    for g in range(len(units.copies)):
        kept = np.where(units.unit == g, 1.0 - step, 1.0)
        less = votes._replace(won=votes.won * kept, n=votes.n * kept)
        at = maximum(less, units.penalty).epp
        lead = at[found.leader] - at[found.rival]
        assert (found.before - lead) / step == pytest.approx(found.shift[g], abs=1e-3)


def test_no_more_than_may_be():
    rng = np.random.default_rng(5)
    for share in (0.02, 0.12, 0.25):
        units = board(rng)
        found = fewest(units, share)
        spent = found.removed[units.unit].sum() / len(units.unit)
        assert spent <= share + 1e-12
        assert found.found == (found.after < 0.0) == (found.removed.sum() > 0)


def test_a_lead_that_is_gone_takes_one():
    """Gone by less than the margin, where some shift by less than that."""
    shift, left = np.array([1e-13, 0.5]), np.array([7, 7])
    taken, enough = _taken(shift, left, np.ones(2), 10.0, -1e-11)
    assert taken.tolist() == [1]
    assert enough
