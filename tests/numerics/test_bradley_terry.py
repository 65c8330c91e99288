"""Newton's estimate and its Hessian."""

import numpy as np
import pytest

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.bradley_terry import davidson_probability, deviance, law_of, newton
from leaderbayes._numerics.places import count_matches, draw_places


def counts(seed=0, players=7, rounds=40, nu=-np.inf):
    rng = np.random.default_rng(seed)
    b = rng.normal(size=players)
    place = draw_places(b - b.mean(), np.ones((rounds, players), bool), rng, tie=nu)
    strict, n = count_matches(place, within_round=True)
    tied = n - strict - strict.T
    return place, strict + tied / 2.0, n.astype(float), tied.astype(float)


def test_davidson_matches_observed_points_and_ties():
    _, wins, n, tied = counts(nu=0.0)
    epp, nu, hessian = newton(wins.sum(1), n, tied.sum() / 2)
    p, t = davidson_probability(epp, nu)
    np.testing.assert_allclose((n * (p + t / 2)).sum(1), wins.sum(1), atol=1e-6)
    assert (n * t).sum() == pytest.approx(tied.sum(), abs=1e-6)
    np.testing.assert_allclose(p + p.T + t, 1.0)
    assert hessian.shape == (8, 8)
    assert np.linalg.eigvalsh(hessian).min() > -1e-9


def test_davidson_without_ties_has_no_estimate():
    _, wins, n, tied = counts()
    with pytest.raises(NotConvergedError, match="tie parameter"):
        newton(wins.sum(1), n, tied.sum() / 2)


def test_deviance_is_that_of_davidson_by_definition():
    rng = np.random.default_rng(4)
    m, nu, epp = 4, -0.3, rng.normal(size=4)
    won, tied = rng.integers(0, 5, (m, m)).astype(float), rng.integers(0, 4, (m, m)).astype(float)
    np.fill_diagonal(won, 0.0)
    tied = np.triu(tied, 1) + np.triu(tied, 1).T
    n = won + won.T + tied
    p, t = davidson_probability(epp, nu)

    def gained(count, probability):
        here = count > 0
        share = count[here] / n[here]
        return (count[here] * (np.log(share) - np.log(probability[here]))).sum()

    upper = np.triu(np.ones((m, m)), 1)
    expected = 2.0 * (gained(won, p) + gained(tied * upper, t))
    assert deviance(epp, nu, won, tied, n) == pytest.approx(expected)


@pytest.mark.parametrize("nu", [-np.inf, -0.4, 3.0])
def test_law_is_the_mean_and_variance_of_three_outcomes(nu):
    eta = np.array([-900.0, -2.0, 0.0, 1.5, 40.0])
    law = law_of(eta, nu)
    terms = np.exp(np.stack([0.5 * eta, np.full(5, nu), -0.5 * eta]) - law.log_total)
    np.testing.assert_allclose(terms.sum(axis=0), 1.0)
    mean = terms[0] + 0.5 * terms[1]
    np.testing.assert_allclose(law.mean, mean)
    np.testing.assert_allclose(law.tie, terms[1])
    some = abs(eta) < 10.0
    variance = terms[0] + 0.25 * terms[1] - mean**2
    np.testing.assert_allclose(law.variance[some], variance[some], rtol=1e-9)
