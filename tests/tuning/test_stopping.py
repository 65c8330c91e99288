import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import conftest
import leaderbayes as lb
from leaderbayes.tuning import LeaderboardSearchCV
from leaderbayes.tuning._race import Race
from leaderbayes.tuning._stopping import stopping, wald_p_value


def finished(scores):
    race = Race(scores.shape[1], np.random.default_rng(0), drop=0.0, min_rounds=2, rope=0.0)
    race.enter(len(scores))
    race.scores[:] = scores
    return race


def board(gap, rounds=20, seed=0):
    """Eight candidates of which the first is ahead of the second by a gap."""
    scores = np.random.default_rng(seed).normal(size=(8, rounds))
    scores[0] += gap
    return scores


@pytest.mark.parametrize("rule", ["posterior", "wald"])
def test_search_goes_on_while_the_best_gets_better(rule):
    options = {"patience": 2, "confidence": 0.9, "test_fraction": None}
    better = stopping(finished(board(3.0)), [1, 1, 0], rule, **options)
    assert better.decision == "goes on"
    equal = stopping(finished(board(0.0)), [1, 1, 0], rule, **options)
    assert equal.decision == "stops"
    assert (better.candidate, better.opponent) == (0, 1)
    assert 0.0 <= equal.probability <= 1.0


def test_the_same_best_ends_the_search():
    made = stopping(
        finished(board(3.0)), [1, 0, 1], "posterior", patience=2, confidence=0.9, test_fraction=None
    )
    assert made.decision == "stops"
    assert np.isnan(made.probability)


def test_folds_that_share_their_data_count_less():
    race = finished(board(1.0))
    plain, corrected = (
        stopping(race, [1, 1, 0], "posterior", patience=2, confidence=0.9, test_fraction=f)
        for f in (None, 0.5)
    )
    assert 0.5 < corrected.probability < plain.probability


def test_wald_is_that_of_pmra():
    scores = board(0.5)
    fit = lb.likelihood.round_intercept(
        lb.matches(conftest.board(scores)), order=[f"p{i}" for i in range(len(scores))]
    )
    assert fit["epp"][0] > fit["epp"][1]
    assert wald_p_value(scores, 0, 1) == lb.likelihood.hypothesis_test(fit, "p0", "p1")["p_value"]


def test_wald_where_pmra_has_no_estimate():
    scores = board(0.0)
    scores[0] += 100.0
    # Nobody ever beats the first; the others are compared without it.
    assert wald_p_value(scores, 0, 1) == 0.0
    assert wald_p_value(scores, 1, 0) == 1.0
    a, b = np.argsort([scores[i].mean() for i in (2, 3)])[::-1] + 2
    assert 0.0 < wald_p_value(scores, a, b) == wald_p_value(scores[1:], a - 1, b - 1)
    assert wald_p_value(scores, b, a) == 1.0


def test_a_search_ends_where_the_expected_gain_is_below_its_cost():
    X, y = load_iris(return_X_y=True)
    space = {"max_depth": range(1, 6), "min_samples_leaf": range(1, 9)}
    options = {"n_candidates": 5, "max_iterations": 2, "cv": 5, "random_state": 1}

    def found(cost):
        model = DecisionTreeClassifier(random_state=0)
        return LeaderboardSearchCV(model, space, stop="gain", cost=cost, **options).fit(X, y)

    free, dear = found(0.0), found(1.0)
    assert (free.n_iterations_, dear.n_iterations_) == (2, 1)
    last = dear.decisions_.iloc[-1]
    assert (last["decision"], last["reason"][:33]) == ("stops", "5 more candidates are expected to")
    some, more = (free.improvement(k) for k in (1, 20))
    assert 0.0 < some["probability"] < more["probability"] < 1.0
    assert more["lower"] <= more["expected"] <= more["upper"]
    assert free.improvement(20, threshold=0.05)["probability"] < more["probability"]
