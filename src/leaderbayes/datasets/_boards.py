"""Example boards: those that come with the package, and public ones."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._adapters.benchmarks import from_amlb
from leaderbayes._adapters.tables import Asked
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.download import download, local, names
from leaderbayes._scores.cells import numbers_of
from leaderbayes._scores.read import read_scores

_SHIPPED = {
    "classifiers": "classifiers.csv", "regressors": "regressors.csv", "answers": "answers.csv.gz",
}  # fmt: skip


def load(name: str, tournament: str | None = None) -> Any:
    """Return an example board, or a well-known public one, which is downloaded once.

    ================= ========================================================= ==================
    name              what                                                      scores
    ================= ========================================================= ==================
    classifiers       15 classifiers on 5 data sets in 25 rounds (5 x 5 folds)  AUC of 2 classes,
                                                                                accuracy of more
    regressors        15 regressors on the diabetes data, 25 rounds             root mean squared
                                                                                error
    answers           115 classifiers of digits, 600 instances                  right or wrong
    vtab              16 image representations on 19 tasks                      accuracy in %
    bbtcomp           16 classifiers on 132 data sets in 4 folds                accuracy
    pmra              49 models of mortgage default in 10 folds                 ROC AUC
    amlb_1h, amlb_4h, 7 AutoML frameworks on 35, 39, 4 tasks in 10 folds        ROC AUC; minus
    amlb_8h                                                                     log loss
    tsml_univariate   40 classifiers of time series on 142 data sets            accuracy
    tsml_multivariate 20 such on 26 data sets                                   accuracy
    kaggle_cassava    private board of a competition; also with "_public"       accuracy
    kaggle_obesity    another                                                   accuracy
    ================= ========================================================= ==================

    Parameters
    ----------
    name : str
        Which one. The first three come with the package: their players are settings of
        scikit-learn's models, and rounds are "repeat.fold".
    tournament : str, optional
        One tournament of several, without the players and rounds that have no score on it.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        Scores, and the path of the file in ``attrs["source"]``. Of "answers" (classifier,
        instance); of Kaggle's boards a Series of scores by rank, for `sota.read_board`.

    References
    ----------
    vtab: Zhai et al. (2020); bbtcomp: Wainer (2023); pmra: Gajda, Chlebus (2022); amlb: Gijsbers
    et al. (2019); tsml: Middlehurst, Schäfer, Bagnall (2024), Ruiz et al. (2021); kaggle:
    Møllersen, Holsbø (2025), Qiang et al. (2025).

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dict(lb.datasets.load("classifiers", "wine").sizes)
    {'player': 15, 'round': 25}
    """
    if str(name) in _SHIPPED:
        board: Any = _shipped(name)
    elif str(name) in _BOARDS:
        board = _public(name)
    else:
        every = ", ".join((*_SHIPPED, *_BOARDS))
        raise LeaderbayesError(f"No board {name!r:.80}; there are {every}.")
    if tournament is None:
        return board
    known = [str(each) for each in np.ravel(getattr(board, "coords", {}).get("tournament", ()))]
    if tournament not in known:
        there = f"there are {', '.join(known)}" if known else "it is of one"
        raise LeaderbayesError(f"No tournament {tournament!r:.80} in {name!r}; {there}.")
    one = board.sel(tournament=tournament, drop=True).assign_attrs(tournament=tournament)
    return one.dropna("player", how="all").dropna("round", how="all")


def _shipped(name: str) -> xr.DataArray:
    """Read a board that ``benchmarks/make_datasets.py`` made."""
    file = Path(str(files("leaderbayes") / "data" / _SHIPPED[name]))
    if name == "answers":
        table = pd.read_csv(file, index_col="instance")
        classifiers = table.columns.to_numpy(dtype=object)
        return xr.DataArray(
            table.to_numpy(dtype=np.uint8).T,
            {"classifier": classifiers, "instance": table.index.to_numpy()},
            ("classifier", "instance"),
            name="right",
            attrs={"source": str(file)},
        )
    if name == "regressors":
        board = read_scores(file, higher_is_better=False)
        return board.sel(tournament="diabetes", drop=True).assign_attrs(tournament="diabetes")
    return read_scores(file)


def _public(name: str) -> xr.DataArray | pd.Series:
    """Read a public board, downloaded from one commit and checked against its hash."""
    table, make = _BOARDS[name]
    # Scores of a board's files put into one table, where the user's folder has that.
    path = local(f"tables/{table}") if table else None
    if path is None:
        return make(name)
    return _amlb_table(path) if name == "amlb_4h" else read_scores(path)


def _vtab(name: str) -> xr.DataArray:
    path = download("vtab.csv")
    wide = pd.read_csv(path, sep=";", encoding="utf-8-sig", dtype=str).drop(columns="Mean")
    long = wide.melt(id_vars="Model", var_name="task", value_name="accuracy")
    scores = read_scores(long, player="Model", round="task", score="accuracy")
    return scores.assign_attrs(source=str(path))


def _bbtcomp(name: str) -> xr.DataArray:
    return read_scores(download("bbtcomp.csv"))


def _pmra(name: str) -> xr.DataArray:
    path = download("pmra.csv")
    runs = pd.read_csv(path, dtype=str)
    # The paper's Table 6 is of the second of three cross-validations.
    second = runs[runs["iter_num"] == "1"].drop(columns="iter_num")
    scores = read_scores(second, player="Model", round="split_num", score="AUC_score")
    return scores.assign_attrs(source=str(path))


def _amlb(name: str) -> xr.DataArray:
    scores = from_amlb(download(f"amlb_2019_{name.removeprefix('amlb_')}.csv"), Asked())
    if name == "amlb_4h":  # a log loss that stands there as an AUC
        scores.loc["jungle_chess_2pcs_raw_endgame_complete", "h2oautoml", "3"] *= -1.0
    return scores


def _amlb_table(path: object) -> xr.DataArray:
    """Turn the log losses of the table, which are there as they are."""
    table = pd.read_csv(str(path), dtype={"score": str})
    table["score"] = numbers_of(table["score"])
    table.loc[table["type"] == "multiclass", "score"] *= -1.0
    return read_scores(table, higher_is_better=True).assign_attrs(source=str(path))


def _tsml(name: str) -> xr.DataArray:
    folder = f"tsml/{name.removeprefix('tsml_')}/"
    tables = []
    for file in (known for known in names() if known.startswith(folder)):
        path = download(file)  # of one classifier: a row a data set, a column a resample
        wide = pd.read_csv(path, dtype=str)
        wide = wide.rename(columns={wide.columns[0]: "dataset"}).assign(classifier=path.stem)
        tables.append(wide.melt(["dataset", "classifier"], var_name="resample", value_name="acc"))
    scores = read_scores(
        pd.concat(tables, ignore_index=True),
        tournament="dataset", player="classifier", round="resample", score="acc",
    )  # fmt: skip
    return scores.assign_attrs(source=str(path.parent))


# What is known of the boards beside their scores, which tell n.
_KNOWN = {"cassava": {"classes": 5, "n": 6618}, "obesity": {"classes": 7, "n": 11072}}
_COMPETITIONS = {
    "cassava": "cassava-leaf-disease-classification",
    "obesity": "playground-series-s4e2",
}


def _kaggle(name: str) -> pd.Series:
    _, competition, *public = name.split("_")
    path = download(f"kaggle/{_COMPETITIONS[competition]}_{'public' if public else 'private'}.csv")
    table = pd.read_csv(path, dtype=str)
    team = pd.Index(table["rank"], dtype=object, name="team")
    scores = pd.Series(numbers_of(table["score"]).to_numpy(), index=team, name="score")
    of_part = {"n"} if public else set()  # the n of a public board is another
    scores.attrs |= {k: v for k, v in _KNOWN[competition].items() if k not in of_part}
    scores.attrs["source"] = str(path)
    return scores


type _Make = Callable[[str], xr.DataArray | pd.Series]
_BOARDS: dict[str, tuple[str | None, _Make]] = {
    "vtab": ("vtab.csv", _vtab),
    "bbtcomp": ("bbtcomp.csv", _bbtcomp),
    "pmra": ("pmra.csv", _pmra),
    "amlb_1h": (None, _amlb),
    "amlb_4h": ("amlb_2019_4h.csv", _amlb),
    "amlb_8h": (None, _amlb),
    "tsml_univariate": ("tsml_univariate.csv.gz", _tsml),
    "tsml_multivariate": (None, _tsml),
    **{f"kaggle_{of}{part}": (None, _kaggle) for of in _KNOWN for part in ("", "_public")},
}
