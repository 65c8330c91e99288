"""Sufficient statistics and normalisers against enumeration of all matches."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from leaderbayes._numerics import pairs_by_round
from leaderbayes._numerics.pairs_by_round import log_normalisers, round_scores, round_statistics
from leaderbayes._numerics.places import places


def random_places(seed, within_round, *, players=9, rounds=5, levels=6, missing=0.2):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, levels, size=(rounds, players)).astype(float)
    scores[rng.random(scores.shape) < missing] = np.nan
    return places(scores, higher_is_better=True, within_round=within_round)


def enumerate_matches(place, within_round):
    rounds, players = np.nonzero(place)
    for (k, i), (n, j) in combinations(zip(rounds, players, strict=True), 2):
        if i != j and (k == n or not within_round):
            yield k, i, n, j


def log_likelihood(place, b, nu, *, within_round, ties):
    """Each match by itself, half of it to either of its rounds."""
    out = np.zeros(len(place))
    for k, i, n, j in enumerate_matches(place, within_round):
        total = np.log(np.exp(b[i]) + np.exp(b[j]) + np.exp(nu + (b[i] + b[j]) / 2))
        if place[k, i] != place[n, j]:
            match = (b[i] if place[k, i] < place[n, j] else b[j]) - total
        elif np.isfinite(nu):
            match = nu + (b[i] + b[j]) / 2 - total
        elif ties == "half":
            match = (b[i] + b[j]) / 2 - total
        else:
            continue
        out[k] += match / 2
        out[n] += match / 2
    return out


def evaluate(statistics, b, nu):
    tied = nu * statistics.tied if np.isfinite(nu) else 0.0
    out = (statistics.points * b).sum(axis=-1) + tied
    normaliser = log_normalisers(np.ravel(b), np.array([nu]), *statistics[5:])[statistics.set]
    np.add.at(out, statistics.round, -statistics.sign * normaliser)
    return out


CASES = [
    (True, "half", -np.inf),
    (True, "drop", -np.inf),
    (False, "half", -np.inf),
    (True, "half", 0.4),
    (False, "half", -1.0),
]


@pytest.mark.parametrize(("within_round", "ties", "nu"), CASES)
@pytest.mark.parametrize("spread", [0.1, 3.0])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_log_likelihood_and_scores_equal_enumeration(within_round, ties, nu, spread, missing):
    for seed in range(3):
        place = random_places(seed, within_round, missing=missing)
        b = np.random.default_rng(seed + 100).normal(size=place.shape[1]) * spread
        statistics = round_statistics(place, within_round=within_round, ties=ties)
        truth = log_likelihood(place, b, nu, within_round=within_round, ties=ties)
        np.testing.assert_allclose(evaluate(statistics, b, nu), truth, atol=1e-10, rtol=1e-10)
        slopes, by_nu = round_scores(b, nu, statistics)
        for k in range(len(place)):
            numeric = approx_fprime(b, lambda x, k=k, s=statistics: evaluate(s, x, nu)[k], 1e-6)
            np.testing.assert_allclose(slopes[k], numeric, atol=2e-4)
        if np.isfinite(nu):
            up, down = evaluate(statistics, b, nu + 1e-6), evaluate(statistics, b, nu - 1e-6)
            np.testing.assert_allclose(by_nu, (up - down) / 2e-6, atol=1e-4)


@pytest.mark.parametrize("ties", ["half", "drop"])
def test_several_tournaments_equal_each_by_itself(ties):
    place = random_places(11, True, rounds=7)
    tournament = np.array([0, 0, 1, 2, 1, 2, 0])
    strengths = np.random.default_rng(1).normal(size=(3, place.shape[1]))
    together = round_statistics(place, within_round=True, ties=ties, tournament=tournament)
    expected = np.empty(7)
    for t, b in enumerate(strengths):
        alone = round_statistics(place[tournament == t], within_round=True, ties=ties)
        expected[tournament == t] = evaluate(alone, b, -np.inf)
    np.testing.assert_allclose(evaluate(together, strengths[tournament], -np.inf), expected)


@pytest.mark.parametrize("scale", [1.0, 30.0, 300.0])
def test_normalisers_neither_overflow_nor_underflow(scale):
    b = np.random.default_rng(0).normal(size=40) * scale
    place = np.tile(np.arange(1, 41, dtype=np.int32), (2, 1))
    statistics = round_statistics(place, within_round=True, ties="half")
    truth = sum(np.logaddexp(x, y) for x, y in combinations(b, 2))
    np.testing.assert_allclose(
        log_normalisers(b, np.array([-np.inf]), *statistics[5:]), [truth], rtol=1e-12
    )


@pytest.mark.parametrize(("ties", "nu"), [("half", None), ("drop", None), ("half", 0.4)])
def test_log_likelihood_of_many_draws_holds_the_sets_of_some(ties, nu, monkeypatch):
    place, draws = random_places(4, True), 3 * pairs_by_round._DRAWS // 2
    statistics = round_statistics(place, within_round=True, ties=ties)
    epp = np.random.default_rng(5).normal(size=(draws, place.shape[1]))
    tables = []
    for name in ("_without_ties", "many_log_normalisers"):
        kernel = getattr(pairs_by_round, name)

        def kept(*args, kernel=kernel):
            tables.append(kernel(*args))
            return tables[-1]

        monkeypatch.setattr(pairs_by_round, name, kept)
    given = None if nu is None else np.full(draws, nu)
    found = pairs_by_round.round_log_likelihood(epp, statistics, given)
    truth = [evaluate(statistics, b, -np.inf if nu is None else nu) for b in epp]
    np.testing.assert_allclose(found, truth, atol=1e-10, rtol=1e-10)
    assert [len(table) for table in tables] == [pairs_by_round._DRAWS, pairs_by_round._DRAWS // 2]
