"""Make the example data that leaderbayes ships: scikit-learn models on scikit-learn's data sets.

    uv run --group test python benchmarks/make_datasets.py --out src/leaderbayes/data

Runs about a minute on two cores; the same versions on the same kind of machine write the same
bytes. Everything is computed on one thread a process: k nearest neighbours breaks ties between
equal distances in an order that depends on the number of threads.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config
from sklearn import datasets, ensemble, linear_model, naive_bayes, neighbors, svm, tree
from sklearn.base import clone
from sklearn.metrics import get_scorer
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

SEED = 20261120
SEEDED = {"random_state": SEED}
FOLDS, REPEATS = 5, 5
DIGITS = 600  # instances of digits used in cross-validation, and in the test set of answers()

# Data set -> score. AUC needs two classes; accuracy is the plain choice for more.
SCORERS = {"breast_cancer": "roc_auc", "diabetes": "roc_auc"} | dict.fromkeys(
    ("digits", "iris", "wine"), "accuracy"
)


def players(*rows):
    """Player name -> (algorithm, model), of rows (algorithm, option, values, model, parameter)."""
    return {
        f"{algorithm} {option}={value}": (algorithm, set_to(model, parameter, value))
        for algorithm, option, values, model, parameter in rows
        for value in values
    }


def set_to(model, parameter, value):
    """Return the model with this parameter; all but trees and forests are scaled before."""
    model = clone(model).set_params(**{parameter: value})
    own = model.__class__.__module__.startswith(("sklearn.tree", "sklearn.ensemble"))
    return model if own else make_pipeline(StandardScaler(), model)


def classifiers():
    return players(
        ("logistic", "C", [0.01, 1, 100], linear_model.LogisticRegression(max_iter=500), "C"),
        ("svm", "C", [0.1, 1, 10], svm.SVC(), "C"),
        ("knn", "k", [1, 5, 25], neighbors.KNeighborsClassifier(), "n_neighbors"),
        ("forest", "trees", [5, 25, 100], ensemble.RandomForestClassifier(**SEEDED),
         "n_estimators"),
        ("tree", "depth", [2, 5, 20], tree.DecisionTreeClassifier(**SEEDED), "max_depth"),
    )  # fmt: skip


def regressors():
    return players(
        ("ridge", "alpha", [0.1, 10, 1000], linear_model.Ridge(), "alpha"),
        ("lasso", "alpha", [0.1, 1, 10], linear_model.Lasso(), "alpha"),
        ("knn", "k", [1, 5, 25], neighbors.KNeighborsRegressor(), "n_neighbors"),
        ("forest", "trees", [5, 25, 100], ensemble.RandomForestRegressor(**SEEDED), "n_estimators"),
        ("tree", "depth", [2, 5, 20], tree.DecisionTreeRegressor(**SEEDED), "max_depth"),
    )


def one_score(model, scorer, x, y, train, test):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # slow convergence is part of a benchmark
        return get_scorer(scorer)(clone(model).fit(x[train], y[train]), x[test], y[test])


def cross_validate(tournament, x, y, models, scorer, splitter):
    """Long table of one tournament; rounds are named repeat.fold."""
    jobs = [
        (name, algorithm, f"{k // FOLDS + 1}.{k % FOLDS + 1}", model, train, test)
        for name, (algorithm, model) in models.items()
        for k, (train, test) in enumerate(splitter.split(x, y))
    ]
    scores = Parallel(n_jobs=2)(
        delayed(one_score)(model, scorer, x, y, train, test) for *_, model, train, test in jobs
    )
    # scikit-learn negates errors (neg_...); the file holds the error itself.
    rows = [(tournament, *job[:3], round(abs(score), 6))
            for job, score in zip(jobs, scores, strict=True)]  # fmt: skip
    return pd.DataFrame(rows, columns=["tournament", "player", "algorithm", "round", "score"])


def classification_tables():
    splitter = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=SEED)
    for name, scorer in SCORERS.items():
        x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        if name == "diabetes":
            y = y > np.median(y)  # a measure of the disease's progression
        if name == "digits":
            x, _, y, _ = train_test_split(x, y, train_size=DIGITS, stratify=y, random_state=SEED)
        yield cross_validate(name, x, y, classifiers(), scorer, splitter)


def answers():
    """Right or wrong on one test set of digits: (instance, classifier) of 0 and 1."""
    x, y = datasets.load_digits(return_X_y=True)
    train, test, right, truth = train_test_split(
        x / 16.0, y, test_size=DIGITS, stratify=y, random_state=SEED
    )
    kinds = {
        "logistic C={:.2g}": (linear_model.LogisticRegression(max_iter=200), "C",
                              np.logspace(-4, 2, 25)),
        "knn k={}": (neighbors.KNeighborsClassifier(), "n_neighbors", range(1, 26)),
        "tree depth={}": (tree.DecisionTreeClassifier(**SEEDED), "max_depth", range(3, 18)),
        "forest trees={}": (ensemble.RandomForestClassifier(**SEEDED), "n_estimators",
                            range(2, 42, 2)),
        "svm C={:.2g}": (svm.SVC(), "C", np.logspace(-3, 2, 20)),
        "bayes smoothing={:.0e}": (naive_bayes.GaussianNB(), "var_smoothing",
                                   np.logspace(-9, 0, 10)),
    }  # fmt: skip
    models = {
        name.format(value): clone(model).set_params(**{parameter: value})
        for name, (model, parameter, values) in kinds.items()
        for value in values
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = {
            name: (model.fit(train, right).predict(test) == truth).astype("uint8")
            for name, model in models.items()
        }
    return pd.DataFrame(table).rename_axis("instance")


def write_tables(out):
    table = pd.concat(classification_tables(), ignore_index=True)
    table.to_csv(out / "classifiers.csv", index=False)
    x, y = datasets.load_diabetes(return_X_y=True)
    splitter = RepeatedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=SEED)
    scorer = "neg_root_mean_squared_error"
    table = cross_validate("diabetes", x, y, regressors(), scorer, splitter)
    table.to_csv(out / "regressors.csv", index=False)
    # Without the time of writing, the same answers are the same bytes.
    answers().to_csv(out / "answers.csv.gz", compression={"method": "gzip", "mtime": 0})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("src/leaderbayes/data"), help="folder")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    with threadpool_limits(1), parallel_config("loky", inner_max_num_threads=1):
        write_tables(out)


if __name__ == "__main__":
    main()
