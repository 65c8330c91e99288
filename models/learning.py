"""Repeated cross-validation with learners that are trained, on data sets whose population is known.

Learners are players, and the splits of repeated cross-validation of one data set are rounds. Two
probabilities that a player beats another are true of a pair (ties half): on fresh data, that is
with training and test rows drawn afresh, as many as in a split; and on this data set, over all
random splits of it.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from tables import Table, fit, read, scores

FRESH = 1000  # training sets, each with a test set, for what is true of fresh data
OWN, SPLITS = 5, 150  # data sets of which so many random splits are made
REPEATS, FOLDS = 10, 5


class Population(NamedTuple):
    """What a data set is drawn from, and how learners are scored."""

    draw: Callable  # of a number of rows and a generator: features, and the class or value
    rows: int  # of a data set
    # Of what is true and what is predicted: the share of right classes.
    score: Callable = lambda true, found: np.mean(true == (found > 0.5))
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


def auc(true, found):
    """Area under the ROC curve; a half where a class is missing."""
    ones = int(true.sum())
    if ones in (0, len(true)):
        return 0.5
    return (rankdata(found)[true].sum() - ones * (ones + 1) / 2) / (ones * (len(true) - ones))


POPULATIONS = {
    "linear": Population(linear, 200),
    "clusters": Population(clusters, 200),
    "rings": Population(rings, 200),
    "sparse": Population(sparse, 120),
    "noisy labels": Population(noisy_labels, 300),
    "imbalanced": Population(imbalanced, 300, auc),
    # By minus the mean squared error.
    "regression": Population(friedman, 200, lambda y, x: -np.mean((y - x) ** 2), regression=True),
}


def learners(regression):
    """Fast ones."""
    from sklearn import linear_model, naive_bayes, neighbors, tree

    kind, ridge = "Regressor" if regression else "Classifier", linear_model.Ridge
    grown, random = (getattr(tree, f"{name}{kind}") for name in ("DecisionTree", "ExtraTree"))
    near = getattr(neighbors, f"KNeighbors{kind}")
    last = [random(max_depth=6, random_state=0), near(5), near(15)]
    shallow = grown(max_depth=3, random_state=0)
    if regression:
        return [ridge(), ridge(100.0), shallow, grown(max_depth=6, random_state=0), *last]
    logistic = linear_model.LogisticRegression(max_iter=1000)
    return [naive_bayes.GaussianNB(), logistic, ridge(), shallow, *last]


def scores_of(of, train, test):
    """Score of each learner that was trained on some rows, on others."""
    import sklearn

    found = []
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
        for learner in learners(of.regression):
            fitted = learner.fit(*train)
            if hasattr(fitted, "predict_proba"):
                predicted = fitted.predict_proba(test[0])[:, 1]
            else:
                predicted = fitted.predict(test[0])
            found.append(of.score(test[1], predicted))
    return np.array(found)


def split_scores(of, data, tests):
    """Scores (player, split) of one data set, of which each split tests some rows."""
    x, y = data
    rows = [(np.setdiff1d(np.arange(len(y)), test), test) for test in tests]
    splits = [scores_of(of, (x[train], y[train]), (x[test], y[test])) for train, test in rows]
    return np.array(splits).T


def folds_of(n, repeats, folds, rng):
    """Test rows of every split of a repeated cross-validation, repeat by repeat."""
    return [test for _ in range(repeats) for test in np.split(rng.permutation(n), folds)]


def chance(scores):
    """Win probabilities by many rounds, ties half; never 0 or 1, which no interval holds."""
    number = scores.shape[1]
    rate = 0.5 + 0.5 * np.sign(scores[:, None] - scores).mean(axis=-1)
    return (number * rate + 0.5) / (number + 1.0)


@cache
def truth(population):
    """Win probabilities and mean scores on fresh data."""
    of, rng = POPULATIONS[population], np.random.default_rng(list(POPULATIONS).index(population))
    tested = of.rows // FOLDS
    drawn = [(of.draw(of.rows - tested, rng), of.draw(tested, rng)) for _ in range(FRESH)]
    fresh = np.array([scores_of(of, *one) for one in drawn]).T
    return chance(fresh), fresh.mean(axis=1)


def board(population, number):
    """Shares of one data set's pairs: whose intervals hold what is true, and wrong claims."""
    import leaderbayes as lb

    of = POPULATIONS[population]
    rng = np.random.default_rng([list(POPULATIONS).index(population), number])
    data = of.draw(of.rows, rng)
    made = scores(split_scores(of, data, folds_of(of.rows, REPEATS, FOLDS, rng)))
    fresh, level = truth(population)
    true = {"fresh": fresh}
    if number < OWN:
        tests = [rng.permutation(of.rows)[: of.rows // FOLDS] for _ in range(SPLITS)]
        true["this data set"] = chance(split_scores(of, data, tests))
    upper, row = np.triu_indices(len(fresh), 1), {}
    for fraction, ending in ((None, ""), (1.0 / FOLDS, ", test_fraction")):
        dt = fit(made, "bradley_terry", test_fraction=fraction, seed=1)
        for by, tag in (("model", ending), ("record", f", record{ending}")):
            win = lb.win_probability(dt, by=by)
            low, high = win["lower"].to_numpy(), win["upper"].to_numpy()
            for name in ("fresh", "this data set"):
                held = (low <= true[name]) & (true[name] <= high) if name in true else np.nan * low
                row[name + tag] = held[upper].mean()
            # The row is said to be better where P(it wins more than half) > 0.975.
            claim = low > 0.5
            row[f"width{tag}"] = (high - low)[upper].mean()
            row[f"claimed{tag}"] = claim.sum() / len(upper[0])
            row[f"wrong{tag}"] = (claim & (level[:, None] < level)).sum() / len(upper[0])
    return row


SHOWN = [f"{name}{tag}" for name in ("fresh", "fresh, record", "this data set", "claimed", "wrong")
         for tag in ("", ", test_fraction")]  # fmt: skip
LEARNING = Table(
    ("population",),
    {(population,): 30 for population in POPULATIONS},
    board,
    lambda folder: {"learning": read(folder, "learning")[["population", *SHOWN]]},
)
