"""AutoML Benchmark's results.csv."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb

read_amlb = partial(lb.read_results, program="amlb")

DATA = Path(__file__).parent / "data"
RESULTS = DATA / "amlb_results.csv"


def test_tasks_are_tournaments_and_folds_rounds():
    scores = read_amlb(RESULTS)
    assert scores.dims == ("tournament", "player", "round")
    assert scores.attrs["higher_is_better"] == 1
    assert "tournament=task, player=framework, round=fold" in scores.attrs["columns"]
    assert scores.attrs["source"] == str(RESULTS)
    np.testing.assert_array_equal(scores.sel(player="RandomForest"), [[0.86, 0.85], [-0.12, -0.03]])


def test_a_failed_run_is_missing_unless_it_was_repeated():
    scores = read_amlb(RESULTS).sel(player="constantpredictor")
    assert np.isnan(scores.sel(tournament="kc2", round="1"))
    assert scores.sel(tournament="iris", round="0") == -1.2
    failed = pd.read_csv(RESULTS).query("task == 'kc2'")
    twice = pd.concat([failed, failed[failed["result"].isna()]])
    np.testing.assert_array_equal(read_amlb(twice), read_amlb(failed))


def test_of_a_raw_metric_the_direction_is_known():
    scores = read_amlb(RESULTS, metric="logloss")
    assert scores.attrs["higher_is_better"] == 0
    assert scores.sel(tournament="iris", player="RandomForest", round="0") == 0.12
    times = read_amlb(RESULTS, metric="training_duration", higher_is_better=False)
    assert times.attrs["higher_is_better"] == 0
    with pytest.raises(lb.ScoresError, match="direction of 'seed' unknown"):
        read_amlb(RESULTS, metric="seed")


def test_one_constraint_is_read():
    table = pd.read_csv(RESULTS)
    both = pd.concat([table, table.assign(constraint="1h8c")])
    with pytest.raises(lb.ScoresError, match=r"several constraints: 'test', '1h8c'; keep one"):
        read_amlb(both)
    np.testing.assert_array_equal(read_amlb(both[both["constraint"] == "1h8c"]), read_amlb(table))


def test_results_of_before_2020_are_not_guessed():
    with pytest.raises(lb.ScoresError, match="no column 'metric', as before"):
        read_amlb(DATA / "amlb_2019.csv")
    scores = read_amlb(DATA / "amlb_2019.csv", metric="logloss")
    assert (
        lb.matches(scores.sel(tournament="iris"))["wins"].sel(player="tpot", opponent="autoweka")
        == 1
    )
    raw = read_amlb(DATA / "amlb_2019.csv", metric="result", higher_is_better=False)
    np.testing.assert_array_equal(raw, scores)
    report = pd.read_csv(DATA / "amlb_2019.csv").assign(score=[-0.4, -0.2])
    assert read_amlb(report).attrs["higher_is_better"] == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="framework"), "no column 'framework', which results of AMLB"),
        (lambda t: t.iloc[:0], "no scores"),
        (lambda t: t.assign(result="good"), r"row 0 \(from 0\): column 'result' holds 'good'"),
        (lambda t: pd.concat([t, t.iloc[:1]]), "a second score for tournament 'kc2', player"),
        (
            lambda t: t.assign(metric=["auc", "acc", *t["metric"][2:]]),
            "row 1 .*task 'kc2' has results by 'acc' and by 'auc'; name one metric",
        ),
        (lambda t: t.assign(fold=None), "column 'fold' is empty"),
    ],
)
def test_errors(change, message):
    with pytest.raises(lb.ScoresError, match=message):
        read_amlb(change(pd.read_csv(RESULTS)))


def test_arguments_that_do_not_fit():
    with pytest.raises(lb.ScoresError, match="no metric 'loglos'; did you mean 'logloss'"):
        read_amlb(RESULTS, metric="loglos")
    with pytest.raises(lb.ScoresError, match="higher_is_better= needs metric="):
        read_amlb(RESULTS, higher_is_better=False)
    with pytest.raises(lb.ScoresError, match="not a list"):
        read_amlb([1, 2])


def test_a_loss_whose_sign_was_not_turned():
    table = pd.DataFrame({"task": "t", "framework": ["a", "b"], "fold": 0, "metric": "logloss"})
    with pytest.raises(lb.ScoresError, match=r"row 1 .*'logloss' is above 0.*metric="):
        read_amlb(table.assign(result=[0.0, 0.3]))
    assert read_amlb(table.assign(result=[-0.2, -0.3])).attrs["higher_is_better"]
    turned = table.assign(metric="neg_logloss", result=[-0.2, 0.3])
    assert read_amlb(turned).attrs["higher_is_better"]
