"""Example boards, made by this project: ``benchmarks/make_datasets.py`` remakes them."""

from importlib.resources import files
from pathlib import Path

import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._scores import read_scores

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
        If there is no such table.
    """
    if name not in _EXAMPLES:
        raise LeaderbayesError(f"No example {name!r}; there are {', '.join(_EXAMPLES)}.")
    return Path(str(files("leaderbayes") / "data" / f"{name}.csv"))


def load_classifiers(tournament: str | None = None) -> xr.DataArray:
    """Fifteen scikit-learn classifiers on four data sets, 25 rounds each.

    Three settings of each of five algorithms by 5 times repeated stratified 5-fold cross-validation.
    The score is ROC AUC on breast_cancer and accuracy on digits (600 instances), iris and wine;
    higher is better.

    Parameters
    ----------
    tournament : {"breast_cancer", "digits", "iris", "wine"}, optional
        One data set; all of them by default.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        Scores from 0 to 1. Rounds are named repeat.fold.

    Raises
    ------
    LeaderbayesError
        If there is no such tournament.
    """
    scores = read_scores(example_path("classifiers"), scheme="Model/CV")
    if tournament is None:
        return scores
    known = [str(name) for name in scores["tournament"].to_numpy()]
    if tournament not in known:
        raise LeaderbayesError(f"No tournament {tournament!r}; there are {', '.join(known)}.")
    return scores.sel(tournament=tournament, drop=True)


def load_regressors() -> xr.DataArray:
    """Fifteen scikit-learn regressors on the diabetes data, 25 rounds.

    Three settings of each of five algorithms by 5 times repeated 5-fold cross-validation. The score
    is the root mean squared error, in the target's unit; lower is better.

    Returns
    -------
    DataArray (player, round)
        Scores. Rounds are named repeat.fold.
    """
    scores = read_scores(
        example_path("regressors"), higher_is_better=False, scheme="Model/CV"
    )
    return scores.isel(tournament=0, drop=True)


def load_answers() -> xr.DataArray:
    """Right and wrong answers of 115 classifiers on one test set of digits.

    Returns
    -------
    DataArray (classifier, instance)
        1 where the classifier is right on the instance, else 0; 600 instances.
    """
    path = files("leaderbayes") / "data" / "answers.csv.gz"
    with path.open("rb") as file:
        table = pd.read_csv(file, index_col="instance", compression="gzip")
    return xr.DataArray(
        table.to_numpy().T,
        dims=("classifier", "instance"),
        coords={"classifier": table.columns.to_numpy(dtype=object), "instance": table.index},
        name="right",
    )
