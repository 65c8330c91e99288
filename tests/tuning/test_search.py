import pickle
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy.stats import loguniform
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import (
    check_dtype_object,
    check_estimator,
    check_estimators_nan_inf,
)

import leaderbayes as lb
from leaderbayes.tuning import LeaderboardSearchCV

IRIS = load_iris(return_X_y=True)
FOLDS = StratifiedKFold(8, shuffle=True, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
SMALL = {"max_depth": [1, 3], "min_samples_leaf": [1, 60]}
GRID = {"max_depth": [1, 2, 3, 5], "min_samples_leaf": [1, 30, 60]}


class Fragile(ClassifierMixin, BaseEstimator):
    """Predicts a quality; fails or is interrupted where it is told so, counting its fits."""

    fits = 0
    interrupted_at = breaks_at = None

    def __init__(self, quality=0.5, fails=False):
        self.quality = quality
        self.fails = fails

    def fit(self, X, y):
        Fragile.fits += 1
        if Fragile.fits == Fragile.interrupted_at:
            raise KeyboardInterrupt
        if Fragile.fits == Fragile.breaks_at:
            raise RuntimeError("once")
        if self.fails:
            raise RuntimeError("no such thing")
        self.classes_ = np.unique(y)
        return self

    def score(self, X, y):
        return self.quality + 0.1 * np.random.default_rng(int(1e6 * abs(X).sum())).normal()

    def predict(self, X):
        return np.zeros(len(X))


@pytest.fixture(autouse=True)
def _count():
    Fragile.fits, Fragile.interrupted_at, Fragile.breaks_at = 0, None, None


@pytest.fixture(scope="module")
def grid_search():
    return LeaderboardSearchCV(TREE, GRID, cv=FOLDS, random_state=0).fit(*IRIS)


@pytest.mark.parametrize(("estimator", "space"), [
    (LogisticRegression(), {"C": [0.1, 1.0]}), (Ridge(), {"alpha": [0.1, 1.0]}),
])  # fmt: skip
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_it_is_an_estimator_as_scikit_learn_checks_them(estimator, space):
    search = LeaderboardSearchCV(estimator, space, cv=2, error_score="raise", random_state=0)
    # GridSearchCV does not pass it either.
    check_estimator(search, expected_failed_checks={"check_supervised_y_2d": "as GridSearchCV"})


@pytest.mark.parametrize(("estimator", "space"), [
    (SVC(), {"C": [0.1, 1.0]}),
    pytest.param(SVR(), {"C": [0.1, 1.0]}, marks=pytest.mark.slow),
    pytest.param(
        make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [0.1, 1.0]},
        marks=pytest.mark.slow,
    ),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_data_that_cannot_be_fitted_are_what_the_fits_say(estimator, space):
    """Here all scores are missing: the fold that could be fitted could not be predicted."""
    search = LeaderboardSearchCV(estimator, space)
    for check in (check_dtype_object, check_estimators_nan_inf):
        check(type(search).__name__, clone(search))
    X, y = load_iris(return_X_y=True)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        clone(search).fit(X, y)


@pytest.mark.slow
@pytest.mark.parametrize(("estimator", "space"), [
    (SVR(), {"C": [0.1, 1.0]}),
    (
        make_pipeline(StandardScaler(), LogisticRegression()),
        {"logisticregression__C": [0.1, 1.0]},
    ),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_it_fails_no_check_that_grid_search_passes(estimator, space):
    def failed(search):
        results = check_estimator(search, on_fail=None)
        return {one["check_name"] for one in results if one["status"] == "failed"}

    ours = failed(LeaderboardSearchCV(estimator, space, random_state=0))
    assert ours <= failed(GridSearchCV(estimator, space))


def test_without_a_race_it_is_a_grid_search():
    peer = GridSearchCV(TREE, GRID, cv=FOLDS, return_train_score=True).fit(*IRIS)
    ours = LeaderboardSearchCV(
        TREE, GRID, cv=FOLDS, drop=0.0, return_train_score=True, random_state=0
    ).fit(*IRIS)
    assert ours.n_fits_ == 96
    assert ours.n_splits_ == 8
    assert set(ours.cv_results_["iteration"]) == {1}
    for key, values in peer.cv_results_.items():
        if key == "params":
            assert ours.cv_results_[key] == values
        elif "time" not in key and not key.startswith("rank"):
            np.testing.assert_allclose(
                np.ma.getdata(ours.cv_results_[key]).astype(float),
                np.ma.getdata(values).astype(float), err_msg=key,
            )  # fmt: skip
    assert set(ours.cv_results_) - set(peer.cv_results_) == {
        "player", "iteration", "n_rounds", "outcome",
    }  # fmt: skip


def test_a_race_needs_fewer_fits(grid_search):
    peer = GridSearchCV(TREE, GRID, cv=FOLDS).fit(*IRIS)
    assert grid_search.n_fits_ < 0.7 * 96
    results = grid_search.cv_results_
    assert grid_search.n_fits_ == results["n_rounds"].sum()
    at = peer.cv_results_["params"].index(grid_search.best_params_)
    assert peer.cv_results_["mean_test_score"][at] > peer.best_score_ - 0.01
    # The best has played all folds.
    scores = cross_val_score(clone(TREE).set_params(**grid_search.best_params_), *IRIS, cv=FOLDS)
    assert grid_search.best_score_ == pytest.approx(scores.mean())
    assert grid_search.score(*IRIS) == grid_search.best_estimator_.score(*IRIS)


def test_ranks_put_the_best_first_and_the_dropped_behind(grid_search):
    results = pd.DataFrame(grid_search.cv_results_).sort_values("rank_test_score")
    assert results["outcome"].iloc[0] == "best"
    dropped = results["outcome"] == "dropped"
    assert dropped.any()
    assert results.loc[dropped, "rank_test_score"].min() > (~dropped).sum()
    assert results.loc[dropped, "n_rounds"].is_monotonic_decreasing
    # Some are dropped after the last round only: of these nothing is missing.
    missing = results["split7_test_score"].isna()
    np.testing.assert_array_equal(missing, results["n_rounds"] < 8)
    assert dropped[missing].all()
    assert missing.any()


def test_posterior_is_the_fit_of_the_scores(grid_search):
    scores = grid_search.scores_
    posterior = grid_search.posterior_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        again = lb.fit(
            scores, seed=posterior.attrs["seed"], test_fraction=0.125,
            replicates=400,
        )  # fmt: skip
    assert "LB010" in posterior.attrs["warnings"]
    np.testing.assert_array_equal(again["posterior"]["epp"], posterior["posterior"]["epp"])
    board = grid_search.leaderboard_
    pd.testing.assert_frame_equal(board[lb.leaderboard(again).columns], lb.leaderboard(again))
    outcome = board.set_index("player")["outcome"]
    assert outcome[grid_search.cv_results_["player"][grid_search.best_index_]] == "best"


def test_decisions_say_who_why_and_against_whom(grid_search):
    decisions = grid_search.decisions_
    assert list(decisions.columns) == [
        "iteration", "rounds", "candidate", "player", "opponent", "probability", "decision",
        "reason",
    ]  # fmt: skip
    dropped = decisions[decisions["decision"] == "dropped"]
    assert (dropped["probability"] < 0.05).all()
    results = grid_search.cv_results_
    assert Counter(dropped["candidate"]).keys() == set(
        np.flatnonzero(results["outcome"] == "dropped")
    )
    assert (results["n_rounds"][dropped["candidate"]] == dropped["rounds"]).all()
    assert (results["player"][decisions["candidate"]] == decisions["player"]).all()
    last = decisions.iloc[-1]
    assert last["decision"] == "stops"
    assert last["reason"] == "no candidate is left to try"


def test_same_seed_same_search_on_any_number_of_processes(grid_search):
    small = clone(grid_search).set_params(param_space=SMALL, cv=4)
    one = clone(small).fit(*IRIS)
    with parallel_config("threading"):
        two = clone(small).set_params(n_jobs=2).fit(*IRIS)
    pd.testing.assert_frame_equal(one.decisions_, two.decisions_)
    pd.testing.assert_frame_equal(one.leaderboard_, two.leaderboard_)


def test_a_search_can_be_cloned_pickled_and_nested(grid_search):
    assert not hasattr(clone(grid_search), "cv_results_")
    again = pickle.loads(pickle.dumps(grid_search))
    np.testing.assert_array_equal(again.predict(IRIS[0]), grid_search.predict(IRIS[0]))
    nested = clone(grid_search).set_params(param_space=SMALL, cv=4)
    pipeline = make_pipeline(StandardScaler(), nested)
    assert cross_val_score(pipeline, *IRIS, cv=2).min() > 0.85


def test_draws_come_in_iterations_until_the_best_gets_no_better():
    space = {"logisticregression__C": loguniform(1e-4, 1e3)}
    model = make_pipeline(StandardScaler(), LogisticRegression())
    folds = StratifiedKFold(6, shuffle=True, random_state=0)
    search = LeaderboardSearchCV(
        model, space, strategy="random", n_candidates=4, max_iterations=8, cv=folds, random_state=3
    ).fit(*IRIS)
    rule = search.decisions_[search.decisions_["decision"].isin(("goes on", "stops"))]
    assert len(search.cv_results_["params"]) == 4 * search.n_iterations_
    assert rule["iteration"].tolist() == list(range(3, search.n_iterations_ + 1))
    assert rule["decision"].iloc[-1] == "stops"
    assert search.best_params_["logisticregression__C"] > 0.01


def test_all_iterations_without_a_rule():
    space = {"n_neighbors": [1, 3, 5, 7, 9, 11]}
    search = LeaderboardSearchCV(
        KNeighborsClassifier(), space, n_candidates=2, stop=None, cv=5, random_state=0
    ).fit(*IRIS)
    assert search.n_iterations_ == 3
    assert search.decisions_["reason"].iloc[-1] == "no candidate is left to try"
    tried = sorted(params["n_neighbors"] for params in search.cv_results_["params"])
    assert tried == space["n_neighbors"]
    two = search.set_params(max_iterations=2).fit(*IRIS)
    assert two.decisions_["reason"].iloc[-1] == "2 iterations, the maximum"


@pytest.mark.parametrize("stop", ["posterior", pytest.param("wald", marks=pytest.mark.slow)])
def test_an_iterated_grid_closes_in(stop):
    search = LeaderboardSearchCV(
        TREE, {"max_depth": [1, 9], "min_samples_leaf": [1, 61]}, strategy="iterated", stop=stop,
        max_iterations=4, cv=FOLDS, random_state=0,
    ).fit(*IRIS)  # fmt: skip
    results = pd.DataFrame(search.cv_results_)
    assert results["iteration"].value_counts()[1] == 4
    assert set(results.loc[results["iteration"] == 2, "param_max_depth"]) <= {1, 5, 9}
    assert search.n_iterations_ >= 2
    assert search.best_score_ > 0.9


def test_several_metrics_are_raced_on_the_one_that_refit_names():
    search = LeaderboardSearchCV(
        TREE, SMALL, cv=4, scoring=["accuracy", "neg_log_loss"], refit="neg_log_loss",
        random_state=0,
    ).fit(*IRIS)  # fmt: skip
    assert search.multimetric_
    assert search.scores_.name == "neg_log_loss"
    results = search.cv_results_
    assert search.best_score_ == results["mean_test_neg_log_loss"][search.best_index_]
    assert results["rank_test_neg_log_loss"][search.best_index_] == 1
    assert "mean_test_accuracy" in results
    assert set(search.scorer_) == {"accuracy", "neg_log_loss"}
    with pytest.raises(lb.LeaderbayesError, match="refit='accuracy'"):
        search.set_params(refit=False).fit(*IRIS)


def test_a_callable_may_score_and_choose():
    def scores(estimator, X, y):
        return {"right": estimator.score(X, y), "depth": -estimator.get_depth()}

    search = LeaderboardSearchCV(
        TREE, SMALL, cv=4, scoring=scores, refit="right", random_state=0
    ).fit(*IRIS)
    assert search.scores_.name == "right"
    chosen = LeaderboardSearchCV(
        TREE, SMALL, cv=4, refit=lambda results: len(results["params"]) - 1, random_state=0
    ).fit(*IRIS)
    assert chosen.best_params_ == chosen.cv_results_["params"][-1]
    assert not hasattr(chosen, "best_score_")


def test_refit_may_be_left_out():
    search = LeaderboardSearchCV(TREE, SMALL, cv=4, refit=False, random_state=0).fit(*IRIS)
    assert search.best_params_["max_depth"] > 1
    with pytest.raises(AttributeError, match="predict"):
        search.predict(IRIS[0])


def test_fit_parameters_and_groups_arrive():
    X, y = make_classification(120, random_state=0)
    groups = np.repeat(np.arange(12), 10)
    weights = np.where(np.arange(120) % 3, 1.0, 0.0)
    search = LeaderboardSearchCV(
        LogisticRegression(), {"C": [1e-4, 1.0]}, cv=GroupKFold(6), random_state=0
    ).fit(X, y, groups=groups, sample_weight=weights)
    alone = LogisticRegression(**search.best_params_).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(search.best_estimator_.coef_, alone.coef_)
    assert search.n_splits_ == 6


def test_one_candidate_has_nobody_to_meet():
    search = LeaderboardSearchCV(TREE, {"max_depth": [2]}, cv=3, random_state=0).fit(*IRIS)
    assert search.posterior_ is search.leaderboard_ is None
    assert search.best_params_ == {"max_depth": 2}
    assert search.n_fits_ == 3


def test_a_candidate_that_fails_is_reported_and_last():
    space = {"quality": [0.2, 0.9], "fails": [False, True]}
    with pytest.warns(FitFailedWarning, match="2 fits failed"):
        search = LeaderboardSearchCV(Fragile(), space, cv=5, random_state=0).fit(*IRIS)
    results = pd.DataFrame(search.cv_results_)
    failed = results["param_fails"] == True  # noqa: E712
    assert (results.loc[failed, "outcome"] == "failed").all()
    assert (results.loc[failed, "n_rounds"] == 1).all()
    assert results.loc[failed, "mean_test_score"].isna().all()
    assert (results.loc[failed, "rank_test_score"] == 3).all()
    assert search.best_params_ == {"quality": 0.9, "fails": False}
    assert search.scores_.sizes["player"] == 2


def test_a_failure_may_have_a_score():
    space = {"quality": [0.2, 0.9], "fails": [False, True]}
    with pytest.warns(FitFailedWarning):
        search = LeaderboardSearchCV(Fragile(), space, cv=5, error_score=0.0, random_state=0).fit(
            *IRIS
        )
    assert search.scores_.sizes["player"] == 4
    assert search.best_params_ == {"quality": 0.9, "fails": False}


def test_if_everything_fails_it_raises_as_scikit_learn_does():
    with pytest.raises(ValueError, match="All the 2 fits failed"):
        LeaderboardSearchCV(Fragile(), {"fails": [True], "quality": [0, 1]}, cv=3).fit(*IRIS)
    with pytest.raises(ValueError, match="empty"):
        LeaderboardSearchCV(Fragile(), [], cv=3).fit(*IRIS)


@pytest.mark.parametrize("reason", ["exception", "interrupt"])
def test_what_is_done_is_kept(reason):
    space = {"quality": [0.1, 0.3, 0.5, 0.7]}
    search = LeaderboardSearchCV(Fragile(), space, cv=FOLDS, min_rounds=5, random_state=0)
    if reason == "interrupt":
        Fragile.interrupted_at = 11
        with pytest.raises(KeyboardInterrupt):
            search.fit(*IRIS)
    else:
        Fragile.breaks_at = 11
        with pytest.raises(RuntimeError, match="once"):
            search.set_params(error_score="raise").fit(*IRIS)
    assert search.n_fits_ == 10
    assert search.cv_results_["n_rounds"].tolist() == [3, 3, 2, 2]
    assert set(search.cv_results_["outcome"]) == {"unfinished"}
    assert search.best_params_ == {"quality": 0.7}
    assert len(search.leaderboard_) == 4
    assert set(search.decisions_["rounds"]) == {1, 2}
    with pytest.raises(NotFittedError):
        search.predict(IRIS[0])


def test_an_interrupted_fit_leaves_nothing_of_the_one_before():
    search = LeaderboardSearchCV(Fragile(), {"quality": [0.2, 0.9]}, cv=3, random_state=0).fit(
        *IRIS
    )
    Fragile.interrupted_at = Fragile.fits + 3
    with pytest.raises(KeyboardInterrupt):
        search.set_params(param_space={"quality": [0.1, 0.3]}).fit(*IRIS)
    assert search.best_params_["quality"] in (0.1, 0.3)
    assert not hasattr(search, "best_estimator_")
    Fragile.interrupted_at = Fragile.fits + 1
    with pytest.raises(KeyboardInterrupt):
        search.fit(*IRIS)
    assert not hasattr(search, "cv_results_")


def test_a_search_without_any_score_is_an_error():
    def nothing(estimator, X, y):
        return np.nan

    with pytest.raises(lb.LeaderbayesError, match="finite score"):
        LeaderboardSearchCV(TREE, GRID, cv=3, scoring=nothing).fit(*IRIS)


def test_a_scorer_of_several_metrics_may_fail():
    def scores(estimator, X, y):
        return {"right": estimator.score(X, y)}

    space = {"quality": [0.2, 0.9], "fails": [False, True]}
    with pytest.warns(FitFailedWarning):
        search = LeaderboardSearchCV(
            Fragile(), space, cv=3, scoring=scores, refit="right", random_state=0
        ).fit(*IRIS)
    assert np.isnan(search.cv_results_["mean_test_right"]).sum() == 2
    assert search.best_params_["quality"] == 0.9


def test_estimators_may_be_candidates():
    model = make_pipeline(StandardScaler(), TREE)
    space = [
        {"decisiontreeclassifier": [KNeighborsClassifier(), LogisticRegression()]},
        {"decisiontreeclassifier__max_depth": [1, 2]},
    ]
    search = LeaderboardSearchCV(model, space, cv=FOLDS, random_state=0).fit(*IRIS)
    assert (
        search.cv_results_["param_decisiontreeclassifier"].mask.tolist() == [False] * 2 + [True] * 2
    )
    assert search.best_score_ > 0.9


def test_one_fold_is_enough():
    rows = np.arange(150)
    search = LeaderboardSearchCV(TREE, GRID, cv=[(rows[::2], rows[1::2])], random_state=0)
    assert search.fit(*IRIS).n_fits_ == 12
    assert search.scores_.sizes == {"player": 12, "round": 1}
    with pytest.raises(ValueError, match="no folds"):
        search.set_params(cv=iter([])).fit(*IRIS)


@pytest.mark.parametrize(("option", "value"), [
    ("drop", 0.9), ("min_rounds", 0), ("rope", 0.5), ("stop", "never"), ("patience", 0),
    ("confidence", 1.0), ("strategy", "bayes"), ("n_candidates", 0), ("max_iterations", 0),
])  # fmt: skip
def test_options_out_of_range_are_errors(option, value):
    with pytest.raises(ValueError, match=option):
        LeaderboardSearchCV(TREE, GRID, **{option: value}).fit(*IRIS)


def test_verbose_tells_of_each_iteration(capsys):
    LeaderboardSearchCV(TREE, {"max_depth": [1, 3]}, cv=3, verbose=1, random_state=0).fit(*IRIS)
    assert capsys.readouterr().out.startswith("iteration 1: 2 new candidates, 6 fits so far")


@pytest.mark.slow
def test_the_posterior_may_be_sampled_in_full(grid_search):
    sampled = clone(grid_search).set_params(sampler="nutpie").fit(*IRIS)
    assert sampled.posterior_.attrs["max_rhat"] < 1.01
    assert sampled.best_params_ == grid_search.best_params_
    ours = grid_search.leaderboard_.set_index("player")
    theirs = sampled.leaderboard_.set_index("player").loc[ours.index]
    width = theirs["epp_upper"] - theirs["epp_lower"]
    assert (abs(ours["epp"] - theirs["epp"]) < 0.1 * width).all()
