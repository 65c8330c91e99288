"""scikit-learn's searches and cross-validations."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.tree import DecisionTreeClassifier

import leaderbayes as lb

read_sklearn = partial(lb.read_results, program="sklearn")

X, Y = load_iris(return_X_y=True)
MODELS = {"tree": DecisionTreeClassifier(random_state=0), "dummy": DummyClassifier()}


def test_cross_validations():
    several = {
        name: cross_validate(model, X, Y, cv=3, scoring=["accuracy", "f1_macro"])
        for name, model in MODELS.items()
    }
    scores = read_sklearn(several, metric="accuracy")
    assert scores.dims == ("player", "round")
    assert list(scores["player"].values) == ["tree", "dummy"]
    assert list(scores["round"].values) == ["split0", "split1", "split2"]
    np.testing.assert_array_equal(scores[0], several["tree"]["test_accuracy"])
    with pytest.raises(lb.ScoresError, match=r"which metric is the score.*'f1_macro'"):
        read_sklearn(several)
    one = {name: cross_validate(model, X, Y, cv=3) for name, model in MODELS.items()}
    plain = {name: cross_val_score(model, X, Y, cv=3) for name, model in MODELS.items()}
    np.testing.assert_array_equal(read_sklearn(one), scores)
    np.testing.assert_array_equal(read_sklearn(plain), scores)


def test_searches():
    search = GridSearchCV(MODELS["tree"], {"max_depth": [1, 3]}, cv=3).fit(X, Y)
    expected = lb.read_scores(search.cv_results_)
    for results in (search, search.cv_results_, pd.DataFrame(search.cv_results_)):
        np.testing.assert_array_equal(read_sklearn(results), expected)


def test_failed_fits_are_missing():
    grid = {"max_depth": [1, 2, -5]}
    with pytest.warns((FitFailedWarning, UserWarning)):
        search = GridSearchCV(MODELS["tree"], grid, cv=3).fit(X, Y)
    with pytest.warns(lb.LeaderbayesWarning, match="LB040 .*'max_depth=-5' has no score"):
        scores = read_sklearn(search)
    assert np.isnan(scores.sel(player="max_depth=-5")).all()
    assert not np.isnan(scores[:2]).any()


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ({}, "no 'params' and 'splitN_test_...'"),
        ({"a": {"fit_time": [1]}}, "'a' has no test_score"),
        ({"a": [[1.0]], "b": [[2.0]]}, r"'a', split0: column 'score' holds '\[1.0\]'"),
        ({"a": [], "b": []}, "there are no scores"),
        ({"a": [1.0], "b": ["high"]}, "'b', split0: column 'score' holds 'high'"),
        ({"a": [1.0]}, "the only player is 'a'"),
        (3, "cannot be read from a int"),
        (MODELS["tree"], "cannot be read from a DecisionTreeClassifier"),
    ],
)
def test_errors(results, message):
    with pytest.raises(lb.ScoresError, match=message):
        read_sklearn(results)


def test_a_loss_whose_sign_was_not_turned():
    for sign, better in ((-1.0, 1), (1.0, None)):
        results = {name: {"test_rmse": [sign * 0.1, sign * 0.2]} for name in ("a", "b")}
        search = {"params": ["a", "b"], "split0_test_rmse": [sign * 0.1, sign * 0.2]}
        for source in (results, search):
            if better:
                assert read_sklearn(source).attrs["higher_is_better"] == better
                continue
            with pytest.raises(lb.ScoresError, match=r"'rmse' is the name of a loss.*above 0"):
                read_sklearn(source)
            for told in (True, False):
                made = read_sklearn(source, higher_is_better=told)
                assert made.attrs["higher_is_better"] == told
