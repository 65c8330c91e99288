import numpy as np
import pytest
from scipy.optimize import minimize

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics import davidson_votes as davidson
from leaderbayes._numerics.votes import Votes


def some(n=600, m=5, k=1, seed=1, weight=False):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, m, n).astype(np.int32)
    second = ((first + rng.integers(1, m, n)) % m).astype(np.int32)
    effect = rng.normal(size=(n, k))
    strength = np.linspace(1.0, -1.0, m)
    eta = strength[first] - strength[second] + effect @ np.full(k, 0.3)
    win, tie = davidson.shares(eta, 0.2)
    u = rng.random(n)
    y = np.where(u < win, 1.0, np.where(u < win + tie, 0.5, 0.0))
    times = rng.integers(1, 4, n).astype(float) if weight else np.ones(n)
    return Votes(m, first, second, times * y, times, times * y**2, effect), y


def log_likelihood(x, votes, y):
    m = votes.players
    eta = x[votes.first] - x[votes.second] + votes.effect @ x[m:-1]
    terms = np.stack([0.5 * eta, np.full_like(eta, x[-1]), -0.5 * eta])
    own = np.select([y == 1.0, y == 0.5], [terms[0], terms[1]], terms[2])
    return float((votes.n * (own - np.logaddexp.reduce(terms))).sum())


@pytest.mark.parametrize("k", [0, 1, 2])
@pytest.mark.parametrize("weight", [False, True])
def test_it_is_the_maximum(k, weight):
    votes, y = some(k=k, weight=weight)
    at = davidson.maximum(votes)
    x = np.concatenate([at.epp, at.beta])
    best = minimize(lambda z: -log_likelihood(z, votes, y), x + 0.1, tol=1e-12)
    best.x[:5] -= best.x[:5].mean()
    np.testing.assert_allclose(x, best.x, atol=2e-5)
    assert abs(at.gradient).max() < 1e-6
    step = 1e-4
    for c in range(len(x)):
        ahead, behind = (x + s * step * np.eye(len(x))[c] for s in (1, -1))
        curve = log_likelihood(ahead, votes, y) - 2 * log_likelihood(x, votes, y)
        curve += log_likelihood(behind, votes, y)
        assert -curve / step**2 == pytest.approx(at.hessian[c, c], rel=1e-4)


def test_moments_are_those_of_shares():
    eta = np.linspace(-30.0, 30.0, 13)
    win, tie = davidson.shares(eta, 0.4)
    mean, variance = davidson.moments(eta, 0.4)
    np.testing.assert_allclose(mean, win + tie / 2)
    np.testing.assert_allclose(variance, win + tie / 4 - mean**2, atol=1e-15)
    again, _ = davidson.shares(-eta, 0.4)
    np.testing.assert_allclose(again, 1.0 - win - tie, atol=1e-15)


def test_far_log_odds_are_finite():
    win, tie = davidson.shares(np.array([800.0, -800.0]), 1.0)
    assert win.tolist() == [1.0, 0.0]
    assert tie.max() < 1e-100


def test_one_who_wins_all_has_no_estimate():
    votes, _ = some(k=0)
    y = np.where(votes.first == 0, 1.0, np.where(votes.second == 0, 0.0, votes.won))
    votes = votes._replace(won=y, square=y**2)
    with pytest.raises(NotConvergedError):
        davidson.maximum(votes)
    assert np.isfinite(davidson.maximum(votes, 1.0).epp).all()


def test_votes_drawn_again_have_the_model_s_shares():
    votes, _ = some(n=20_000, k=0)
    rng = np.random.default_rng(1)
    again = davidson.vote_again(votes, np.full(20_000, 0.5), 0.2, rng)
    win, tie = davidson.shares(np.array([0.5]), 0.2)
    assert (again == 1.0).mean() == pytest.approx(win[0], abs=0.015)
    assert (again == 0.5).mean() == pytest.approx(tie[0], abs=0.015)


def test_judges_who_tie_alike_are_seen():
    rng = np.random.default_rng(1)
    judge = rng.integers(0, 30, 3000)
    prompt = rng.integers(0, 300, 3000)
    both = judge * 300 + prompt
    votes, _ = some(n=3000, k=0)
    own = rng.beta(2.0, 4.0, 30)[judge]
    found = []
    for share in (np.full(3000, 1 / 3), own):
        tied = rng.random(3000) < share
        y = np.where(tied, 0.5, rng.integers(0, 2, 3000))
        here = votes._replace(won=y, square=y**2)
        tie = np.full(3000, tied.mean())
        found.append(davidson.tie_excess(here, tie, [judge, prompt, both]) / 3000)
    assert found[0] < 0.2
    # 100 votes a judge, of variance 2 / 63: nearly 3.
    assert 1.0 < found[1] < 6.0
