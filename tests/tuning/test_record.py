"""What a search has done, from fits that are made up."""

import numpy as np
import pytest

import leaderbayes as lb
from leaderbayes.tuning import _record
from leaderbayes.tuning._race import Race
from leaderbayes.tuning._record import Record

SCORES = [[0.9, 0.8, 0.95], [0.5, 0.4, 0.6], [0.7, np.nan, 0.65]]


def record(scores=SCORES, *, refit=True, names=None, outs=None):
    """A race that all candidates have run to its end."""
    race = Race(3, np.random.default_rng(0), drop=0.0, min_rounds=3, rope=0.0)
    made = Record(race, 0.2, refit)
    made.enter(names or [{"depth": k} for k in range(len(scores))])
    for i, row in enumerate(scores):
        for k, score in enumerate(row):
            out = {"fit_time": 1.0 + k, "score_time": 0.5, "test_scores": score}
            made.add(i, k, out if outs is None else outs(out))
    return made


def test_scores_are_a_board_without_those_who_have_none():
    made = record([*SCORES, [np.nan, np.inf, np.nan]])
    scores = made.scores()
    assert list(scores["player"].to_numpy()) == ["depth=0", "depth=1", "depth=2"]
    np.testing.assert_array_equal(scores, SCORES)
    assert made.race.scores.shape == (4, 3)
    board = made.board(made.posterior("auto", 1))
    assert dict(zip(board["player"], board["n_rounds"], strict=True)) == {
        "depth=0": 3, "depth=1": 3, "depth=2": 2
    }  # fmt: skip


def test_moments_are_those_of_the_rounds_played():
    results = record().results()
    np.testing.assert_allclose(results["mean_test_score"][:2], np.mean(SCORES[:2], axis=1))
    np.testing.assert_allclose(results["std_test_score"][:2], np.std(SCORES[:2], axis=1))
    # A fold that failed is no score to leave out in silence.
    assert np.isnan(results["mean_test_score"][2])
    np.testing.assert_allclose(results["mean_fit_time"], 2.0)
    np.testing.assert_array_equal(results["split1_test_score"], [0.8, 0.4, np.nan])
    assert list(results["n_rounds"]) == [3, 3, 3]
    assert "mean_train_score" not in results
    assert list(results["rank_test_score"]) == [1, 2, 3]


def test_of_folds_that_were_not_played_nothing_counts():
    results = record([[0.9, 0.8, 0.95], [0.5]]).results()
    assert list(results["n_rounds"]) == [3, 1]
    assert results["mean_test_score"][1] == 0.5
    assert results["mean_fit_time"][1] == 1.0


def test_names_that_repeat_are_numbered():
    made = record(names=[{"a": 1}, {}, {"a": 1}])
    assert made.names() == ["a=1 (#0)", "default", "a=1 (#2)"]


def test_of_several_metrics_the_one_of_refit_is_raced_on():
    def both(out):
        score = out["test_scores"]
        return out | {
            "test_scores": {"auc": score, "loss": -score},
            "train_scores": {"auc": 1.0, "loss": 0.0},
        }

    made = record(refit="loss", outs=both)
    assert made.metric == "loss"
    np.testing.assert_array_equal(made.scores(), -np.array(SCORES))
    results = made.results()
    np.testing.assert_array_equal(results["split0_test_auc"], [0.9, 0.5, 0.7])
    np.testing.assert_array_equal(results["mean_train_auc"], 1.0)
    for refit in (True, False, "f1"):
        with pytest.raises(lb.LeaderbayesError, match=r"2 metrics.*choose it with refit='auc'"):
            record(refit=refit, outs=both)


@pytest.mark.parametrize(
    "mask", [lambda rows: rows, lambda rows: np.isin(np.arange(10), rows)], ids=["rows", "mask"]
)
def test_share_of_the_data_that_a_fold_tests_on(mask):
    splits = [(range(2, 10), range(2)), (range(4), range(4, 10))]
    made = [tuple(mask(np.array(rows)) for rows in split) for split in splits]
    assert _record.test_fraction(made) == pytest.approx((0.2 + 0.6) / 2)
