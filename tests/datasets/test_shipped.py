"""Shipped examples."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from leaderbayes.datasets import _boards, load


def test_classifiers():
    scores = load("classifiers")
    assert dict(scores.sizes) == {"tournament": 5, "player": 15, "round": 25}
    assert not scores.isnull().any()
    assert float(scores.min()) >= 0.0
    assert float(scores.max()) <= 1.0
    one = load("classifiers", "digits")
    assert one.dims == ("player", "round")
    # A radial support vector machine is known to beat a stump of depth 2 on digits.
    assert (one.sel(player="svm C=10") > one.sel(player="tree depth=2")).all()
    with pytest.raises(
        lb.LeaderbayesError, match="No tournament 'mnist' in 'classifiers'; there are breast_cancer"
    ):
        load("classifiers", "mnist")


def test_regressors_prefer_low_errors():
    scores = load("regressors")
    assert dict(scores.sizes) == {"player": 15, "round": 25}
    assert scores.attrs["higher_is_better"] == 0
    assert not scores.isnull().any()
    # Predicting the mean errs by the target's standard deviation, 77; nothing fits below 30.
    assert 30.0 < float(scores.min()) < float(scores.max()) < 120.0
    average = scores.mean("round").to_series()
    assert average.idxmin().split()[0] in {"ridge", "lasso"}
    # Fewer wins for larger errors: the direction reaches the matches.
    matches = lb.matches(scores)
    share = (matches["wins"].sum("opponent") / matches["n"].sum("opponent")).to_series()
    assert share["ridge alpha=10"] > 0.5 > share["knn k=1"]


def test_answers():
    right = load("answers")
    assert dict(right.sizes) == {"classifier": 115, "instance": 600}
    assert right.dtype == np.uint8
    assert set(np.unique(right)) == {0, 1}
    assert len(set(right["classifier"].values)) == right.sizes["classifier"]
    assert float(right.mean("instance").max()) > 0.95


def test_a_tournament_keeps_only_who_played_in_it(tmp_path, monkeypatch):
    file = tmp_path / "scores.csv"
    file.write_text("tournament,player,round,score\na,x,1,1\na,y,1,2\nb,x,2,1\nb,y,2,2\nb,z,2,3\n")
    monkeypatch.setitem(_boards._SHIPPED, "classifiers", file)
    scores = load("classifiers", "a")
    assert list(scores["player"].values) == ["x", "y"]
    assert list(scores["round"].values) == ["1"]


@pytest.mark.parametrize("name", ["classifiers", "regressors"])
def test_examples_are_small_complete_tables(name):
    file = Path(load(name).attrs["source"])
    assert file.stat().st_size < 100_000
    table = pd.read_csv(file)
    assert list(table.columns) == ["tournament", "player", "algorithm", "round", "score"]
    assert not table.isna().any(axis=None)
    # Every algorithm has several settings.
    assert (table.groupby("algorithm")["player"].nunique() == 3).all()


def test_a_board_of_one_tournament_has_no_other():
    with pytest.raises(lb.LeaderbayesError, match="No tournament 'wine' in 'regressors'; it is of"):
        load("regressors", "wine")


def test_unknown_example():
    with pytest.raises(lb.LeaderbayesError, match="classifiers, regressors, answers"):
        load("mnist")
