"""Searches of hyper-parameters: fits and time used, held-out score, regret against the whole grid.

    OPENBLAS_NUM_THREADS=1 uv run --group test --with torch python benchmarks/tuning.py [--seeds 4]

Every search runs for itself on the same folds of the same split into training and held-out data.
Fits are deterministic given parameters and data, so each is made once and then remembered, and
counted and timed every time. Optuna's own terminator is left out where PyTorch is not installed.
"""

import argparse
import re
import warnings
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from itertools import product
from time import process_time

import numpy as np
import optuna
import optuna.terminator
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    train_test_split,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from leaderbayes.tuning import LeaderboardPruner, LeaderboardSearchCV, LeaderboardTerminator


def load_half_diabetes(return_X_y=True):
    """Load the diabetes data, whose target is whether it is above its median."""
    X, y = load_diabetes(return_X_y=True)
    return X, (y > np.median(y)).astype(int)


DATA = {
    "breast_cancer": load_breast_cancer, "diabetes": load_half_diabetes, "digits": load_digits,
    "iris": load_iris, "wine": load_wine,
}  # fmt: skip
MOST = 600  # rows of a data set, so that digits does not take the whole time
FOLDS = 10

# Two parameters of each algorithm, a and b, with the values of a grid of 49 candidates.
GRIDS = {
    "svm": {"a": np.logspace(-3, 3, 7), "b": np.logspace(-5, 1, 7)},
    "tree": {"a": np.array([1, 2, 3, 5, 8, 13, 21]), "b": 2 ** np.arange(7)},
    "neighbours": {"a": 2 ** np.arange(7), "b": np.array([0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 0.95])},
}


def build(algorithm, a, b):
    if algorithm == "svm":
        return make_pipeline(StandardScaler(), SVC(C=a, gamma=b))
    if algorithm == "tree":
        return DecisionTreeClassifier(max_depth=a, min_samples_leaf=b, random_state=0)
    return make_pipeline(StandardScaler(), PCA(b, svd_solver="full"), KNeighborsClassifier(a))


class Remembered(ClassifierMixin, BaseEstimator):
    """A classifier of which each fit is made once; column 0 of X is the row's number."""

    scores: dict = {}  # noqa: RUF012  of the process, by fit and test rows, with its seconds
    fits, rows, saved = 0, 0, 0.0  # asked for, in them, and seconds that remembering saved

    def __init__(self, algorithm="tree", a=1, b=1):
        self.algorithm, self.a, self.b = algorithm, a, b

    def fit(self, X, y):
        Remembered.fits += 1
        Remembered.rows += len(X)
        self.classes_ = np.unique(y)
        self._train = X, y
        self._key = self.algorithm, float(self.a), float(self.b), X[:, 0].tobytes()
        return self

    def score(self, X, y):
        key = self._key, X[:, 0].tobytes()
        if key in Remembered.scores:
            Remembered.saved += Remembered.scores[key][1]
        else:
            start, (train, classes) = process_time(), self._train
            fitted = build(self.algorithm, self.a, self.b).fit(train[:, 1:], classes)
            Remembered.scores[key] = fitted.score(X[:, 1:], y), process_time() - start
        return Remembered.scores[key][0]


def searches(estimator, grid, folds, seed):
    """Searches by name, as functions of the data that give the best parameters."""
    common = {"cv": folds, "refit": False}
    drawn = common | {"random_state": seed}
    coarse = {name: values[::2] for name, values in grid.items()}

    def scikit(search):
        return lambda X, y: search.fit(X, y).best_params_

    def ours(space=grid, **options):
        return scikit(LeaderboardSearchCV(estimator, space, **drawn, **options))

    def study(pruner, trials=49, callbacks=()):
        return lambda X, y: optimise(estimator, grid, folds, X, y, seed, pruner, trials, callbacks)

    def stopped(**options):
        stop = LeaderboardTerminator(test_fraction=1 / FOLDS, seed=0, **options)
        return study(LeaderboardPruner(seed=0), callbacks=[stop])

    own = {}
    if find_spec("torch"):
        stop = optuna.terminator.TerminatorCallback()
        own["Optuna, its Terminator"] = study(optuna.pruners.NopPruner(), callbacks=[stop])
    return {
        "GridSearchCV": scikit(GridSearchCV(estimator, grid, **common)),
        "RandomizedSearchCV, 24": scikit(RandomizedSearchCV(estimator, grid, n_iter=24, **drawn)),
        "HalvingGridSearchCV": scikit(HalvingGridSearchCV(estimator, grid, **drawn)),
        "Optuna, WilcoxonPruner": study(optuna.pruners.WilcoxonPruner()),
        **own,
        "LeaderboardSearchCV": ours(),
        "LeaderboardSearchCV, rope=0.1": ours(rope=0.1),
        "LeaderboardSearchCV, by 7, stops": ours(n_candidates=7),
        "LeaderboardSearchCV, by 7, gain": ours(n_candidates=7, stop="gain", cost=1e-3 / 7),
        "LeaderboardSearchCV, iterated": ours(coarse, strategy="iterated"),
        "LeaderboardSearchCV, iterated, wald": ours(coarse, strategy="iterated", stop="wald"),
        "Optuna, LeaderboardPruner": study(LeaderboardPruner(seed=0)),
        "Optuna, LeaderboardPruner and gain": stopped(patience=7, cost=1e-3 / 7),
        "Optuna, LeaderboardPruner and Terminator": stopped(),
    }


def optimise(estimator, grid, folds, X, y, seed, pruner, trials, callbacks):
    """Best parameters of a study over positions in the grid."""
    splits = list(folds.split(X, y))

    def objective(trial):
        at = {name: trial.suggest_int(name, 0, len(v) - 1) for name, v in grid.items()}
        model = estimator.set_params(**{name: grid[name][k] for name, k in at.items()})
        seen = []
        for k, (train, test) in enumerate(splits):
            seen.append(model.fit(X[train], y[train]).score(X[test], y[test]))
            trial.report(seen[-1], k)
            if trial.should_prune():
                raise optuna.TrialPruned
        optuna.terminator.report_cross_validation_scores(trial, seen)
        return np.mean(seen)

    sampler = optuna.samplers.TPESampler(seed=seed)
    study = optuna.create_study(direction="maximize", pruner=pruner, sampler=sampler)
    study.optimize(objective, n_trials=trials, callbacks=list(callbacks))
    return {name: grid[name][k] for name, k in study.best_params.items()}


def case(seed, data, algorithm, only):
    """Rows of all searches on one split."""
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    X, y = DATA[data](return_X_y=True)
    if len(X) > MOST:
        X, _, y, _ = train_test_split(X, y, train_size=MOST, stratify=y, random_state=seed)
    X = np.column_stack([np.arange(len(X)), X])
    train, test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, stratify=y, random_state=seed
    )
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    grid = GRIDS[algorithm]

    def held_out(parameters):
        model = Remembered(algorithm, **parameters).fit(train, y_train)
        return model.score(test, y_test)

    def cross_validated(parameters):
        model = Remembered(algorithm, **parameters)
        return np.mean([model.fit(train[a], y_train[a]).score(train[b], y_train[b])
                        for a, b in folds.split(train, y_train)])  # fmt: skip

    Remembered.scores.clear()
    rows, best = [], None
    for name, search in searches(Remembered(algorithm), grid, folds, seed).items():
        if best and not re.search(only, name):
            continue
        Remembered.fits, Remembered.rows, Remembered.saved = 0, 0, -process_time()
        chosen = search(train, y_train)
        seconds = Remembered.saved + process_time()
        fits, used = Remembered.fits, Remembered.rows / (len(train) * (1 - 1 / FOLDS))
        out, cv = held_out(chosen), cross_validated(chosen)
        best = best or (out, cv, fits)
        rows.append({
            "search": name, "data": data, "algorithm": algorithm, "seed": seed,
            "fits": fits / best[2], "rows": used / best[2], "CPU s": seconds,
            "held out": out, "regret": best[0] - out, "regret in CV": best[1] - cv,
        })  # fmt: skip
    return rows


def interval(values):
    """Mean with a 95 % interval over cases, in thousandths."""
    half = 1.96 * values.std() / np.sqrt(len(values))
    mean, low, high = (1000 * (values.mean() + side * half) for side in (0, -1, 1))
    return f"{mean:+.1f} ({low:+.1f}, {high:+.1f})"


def compare(table):
    """Print searches beside each other, over all and by data set."""
    for keys in (["search"], ["data", "search"], ["algorithm", "search"]):
        grouped = table.groupby(keys, sort=False)
        means = grouped[["fits", "rows", "CPU s", "held out"]].mean()
        means = means.round({"fits": 2, "rows": 2, "CPU s": 1})
        means["held out"] = means["held out"].map("{:.4f}".format)
        for column in ("regret", "regret in CV"):
            means[f"{column}, 1/1000"] = grouped[column].apply(interval)
        print(means.to_string(), end="\n\n", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", default="", help="regular expression of the searches to run")
    given = parser.parse_args()
    cases = product(range(given.seeds), DATA, GRIDS, [given.only])
    with ProcessPoolExecutor(given.workers) as pool:
        rows = [row for some in pool.map(case, *zip(*cases, strict=True)) for row in some]
    compare(pd.DataFrame(rows))


if __name__ == "__main__":
    main()
