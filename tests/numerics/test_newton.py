"""Newton's method under linear hypotheses."""

import numpy as np
import pytest
from scipy.optimize import minimize

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.bradley_terry import log_likelihood, newton
from leaderbayes._numerics.newton import Linear, inverse, jeffreys, maximise

M = 5


def by_pairs(epp, wins):
    """Bradley-Terry's log-likelihood, written out."""
    return -(wins * np.logaddexp(0.0, epp - epp[:, None])).sum()


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(3)
    n = 12.0 * (1 - np.eye(M))
    upper = np.triu(rng.binomial(12, 0.5, size=(M, M)), 1).astype(float)
    wins = upper + np.tril((n - upper.T), -1)
    return wins, n


def test_hypotheses_hold_and_nothing_beats_the_restricted_maximum(counts):
    wins, n = counts
    matrix = np.array([[1.0, -1, 0, 0, 0], [0, 0, 0.8, -0.2, -0.2]])
    matrix -= matrix.mean(axis=1, keepdims=True)
    linear = Linear(matrix, np.array([0.3, -0.2]))
    epp, _, information = newton(wins.sum(1), n, linear=linear)
    np.testing.assert_allclose(matrix @ epp, linear.value, atol=1e-12)
    found = minimize(
        lambda b: -by_pairs(b - b.mean(), wins),
        np.zeros(M),
        constraints={"type": "eq", "fun": lambda b: matrix @ (b - b.mean()) - linear.value},
        tol=1e-12,
    )
    assert log_likelihood(epp, wins.sum(1), n) == pytest.approx(by_pairs(epp, wins), abs=1e-10)
    assert by_pairs(epp, wins) == pytest.approx(-found.fun, abs=1e-8)
    covariance = inverse(information, M, linear)
    np.testing.assert_allclose(matrix @ covariance, 0.0, atol=1e-12)
    assert np.linalg.matrix_rank(covariance) == M - 1 - 2


def test_firth_exists_where_the_maximum_does_not():
    n = 4.0 * (1 - np.eye(3))
    wins = np.triu(n)
    epp, _, _ = newton(wins.sum(1), n, firth=True)
    assert epp[0] > epp[1] > epp[2]
    assert np.isfinite(epp).all()
    # Two players, w of n: Firth adds half a win to either; of one match the curvature is doubled.
    for wins in (1.0, 4.0):
        pair = wins * (1 - np.eye(2))
        epp, _, _ = newton(np.array([wins, 0.0]), pair, firth=True)
        assert epp[0] - epp[1] == pytest.approx(np.log((wins + 0.5) / 0.5), abs=1e-5)


def test_jeffreys_far_from_the_maximum():
    for information in (np.zeros((2, 2)), np.full((2, 2), np.nan)):
        penalty, inverse = jeffreys(information, 2)
        assert penalty == -np.inf
        np.testing.assert_array_equal(inverse, 0.0)


def test_no_maximum_is_an_error():
    def line(x):
        return float(x[0]), np.array([1.0, -1.0]), 1e-9 * np.array([[1.0, -1.0], [-1.0, 1.0]])

    with pytest.raises(NotConvergedError, match=r"bound|converge"):
        maximise(line, np.zeros(2), 2, max_iter=5)
    flat = np.zeros((2, 2))
    with pytest.raises(NotConvergedError, match="is flat"):
        maximise(lambda x: (0.0, np.zeros(2), flat), np.zeros(2), 2)
