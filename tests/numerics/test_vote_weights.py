"""How votes go together: the moments by brute force, what they find, and what weights do."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm, t

from leaderbayes._numerics.vote_weights import opinion_products, pair_worth, together, with_shared
from leaderbayes._numerics.votes import Votes, law_at, maximum, regressors


def simulate(seed=0, players=6, size=600, judges=12, prompts=60, spread=0.7, ties=0.1):
    rng = np.random.default_rng(seed)
    strength, opinion = rng.normal(size=players), rng.normal(0.0, spread, (judges, players))
    first = rng.integers(0, players, size)
    second = (first + rng.integers(1, players, size)) % players
    judge, prompt = rng.integers(0, judges, size), rng.integers(0, prompts, size)
    eta = strength[first] - strength[second] + opinion[judge, first] - opinion[judge, second]
    outcome = (rng.random(size) < expit(eta)).astype(float)
    outcome[rng.random(size) < ties] = 0.5
    return votes_of(first, second, outcome, players), judge, prompt


def votes_of(first, second, outcome, players):
    sides = first.astype(np.int32), second.astype(np.int32)
    tied = 4.0 * outcome * (1.0 - outcome)
    none = np.empty((len(first), 0))
    return Votes(players, *sides, outcome, np.ones(len(first)), tied, none)


def found(votes, *clusterings, **options):
    return together(votes, law_at(votes, maximum(votes, 1.0)), clusterings, **options)


def by_definition(votes, clusterings):
    """Variances of opinions, and weights, with sums over all pairs of votes."""
    law = law_at(votes, maximum(votes, 1.0))
    m, count, w = votes.players, len(votes.n), law.variance
    residual = votes.won - law.mean
    own = residual**2
    decided = (np.count_nonzero(votes.tied == 0.0) + 1.0) / (count + 1.0)
    phi = max(own.sum() / w.sum(), decided)
    x = np.eye(m)[votes.first] - np.eye(m)[votes.second]
    known = (w[:, None] * abs(x)).sum(axis=0)
    others = ~np.eye(count, dtype=bool)
    every = list(clusterings)
    if len(every) == 2:
        every.append(np.unique(np.stack(every), axis=1, return_inverse=True)[1])
    size, likeness, part, load = [], [], [], []
    for group in every:
        same = (group[:, None] == group) & others
        products = (x / known) @ x.T  # of scores, by the errors of players
        likeness.append((same * products * np.outer(residual, residual)).sum())
        size.append((same * products * (x @ x.T) * np.outer(w, w)).sum())
        held = np.array(
            [(w[group == g, None] * abs(x[group == g])).sum(axis=0) for g in set(group)]
        )
        share = held / known
        part.append((share**2).sum() / m)
        likeness[-1] += phi * m * part[-1]
        mine = share[[sorted(set(group)).index(g) for g in group]]
        ends = [mine[np.arange(count), side] - w / known[side] for side in votes[1:3]]
        each = 1.0 / known[votes.first] + 1.0 / known[votes.second]
        load.append(2.0 * np.maximum(np.max(ends, axis=0), 0.0) / each)
    likeness = np.array(likeness) / (1.0 - np.minimum(part, 0.5))
    df = np.maximum(0.5 * (1.0 / np.array(part) - 1.0) * (m - 1.0), 1.0)
    wider = (t.ppf(0.975, df) / norm.ppf(0.975)) ** 2
    return np.array(size), likeness, wider, np.array(load), phi


def test_one_clustering_by_definition():
    votes, judge, _ = simulate(size=200)
    size, likeness, wider, load, phi = by_definition(votes, [judge])
    here = found(votes, judge)
    np.testing.assert_allclose(here.tau2, likeness / size, rtol=1e-9)
    np.testing.assert_allclose(here.wider, wider, rtol=1e-3)
    np.testing.assert_allclose(here.load, load, atol=1e-12)
    assert here.phi == pytest.approx(phi)
    np.testing.assert_allclose(here.weight, 1.0 / (phi + here.tau2[0] * here.wider[0] * load[0]))


def test_two_clusterings_and_what_they_share_by_definition():
    votes, judge, prompt = simulate(size=250, judges=5, prompts=8)
    size, likeness, _, load, _ = by_definition(votes, [judge, prompt])
    here = found(votes, judge, prompt)
    np.testing.assert_allclose(here.load, load, atol=1e-12)
    system = np.diag(size)
    system[2, :2] = system[:2, 2] = system[0, 1] = system[1, 0] = size[2]
    # Where none is held at 0 they solve the system; else residuals are of the right sign.
    slack = likeness - system @ here.tau2
    np.testing.assert_allclose(slack[here.tau2 > 0.0], 0.0, atol=0.05 * likeness[0])
    assert here.tau2[0] > 0.1


def test_products_of_opinions_by_definition():
    votes, judge, _ = simulate(size=200)
    w, x = law_at(votes, maximum(votes, 1.0)).variance, regressors(votes).toarray()
    same = (judge[:, None] == judge) & ~np.eye(200, dtype=bool)
    weighted = x * w[:, None]
    expected = weighted.T @ (same * (x @ x.T)) @ weighted
    np.testing.assert_allclose(
        opinion_products(votes, regressors(votes), w, judge), expected, atol=1e-9
    )


@pytest.mark.parametrize("seed", range(3))
def test_opinions_are_found(seed):
    """Below 1/4: averages over opinions are less decided than opinions are."""
    every = [
        found(votes, judge).tau2[0]
        for votes, judge, _ in (
            simulate(100 * seed + k, size=4000, judges=40, spread=0.5, ties=0.0) for k in range(8)
        )
    ]
    attenuated = 0.25 / (1.0 + 2.0 * 0.588**2 * 0.25)
    error = np.std(every, ddof=1) / np.sqrt(8)
    assert abs(np.mean(every) - attenuated) < 4.0 * error + 0.01


def test_independent_votes_count_once_and_ties_more():
    votes, *_ = simulate(size=20_000, spread=0.0, ties=0.3)
    here = found(votes)
    assert here.weight.min() == here.weight.max() == pytest.approx(1.0 / here.phi)
    assert 1.3 < here.weight[0] < 1.5
    assert found(votes, ties_modelled=True).weight[0] == 1.0


@pytest.mark.parametrize(("count", "ties", "phi"), [(1, 0, 1.0), (30, 0, 1.0), (4, 4, 0.2)])
def test_decided_votes_count_once(count, ties, phi):
    """However far apart the votes at hand put two players: each varies as its probability says."""
    won = np.ones(count)
    won[:ties] = 0.5
    pair = np.zeros(count, np.int32), np.ones(count, np.int32)
    assert found(votes_of(*pair, won, 2)).phi == pytest.approx(phi)


def test_a_vote_written_down_many_times_counts_about_once():
    """Copies of a prompt's only vote say nothing new, of pairs that many prompts are about."""
    votes, *_ = simulate(size=400, spread=0.0, ties=0.0)
    copies = Votes(6, *(np.repeat(each, 5) for each in votes[1:6]), np.empty((2000, 0)))
    here = found(copies, np.repeat(np.arange(400), 5))
    assert 0.15 < here.weight.mean() < 0.4


def test_votes_of_a_judge_count_the_less_the_more_there_are():
    votes, judge, _ = simulate(size=3000, judges=20)
    busy = np.where(np.arange(3000) < 1500, 0, judge)
    weight = found(votes, busy).weight
    assert weight[busy == 0].mean() < 0.5 * weight[busy != 0].mean()


def test_the_order_of_votes_of_clusters_and_of_sides_makes_no_difference():
    votes, judge, prompt = simulate()
    here = found(votes, judge, prompt)
    turn = np.random.default_rng(1).permutation(600)
    turned = Votes(6, *(each[turn] for each in votes[1:]))
    turned = turned._replace(
        first=turned.second, second=turned.first, won=turned.n - turned.won
    )  # fmt: skip
    again = found(turned, prompt[turn], 5 * judge[turn] + 3)
    np.testing.assert_allclose(again.weight, here.weight[turn], rtol=1e-8)
    np.testing.assert_allclose(again.tau2[[1, 0, 2]], here.tau2, atol=1e-9)


def test_rows_that_stand_for_several_votes_of_a_judge():
    votes, judge, _ = simulate(size=2000)
    keys = np.stack([judge, votes.first, votes.second, (2.0 * votes.won).astype(int)])
    kinds, at = np.unique(keys, axis=1, return_inverse=True)
    n, won, tied = (np.bincount(at, each) for each in (votes.n, votes.won, votes.tied))
    sides = kinds[1].astype(np.int32), kinds[2].astype(np.int32)
    rows = Votes(6, *sides, won, n, tied, np.empty((len(n), 0)))
    one, other = found(votes, judge), found(rows, kinds[0])
    np.testing.assert_allclose(other.tau2, one.tau2, rtol=1e-9)
    np.testing.assert_allclose(other.weight[at], one.weight, rtol=1e-9)
    worth = [
        pair_worth(each, np.zeros(6), (group,), one.tau2)
        for each, group in ((votes, judge), (rows, kinds[0]))
    ]
    np.testing.assert_allclose(*worth)


def test_a_cluster_of_one_vote_is_none():
    votes, judge, _ = simulate()
    alone = np.arange(600)
    one, other, both = with_shared(votes, (judge, alone))
    assert (other == -1).all()
    assert (both == -1).all()
    np.testing.assert_array_equal(one, judge)
    np.testing.assert_allclose(found(votes, alone).weight, found(votes).weight)
    # Also where nobody can tell these votes apart.
    np.testing.assert_allclose(found(votes, np.full(600, -1)).weight, found(votes).weight)


def test_worth_of_a_pair_by_definition():
    votes, judge, _ = simulate(size=200, players=3, judges=4)
    epp = np.array([0.3, 0.0, -0.3])
    worth = pair_worth(votes, epp, (judge,), np.array([0.4]))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        mine = judge[(np.minimum(*votes[1:3]) == i) & (np.maximum(*votes[1:3]) == j)]
        p = expit(epp[i] - epp[j])
        pairs = (np.bincount(mine) ** 2).sum() - len(mine)
        excess = 2.0 * 0.4 * pairs * (p * (1.0 - p)) ** 2 / (len(mine) * p * (1.0 - p))
        assert worth[i, j] == worth[j, i] == pytest.approx(1.0 / (1.0 + excess))
    assert (np.diag(worth) == 1.0).all()
