"""Boards that come with the package, made by ``benchmarks/make_datasets.py``."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._scores.read import read_scores

_FILES = {
    "classifiers": "classifiers.csv",
    "regressors": "regressors.csv",
    "answers": "answers.csv.gz",
}


def path(name: str) -> Path:
    """Return the path of a shipped table, for the command line.

    Parameters
    ----------
    name : {"classifiers", "regressors", "answers"}
        Which one, see `load`.

    Returns
    -------
    Path
        Path of a CSV file.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> lb.datasets.path("classifiers").name
    'classifiers.csv'
    """
    if str(name) not in _FILES:
        raise LeaderbayesError(f"No shipped board {name!r:.80}; there are {', '.join(_FILES)}.")
    return Path(str(files("leaderbayes") / "data" / _FILES[name]))


def load(name: str, tournament: str | None = None) -> xr.DataArray:
    """Return a board that comes with the package.

    ============ ============================================================= =====================
    name         what                                                          scores
    ============ ============================================================= =====================
    classifiers  15 classifiers on 5 data sets in 25 rounds (5 times 5 folds)  ROC AUC of 2 classes,
                                                                               accuracy of more
    regressors   15 regressors on the diabetes data, 25 rounds                 root mean squared
                                                                               error
    answers      115 classifiers of digits, 600 instances of one test set      right or wrong
    ============ ============================================================= =====================

    Players are settings of scikit-learn's models, named "algorithm option=value"; rounds are
    "repeat.fold".

    Parameters
    ----------
    name : {"classifiers", "regressors", "answers"}
        Which one.
    tournament : str, optional
        One of the five data sets of "classifiers", without the players and rounds that have no
        score on it; all by default.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        Scores; of "answers" (classifier, instance), 1 where the classifier is right, else 0.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "wine")
    >>> dict(scores.sizes)
    {'player': 15, 'round': 25}
    >>> dict(lb.datasets.load("answers").sizes)
    {'classifier': 115, 'instance': 600}
    """
    file, known = path(name), list[str]()
    if name == "answers":
        board = _answers(file)
    elif name == "regressors":
        board = read_scores(file, higher_is_better=False)
        board = board.sel(tournament="diabetes", drop=True).assign_attrs(tournament="diabetes")
    else:
        board = read_scores(file)
        known = [str(one) for one in board["tournament"].to_numpy()]
    if tournament is None:
        return board
    if tournament not in known:
        there = f"there are {', '.join(known)}" if known else "it is of one"
        raise LeaderbayesError(f"No tournament {tournament!r:.80} in {name!r}; {there}.")
    one = board.sel(tournament=tournament, drop=True).assign_attrs(tournament=tournament)
    return one.dropna("player", how="all").dropna("round", how="all")


def _answers(file: Path) -> xr.DataArray:
    table = pd.read_csv(file, index_col="instance")
    return xr.DataArray(
        table.to_numpy(dtype=np.uint8).T,
        {"classifier": table.columns.to_numpy(dtype=object), "instance": table.index.to_numpy()},
        ("classifier", "instance"),
        name="right",
    )
