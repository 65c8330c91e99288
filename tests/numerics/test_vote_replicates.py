"""Votes drawn again: as often won, tied, and as spread as opinions make them."""

import numpy as np
import pytest
from scipy.special import expit

from leaderbayes._numerics.bradley_terry import law_of
from leaderbayes._numerics.vote_replicates import Again
from leaderbayes._numerics.votes import counted, maximum
from numerics.test_vote_weights import simulate

DRAWS = 3000


def drawn(votes, rows, judge, tau2, **options):
    at = maximum(votes)
    eta = at.epp[rows.first] - at.epp[rows.second]
    again = Again(rows, votes, (judge,), np.array([tau2]))
    return eta, *again.draw(np.tile(eta[:, None], DRAWS), np.random.default_rng(1), **options)


@pytest.mark.parametrize("together", [False, True])
def test_spread_of_points(together):
    """Votes by themselves, or counted by pair: sums by player vary as opinions and chance say."""
    votes, judge, _ = simulate(size=800, judges=8)
    rows = counted(votes) if together else votes
    eta, won, _ = drawn(votes, rows, judge, 0.2)
    x = np.eye(6)[rows.first] - np.eye(6)[rows.second]
    sums = x.T @ (won - rows.n[:, None] * expit(eta)[:, None])
    w = expit(eta) * expit(-eta)
    own = (x * (rows.n * w)[:, None]).T @ x
    single = np.eye(6)[votes.first] - np.eye(6)[votes.second]
    v = law_of(maximum(votes).epp[votes.first] - maximum(votes).epp[votes.second]).variance
    alike = np.zeros((6, 6))
    for g in range(8):
        each = (single[judge == g] * v[judge == g, None]).T @ single[judge == g]
        alike += each @ each
    square = (single * v[:, None] ** 2).T @ single
    expected = np.diag(own + 0.2 * (alike - 2.0 * square))
    np.testing.assert_allclose(sums.var(axis=1), expected, rtol=0.15)
    # Opinions make averages a little less decided.
    assert abs(sums.mean(axis=1)).max() < 0.05 * votes.n.sum() / 6


def test_without_opinions_votes_are_independent_and_tie_as_often():
    votes, judge, _ = simulate(size=500, ties=0.3)
    rows = counted(votes)
    eta, won, tied = drawn(votes, rows, judge, 0.0, phi=0.7)
    law = law_of(eta)
    np.testing.assert_allclose(
        won.mean(axis=1), rows.n * law.mean, atol=5.0 * np.sqrt(rows.n.max() / DRAWS)
    )
    share = np.minimum(4.0 * 0.3 * law.variance, 2.0 * np.minimum(law.mean, 1.0 - law.mean))
    assert tied.sum() == pytest.approx(DRAWS * (rows.n * share).sum(), rel=0.02)
    variance = rows.n * (law.variance - 0.25 * share)
    np.testing.assert_allclose(won.var(axis=1).sum(), variance.sum(), rtol=0.03)
    _, _, modelled = drawn(votes, rows, judge, 0.0, nu=np.full(DRAWS, -0.5))
    assert modelled.sum() == pytest.approx(DRAWS * (rows.n * law_of(eta, -0.5).tie).sum(), rel=0.02)


def test_single_votes_are_won_lost_or_tied():
    votes, judge, _ = simulate(size=100)
    _, won, tied = drawn(votes, votes, judge, 0.5, phi=0.8)
    assert set(np.unique(won)) == {0.0, 0.5, 1.0}
    np.testing.assert_array_equal(won == 0.5, tied == 1.0)


def test_rows_of_votes_with_covariates_stay_apart():
    votes, judge, _ = simulate(size=200)
    styled = votes._replace(effect=np.random.default_rng(0).normal(size=(200, 1)))
    again = Again(counted(styled), styled, (judge,), np.array([0.3]))
    won, _ = again.draw(np.zeros((200, 2)), np.random.default_rng(0))
    assert won.shape == (200, 2)
