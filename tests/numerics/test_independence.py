"""Independence Metropolis: the law that it has, and what it does with a step."""

import numpy as np
from scipy.stats import chisquare, kstest, norm

from leaderbayes._numerics.independence import independence_chains


def test_a_discrete_law_and_its_acceptance():
    """Where many chains end: the target's shares. Steps are taken as often as theory says."""
    rng = np.random.default_rng(1)
    target, proposal = np.array([0.05, 0.3, 0.4, 0.25]), np.array([0.4, 0.3, 0.2, 0.1])
    chains, steps = 2000, 40
    proposed = rng.choice(4, chains * steps, p=proposal)
    ratio = target / proposal
    # Up to a constant.
    state, acceptance = independence_chains(np.log(ratio)[proposed] - 700.0, chains, rng)
    ends = proposed[state[:, -1]]
    assert chisquare(np.bincount(ends, minlength=4), chains * target).pvalue > 1e-3
    # Acceptance of the last step, of chains that are there: independent of each other.
    last = acceptance[:, -1]
    expected = (target[:, None] * proposal * np.minimum(1.0, ratio / ratio[:, None])).sum()
    assert abs(last.mean() - expected) < 4.0 * last.std() / np.sqrt(chains)


def test_a_normal_law_from_a_wider_one():
    rng = np.random.default_rng(2)
    chains = 2000
    x = 1.0 + 2.0 * rng.standard_normal(chains * 30)
    log_weight = norm.logpdf(x) - norm(1.0, 2.0).logpdf(x)
    state, _ = independence_chains(log_weight, chains, rng)
    assert kstest(x[state[:, -1]], norm.cdf).pvalue > 1e-3


def test_draws_of_the_target_are_all_taken():
    state, acceptance = independence_chains(np.full(60, -3.0), 3, np.random.default_rng(3))
    np.testing.assert_array_equal(state, np.arange(60).reshape(3, 20))
    assert (acceptance == 1.0).all()


def test_a_step_goes_to_its_own_proposal_or_stays():
    rng = np.random.default_rng(4)
    state, acceptance = independence_chains(2.0 * rng.normal(size=800), 4, rng)
    own = np.arange(800).reshape(4, 200)
    moved = state[:, 1:] != state[:, :-1]
    assert (state[:, 1:] == np.where(moved, own[:, 1:], state[:, :-1])).all()
    assert 0 < moved.mean() < 1
    assert ((acceptance > 0.0) & (acceptance <= 1.0)).all()
    # A chain starts in its first tenth.
    assert (state[:, 0] - own[:, 0] <= 20).all()


def test_what_cannot_be_is_left_and_not_taken():
    log_weight = np.zeros(40)
    log_weight[5:] = -np.inf
    state, acceptance = independence_chains(log_weight, 1, np.random.default_rng(5))
    assert state.max() < 5
    assert (acceptance[0, 5:] == 0.0).all()
    # All of the start is nothing beside what comes: it moves there.
    late = np.r_[np.full(30, -2000.0), np.zeros(10)]
    state, _ = independence_chains(late, 1, np.random.default_rng(5))
    assert (state[0, 30:] == np.arange(30, 40)).all()


def test_chains_share_no_proposals():
    rng = np.random.default_rng(6)
    state, _ = independence_chains(rng.normal(size=100), 4, rng)
    for chain, first in zip(state, range(0, 100, 25), strict=True):
        assert ((chain >= first) & (chain < first + 25)).all()
