"""Tables of mlr3's benchmarks."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb

read_mlr3 = partial(lb.read_results, program="mlr3")

DATA = Path(__file__).parent / "data"
SCORE = DATA / "mlr3_score.csv"


def test_iterations_are_rounds():
    scores = read_mlr3(SCORE, metric="classif.ce")
    assert scores.dims == ("tournament", "player", "round")
    assert scores.attrs["higher_is_better"] == 0
    np.testing.assert_array_equal(
        scores.sel(tournament="german_credit"), [[0.27, 0.25], [0.30, np.nan]]
    )
    assert read_mlr3(SCORE, metric="classif.auc").attrs["higher_is_better"] == 1


def test_aggregated_tasks_are_rounds():
    scores = read_mlr3(DATA / "mlr3_aggregate.csv")
    assert scores.dims == ("player", "round")
    np.testing.assert_array_equal(scores, [[0.26, 0.29], [0.30, 0.47]])
    # Less is better: the tree wins on both tasks.
    wins = lb.matches(scores)["wins"]
    assert wins.sel(player="classif.rpart", opponent="classif.featureless") == 2


def test_several_resamplings_are_told_apart():
    table = pd.read_csv(SCORE)
    both = pd.concat([table, table.assign(resampling_id="holdout")])
    scores = read_mlr3(both, metric="classif.ce")
    assert list(scores["round"].values) == ["cv.1", "cv.2", "holdout.1", "holdout.2"]


def test_measures_are_named_and_directed():
    with pytest.raises(lb.ScoresError, match=r"which metric is the score.*'classif.auc'"):
        read_mlr3(SCORE)
    with pytest.raises(lb.ScoresError, match=r"no metric 'classif.acc'; did you mean"):
        read_mlr3(SCORE, metric="classif.acc")
    mine = pd.read_csv(DATA / "mlr3_aggregate.csv").rename(columns={"classif.ce": "classif.mine"})
    with pytest.raises(lb.ScoresError, match="direction of 'mine' unknown"):
        read_mlr3(mine)
    assert read_mlr3(mine, higher_is_better=True).attrs["higher_is_better"] == 1
    with pytest.raises(lb.ScoresError, match="use True or False"):
        read_mlr3(mine, higher_is_better="yes")


def test_errors():
    table = pd.read_csv(SCORE)
    with pytest.raises(lb.ScoresError, match="no column 'learner_id', which scores of mlr3 have"):
        read_mlr3(table.drop(columns="learner_id"))
    with pytest.raises(lb.ScoresError, match="there is no metric"):
        read_mlr3(table.drop(columns=["classif.ce", "classif.auc"]))
    with pytest.raises(lb.ScoresError, match="a second score for tournament 'german_credit'"):
        read_mlr3(pd.concat([table, table]), metric="classif.ce")
