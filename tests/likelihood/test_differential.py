"""Estimates of random boards against fits written from the formulas, with nothing of ours.

A board is a list of outcomes here: ``(k, i, j, y)``, y = 1, 1/2 or 0 of player i's against player
j's score. An estimate exists where no direction of the parameters makes every outcome at least as
probable and one of them more so: a linear program says whether there is one.
"""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.special import logsumexp

import leaderbayes as lb
from conftest import board
from leaderbayes._numerics.bradley_terry import newton

SEEDS = range(200)
pytestmark = pytest.mark.filterwarnings("ignore:LB01[45]")


def random_scores(seed, *, ties=True):
    """Scores (player, round) of two to six players, some missing, many equal."""
    rng = np.random.default_rng(seed)
    m, r = rng.integers(2, 7), rng.integers(2, 11)
    values = rng.normal(scale=rng.choice([0.3, 1.0, 3.0]), size=(m, 1)) + rng.gumbel(size=(m, r))
    if ties:
        values = np.round(values / rng.choice([0.1, 0.5, 2.0]))
    gone = rng.random(values.shape) < rng.choice([0.0, 0.2, 0.4])
    # Every player and every round has a score.
    gone[np.arange(m), rng.integers(r, size=m)] = False
    gone[rng.integers(m, size=r), np.arange(r)] = False
    return np.where(gone, np.nan, values)


def outcomes(values, *, across=False):
    """(round, i, j, y) of all matches."""
    m, r = values.shape
    pairs = [(k, k) for k in range(r)]
    if across:
        pairs = [(k, h) for k in range(r) for h in range(r)]
    return [
        (k, i, j, 0.5 * (1.0 + np.sign(values[i, k] - values[j, h])))
        for i, j in combinations(range(m), 2)
        for k, h in pairs
        if not np.isnan(values[i, k] + values[j, h])
    ]


def counts(values, ties, *, across):
    """Wins (player, player) by the rule for ties."""
    m = len(values)
    wins = np.zeros((m, m))
    for _, i, j, y in outcomes(values, across=across):
        if ties != "drop" or y != 0.5:
            wins[i, j] += y
            wins[j, i] += 1.0 - y
    return np.floor(wins) if ties == "floor" else wins


def exists(directions):
    """Whether no direction d has rows @ d >= 0 for all rows and > 0 for one."""
    directions = np.asarray(directions, dtype=float)
    best = linprog(
        -directions.sum(axis=0), A_ub=-directions, b_ub=np.zeros(len(directions)), bounds=(-1, 1)
    )
    if -best.fun > 1e-7:
        return False
    # Nor one along which nothing changes, but that all strengths grow.
    return np.linalg.matrix_rank(directions) == directions.shape[1] - 1


def fit(negative, size, m):
    """Maximise from 0; the first m parameters sum to 0."""
    found = minimize(negative, np.zeros(size), jac=True, method="BFGS", options={"gtol": 1e-9})
    x = found.x
    x[:m] -= x[:m].mean()
    return x, -found.fun


def rows(m, i, j, more=0):
    """b_i - b_j over the parameters, of pairs i, j."""
    made = np.zeros((len(i), m + more))
    made[np.arange(len(i)), i] += 1.0
    made[np.arange(len(i)), j] -= 1.0
    return made


def strengths_only(b, gap, weight):
    """Bradley and Terry's log-likelihood of weighted wins, and its gradient, both negative."""
    odds = gap @ b
    return weight @ np.logaddexp(0.0, -odds), -(weight / (1.0 + np.exp(odds))) @ gap


@pytest.mark.parametrize(
    ("first", "ties", "across"),
    [(0, "half", False), (1, "drop", False), (2, "floor", False), (3, "half", True),
     (4, "drop", True)],
)  # fmt: skip
def test_bradley_terry(first, ties, across):
    made = {True: 0, False: 0}
    for seed in SEEDS[first::5]:
        values = random_scores(seed)
        wins = counts(values, ties, across=across)
        m = len(wins)
        winner, loser = np.nonzero(wins)
        gap = rows(m, winner, loser)
        known = len(gap) > 0 and exists(gap)
        made[known] += 1
        matches = lb.matches(board(values), within_round=not across, ties=ties)
        np.testing.assert_array_equal(matches["wins"], wins)
        if not known:
            with pytest.raises(lb.NotConvergedError):
                lb.likelihood.bradley_terry(matches, covariance="model")
            continue
        weight = wins[winner, loser]

        epp, loglik = fit(partial(strengths_only, gap=gap, weight=weight), m, m)
        ours = lb.likelihood.bradley_terry(matches, covariance="model")
        np.testing.assert_allclose(ours["epp"], epp, atol=1e-5)
        assert float(ours["loglik"]) == pytest.approx(loglik, abs=1e-8)
        p = 1.0 / (1.0 + np.exp(gap @ epp))
        information = (gap.T * weight * p * (1.0 - p)) @ gap
        np.testing.assert_allclose(ours["covariance"], np.linalg.pinv(information), rtol=1e-3)
    assert min(made.values()) > 10


def test_penalties():
    """Also on boards without an estimate; strengths sum to zero under pseudo-rounds too."""
    for seed in SEEDS[::10]:
        values = random_scores(seed)
        wins = counts(values, "half", across=False)
        m, (winner, loser) = len(wins), np.nonzero(wins)
        gap, weight = rows(m, winner, loser), wins[winner, loser]
        free = np.linalg.qr(np.column_stack([np.ones(m), np.eye(m)[:, 1:]]))[0][:, 1:]

        def pseudo(z, gap=gap, weight=weight, free=free):
            b = free @ z
            value, slope = strengths_only(b, gap, weight)
            slope = slope + 0.5 * np.tanh(b / 2.0)
            return value + (np.logaddexp(0.0, b) - b / 2.0).sum(), slope @ free

        def firth(z, gap=gap, weight=weight, free=free):
            b = free @ z
            half = 0.5 / np.cosh(gap @ b / 2.0) * np.sqrt(weight)
            spread = np.linalg.slogdet(
                (half[:, None] * (gap @ free)).T @ (half[:, None] * gap @ free)
            )
            return strengths_only(b, gap, weight)[0] - 0.5 * spread[1]

        matches = lb.matches(board(values))
        found = minimize(pseudo, np.zeros(m - 1), jac=True, options={"gtol": 1e-9})
        ours = lb.likelihood.bradley_terry(matches, covariance="model", pseudo_rounds=1.0)
        np.testing.assert_allclose(ours["epp"], free @ found.x, atol=1e-5)
        if np.linalg.matrix_rank(gap) == m - 1:
            found = minimize(firth, np.zeros(m - 1), options={"gtol": 1e-7})
            ours = lb.likelihood.bradley_terry(matches, covariance="model", firth=True)
            np.testing.assert_allclose(ours["epp"], free @ found.x, atol=1e-4)


def test_davidson():
    made = {True: 0, False: 0}
    for seed in SEEDS[::4]:
        values = random_scores(seed)
        m = len(values)
        _, i, j, y = np.array(outcomes(values)).reshape(-1, 4).T
        i, j = i.astype(int), j.astype(int)
        if not len(i):
            continue
        # Log-odds of: i wins, a tie, j wins, over (b, nu).
        one, other = rows(m, i, i, 1), rows(m, i, i, 1)
        one[np.arange(len(i)), i] = other[np.arange(len(i)), j] = 1.0
        tie = (one + other) / 2.0
        tie[:, m] = 1.0
        terms = np.stack([one, tie, other])
        happened = terms[(2 - 2 * y).astype(int), np.arange(len(y))]
        known = exists(np.concatenate([happened - term for term in terms]))
        made[known] += 1
        matches = lb.matches(board(values))
        points, n = matches["wins"].sum("opponent").to_numpy(), matches["n"].to_numpy()
        tied = float((y == 0.5).sum())
        if not known:
            with pytest.raises(lb.NotConvergedError):
                newton(points, n, tied)
            continue

        def negative(x, terms=terms, happened=happened):
            every = terms @ x
            total = logsumexp(every, axis=0)
            share = np.exp(every - total)
            slope = happened.sum(axis=0) - np.einsum("tk,tkp->p", share, terms)
            return float((total - happened @ x).sum()), -slope

        x, _ = fit(negative, m + 1, m)
        epp, nu, _ = newton(points, n, tied)
        np.testing.assert_allclose(epp, x[:m], atol=1e-5)
        assert nu == pytest.approx(x[m], abs=1e-5)
    assert min(made.values()) > 10


def test_plackett_luce_without_ties():
    made = {True: 0, False: 0}
    for seed in SEEDS[::5]:
        values = random_scores(seed, ties=False)
        m, r = values.shape
        # Stage by stage: who is chosen, of whom.
        stages = []
        for k in range(r):
            left = [int(i) for i in np.argsort(-values[:, k]) if not np.isnan(values[i, k])]
            stages += [left[at:] for at in range(len(left) - 1)]
        pairs = [(stage[0], i) for stage in stages for i in stage[1:]]
        known = exists(rows(m, *np.array(pairs).T)) if pairs else False
        made[known] += 1
        ranked = lb.matches(board(values), pairs=False)
        if not known:
            with pytest.raises(lb.NotConvergedError):
                lb.likelihood.plackett_luce(ranked)
            continue

        def negative(b, stages=stages):
            value, slope = 0.0, np.zeros(len(b))
            for stage in stages:
                share = np.exp(b[stage])
                value += np.log(share.sum()) - b[stage[0]]
                slope[stage] += share / share.sum()
                slope[stage[0]] -= 1.0
            return value, slope

        epp, loglik = fit(negative, m, m)
        ours = lb.likelihood.plackett_luce(ranked)
        np.testing.assert_allclose(ours["epp"], epp, atol=1e-5)
        assert float(ours["loglik"]) == pytest.approx(loglik, abs=1e-8)
    assert min(made.values()) > 10


def test_round_intercept():
    """By an even grid over u, which for such smooth integrands is exact: and by slopes alone."""
    u = np.linspace(-9.0, 9.0, 181)
    log_density = -0.5 * u**2 + np.log((u[1] - u[0]) / np.sqrt(2.0 * np.pi))
    made = 0
    for seed in SEEDS[:40]:
        values = random_scores(seed)
        m = len(values)
        if m < 3:
            continue
        try:
            ours = lb.likelihood.round_intercept(lb.matches(board(values)), n_quadrature=40)
        except lb.NotConvergedError:
            continue
        k, i, j, y = np.array(outcomes(values)).T
        k, gap = k.astype(int), rows(m, i.astype(int), j.astype(int))

        def negative(x, k=k, gap=gap, y=y, m=m):
            odds = (gap @ x[:m] + x[m])[:, None] + x[m + 1] * u
            match = y[:, None] * odds - np.logaddexp(0.0, odds)
            height = np.zeros((k.max() + 1, len(u)))
            np.add.at(height, k, match)
            height += log_density
            total = logsumexp(height, axis=1)
            share = np.exp(height - total[:, None])[k]
            rest = y[:, None] - 1.0 / (1.0 + np.exp(-odds))
            slope = np.append(
                ((share * rest).sum(axis=1)) @ gap, [(share * rest).sum(), (share * rest * u).sum()]
            )
            return -total.sum(), -slope

        start = np.append(ours["epp"], [float(ours["intercept"]), float(ours["sd_round"])])
        value, slope = negative(start)
        assert float(ours["loglik"]) == pytest.approx(-value, abs=1e-6)
        np.testing.assert_allclose(slope, 0.0, atol=1e-4)
        x = np.append(np.zeros(m + 1), 0.7)
        best = minimize(negative, x, jac=True, method="BFGS", options={"gtol": 1e-7})
        assert -best.fun <= float(ours["loglik"]) + 1e-6
        assert ours["sd_round"] >= 0.0
        made += 1
    assert made > 10
