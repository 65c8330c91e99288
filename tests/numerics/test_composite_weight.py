"""The composite weight: of equal players, of a board, and by its definition."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import rankdata

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.composite_weight import (
    board_weight,
    clustered_scores,
    exchangeable_weight,
    inverse_of_equal_players,
    inverse_weight,
    meat,
    variance_of_midranks,
    weighted_counts,
)
from leaderbayes._numerics.pairs_by_round import round_statistics
from leaderbayes._numerics.places import count, draw_places


def inverse(place, weight, *, within_round=True, pseudo_rounds=0.0, with_ties=False, ties="half"):
    """tr(H^+ J) / d of a board at these weights (round,)."""
    wins, n, tied = weighted_counts(place, weight, within_round=within_round, ties=ties)
    statistics = round_statistics(place, within_round=within_round, ties=ties)
    return inverse_weight(
        wins, n, tied if with_ties else None, statistics, weight,
        within_round=within_round, pseudo_rounds=pseudo_rounds,
    )  # fmt: skip


def shrunk(value, rounds, equal=1.0):
    """Factor on the weights of equal players, drawn by five rounds to that of those who so tie."""
    return (rounds - 1 + 5) / ((rounds - 1) * value + 5 * equal)


def test_meat_is_the_covariance_of_rounds_times_their_number():
    scores = np.random.default_rng(0).normal(size=(9, 4)) + 3.0
    np.testing.assert_allclose(meat(scores), 9 * np.cov(scores.T, ddof=1))


def test_counts_are_those_of_rounds_by_their_weight():
    rng = np.random.default_rng(8)
    place = draw_places(np.zeros(4), rng.random((6, 4)) < 0.8, rng, tie=0.0)
    weight = np.array([0.5, 0.5, 0.2, 1.0, 0.7, 0.2])
    for ties in ("half", "drop"):
        expected = [
            sum(w * c for w, c in zip(weight, each, strict=True))
            for each in zip(
                *(count(row[None], within_round=True, ties=ties) for row in place), strict=True
            )
        ]
        np.testing.assert_allclose(
            weighted_counts(place, weight, within_round=True, ties=ties), expected
        )
    pooled = draw_places(np.zeros(4), np.ones((6, 4), bool), rng, within_round=False)
    across = weighted_counts(pooled, np.full(6, 0.3), within_round=False, ties="half")
    once = np.stack(count(pooled, within_round=False, ties="half"))
    np.testing.assert_allclose(across, 0.3 * once)


def test_two_rounds_have_the_weights_of_equal_players():
    place = np.array([[1, 2, 3], [2, 1, 0]], np.int32)
    found = board_weight(place, within_round=True, ties="half")
    np.testing.assert_allclose(found, [3.0 / 4.0, 1.0])
    np.testing.assert_array_equal(found, exchangeable_weight(place, within_round=True))


def test_three_rounds_tell_how_rounds_differ():
    same = np.tile(np.array([1, 2, 3, 4, 5], np.int32), (3, 1))
    for place, more in ((same, True), (same[:2], False)):
        found = board_weight(place, within_round=True, ties="half")
        assert ((found > exchangeable_weight(place, within_round=True)) == more).all()


def test_rounds_have_weights_by_how_many_play():
    """Up to a factor that is the board's, and 1 of none."""
    rng = np.random.default_rng(9)
    present = np.ones((40, 8), bool)
    present[:20, 5:] = False
    place = draw_places(np.linspace(-1.0, 1.0, 8), present, rng)
    found = board_weight(place, within_round=True, ties="half")
    equal = exchangeable_weight(place, within_round=True)
    np.testing.assert_allclose(equal, np.repeat([3.0 / 6.0, 3.0 / 9.0], 20))
    np.testing.assert_allclose(found / equal, shrunk(inverse(place, equal), 40))


@pytest.mark.parametrize("rounds", [4, 30])
def test_a_board_without_an_estimate_has_the_weight_of_one_with_a_pseudo_round(rounds):
    place = np.tile(np.array([[1, 2, 3], [1, 3, 2]], np.int32), (rounds // 2, 1))
    equal = np.full(rounds, 3.0 / 4.0)
    expected = shrunk(inverse(place, equal, pseudo_rounds=1.0), rounds) * equal
    np.testing.assert_allclose(
        board_weight(place, within_round=True, ties="half"), np.minimum(1.0, expected)
    )


def test_rounds_that_are_all_the_same_count_once_at_most():
    """Of no variation the estimate alone would be without a bound."""
    place = np.tile(np.array([1, 2, 3, 4], np.int32), (50, 1))
    assert (board_weight(place, within_round=True, ties="half") == 1.0).all()
    # Ties that are halves lift the bound, and those with a parameter of their own do not.
    tied = np.tile(np.array([1, 1, 3, 4], np.int32), (50, 1))
    half, own = (
        board_weight(tied, within_round=True, ties="half", with_ties=with_ties)
        for with_ties in (False, True)
    )
    assert (half > 1.1).all()
    assert (own == 1.0).all()


def test_ties_that_are_halves_may_count_more():
    """Up to one over the share of matches that are decided, of one more round than were played."""
    rng, rounds = np.random.default_rng(11), 60
    place = draw_places(np.zeros(2), np.ones((rounds, 2), bool), rng, tie=2.0)
    share = (place[:, 0] == place[:, 1]).mean()
    most = (rounds + 1.0) / (rounds * (1.0 - share) + 1.0)
    equal = np.ones(rounds)
    # Two equal players' wins vary as the share that is decided.
    expected = min(most, shrunk(inverse(place, equal), rounds, 1.0 / most))
    np.testing.assert_allclose(board_weight(place, within_round=True, ties="half"), expected)
    assert 1.5 < expected
    # Davidson's model has a parameter for them, and no more than one match a match.
    both = shrunk(inverse(place, equal, with_ties=True), rounds)
    found = board_weight(place, within_round=True, ties="half", with_ties=True)
    np.testing.assert_allclose(found, min(1.0, both))
    # All tied: no weight is without a bound.
    tied = board_weight(np.ones((60, 2), np.int32), within_round=True, ties="half")
    assert (tied <= 61.0).all()
    own = board_weight(np.ones((60, 2), np.int32), within_round=True, ties="half", with_ties=True)
    assert (own <= 1.0).all()
    # Dropped, ties are no matches.
    assert (board_weight(place, within_round=True, ties="drop") <= 1.0).all()


def test_without_an_upset_a_pseudo_round_makes_davidsons_estimate():
    """Whoever is better wins or ties, so that all are connected and nu grows without a bound."""
    ranks = ["1234", "1233", "1224", "1133", "1234", "1224", "1224"]
    place = np.array([[int(rank) for rank in row] for row in ranks], dtype=np.int32)
    equal = exchangeable_weight(place, within_round=True)
    with pytest.raises(NotConvergedError):
        inverse(place, equal, with_ties=True)
    _, n, tied = weighted_counts(place, equal, within_round=True, ties="half")
    variance = variance_of_midranks(place, equal, within_round=True)
    of_equal = inverse_of_equal_players(variance, tied.sum() / n.sum(), 7, half=False)
    factor = shrunk(inverse(place, equal, with_ties=True, pseudo_rounds=1.0), 7, of_equal)
    found = board_weight(place, within_round=True, ties="half", with_ties=True)
    np.testing.assert_allclose(found, factor * equal)
    assert (found < 1.0).all()


@pytest.mark.parametrize("players", [4, 10, 20])
def test_weight_of_equal_players(players):
    """3 / (m + 1) is theirs: nothing is left to divide by, on average over boards."""
    rng = np.random.default_rng(2)
    factors = []
    for _ in range(40):
        place = draw_places(np.zeros(players), np.ones((100, players), bool), rng)
        equal = exchangeable_weight(place, within_round=True)
        assert (equal == 3 / (players + 1)).all()
        factors.append(inverse(place, equal))
    # The estimate's own bias is of the order of 1 / rounds.
    error = np.std(factors) / np.sqrt(len(factors))
    assert abs(np.mean(factors) - 1.0) < 4.0 * error + 2.0 / 100


@pytest.mark.parametrize("row", [[1, 2, 3, 4, 5], [1, 1, 3, 4, 4], [1, 1, 1, 1, 5], [1] * 5])
def test_midranks_vary_less_than_ranks(row):
    """By the formula, against all orders of these places; the absent are none of them."""
    midranks = np.array(list(permutations(rankdata(row))))
    place = np.array([[*row, 0]], np.int32)
    found = variance_of_midranks(place, np.array([0.5]), within_round=True)
    assert found == pytest.approx(midranks[:, 0].var() / ((5**2 - 1) / 12))


def test_midranks_of_rounds_count_by_their_weighted_matches():
    place = np.array([[1, 1, 0, 0], [1, 2, 3, 4], [1, 2, 2, 0], [1, 0, 0, 0]], np.int32)
    weight = exchangeable_weight(place, within_round=True)
    # Of two that tie 0, of four apart 1, of three with two alike 3/4.
    expected = (1 * 0 + 0.6 * 6 + 0.75 * 3 * 0.75) / (1 + 0.6 * 6 + 0.75 * 3)
    assert variance_of_midranks(place, weight, within_round=True) == pytest.approx(expected)
    # Across rounds all scores are one ranking.
    pooled = np.array([[1, 2], [2, 4]], np.int32)
    found = variance_of_midranks(pooled, np.full(2, 0.3), within_round=False)
    assert found == pytest.approx(1 - 6 / 60)


@pytest.mark.parametrize("ties", ["half", "drop"])
@pytest.mark.parametrize(
    "players", [2, 5, *(pytest.param(m, marks=pytest.mark.slow) for m in (3, 20))]
)
def test_weight_of_equal_players_that_tie(players, ties):
    """What tr(H^+ J) / d is on average over boards: wins' variance over what matches expect."""
    rng, rounds = np.random.default_rng(13), 100
    differences = []
    for _ in range(60):
        place = draw_places(np.zeros(players), np.ones((rounds, players), bool), rng, tie=0.5)
        equal = exchangeable_weight(place, within_round=True)
        variance = variance_of_midranks(place, equal, within_round=True)
        _, n, tied = weighted_counts(place, equal, within_round=True, ties="half")
        share = tied.sum() / n.sum()
        expected = inverse_of_equal_players(variance, share, rounds, half=ties == "half")
        # So far from 1 that the formula without ties fails.
        assert abs(expected - 1.0) > (0.2 if ties == "half" else 0.08) or players == 2
        differences.append(inverse(place, equal, ties=ties) - expected)
    # The estimate's own bias, and that of the round that is added, is of the order of 1 / rounds.
    error = np.std(differences) / np.sqrt(len(differences))
    assert abs(np.mean(differences)) < 4.0 * error + 2.0 / rounds


def test_few_rounds_have_the_weights_of_equal_players_that_tie():
    place = np.array([[1, 1, 3], [1, 2, 3]], np.int32)
    equal = np.full(2, 0.75)
    # Midranks vary 3/4 and 1 times as much as ranks, one match of six ties; and a round of none.
    half = board_weight(place, within_round=True, ties="half")
    np.testing.assert_allclose(half, equal / ((2 * 7 / 8 + 1) / 3))
    drop = board_weight(place, within_round=True, ties="drop")
    np.testing.assert_allclose(drop, equal / ((2 * 7 / 8 + 1) / (2 * 5 / 6 + 1)))
    davidson = board_weight(place, within_round=True, ties="half", with_ties=True)
    np.testing.assert_allclose(davidson, drop)


@pytest.mark.parametrize("rounds", [2, 4])
def test_players_that_never_met_have_no_match_to_weigh(rounds):
    place = np.tile(np.eye(2, dtype=np.int32), (rounds // 2, 1))
    assert (board_weight(place, within_round=True, ties="half") == 1.0).all()
    # Nor have those whose every match is dropped.
    alike = np.ones((rounds, 2), np.int32)
    assert (board_weight(alike, within_round=True, ties="drop") == 1.0).all()


def test_weight_of_equal_players_across_rounds():
    """Two equal players over r rounds: variance (2 r + 1) / 3 times that of r^2 matches."""
    rng, rounds = np.random.default_rng(3), 60
    factors = []
    for _ in range(60):
        place = draw_places(np.zeros(2), np.ones((rounds, 2), bool), rng, within_round=False)
        equal = exchangeable_weight(place, within_round=False)
        np.testing.assert_allclose(equal, 3 / (2 * rounds + 1))
        factors.append(inverse(place, equal, within_round=False))
    error = np.std(factors) / np.sqrt(len(factors))
    assert abs(np.mean(factors) - 1.0) < 4.0 * error + 2.0 / rounds


def test_weight_is_the_ratio_of_two_traces():
    """tr(H^-1 J) over free parameters, J the unbiased covariance of six rounds' scores."""
    rng, m = np.random.default_rng(4), 4
    present = np.ones((6, m), bool)
    present[0, 3] = False
    place = draw_places(np.array([1.0, 0.3, -0.3, -1.0]), present, rng)
    weight = exchangeable_weight(place, within_round=True)
    wins, n, _ = weighted_counts(place, weight, within_round=True, ties="half")
    epp = newton(wins.sum(axis=1), n)[0]
    p = 1.0 / (1.0 + np.exp(epp - epp[:, None]))
    met = (present[:, :, None] & present[:, None]) * (1 - np.eye(m))
    scores = met * ((place[:, :, None] < place[:, None]) - p)
    j = 6 * np.cov((weight[:, None] * scores.sum(axis=2)).T, ddof=1)
    information = n * p * p.T
    h = np.diag(information.sum(axis=1)) - information
    expected = np.trace(np.linalg.pinv(h) @ j) / (m - 1)
    assert inverse(place, weight) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("with_ties", "pseudo_rounds"), [(True, 0.0), (False, 1.0)])
def test_weight_with_a_parameter_for_ties_and_with_pseudo_rounds(with_ties, pseudo_rounds):
    """Ties are one parameter more; off the estimate the scores' mean is none of their variation."""
    place = np.array([[1, 2, 3], [1, 3, 2], [1, 2, 2], [1, 2, 3], [1, 1, 3]], np.int32)
    if with_ties:
        place[3] = [3, 2, 1]
    weight, r = exchangeable_weight(place, within_round=True), len(place)
    wins, n, tied = weighted_counts(place, weight, within_round=True, ties="half")
    free = tied.sum() / 2.0 if with_ties else None
    epp, nu, hessian = newton(wins.sum(axis=1), n, free, pseudo_rounds=pseudo_rounds)
    statistics = round_statistics(place, within_round=True, ties="half")
    scores = weight[:, None] * clustered_scores(epp, nu, statistics, within_round=True)
    among = np.eye(len(hessian))  # strengths sum to zero
    among[:3, :3] -= 1.0 / 3.0
    bread = np.linalg.pinv(among @ hessian @ among)
    trace = np.trace(bread @ (r * np.cov(scores.T, ddof=1)))
    found = inverse(place, weight, with_ties=with_ties, pseudo_rounds=pseudo_rounds)
    assert found == pytest.approx(trace / (2 + with_ties), rel=1e-6)
