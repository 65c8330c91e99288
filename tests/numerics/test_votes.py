"""Votes: the likelihood, its derivatives and its maximum, against definitions by brute force."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.votes import (
    Likelihood,
    Votes,
    counted,
    information_of,
    law_at,
    maximum,
    met_of,
    regressors,
    row_of,
)


def random_votes(seed=0, players=5, size=300, *, order=False, covariates=0, ties=0.2):
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=players)
    first = rng.integers(0, players, size)
    second = (first + rng.integers(1, players, size)) % players
    effect = np.column_stack([np.ones((size, int(order))), rng.normal(size=(size, covariates))])
    eta = strength[first] - strength[second] + 0.3 * effect.sum(axis=1)
    outcome = np.where(rng.random(size) < ties, 0.5, rng.random(size) < expit(eta))
    n = rng.integers(1, 4, size).astype(float)
    sides = first.astype(np.int32), second.astype(np.int32)
    return Votes(players, *sides, n * outcome, n, 4.0 * n * outcome * (1.0 - outcome), effect)


def log_likelihood(votes, x, tie):
    """Log-likelihood by definition, row by row."""
    total, m = 0.0, votes.players
    for i, j, won, n, tied, effect in zip(*votes[1:], strict=True):
        eta = x[i] - x[j] + effect @ x[m : m + len(effect)]
        terms = np.exp([eta / 2.0, x[-1] if tie else -np.inf, -eta / 2.0])
        first, even, second = np.log(np.maximum(terms / terms.sum(), 1e-300))
        if tie:
            strict = won - tied / 2.0
            total += strict * first + tied * even + (n - strict - tied) * second
        else:
            total += won * first + (n - won) * second
    return total


CASES = [
    {"order": order, "covariates": covariates} for order in (False, True) for covariates in (0, 1)
]


@pytest.mark.parametrize("tie", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_likelihood_and_its_derivatives(case, tie):
    votes = random_votes(**case)
    likelihood = Likelihood(votes, tie=tie)
    x = np.random.default_rng(1).normal(size=(3, likelihood.size))
    value, gradient = likelihood.gradient(x)
    np.testing.assert_allclose(value, [log_likelihood(votes, each, tie) for each in x])
    np.testing.assert_allclose(likelihood.value(x), value, rtol=1e-12)
    for each, slope in zip(x, gradient, strict=True):
        numeric = approx_fprime(each, lambda z: likelihood.value(z[None])[0], 1e-7)
        np.testing.assert_allclose(slope, numeric, rtol=1e-4, atol=1e-3)
        hessian = approx_fprime(each, lambda z: likelihood.gradient(z[None])[1][0], 1e-6)
        np.testing.assert_allclose(-hessian, likelihood.information(each), rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("tie", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_far_points_are_finite_and_the_same_with_neighbours(case, tie):
    votes = random_votes(**case)
    likelihood = Likelihood(votes, tie=tie)
    x = np.random.default_rng(2).normal(size=(2, likelihood.size))
    far = np.array([800.0, -900.0, 0.0, 10.0, 0.0])
    x[1, :5] = far
    value, gradient = likelihood.gradient(x)
    alone, slope = likelihood.gradient(x[:1])
    np.testing.assert_allclose(value[0], alone[0], rtol=1e-10)
    np.testing.assert_allclose(gradient[0], slope[0], atol=1e-8)
    assert np.isfinite(value).all()
    assert np.isfinite(gradient).all()


def test_rows_that_are_alike_count_together():
    votes = random_votes(order=True)
    rows = counted(votes)
    assert len(rows.n) == 20
    for name in ("won", "n", "tied"):
        assert getattr(rows, name).sum() == pytest.approx(getattr(votes, name).sum())
    where = row_of(votes, rows)
    np.testing.assert_array_equal(rows.first[where], votes.first)
    np.testing.assert_array_equal(rows.second[where], votes.second)
    weighted = counted(votes, np.full(len(votes.n), 0.5))
    np.testing.assert_allclose(weighted.n, 0.5 * rows.n)
    styled = random_votes(covariates=1)
    assert counted(styled) is styled
    np.testing.assert_array_equal(row_of(styled, styled), np.arange(300))
    assert met_of(votes).sum() == 2.0 * votes.n.sum()


def test_information_is_the_sum_of_weighted_squares():
    votes = random_votes(order=True, covariates=1)
    weight = np.random.default_rng(3).random(len(votes.n))
    rows = regressors(votes).toarray()
    expected = (rows * weight[:, None]).T @ rows
    np.testing.assert_allclose(information_of(votes, weight), expected, atol=1e-9)


@pytest.mark.parametrize("tie", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_maximum(case, tie):
    votes = random_votes(size=100, **case)
    at = maximum(votes, 0.5, tie=tie, effect_scale=0.7, tie_scale=0.9)

    def loss(x):
        b, rest = x[:5] - x[:5].mean(), x[5:]
        scale = np.array([0.7] * len(at.beta) + [0.9] * tie)
        pseudo = 0.5 * (0.5 * b - np.logaddexp(0.0, b)).sum()
        own = log_likelihood(votes, np.append(b, rest), tie)
        return 0.5 * ((rest / scale) ** 2).sum() - pseudo - own

    found = minimize(loss, np.zeros(Likelihood(votes, tie=tie).size), options={"gtol": 1e-5}).x
    np.testing.assert_allclose(at.epp, found[:5] - found[:5].mean(), atol=1e-4)
    np.testing.assert_allclose(at.beta, found[5 : 5 + len(at.beta)], atol=1e-4)
    assert at.nu == (pytest.approx(found[-1], abs=1e-4) if tie else -np.inf)
    np.testing.assert_allclose(law_at(votes, at).mean.shape, votes.n.shape)


def test_an_undefeated_player_needs_a_penalty():
    votes = random_votes()
    won = np.where(votes.first == 0, votes.n, np.where(votes.second == 0, 0.0, votes.won))
    with pytest.raises(NotConvergedError, match=r"bound|converge"):
        maximum(votes._replace(won=won))
    assert np.argmax(maximum(votes._replace(won=won), 1.0).epp) == 0
