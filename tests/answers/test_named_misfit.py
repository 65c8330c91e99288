"""Pairs and triples that a fit does not describe."""

import itertools

import numpy as np
import pytest

import leaderbayes as lb
from conftest import cycle
from leaderbayes._answers.named_misfit import _cycles
from votes import draw, fit, votes_of


def planted(seed, size=2.5, n=4000):
    """m1 beats m3 beats m4 beats m1, by more than strengths say."""
    votes = draw(np.array([0.6, 0.3, 0.2, 0.1, 0.0, -0.6]), n, np.random.default_rng(seed))
    rng = np.random.default_rng(seed + 100)
    i, j, y = (votes[name].to_numpy().copy() for name in ("first", "second", "outcome"))
    for a, b in ((1, 3), (3, 4), (4, 1)):
        for first, second, sign in ((a, b, 1.0), (b, a, -1.0)):
            of = (i == first) & (j == second)
            y[of] = rng.random(of.sum()) < 1.0 / (1.0 + np.exp(-sign * size))
    return votes_of(i, j, y, 6, judge=votes["judge"])


def test_a_planted_cycle_is_named():
    checked = lb.check(fit(planted(1), replicates=100), seed=1)
    assert checked["triple"].to_numpy().tolist() == [["m1", "m3", "m4"]]
    assert float(checked["triple_probability"][0]) > 1.0 - 0.05 / 15
    gap = checked["pair_gap"].to_series().nlargest(3)
    assert set(gap.index) == {("m1", "m3"), ("m3", "m4"), ("m4", "m1")}
    assert float(checked["p_round"]) < 0.05


def test_a_cycle_of_scores_is_named():
    dt = fit(cycle(), sampler="laplace")
    assert lb.check(dt, seed=1).sizes["triple"] >= 1


def test_gaps_are_opposite_and_of_about_one():
    rng = np.random.default_rng(3)
    squares = []
    for _ in range(8):
        dt = fit(draw(rng.normal(0.0, 0.7, 8), 3000, rng, judges=15, spread=0.4))
        gap = lb.check(dt, seed=1)["pair_gap"].to_numpy()
        assert gap == pytest.approx(-gap.T, abs=1e-9, nan_ok=True)
        assert np.isnan(np.diag(gap)).all()
        squares.append(np.nanmean(gap**2))
    # 7 of 28 are taken by the strengths.
    assert np.mean(squares) == pytest.approx(0.75, abs=0.2)


def test_cycles_are_all_that_there_are():
    rng = np.random.default_rng(4)
    upper = np.triu(rng.random((7, 7)) ** 0.05, 1)
    flip = np.triu(rng.random((7, 7)) < 0.5, 1)
    better = np.where(flip, upper, np.where(upper > 0.0, 1.0 - upper, 0.0))
    better += np.tril((1.0 - better).T, -1)
    met = ~np.eye(7, dtype=bool)
    triples, probability = _cycles(better, met, 0.8)
    expected = {
        (a, b, c)
        for a, b, c in itertools.permutations(range(7), 3)
        if a == min(a, b, c) and better[a, b] * better[b, c] * better[c, a] >= 0.8
    }
    assert expected
    assert {tuple(t) for t in triples.tolist()} == expected
    assert (np.diff(probability) <= 0.0).all()


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 0.5])
def test_transitive_boards_have_none(spread):
    """Of 100 boards with strengths, some nearly equal, at most one in twenty has a triple."""
    rng = np.random.default_rng(5)
    false = 0
    for _ in range(100):
        epp = rng.normal(0.0, 0.3, 8)
        dt = fit(draw(epp, 1500, rng, judges=12, spread=spread), draws=50, chains=2)
        false += lb.check(dt, seed=1).sizes["triple"] > 0
    assert false <= 11  # of Binomial(100, 0.05), all but 0.5 %
