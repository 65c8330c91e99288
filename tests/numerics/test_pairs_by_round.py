"""Likelihoods by round against enumeration of all matches."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from leaderbayes._numerics.pairs_by_round import (
    round_log_likelihood,
    round_scores,
    round_statistics,
)
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
    given = np.array([nu]) if np.isfinite(nu) else None
    return round_log_likelihood(b[None], statistics, given)[0]


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


@pytest.mark.parametrize("scale", [1.0, 30.0, 300.0])
def test_normalisers_neither_overflow_nor_underflow(scale):
    b = np.random.default_rng(0).normal(size=40) * scale
    place = np.tile(np.arange(1, 41, dtype=np.int32), (2, 1))
    statistics = round_statistics(place, within_round=True, ties="half")
    truth = np.arange(39.0, -1.0, -1.0) @ b - sum(np.logaddexp(x, y) for x, y in combinations(b, 2))
    np.testing.assert_allclose(evaluate(statistics, b, -np.inf), truth, rtol=1e-12)


def test_many_draws_are_each_by_itself():
    statistics = round_statistics(random_places(4, True), within_round=True, ties="drop")
    epp = np.random.default_rng(5).normal(size=(30, 9))
    found = round_log_likelihood(epp, statistics)
    np.testing.assert_allclose(found, [evaluate(statistics, b, -np.inf) for b in epp], rtol=1e-12)
