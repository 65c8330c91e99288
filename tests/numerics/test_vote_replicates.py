"""Votes that are counted as they are drawn: of the same law as votes that are drawn one by one."""

import numpy as np
import pytest

from leaderbayes._numerics.vote_replicates import tally_again
from leaderbayes._numerics.votes import (
    Estimate,
    Votes,
    holders,
    maximum,
    pair_sums,
    vote_again,
    with_shared,
)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("several", [False, True])
def test_the_law_of_votes_drawn_one_by_one(order, several):
    rng = np.random.default_rng(1)
    m, n, judges = 4, 3000, 12
    i = rng.integers(0, m, n)
    j = (i + rng.integers(1, m, n)) % m
    judge, prompt = rng.integers(0, judges, n), rng.integers(0, 400, n)
    prompt[prompt > 200] = -1  # each a prompt of one vote
    count = rng.choice([1.0, 3.0], n) if several else np.ones(n)
    outcome = rng.choice([1.0, 0.5, 0.0], n, p=[0.5, 0.2, 0.3])
    votes = Votes(
        m, i.astype(np.int32), j.astype(np.int32), count * outcome, count, count * outcome**2,
        np.ones((n, order)),
    )  # fmt: skip
    found = maximum(votes)
    at = Estimate(np.array([0.8, 0.2, -0.3, -0.7]), 0.4 * np.ones(order), *found[2:])
    held = [holders(votes, each) for each in with_shared([judge, prompt])]
    tau2 = np.array([0.3, 0.5, 0.0])
    one = np.array([pair_sums(votes, vote_again(votes, at, held, tau2, rng)) for _ in range(400)])
    other = np.array([tally_again(votes, at, held, tau2, rng) for _ in range(400)])
    met = pair_sums(votes, votes.n)
    error = one.std(axis=0) / np.sqrt(200.0)
    assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) <= 4.5 * error + 1e-12).all()
    assert other.std() > 0.0
    spread = other.std(axis=0)[met > 0] / one.std(axis=0)[met > 0]
    assert spread == pytest.approx(np.ones(len(spread)), abs=0.2)
    assert (other <= met).all()
    # Votes of a judge go together in either: so do those of two pairs that share a player.
    apart = [np.corrcoef(each[:, 0, 1], each[:, 0, 2])[0, 1] for each in (one, other)]
    assert apart[0] == pytest.approx(apart[1], abs=0.2)
