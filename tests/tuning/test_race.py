"""A race: who is dropped and when, and the risk of it."""

import numpy as np
import pytest
from scipy.stats import binom

from leaderbayes.tuning._race import Race


def run(scores, *, drop=0.05, min_rounds=2, rope=0.0, seed=0):
    """Race all candidates of a board (candidate, round); give the race and the fits used."""
    m, rounds = scores.shape
    rng = np.random.default_rng(seed)
    race = Race(rounds, rng, drop=drop, min_rounds=min_rounds, rope=rope)
    race.enter(m)
    fits = 0
    for k in range(rounds):
        playing = race.playing(k)
        race.scores[playing, k] = scores[playing, k]
        fits += len(playing)
        while race.remove_failed(k):
            race.scores[race.active, : k + 1] = scores[race.active, : k + 1]
        race.judge(k)
    return race, fits


def test_who_is_clearly_worse_plays_few_rounds():
    scores = np.add.outer([0.0, 0.1, 5.0, 5.1, -5.0, -4.0, 1.0, -2.0], np.zeros(10))
    scores += 0.3 * np.random.default_rng(0).normal(size=scores.shape)
    race, fits = run(scores)
    assert {2, 3} <= set(race.active)
    assert fits < 0.6 * scores.size
    assert np.isnan(race.scores[4, 5:]).all()
    # All who are in the race have played it all.
    assert set(race.active) == set(race.finished())


def test_nobody_is_dropped_before_min_rounds_or_without_a_threshold(simulated):
    _, scores = simulated(3, spread=5.0)
    race, _ = run(scores, min_rounds=4)
    first = min(one.rounds for one in race.decisions if one.decision == "dropped")
    assert first == 4
    race, fits = run(scores, drop=0.0)
    assert fits == scores.size
    assert not any(one.decision == "dropped" for one in race.decisions)


def test_the_risk_of_losing_the_best_stays_within_the_threshold(simulated):
    bound = 0
    for seed in range(2):
        _, scores = simulated(seed, m=20, rounds=6)
        race, _ = run(scores, drop=0.2, seed=seed)
        assert sum(race._spent.values()) <= 0.2
        bound += any("would be lost" in one.reason for one in race.decisions)
    assert bound > 0


def test_equals_of_the_leader_are_dropped_within_a_rope():
    scores = np.tile(np.random.default_rng(0).normal(size=30), (6, 1))
    scores[3:] -= 5.0
    whole, fits = run(scores)
    assert whole.active == [0, 1, 2]
    roped, fewer = run(scores, rope=0.3)
    assert len(roped.active) == 1
    assert fewer < fits


def test_who_has_no_score_fails(simulated):
    _, scores = simulated(4, m=5)
    scores[2, 0] = scores[1, 3] = np.nan
    race, _ = run(scores, drop=0.0)
    failed = {one.candidate: one.rounds for one in race.decisions if one.decision == "failed"}
    assert failed == {2: 1, 1: 4}
    assert race.active == [0, 3, 4]
    alone, _ = run(scores[2:3])
    assert alone.active == alone.tied == []


def test_who_was_dropped_because_of_one_that_fails_comes_back():
    scores = np.add.outer([3.0, 1.0, 0.0, -9.0], np.zeros(10))
    scores += 0.3 * np.random.default_rng(0).normal(size=scores.shape)
    whole, _ = run(scores)
    assert whole.active == [0]
    scores[0, 8] = np.nan
    race, _ = run(scores)
    returned = {one.candidate for one in race.decisions if one.decision == "returns"}
    assert 1 in returned
    assert race.tied == [1]
    assert not np.isnan(race.scores[1]).any()
    assert race._spent.keys() <= {2, 3}


def test_of_equals_the_first_leads():
    scores = np.tile(np.random.default_rng(0).normal(size=6), (4, 1))
    race, _ = run(scores)
    assert race.tied[0] == 0


def test_late_candidates_meet_those_of_earlier_iterations(simulated):
    truth, scores = simulated(5, m=12, spread=2.0)
    race, _ = run(scores[:6])
    leader = race.tied[0]
    new = race.enter(6)
    for k in range(8):
        playing = race.playing(k)
        assert set(playing) <= set(new)
        race.scores[playing, k] = scores[playing, k]
        race.judge(k)
    assert race.iteration == [1] * 6 + [2] * 6
    assert truth.argmax() in race.active
    assert leader in {one.candidate for one in race.decisions if one.iteration == 2}


def test_every_candidate_has_a_decision_at_every_look(simulated):
    _, scores = simulated(6)
    race, _ = run(scores)
    playing = len(scores)
    for k in range(1, 9):
        looked = [one for one in race.decisions if one.rounds == k]
        assert len(looked) == playing
        assert sum(one.decision == "leads" for one in looked) == 1
        playing -= sum(one.decision == "dropped" for one in looked)


@pytest.mark.slow
@pytest.mark.parametrize(("m", "spread"), [(5, 0.3), (5, 1.0), (20, 0.3), (20, 3.0)])
def test_the_best_is_dropped_no_more_often_than_stated(simulated, m, spread):
    boards, drop = 60, 0.05
    lost = 0
    for seed in range(boards):
        truth, scores = simulated(seed, m, 10, spread)
        race, _ = run(scores, drop=drop, seed=seed)
        lost += int(truth.argmax()) not in race.active
    # Four cells at 1 % together.
    assert lost <= binom.ppf(1 - 0.01 / 4, boards, drop)
