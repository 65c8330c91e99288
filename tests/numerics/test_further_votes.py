"""What further votes say: of votes that are written down, and at both ends."""

import numpy as np
import pytest

from leaderbayes._numerics.further_votes import (
    information_after,
    now,
    posterior_after,
    prior_precision,
    root_of_gain,
)
from leaderbayes._numerics.vote_weights import together
from leaderbayes._numerics.votes import Votes, information_of, law_at, maximum
from numerics.test_vote_weights import simulate


@pytest.fixture(scope="module")
def made():
    votes, judge, prompt = simulate(1, size=1200, judges=9, prompts=100, players=5, ties=0.0)
    at = maximum(votes)
    groups = judge, prompt
    held = together(votes, law_at(votes, at), groups)
    return votes, at, held, groups, now(votes, at, held, groups)


def test_without_further_votes_it_is_the_weighted_information(made):
    votes, at, held, _, here = made
    weight = held.weight * votes.n * law_at(votes, at).variance
    for same in (True, False):
        for pairs in (None, np.array([[0, 1]])):
            found = information_after(here, 0.0, pairs, same=same)
            np.testing.assert_allclose(found, information_of(votes, weight), rtol=1e-9)


def test_as_many_again_by_others_double_it(made):
    here = made[-1]
    one, two = (information_after(here, k * here.total, None, same=False) for k in (0.0, 1.0))
    np.testing.assert_allclose(two, 2.0 * one)


def test_votes_doubled_by_the_same_judges(made):
    """As votes themselves say, that are written down twice, on new prompts."""
    votes, at, held, (judge, prompt), here = made
    twice = Votes(votes.players, *(np.concatenate([part, part]) for part in votes[1:]))
    groups = np.tile(judge, 2), np.concatenate([prompt, prompt + 100])
    law = law_at(twice, at)
    again = together(twice, law, groups)
    # The same opinions as before: twice the votes are no news of these.
    weight = 1.0 / (held.phi + (held.tau2 * held.wider) @ again.load)
    expected = information_of(twice, weight * twice.n * law.variance)
    found = information_after(here, here.total, None, same=True)
    np.testing.assert_allclose(found, expected, rtol=0.02)


def test_the_same_judges_leave_a_ceiling(made):
    here = made[-1]
    at = [np.trace(information_after(here, k * here.total, None, same=True)) for k in (0, 1e4, 1e7)]
    assert at[0] < at[1] < 10.0 * at[0]
    assert at[2] == pytest.approx(at[1], rel=0.01)
    pair = np.array([[1, 3]])
    few, many = (information_after(here, n, pair, same=True)[1, 1] for n in (1e7, 1e8))
    assert many == pytest.approx(few, rel=0.01)


def test_votes_on_a_pair_alone(made):
    """The sums over judges, by votes that are written down."""
    votes, at, held, (judge, prompt), here = made
    more = 2000
    who = np.random.default_rng(2).choice(judge, more)
    sides = (np.full(more, k, dtype=np.int32) for k in (1, 3))
    parts = [*sides, np.zeros(more), np.ones(more), np.zeros(more), np.empty((more, 0))]
    joined = Votes(
        votes.players, *(np.concatenate([a, b]) for a, b in zip(votes[1:], parts, strict=True))
    )
    law = law_at(joined, at)
    groups = np.append(judge, who), np.append(prompt, 100 + np.arange(more))
    again = together(joined, law, groups)
    weight = 1.0 / (held.phi + (held.tau2 * held.wider) @ again.load)
    expected = information_of(joined, weight * joined.n * law.variance)
    found = information_after(here, more, np.array([[1, 3]]), same=True)
    contrast = np.array([0.0, 1.0, 0.0, -1.0, 0.0])
    variances = [contrast @ np.linalg.pinv(each) @ contrast for each in (found, expected)]
    assert variances[0] == pytest.approx(variances[1], rel=0.25)


def test_priors_and_gains():
    rng = np.random.default_rng(3)
    root = rng.normal(size=(4, 6))
    root -= root.mean(axis=0)
    information = root @ root.T
    prior = 2.0 * (np.eye(4) - 0.25)
    after = posterior_after(prior, information)
    np.testing.assert_allclose(prior_precision(after, information), prior, atol=1e-8)
    before = posterior_after(prior, 0.5 * information)
    gain = root_of_gain(before, after)
    np.testing.assert_allclose(gain @ gain.T, before - after, atol=1e-10)
