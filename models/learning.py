"""Coverage of 95 % intervals under repeated cross-validation, with learners that are trained.

Of each population data sets are drawn afresh; learners are players, and the splits of repeated
cross-validation of one data set are rounds. Two probabilities that a player beats another are
true of a pair (ties half): on fresh data, that is with training and test rows that are drawn
afresh, as many as in a split; and on this data set, over all random splits of it. See make.py.
"""

import itertools
import json
import warnings
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from tables import complete, error, mean, read

DATA_SETS = 30  # of each cell
FRESH = 1000  # training sets, each with a test set, for what is true of fresh data
OWN, SPLITS = 5, 150  # data sets of which so many random splits are made
SCHEMES = ((10, 5),)  # repeats and folds
# In models/README.md.
SHOWN = tuple(
    f"{name}{tag}"
    for name in ("fresh", "fresh, record", "this data set", "claimed", "wrong")
    for tag in ("", ", test_fraction")
)


class Population(NamedTuple):
    """What a data set is drawn from, and how learners are scored."""

    draw: Callable  # of a number of rows and a generator: features, and the class or value
    rows: int  # of a data set
    score: Callable  # of what is true and what is predicted
    regression: bool = False


def linear(n, rng):
    """Correlated features, classes that differ in four of ten."""
    y = rng.random(n) < 0.5
    x = rng.normal(size=(n, 10)) + 0.7 * rng.normal(size=(n, 1))
    x[:, :4] += 0.5 * y[:, None]
    return x, y


def clusters(n, rng):
    """Two clusters a class, of unlike spread."""
    y = rng.random(n) < 0.5
    side = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    x = rng.normal(size=(n, 6))
    x[:, 0] += 1.6 * side * y
    x[:, 1] += 1.2 * y
    x[y] *= 1.5
    return x, y


def rings(n, rng):
    """One class around the other, and three features of noise."""
    y = rng.random(n) < 0.5
    radius = np.where(y, 2.0, 1.0) + 0.5 * rng.normal(size=n)
    angle = 2.0 * np.pi * rng.random(n)
    x = rng.normal(size=(n, 5))
    x[:, 0], x[:, 1] = radius * np.cos(angle), radius * np.sin(angle)
    return x, y


def sparse(n, rng):
    """Three of sixty features tell the classes apart."""
    y = rng.random(n) < 0.5
    x = rng.normal(size=(n, 60))
    x[:, :3] += 0.8 * y[:, None]
    return x, y


def noisy_labels(n, rng):
    """A linear rule and a product, a fifth of the labels wrong."""
    x = rng.normal(size=(n, 8))
    y = x[:, 0] + 0.7 * x[:, 1] + 0.7 * x[:, 2] * x[:, 3] > 0.0
    return x, y ^ (rng.random(n) < 0.2)


def imbalanced(n, rng):
    """One in six is of the second class, which is nearer to its own mean."""
    y = rng.random(n) < 1.0 / 6.0
    x = rng.normal(size=(n, 8))
    x[y] *= 0.7
    x[:, :3] += 0.6 * y[:, None]
    return x, y


def friedman(n, rng):
    """The first of Friedman's regressions, ten features of which five count."""
    x = rng.random((n, 10))
    y = 10.0 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20.0 * (x[:, 2] - 0.5) ** 2
    return x, y + 10.0 * x[:, 3] + 5.0 * x[:, 4] + 3.0 * rng.normal(size=n)


def accuracy(true, found):
    """Share of right classes."""
    return np.mean(true == (found > 0.5))


def auc(true, found):
    """Area under the ROC curve; a half where a class is missing."""
    ones = int(true.sum())
    if ones in (0, len(true)):
        return 0.5
    return (rankdata(found)[true].sum() - ones * (ones + 1) / 2) / (ones * (len(true) - ones))


def minus_mse(true, found):
    """Mean squared error with a minus."""
    return -np.mean((true - found) ** 2)


POPULATIONS = {
    "linear": Population(linear, 200, accuracy),
    "clusters": Population(clusters, 200, accuracy),
    "rings": Population(rings, 200, accuracy),
    "sparse": Population(sparse, 120, accuracy),
    "noisy labels": Population(noisy_labels, 300, accuracy),
    "imbalanced": Population(imbalanced, 300, auc),
    "regression": Population(friedman, 200, minus_mse, regression=True),
}


def learners(regression):
    """Fast ones, by name."""
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.tree import (
        DecisionTreeClassifier,
        DecisionTreeRegressor,
        ExtraTreeClassifier,
        ExtraTreeRegressor,
    )

    if regression:
        return {
            "ridge": Ridge(),
            "ridge 100": Ridge(100.0),
            "tree of 3": DecisionTreeRegressor(max_depth=3, random_state=0),
            "tree of 6": DecisionTreeRegressor(max_depth=6, random_state=0),
            "extra tree": ExtraTreeRegressor(max_depth=6, random_state=0),
            "kNN 5": KNeighborsRegressor(5),
            "kNN 15": KNeighborsRegressor(15),
        }
    return {
        "naive Bayes": GaussianNB(),
        "logistic": LogisticRegression(max_iter=1000),
        "ridge": Ridge(),
        "tree of 3": DecisionTreeClassifier(max_depth=3, random_state=0),
        "extra tree": ExtraTreeClassifier(max_depth=6, random_state=0),
        "kNN 5": KNeighborsClassifier(5),
        "kNN 15": KNeighborsClassifier(15),
    }


def scores_of(population, train, test):
    """Score of each learner that was trained on some rows, on others."""
    import sklearn

    of = POPULATIONS[population]
    found = []
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
        for learner in learners(of.regression).values():
            fitted = learner.fit(*train)
            if hasattr(fitted, "predict_proba"):
                predicted = fitted.predict_proba(test[0])[:, 1]
            else:
                predicted = fitted.predict(test[0])
            found.append(of.score(test[1], predicted))
    return np.array(found)


def fresh_scores(population, tested, number, rng):
    """Scores (player, ``number``) of training and test sets that are drawn afresh."""
    of = POPULATIONS[population]
    draw = [(of.draw(of.rows - tested, rng), of.draw(tested, rng)) for _ in range(number)]
    return np.array([scores_of(population, train, test) for train, test in draw]).T


def split_scores(population, data, tests):
    """Scores (player, split) of one data set, of which each split tests some rows."""
    x, y = data
    rows = [(np.setdiff1d(np.arange(len(y)), test), test) for test in tests]
    splits = [((x[train], y[train]), (x[test], y[test])) for train, test in rows]
    return np.array([scores_of(population, train, test) for train, test in splits]).T


def folds_of(n, repeats, folds, rng):
    """Test rows of every split of a repeated cross-validation, repeat by repeat."""
    return [test for _ in range(repeats) for test in np.split(rng.permutation(n), folds)]


def win_rate(scores):
    """Share of rounds in which the row beats the column, ties half."""
    gap = scores[:, None] - scores
    return 0.5 + 0.5 * np.sign(gap).mean(axis=-1)


def chance(scores):
    """Win probability by many rounds; never 0 or 1, which no interval holds."""
    number = scores.shape[1]
    return (number * win_rate(scores) + 0.5) / (number + 1.0)


def trial(population, repeats, folds, number):
    """Scores of the cross-validation of one data set; of a few, the true win probabilities, too."""
    rng = np.random.default_rng([list(POPULATIONS).index(population), repeats, folds, number])
    of = POPULATIONS[population]
    data = of.draw(of.rows, rng)
    scores = split_scores(population, data, folds_of(of.rows, repeats, folds, rng))
    if number >= OWN:
        return scores, None
    tests = [rng.permutation(of.rows)[: of.rows // folds] for _ in range(SPLITS)]
    return scores, chance(split_scores(population, data, tests))


def truth(population, folds):
    """Win probabilities and mean scores on fresh data."""
    rng = np.random.default_rng([list(POPULATIONS).index(population), folds])
    scores = fresh_scores(population, POPULATIONS[population].rows // folds, FRESH, rng)
    return chance(scores), scores.mean(axis=1)


def said(scores, test_fraction):
    """What `leaderbayes.fit` says of each pair: ends of intervals, by the model and the record."""
    import xarray as xr

    import leaderbayes as lb

    coords = {
        "player": [f"p{i}" for i in range(len(scores))],
        "round": [f"r{k}" for k in range(scores.shape[1])],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        dt = lb.fit(
            xr.DataArray(scores, coords, ("player", "round"), attrs={"higher_is_better": 1}),
            test_fraction=test_fraction,
            progressbar=False,
            replicates=200,  # as many as the check takes
            seed=1,
        )
    return {by: lb.win_probability(dt, by=by) for by in ("model", "record")}


def shares(found, fresh, level, own):
    """Shares of one data set's pairs: whose intervals hold what is true, and wrong claims."""
    upper = np.triu_indices(len(fresh), 1)
    row = {}
    for by, win in found.items():
        low, high = win["lower"].to_numpy(), win["upper"].to_numpy()
        held = {"fresh": (low <= fresh) & (fresh <= high)}
        if own is not None:
            held["this data set"] = (low <= own) & (own <= high)
        # The row is said to be better where P(it wins more than half) > 0.975.
        claim = low > 0.5
        wrong = claim & (level[:, None] < level)
        tag = "" if by == "model" else ", record"
        row |= {name + tag: value[upper].mean() for name, value in held.items()}
        row[f"width{tag}"] = (high - low)[upper].mean()
        row[f"claimed{tag}"] = claim.sum() / len(upper[0])
        row[f"wrong{tag}"] = wrong.sum() / len(upper[0])
    return row


def cell(population, repeats, folds):
    """Means over the data sets of a cell, without and with ``test_fraction``."""
    fresh, level = truth(population, folds)
    trials = [trial(population, repeats, folds, number) for number in range(DATA_SETS)]
    row = {"population": population, "repeats": repeats, "folds": folds}
    for fraction, tag in ((None, ""), (1.0 / folds, ", test_fraction")):
        each = [shares(said(scores, fraction), fresh, level, own) for scores, own in trials]
        for name in each[0]:
            values = [one[name] for one in each if name in one]
            row[name + tag] = mean(values)
            if name.startswith(("fresh", "this")):
                row[f"{name}{tag}: error"] = error(values)
    return {"learning": [row]}


def cover(folder: Path, executor: Executor):
    """Write folder/learning.csv, going on from the cells that it has."""
    asked = [(p, *scheme) for p, scheme in itertools.product(POPULATIONS, SCHEMES)]
    complete(folder, "learning", ("population", "repeats", "folds"), asked, cell, executor)
    record = {
        "command": "python models/make.py learning",
        "data sets": DATA_SETS,
        "fresh": FRESH,
        "splits": {"data sets": OWN, "each": SPLITS},
    }
    (folder / "learning.json").write_text(json.dumps(record, indent=2) + "\n")


def shown(folder: Path):
    """Table of models/README.md by its mark."""
    import pandas as pd

    table = pd.DataFrame(read(folder / "learning.csv"))
    cross_validation = table["repeats"] + " x " + table["folds"]
    table = table.assign(**{"cross-validation": cross_validation})
    names = ["population", "cross-validation"]
    return {"learning": table[names].join(table[list(SHOWN)].astype(float))}
