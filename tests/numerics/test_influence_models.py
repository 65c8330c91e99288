"""What the models of votes say of a vote's influence: against estimates without a part of it."""

import numpy as np
import pytest

from leaderbayes._numerics.influence import Units, fewest
from leaderbayes._numerics.influence_models import BRADLEY_TERRY, davidson, intercept
from leaderbayes._numerics.votes import Votes


def drawn(seed, effects=0, ties=0.0, m=4, n=300, judges=8):
    rng = np.random.default_rng(seed)
    i = rng.integers(0, m, n)
    j = (i + rng.integers(1, m, n)) % m
    judge = rng.integers(0, judges, n)
    epp, favour = rng.normal(0.0, 0.5, m), 0.3 + rng.normal(0.0, 0.8, judges)
    won = (rng.random(n) < 1.0 / (1.0 + np.exp(epp[j] - epp[i] - favour[judge]))).astype(float)
    won[rng.random(n) < ties] = 0.5
    effect = rng.normal(size=(n, effects))
    votes = Votes(m, i.astype(np.int32), j.astype(np.int32), won, np.ones(n), won**2, effect)
    return votes, judge


CASES = {
    "bradley_terry": (drawn(1, effects=1), lambda judge: BRADLEY_TERRY),
    "davidson": (drawn(2, effects=1, ties=0.2), lambda judge: davidson(2.0)),
    "intercept": (drawn(3), lambda judge: intercept(judge, 0.8, 1.0)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("by", ["vote", "judge"])
def test_a_shift_is_the_derivative(name, by):
    (votes, judge), of = CASES[name]
    model, n = of(judge), len(votes.n)
    unit = np.arange(n) if by == "vote" else judge
    units = Units(votes, unit, np.ones(unit.max() + 1, dtype=np.int64), 0.5, model)
    found = fewest(units, 0.9)
    step, shifts = 1e-3, []
    for g in range(min(unit.max() + 1, 30)):
        leads = []
        for sign in (1.0, -1.0):
            kept = np.where(unit == g, 1.0 - sign * step, 1.0)
            less = votes._replace(
                won=votes.won * kept, n=votes.n * kept, square=votes.square * kept
            )
            at = model.maximum(less, units.penalty).epp
            leads.append(at[found.leader] - at[found.rival])
        shifts.append((leads[1] - leads[0]) / (2.0 * step))
    # Judges' intercepts move along to Laplace's order.
    exact = 1e-4 if name != "intercept" else 0.05 * np.abs(found.shift).max()
    assert found.shift[: len(shifts)] == pytest.approx(shifts, abs=exact)


def test_without_ties_davidson_has_an_estimate():
    votes, _ = drawn(4)
    at = davidson(2.0).maximum(votes, 0.5)
    assert np.isfinite(at.epp).all()
    assert at.beta[-1] < -2.0


def test_judges_that_all_favour_the_first_have_an_estimate():
    votes, judge = drawn(5)
    one = np.ones(len(votes.n))
    at = intercept(judge, 0.8, 1.0).maximum(votes._replace(won=one, square=one), 0.5)
    assert np.isfinite(at.epp).all()
    assert 1.0 < at.beta[0] < 10.0
