"""Example boards, made by this project from scikit-learn's models and data sets.

Remake them with ``uv run --group test python benchmarks/make_datasets.py --out
src/leaderbayes/data``.
"""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError

_EXAMPLES = ("classifiers", "regressors")


def example_path(name: str) -> Path:
    """Path of a shipped table of scores, for the command line.

    Parameters
    ----------
    name : {"classifiers", "regressors"}
        Which table.

    Returns
    -------
    Path
        A CSV file with the columns tournament, player, algorithm, round and score.

    Raises
    ------
    LeaderbayesError
        If there is no such table; names those that there are.
    """
    if name not in _EXAMPLES:
        raise LeaderbayesError(f"No example {name!r}; there are {', '.join(_EXAMPLES)}.")
    return Path(str(files("leaderbayes") / "data" / f"{name}.csv"))


def load_classifiers(tournament: str | None = None) -> xr.DataArray:
    """Fifteen scikit-learn classifiers on five data sets, 25 rounds each.

    Three settings of each of five algorithms (logistic regression, support vector machine, k
    nearest neighbours, random forest, decision tree) by 5 times repeated stratified 5-fold
    cross-validation. The score is ROC AUC on breast_cancer and diabetes (whether the disease's
    progression is above the median) and accuracy on digits (600 of its instances), iris and wine;
    both are shares from 0 to 1, and higher is better.

    Parameters
    ----------
    tournament : {"breast_cancer", "diabetes", "digits", "iris", "wine"}, optional
        One data set, without the players and rounds that have no score on it; all data sets by
        default.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        Scores. Players are named "algorithm option=value", rounds "repeat.fold".

    Raises
    ------
    LeaderbayesError
        If there is no such tournament; names those that there are.

    Notes
    -----
    On digits the trees of depth 2 and 5 beat no one but each other, in any round, so the maximum
    likelihood does not exist there (LB010); the posterior does.

    Made by ``uv run --group test python benchmarks/make_datasets.py --out src/leaderbayes/data``.
    """
    from leaderbayes._scores import read_scores

    scores = read_scores(example_path("classifiers"), scheme="Model/CV")
    if tournament is None:
        return scores
    known = [str(name) for name in scores["tournament"].to_numpy()]
    if tournament not in known:
        raise LeaderbayesError(f"No tournament {tournament!r}; there are {', '.join(known)}.")
    one = scores.sel(tournament=tournament, drop=True)
    return one.dropna("player", how="all").dropna("round", how="all")


def load_regressors() -> xr.DataArray:
    """Fifteen scikit-learn regressors on the diabetes data, 25 rounds.

    Three settings of each of five algorithms (ridge, lasso, k nearest neighbours, random forest,
    decision tree) by 5 times repeated 5-fold cross-validation. The score is the root mean squared
    error in the unit of the target, a measure of disease progression from 25 to 346; lower is
    better.

    Returns
    -------
    DataArray (player, round)
        Scores. Players are named "algorithm option=value", rounds "repeat.fold".

    Notes
    -----
    One nearest neighbour and the tree of depth 20 beat only each other, in any round, so the
    maximum likelihood does not exist (LB010); the posterior does.

    Made by ``uv run --group test python benchmarks/make_datasets.py --out src/leaderbayes/data``.
    """
    from leaderbayes._scores import read_scores

    scores = read_scores(example_path("regressors"), higher_is_better=False, scheme="Model/CV")
    return scores.sel(tournament="diabetes", drop=True)


def load_answers() -> xr.DataArray:
    """Right and wrong answers of 115 classifiers on one test set of digits.

    Settings of six algorithms (logistic regression, k nearest neighbours, decision tree, random
    forest, support vector machine, naive Bayes), each fitted once on the same 1197 instances and
    asked for the other 600.

    Returns
    -------
    DataArray (classifier, instance)
        uint8: 1 where the classifier is right on the instance, else 0.

    Notes
    -----
    Made by ``uv run --group test python benchmarks/make_datasets.py --out src/leaderbayes/data``.
    """
    with (files("leaderbayes") / "data" / "answers.csv.gz").open("rb") as file:
        table = pd.read_csv(file, index_col="instance", compression="gzip")
    return xr.DataArray(
        table.to_numpy(dtype=np.uint8).T,
        dims=("classifier", "instance"),
        coords={
            "classifier": table.columns.to_numpy(dtype=object),
            "instance": table.index.to_numpy(),
        },
        name="right",
    )
