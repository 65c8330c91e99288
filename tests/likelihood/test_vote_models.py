import numpy as np
import pytest
from scipy.special import expit

import leaderbayes as lb
from leaderbayes._numerics import davidson_votes
from leaderbayes.likelihood._vote_models import weigh_davidson, weigh_intercept
from votes import votes_of

EPP = np.linspace(1.2, -1.2, 6)


def simulate(n=3000, judges=40, seed=1, *, spread=0.0, opinion=0.0, nu=None, order=0.3):
    """Votes of judges with advantages of the first, and opinions, of their own."""
    rng = np.random.default_rng(seed)
    m = len(EPP)
    i = rng.integers(0, m, n)
    j = (i + rng.integers(1, m, n)) % m
    g = rng.integers(0, judges, n)
    own = opinion * rng.normal(size=(judges, m))
    eta = EPP[i] - EPP[j] + own[g, i] - own[g, j] + order + spread * rng.normal(size=judges)[g]
    u = rng.random(n)
    if nu is None:
        y = (u < expit(eta)).astype(float)
    else:
        win, tie = davidson_votes.shares(eta, nu)
        y = np.where(u < win, 1.0, np.where(u < win + tie, 0.5, 0.0))
    return votes_of(i, j, y, m, judge=[f"j{x:02d}" for x in g])


def davidson(votes, **options):
    given = {"ties": "half", "cluster": "auto", "order_effect": True, "covariates": None}
    return weigh_davidson(votes, **given | options)


def test_davidson_finds_strengths_order_and_ties():
    found = davidson(simulate(20_000, nu=0.4)).weighed
    np.testing.assert_allclose(found.at.epp[np.argsort(found.kept["player"])], EPP, atol=0.1)
    np.testing.assert_allclose(found.at.beta, [0.3, 0.4], atol=0.08)


def test_independent_votes_have_the_inverse_information():
    found = davidson(simulate(nu=0.4), cluster="none").weighed
    np.testing.assert_allclose(found.matched.covariance, found.bread, atol=2e-4)


def test_opinions_widen():
    near, far = (davidson(simulate(nu=0.4, opinion=o)).weighed for o in (0.0, 0.7))
    assert near.together.tau2[0] < 0.05
    assert 0.25 < far.together.tau2[0] < 0.9
    wide = [np.diag(each.matched.covariance)[:6].sum() for each in (near, far)]
    assert wide[1] > 2.0 * wide[0]


@pytest.mark.parametrize(
    ("votes", "options", "said"),
    [
        (simulate(), {}, "No vote is a tie"),
        (simulate(nu=0.4), {"ties": "drop"}, "ties='drop'"),
    ],
)
def test_davidson_needs_ties(votes, options, said):
    with pytest.raises(lb.LeaderbayesError, match=said):
        davidson(votes, **options)


def test_pmra_is_its_likelihood():
    votes = simulate(spread=0.7)
    found = weigh_intercept(votes, ties="half", cluster="none")
    estimate = lb.likelihood.round_intercept(votes)
    np.testing.assert_allclose(found.weighed.at.epp, estimate["epp"])
    assert found.weighed.at.beta[0] == pytest.approx(float(estimate["intercept"]))
    sd = np.sqrt(np.diag(found.weighed.matched.covariance)[:6])
    np.testing.assert_allclose(sd, np.sqrt(np.diag(estimate["covariance"])), rtol=0.02)
    values, height = found.scale
    assert values[np.argmax(height)] == pytest.approx(float(estimate["sd_judge"]), rel=0.15)


def test_pmra_sees_opinions_beside_the_order():
    near, far = (
        weigh_intercept(simulate(spread=0.7, opinion=o), ties="half", cluster="auto").weighed
        for o in (0.0, 0.7)
    )
    assert near.together.tau2[0] < 0.05
    assert 0.25 < far.together.tau2[0] < 0.9
    assert far.matched.covariance[0, 0] > 2.0 * near.matched.covariance[0, 0]


def test_replicates_of_pmra_have_its_average():
    votes = simulate(spread=0.7)
    found = weigh_intercept(votes, ties="half", cluster="none")
    at = found.weighed.at
    here = at._replace(beta=np.append(at.beta, 0.7))
    rng = np.random.default_rng(1)
    again = np.mean([found.again(here, [], np.empty(0), rng) for _ in range(200)], axis=0)
    mean, _ = found.moments(here)
    assert abs(again - mean).mean() < 0.05
    assert again.mean() == pytest.approx(mean.mean(), abs=0.01)
