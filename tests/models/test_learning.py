"""Learners that are trained: splits, scores, and what is true of them."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score


@pytest.fixture(scope="module")
def learning(script):
    return script("learning")


def test_win_rates_count_ties_half(learning):
    scores = np.array([[1.0, 2.0, 2.0, 0.0], [0.0, 2.0, 1.0, 1.0]])
    np.testing.assert_array_equal(learning.win_rate(scores), [[0.5, 0.625], [0.375, 0.5]])
    np.testing.assert_allclose(learning.chance(scores), [[0.5, 0.6], [0.4, 0.5]])


def test_folds_of_a_repeat_test_every_row_once(learning):
    tests = learning.folds_of(20, 3, 5, np.random.default_rng(1))
    assert len(tests) == 15
    for k in range(0, 15, 5):
        assert sorted(np.concatenate(tests[k : k + 5])) == list(range(20))


def test_auc_is_scikit_learns(learning):
    rng = np.random.default_rng(1)
    true, found = rng.random(40) < 0.3, rng.integers(6, size=40)
    assert learning.auc(true, found) == pytest.approx(roc_auc_score(true, found))
    assert learning.auc(np.zeros(3, bool), np.arange(3)) == 0.5


@pytest.mark.parametrize("population", ["linear", "imbalanced", "sparse", "regression"])
def test_learners_learn_without_a_warning(learning, population):
    """The best of them is better than a guess on fresh data."""
    of = learning.POPULATIONS[population]
    scores = learning.fresh_scores(population, of.rows // 5, 20, np.random.default_rng(1))
    assert np.isfinite(scores).all()
    guess = -np.var(of.draw(2000, np.random.default_rng(1))[1]) if of.regression else 0.55
    assert scores.mean(axis=1).max() > guess


def test_a_cell(learning, monkeypatch):
    for name, value in {"DATA_SETS": 3, "OWN": 2, "SPLITS": 10, "FRESH": 20}.items():
        monkeypatch.setattr(learning, name, value)
    (row,) = learning.cell("regression", 2, 5)["learning"]
    assert {"fresh", "fresh, record", "this data set", "wrong"} <= set(row)
    assert row["width, test_fraction"] > row["width"]
    assert row["claimed, test_fraction"] <= row["claimed"]
    # The same data sets again.
    again, own = learning.trial("regression", 2, 5, 1)
    np.testing.assert_array_equal(again, learning.trial("regression", 2, 5, 1)[0])
    assert again.shape == (7, 10)
    assert own.shape == (7, 7)
    assert learning.trial("regression", 2, 5, 2)[1] is None
