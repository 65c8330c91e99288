"""What small mistakes would get past all other tests: each test here has killed a mutant."""

import numpy as np
import pytest
from arviz_stats.base import array_stats
from scipy.stats import rankdata

import leaderbayes as lb
from leaderbayes._inference.diagnostics import diagnose
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.composite_weight import (
    board_weight,
    clustered_scores,
    exchangeable_weight,
    inverse_of_equal_players,
    largest_weight,
    meat,
    variance_of_midranks,
    weighted_counts,
)
from leaderbayes._numerics.pairs_by_round import round_statistics
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


@pytest.mark.parametrize("items", [96, 97, 300])
def test_ties_share_the_lowest_place_however_many_they_are(items):
    scores = np.random.default_rng(1).integers(0, 20, size=(2, items)).astype(float)
    for within_round in (True, False):
        rows = scores if within_round else scores.reshape(1, -1)
        found = places(scores, higher_is_better=True, within_round=within_round)
        expected = np.stack([rankdata(-row, "min") for row in rows]).reshape(scores.shape)
        np.testing.assert_array_equal(found, expected)


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


def test_three_rounds_already_say_something_of_the_weight():
    rng = np.random.default_rng(4)
    for rounds, differs in ((2, False), (3, True)):
        _, place = equal_players(rounds, 6, rng)
        weight = board_weight(place, within_round=True, ties="half")
        alike = np.allclose(weight, exchangeable_weight(place, within_round=True))
        assert alike != differs


def test_davidsons_matches_count_once_at_most():
    """Ties, which are halves elsewhere, may count for more there."""
    place = np.array([[1, 1], [1, 1], [1, 1], [1, 2], [2, 1], [1, 1], [1, 1], [1, 1]], np.int32)
    assert board_weight(place, within_round=True, ties="half").max() > 1.0
    weight = board_weight(place, within_round=True, ties="half", with_ties=True)
    assert (weight <= 1.0).all()


def test_a_board_of_nothing_but_ties_has_a_weight():
    """Davidson's parameter for ties has no estimate there."""
    place = np.ones((6, 4), np.int32)
    weight = board_weight(place, within_round=True, ties="half", with_ties=True)
    assert np.isfinite(weight).all()
    assert (weight > 0.0).all()


def test_a_fit_has_these_weights(scores):
    place = lb.matches(scores, pairs=False)["place"].transpose("round", "player").to_numpy()
    fitted = lb.fit(scores, draws=50, seed=1, progressbar=False)
    np.testing.assert_allclose(
        fitted["constant_data"]["weight"], board_weight(place, within_round=True, ties="half")
    )


def weight_by_hand(place, *, with_ties):
    """Weight of a board that has no estimate: at that with one pseudo-round."""
    equal, r = exchangeable_weight(place, within_round=True), len(place)
    wins, n, tied = weighted_counts(place, equal, within_round=True, ties="half")
    share = float(tied.sum() / n.sum())
    statistics = round_statistics(place, within_round=True, ties="half")
    epp, nu, hessian = newton(
        wins.sum(axis=1), n, float(tied.sum() / 2.0) if with_ties else None, pseudo_rounds=1.0
    )
    scores = equal[:, None] * clustered_scores(epp, nu, statistics, within_round=True)
    m, projection = place.shape[1], np.eye(len(hessian))
    projection[:m, :m] -= 1.0 / m  # strengths sum to zero
    bread = np.linalg.pinv(projection @ hessian @ projection, rcond=1e-10)
    found = np.trace(bread @ meat(scores)) / (m - 1 + with_ties)
    variance = variance_of_midranks(place, equal, within_round=True)
    alone = inverse_of_equal_players(variance, share, r, half=not with_ties)
    most = 1.0 if with_ties else largest_weight(share, r)
    return np.minimum(most, equal * (r + 4.0) / ((r - 1.0) * found + 5.0 * alone))


# The last never wins; and with ties the players are connected, but there is no upset.
NO_UPSET = [[1, 1, 3, 4, 5], [1, 2, 2, 4, 5], [1, 2, 3, 3, 5], [1, 2, 3, 4, 4], [1, 2, 3, 4, 5]]


@pytest.mark.parametrize(
    ("rows", "with_ties"),
    [
        ([[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4], [1, 2, 0, 3], [2, 3, 1, 4]], False),
        (NO_UPSET, True),
    ],
)
def test_a_board_without_an_estimate_has_its_weight_by_one_pseudo_round(rows, with_ties):
    place = np.array(rows, np.int32)
    weight = board_weight(place, within_round=True, ties="half", with_ties=with_ties)
    assert weight.max() < 1.0
    np.testing.assert_allclose(weight, weight_by_hand(place, with_ties=with_ties), rtol=1e-6)
