"""Shipped examples."""

import numpy as np
import pytest

import leaderbayes as lb
from leaderbayes.datasets import example_path, load_answers, load_classifiers, load_regressors


def test_classifiers():
    scores = load_classifiers()
    assert dict(scores.sizes) == {"tournament": 4, "player": 15, "round": 25}
    assert not scores.isnull().any()
    assert float(scores.min()) >= 0.0
    assert float(scores.max()) <= 1.0
    one = load_classifiers("digits")
    assert one.dims == ("player", "round")
    # A radial support vector machine is known to beat a stump of depth 2 on digits.
    assert (one.sel(player="svm C=10") > one.sel(player="tree depth=2")).all()
    with pytest.raises(lb.LeaderbayesError, match="No tournament 'mnist'; there are breast_cancer"):
        load_classifiers("mnist")


def test_regressors_prefer_low_errors():
    scores = load_regressors()
    assert dict(scores.sizes) == {"player": 15, "round": 25}
    assert scores.attrs["higher_is_better"] == 0
    epp = lb.likelihood.bradley_terry(lb.matches(scores), covariance="model")["epp"]
    assert float(epp.sel(player="ridge alpha=10")) > float(epp.sel(player="knn k=1"))


def test_answers():
    right = load_answers()
    assert right.sizes["classifier"] >= 100
    assert right.sizes["instance"] == 600
    assert set(np.unique(right)) == {0, 1}
    assert len(set(right["classifier"].values)) == right.sizes["classifier"]
    assert float(right.mean("instance").max()) > 0.95


def test_unknown_example():
    with pytest.raises(lb.LeaderbayesError, match="classifiers, regressors"):
        example_path("mnist")
