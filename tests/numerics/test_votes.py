"""Votes: the estimate, how votes go together, and the matches that they are worth."""

import numpy as np
import pytest
from scipy.special import expit

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.bradley_terry import newton, probability
from leaderbayes._numerics.newton import inverse
from leaderbayes._numerics.votes import (
    Dependence,
    Estimate,
    Votes,
    alike,
    definite,
    dependence,
    effective,
    holders,
    maximum,
    misfit,
    pair_sums,
    shared,
    vote_again,
    with_shared,
)


def simulate(seed=0, players=6, size=800, judges=12, prompts=60, spread=0.7, effects=0):
    rng = np.random.default_rng(seed)
    strength, opinion = rng.normal(size=players), rng.normal(0.0, spread, (judges, players))
    first = rng.integers(0, players, size)
    second = (first + rng.integers(1, players, size)) % players
    judge, prompt = rng.integers(0, judges, size), rng.integers(0, prompts, size)
    effect = rng.normal(size=(size, effects))
    eta = strength[first] - strength[second] + opinion[judge, first] - opinion[judge, second]
    eta += effect @ np.full(effects, 0.3)
    outcome = (rng.random(size) < expit(eta)).astype(float)
    outcome[rng.random(size) < 0.1] = 0.5
    first, second = first.astype(np.int32), second.astype(np.int32)
    votes = Votes(players, first, second, outcome, np.ones(size), outcome**2, effect)
    return votes, judge, prompt


def design(votes):
    """Rows of what votes are a linear function of (vote, player + effect)."""
    eye = np.eye(votes.players)
    return np.column_stack([eye[votes.first] - eye[votes.second], votes.effect])


def test_groups_that_never_met_have_estimates_of_their_own():
    one, *_ = simulate(seed=1)
    other, *_ = simulate(seed=2)
    joined = [np.concatenate(columns) for columns in zip(one[1:], other[1:], strict=True)]
    for side in joined[:2]:
        side[len(one.first) :] += 6
    both = Votes(12, *joined)
    alone = np.concatenate([maximum(one).epp, maximum(other).epp])
    np.testing.assert_allclose(maximum(both).epp, alone, atol=1e-8)
    # With a penalty it is that which says how far apart they are: nothing is left to climb.
    at = maximum(both, 1.0)
    assert np.ptp(at.gradient + 0.5 - expit(at.epp)) < 1e-6


@pytest.mark.parametrize("order", [False, True])
def test_groups_of_few_votes_say_little_of_how_votes_go_together(order):
    """Beside a group of many votes: each judge makes much of the estimates of few."""
    many, judges, _ = simulate(seed=3, players=6, size=4000, judges=40, spread=0.6)
    groups, clusters = [many], [judges]
    for t in range(1, 9):
        few, own, _ = simulate(seed=20 + t, players=6, size=40, judges=40, spread=0.6)
        groups.append(few._replace(first=few.first + 6 * t, second=few.second + 6 * t))
        clusters.append(own)
    joined = [np.concatenate(columns) for columns in zip(*(g[1:] for g in groups), strict=True)]
    both, of = Votes(6 * len(groups), *joined), np.concatenate(clusters)
    if order:
        both = both._replace(effect=np.ones((len(of), 1)))
    alone = dependence(many, maximum(many), (judges,))
    beside = dependence(both, maximum(both, 1.0), (of,))
    np.testing.assert_allclose(beside.tau2, alone.tau2, rtol=0.05)
    np.testing.assert_allclose(beside.clusters, alone.clusters, rtol=0.15)


def test_estimate_is_that_of_matches_counted_by_pair():
    votes, *_ = simulate()
    at = maximum(votes)
    won = pair_sums(votes, votes.won)
    lost = pair_sums(votes, votes.n - votes.won)
    wins = won + lost.T
    epp, _, hessian = newton(wins.sum(axis=1), wins + wins.T)
    np.testing.assert_allclose(at.epp, epp, atol=1e-8)
    np.testing.assert_allclose(at.hessian, hessian, atol=1e-6)


@pytest.mark.parametrize("effects", [0, 2])
def test_gradient_vanishes_and_hessian_is_the_information(effects):
    votes, *_ = simulate(effects=effects)
    at, x = maximum(votes), design(votes)
    p = expit(x @ np.concatenate([at.epp, at.beta]))
    np.testing.assert_allclose(x.T @ (votes.won - p), 0.0, atol=1e-6)
    np.testing.assert_allclose(at.gradient, 0.0, atol=1e-6)
    np.testing.assert_allclose(at.hessian, (x * (p * (1 - p))[:, None]).T @ x, atol=1e-8)
    assert abs(at.epp.sum()) < 1e-10


def test_swapping_all_orders_turns_the_effect_of_order_round():
    votes, *_ = simulate()
    order = np.ones((len(votes.first), 1))
    at = maximum(votes._replace(effect=order))
    turned = votes._replace(
        first=votes.second, second=votes.first, won=votes.n - votes.won, effect=order
    )
    again = maximum(turned)
    np.testing.assert_allclose(again.epp, at.epp, atol=1e-8)
    np.testing.assert_allclose(again.beta, -at.beta, atol=1e-8)


def test_rows_that_are_alike_count_together():
    votes, *_ = simulate()
    order = votes._replace(effect=np.ones((len(votes.first), 1)))
    rows = alike(order)
    assert len(rows.first) == 30
    assert rows.n.sum() == 800
    np.testing.assert_allclose(maximum(rows).epp, maximum(order).epp, atol=1e-10)
    styled, *_ = simulate(effects=1)
    assert alike(styled) is styled


def test_an_undefeated_player_needs_a_penalty():
    votes, *_ = simulate()
    won = np.where(votes.first == 0, 1.0, np.where(votes.second == 0, 0.0, votes.won))
    with pytest.raises(NotConvergedError, match="LB002"):
        maximum(votes._replace(won=won))
    at = maximum(votes._replace(won=won), 1.0)
    assert np.argmax(at.epp) == 0
    assert at.gradient[0] > 0.1


def test_shared_numbers_what_two_clusterings_have_in_common():
    one, other = np.array([0, 0, 1, 1, 0]), np.array([2, 2, 2, 0, 1])
    both = shared(one, other)
    assert both[0] == both[1]
    assert len(set(both.tolist())) == 4


def brute_meat(votes, at, clusterings, tau2, unsure):
    """J of its definition, vote by vote: scores of two votes of a cluster covary by opinions."""
    x = design(votes)
    p = expit(x @ np.concatenate([at.epp, at.beta]))
    w = votes.n * p * (1.0 - p)
    of = x[:, : votes.players]
    alike_ = of @ of.T  # of two votes' differences of opinions
    meat = np.zeros((x.shape[1],) * 2)
    for group, variance, factor in zip(clusterings, tau2, unsure, strict=True):
        same = (group[:, None] == group) & ~np.eye(len(group), dtype=bool)
        meat += variance * factor * ((x * w[:, None]).T @ (same * alike_) @ (x * w[:, None]))
    return meat


@pytest.mark.parametrize("effects", [0, 1])
def test_meat_is_the_sum_over_pairs_of_votes(effects):
    votes, judge, prompt = simulate(size=300, effects=effects)
    at = maximum(votes)
    for groups in ((judge,), (judge, prompt)):
        found = dependence(votes, at, groups)
        every = groups if len(groups) == 1 else (*groups, shared(*groups))
        # Each clustering's own part, found by turning its factor alone.
        own = [brute_meat(votes, at, [g], [1.0], [1.0]) for g in every]
        rest = found.meat - found.phi * at.hessian
        scale = np.linalg.lstsq(
            np.column_stack([each.ravel() for each in own]), rest.ravel(), rcond=None
        )[0]
        fitted = sum(s * each for s, each in zip(scale, own, strict=True))
        np.testing.assert_allclose(fitted, rest, atol=1e-6 * abs(rest).max())
        # Few clusters make them wider, never narrower.
        assert (scale >= found.tau2 - 1e-6).all()


def test_no_clusters_leave_the_information():
    votes, *_ = simulate(size=20_000)
    at = maximum(votes)
    found = dependence(votes, at, ())
    p = expit(at.epp[votes.first] - at.epp[votes.second])
    np.testing.assert_allclose(found.meat, found.phi * at.hessian)
    expected = ((votes.won - p) ** 2).sum() / (p * (1 - p)).sum()
    decided = (np.count_nonzero(votes.won != 0.5) + 1.0) / 20_001.0
    assert found.phi == pytest.approx(max(expected, decided))
    assert found.phi < 1.0  # ties


@pytest.mark.parametrize(("count", "ties", "phi"), [(1, 0, 1.0), (30, 0, 1.0), (4, 4, 0.2)])
def test_decided_votes_count_once(count, ties, phi):
    """However far apart the votes at hand put two players: each varies as its probability says."""
    won = np.ones(count)
    won[:ties] = 0.5
    pair = np.zeros(count, np.int32), np.ones(count, np.int32)
    votes = Votes(2, *pair, won, np.ones(count), won**2, np.empty((count, 0)))
    found = dependence(votes, maximum(votes, 1.0), ())
    assert found.phi == pytest.approx(phi)


def test_votes_that_come_twice_are_worth_one():
    votes, *_ = simulate()
    votes = votes._replace(won=np.round(votes.won), square=np.round(votes.won))
    twice = Votes(6, *(np.concatenate([each, each]) for each in votes[1:6]), np.empty((1600, 0)))
    pairs = np.tile(np.arange(800), 2)
    at = maximum(twice)
    together = dependence(twice, at, (pairs,))
    once = inverse(maximum(votes).hessian, 6)
    wide = effective(twice, at, together).covariance
    ratio = np.trace(wide) / np.trace(once)
    # Residuals are as large as they come: known to a few percent of 800 pairs.
    assert 0.9 < ratio < 1.15


def test_the_order_of_votes_and_of_clusters_says_nothing():
    votes, judge, prompt = simulate()
    at = maximum(votes)
    found = dependence(votes, at, (judge, prompt))
    turn = np.random.default_rng(1).permutation(800)
    turned = Votes(6, *(each[turn] for each in votes[1:]))
    again = dependence(turned, maximum(turned), (prompt[turn], judge[turn]))
    np.testing.assert_allclose(again.meat, found.meat, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(again.tau2[[1, 0, 2]], found.tau2, atol=1e-6)


def test_rows_that_stand_for_several_votes_of_a_judge():
    votes, judge, _ = simulate()
    key = (judge * 6 + votes.first) * 6 + votes.second
    names, at = np.unique(key, return_inverse=True)
    rest, second = np.divmod(names, 6)
    own, first = np.divmod(rest, 6)
    n, won, square = (np.bincount(at, each) for each in (votes.n, votes.won, votes.square))
    rows = Votes(
        6, first.astype(np.int32), second.astype(np.int32), won, n, square,
        np.empty((len(n), 0)),
    )  # fmt: skip
    one = dependence(votes, maximum(votes), (judge,))
    other = dependence(rows, maximum(rows), (own,))
    np.testing.assert_allclose(other.meat, one.meat, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(other.tau2, one.tau2, rtol=1e-6)


@pytest.mark.parametrize("clustered", [False, True])
def test_effective_matches_have_the_estimate_and_its_covariance(clustered):
    votes, judge, _ = simulate(size=5000, judges=200)
    at = maximum(votes)
    together = dependence(votes, at, (judge,) if clustered else ())
    matched = effective(votes, at, together)
    epp, _, hessian = newton(matched.points, matched.n)
    np.testing.assert_allclose(epp, at.epp, atol=1e-6)
    np.testing.assert_allclose(inverse(hessian, 6), matched.covariance, rtol=1e-5, atol=1e-9)
    if not clustered:
        counted = pair_sums(votes, votes.n)
        np.testing.assert_allclose(matched.n * together.phi, counted + counted.T, rtol=1e-6)


def test_opinions_of_judges_make_a_graph_between_all_players():
    """V^+ is a Laplacian with weights that are not negative, also between those who never met."""
    votes, judge, _ = simulate(players=6, judges=5)
    ring = (votes.second - votes.first) % 6 == 1
    votes = Votes(6, *(each[ring] for each in votes[1:]))
    at = maximum(votes)
    meat = at.hessian + brute_meat(votes, at, [judge[ring]], [1.0], [1.0])
    met = effective(votes, at, Dependence(1.0, np.array([1.0]), np.array([5.0]), meat))
    laplacian = np.linalg.pinv(met.covariance, rcond=1e-10, hermitian=True)
    assert (laplacian - np.diag(np.diag(laplacian)) < 1e-3 * laplacian.max()).all()
    assert met.n[0, 3] > 0.0


def test_an_undefeated_player_stays_undefeated():
    votes, judge, _ = simulate()
    won = np.where(votes.first == 0, 1.0, np.where(votes.second == 0, 0.0, votes.won))
    votes = votes._replace(won=won, square=won**2)
    at = maximum(votes, 1.0)
    matched = effective(votes, at, dependence(votes, at, (judge,)))
    assert matched.points[0] == pytest.approx(matched.n[0].sum(), rel=0.01)


def test_opinions_are_found():
    """Variances of judges' and prompts' opinions, against what was put in."""
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        votes, judge, _ = simulate(seed, spread=0.0, size=4000, judges=40)
        at = maximum(votes)
        eta = at.epp[votes.first] - at.epp[votes.second]
        opinion = rng.normal(0.0, 0.5, (40, 6))
        eta = eta + opinion[judge, votes.first] - opinion[judge, votes.second]
        outcome = (rng.random(4000) < expit(eta)).astype(float)
        again = votes._replace(won=outcome, square=outcome)
        found.append(dependence(again, maximum(again), (judge,)).tau2[0])
    # Below 1/4: averages over opinions are less decided than opinions are.
    attenuated = 0.25 / (1.0 + 2.0 * 0.588**2 * 0.25)
    error = np.std(found, ddof=1) / np.sqrt(20)
    assert abs(np.mean(found) - attenuated) < 4.0 * error + 0.01


def test_votes_drawn_again_are_won_as_often_tie_as_often_and_vary_as_much():
    votes, judge, prompt = simulate(size=3000, judges=30)
    at = maximum(votes)
    together = dependence(votes, at, (judge, prompt))
    held = [holders(votes, each) for each in with_shared([judge, prompt])]
    rng = np.random.default_rng(3)
    drawn = np.stack([vote_again(votes, at, held, together.tau2, rng) for _ in range(300)])
    assert set(np.unique(drawn)) == {0.0, 0.5, 1.0}
    p = expit(at.epp[votes.first] - at.epp[votes.second])
    # Opinions are shared: the error of a mean is that of 30 judges.
    points = drawn @ design(votes)
    np.testing.assert_allclose(
        points.mean(axis=0), p @ design(votes), atol=5.0 * points.std(axis=0).max() / np.sqrt(300)
    )
    # Somewhat fewer tie: opinions tear players apart.
    assert (drawn == 0.5).mean() == pytest.approx((votes.won == 0.5).mean(), abs=0.02)
    spread = np.trace(np.cov(points.T)) / np.trace(together.meat)
    assert 0.8 < spread < 1.2


def test_misfit_is_pearsons_at_the_votes_own_estimate():
    votes, *_ = simulate(size=5000)
    at = maximum(votes)
    won, met = pair_sums(votes, votes.won), pair_sums(votes, votes.n)
    wins = won + (met - won).T
    n = met + met.T
    p = probability(at.epp)
    upper = np.triu_indices(6, 1)
    pearson = ((wins - n * p)[upper] ** 2 / (n * p * (1 - p))[upper]).sum()
    bread = inverse(at.hessian, 6)
    assert misfit(votes, at, bread, votes.won).sum() == pytest.approx(pearson, rel=1e-6)
    # From nearby it is nearly the same.
    near = Estimate(at.epp + np.linspace(-0.05, 0.05, 6), *at[1:])
    assert misfit(votes, near, bread, votes.won).sum() == pytest.approx(pearson, rel=0.1)


@pytest.mark.parametrize(("players", "seed"), [(2, 1), (3, 2), (3, 8)])
def test_two_judges_and_an_order_leave_j_a_covariance(players, seed):
    """Whoever asks: what two judges share cancels out in the order, and is never less than 0."""
    votes, judge, prompt = simulate(seed, players=players, size=300, judges=2)
    votes = votes._replace(effect=np.ones((300, 1)))
    at = maximum(votes)
    for clusterings in ((judge,), (judge, prompt)):
        found = dependence(votes, at, clusterings)
        assert np.linalg.eigvalsh(found.meat)[0] > -1e-9 * np.trace(found.meat)


def test_j_that_is_a_covariance_is_left_as_it_is():
    hessian = np.array([[2.0, -2.0], [-2.0, 2.0]])
    assert definite(more := 3.0 * hessian, hessian, 1.0) is more
    assert definite(less := 0.5 * hessian, hessian, 1.0) is less  # less than alone, but something
    np.testing.assert_allclose(definite(-hessian, hessian, 0.7), 0.7 * hessian)
    # What is more along one way stays, what is less than nothing along another goes.
    mixed = np.diag([4.0, -1.0])
    np.testing.assert_allclose(definite(mixed, np.eye(2), 1.0), np.diag([4.0, 1.0]))


@pytest.mark.parametrize("size", [1e4, 1e8])
def test_who_is_hardly_known_keeps_its_matches_beside_millions(size):
    """Nine votes of a new player, among ten others with as many as there may be."""
    first, second = np.triu_indices(10, 1)
    new = np.array([0, 5, 5, 9])
    first, second = np.append(first, np.full(4, 10)), np.append(second, new)
    n = np.append(np.full(45, size), [3.0, 2.0, 3.0, 1.0])
    won = np.append(np.round(0.55 * np.full(45, size)), [1.0, 2.0, 0.0, 1.0])
    votes = Votes(11, first, second, won, n, won, np.empty((len(n), 0)))
    at = maximum(votes)
    together = dependence(votes, at, ())
    found = effective(votes, at, together)
    own = n[-4:] / together.phi
    assert found.n[10, [0, 5, 9]] == pytest.approx([own[0], own[1] + own[2], own[3]], rel=1e-6)
    met = np.ones((11, 11), bool)
    met[10] = met[:, 10] = False
    met[10, [0, 5, 9]] = met[[0, 5, 9], 10] = True
    assert (found.n[~met] < 1e-6).all()
