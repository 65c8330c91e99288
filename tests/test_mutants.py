"""What small mistakes would get past all other tests: each test here has killed a mutant."""

import numpy as np
from arviz_stats.base import array_stats

import leaderbayes as lb
from leaderbayes._numerics.composite_weight import board_weight, exchangeable_weight
from leaderbayes._numerics.diagnostics import diagnose
from leaderbayes._numerics.places import places


def test_min_ess_is_the_least_of_the_bulk_and_of_the_tails():
    """Of chains whose spread moves slowly, while their mean is drawn anew each time."""
    rng = np.random.default_rng(1)
    slow = np.cumsum(rng.normal(size=(4, 1000)), axis=1)
    slow = (slow - slow.mean(axis=1, keepdims=True)) / slow.std(axis=1, keepdims=True)
    values = rng.normal(size=(4, 1000)) * np.exp(1.5 * slow)
    bulk = float(array_stats.ess(values, chain_axis=0, draw_axis=1, method="bulk"))
    found = diagnose({"epp": values[..., None]})
    assert found["min_ess"] < 0.2 * bulk
    assert not found["converged"]


def equal_players(rounds, players, rng, *, levels=0, missing=0.0):
    """Places (round, player) of players that are equal."""
    scores = rng.normal(size=(rounds, players))
    scores = np.floor(scores * levels) if levels else scores
    scores[rng.random(scores.shape) < missing] = np.nan
    return scores, places(scores, higher_is_better=True, within_round=True)


def test_a_match_across_rounds_weighs_what_a_ranking_of_all_scores_says():
    """By simulation: independent matches' variance of a player's wins, over the wins' own."""
    rng = np.random.default_rng(3)
    scores, _ = equal_players(7, 5, rng, missing=0.4)
    here = ~np.isnan(scores)
    who, n = np.nonzero(here)[1], int(here.sum())
    other = who[:, None] != who
    drawn = rng.random((3000, n))
    beaten = ((drawn[:, :, None] > drawn[:, None, :]) & other).sum(axis=2)
    wins = np.stack([beaten[:, who == i].sum(axis=1) for i in range(5)], axis=1)
    matches = np.array([other[who == i].sum() for i in range(5)])
    place = places(scores, higher_is_better=True, within_round=False)
    weight = exchangeable_weight(place, within_round=False)
    np.testing.assert_allclose(weight, (matches / 4.0 / wins.var(axis=0)).mean(), rtol=0.05)


def test_a_fit_has_these_weights(scores):
    place = lb.matches(scores, pairs=False)["place"].transpose("round", "player").to_numpy()
    fitted = lb.fit(scores, draws=50, seed=1, progressbar=False)
    np.testing.assert_allclose(
        fitted["constant_data"]["weight"], board_weight(place, within_round=True, ties="half")
    )
