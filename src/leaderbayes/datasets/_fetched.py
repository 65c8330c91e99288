"""Public boards, downloaded once from one commit and checked against their hash.

A folder that the environment variable ``LEADERBAYES_DATA`` names is looked into first.
"""

from collections.abc import Callable
from typing import Literal, overload

import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.download import download, local, names
from leaderbayes._scores.cells import numbers_of
from leaderbayes._scores.read import read_scores
from leaderbayes.adapters import from_amlb

type _Leaderboard = Literal[
    "kaggle_cassava", "kaggle_cassava_public", "kaggle_obesity", "kaggle_obesity_public"
]
type _Scores = Literal[
    "amlb_1h", "amlb_4h", "amlb_8h", "bbtcomp", "pmra", "tsml_multivariate", "tsml_univariate",
    "vtab",
]  # fmt: skip


@overload
def fetch(name: _Scores) -> xr.DataArray: ...
@overload
def fetch(name: _Leaderboard) -> pd.Series: ...
def fetch(name: str) -> xr.DataArray | pd.Series:
    """Give a well-known public board, downloaded once.

    =================== ==================================================== ===================
    name                what                                                 scores
    =================== ==================================================== ===================
    vtab                16 image representations on the 19 tasks of VTAB     accuracy in per
                        (Zhai et al.; Gosiewska et al.)                      cent, to a decimal:
                                                                             many ties
    bbtcomp             16 classifiers on 132 data sets in 4 folds (Wainer)  accuracy, some
                                                                             missing
    pmra                49 models of mortgage default in 10 folds (Gajda,    ROC AUC
                        Chlebus)
    amlb_1h, amlb_4h,   7 AutoML frameworks on 35, 39, 4 tasks in 10 folds,  ROC AUC; minus the
    amlb_8h             by hours of each run (Gijsbers et al.)               log loss where
                                                                             classes are more
                                                                             than two; failed
                                                                             runs are missing
    tsml_univariate     40 classifiers of time series on 142 data sets, 30   accuracy, many
                        resamples (Middlehurst et al.)                       tied; not all on
                                                                             every data set
    tsml_multivariate   20 such on 26 data sets, 30 resamples (Ruiz et al.)  accuracy
    kaggle_cassava      teams of a Kaggle competition on cassava leaves in   accuracy, for
                        5 classes (private board: its scores are multiples   `sota.read_board`
                        of 1/6618; Møllersen, Holsbø take n = 15000)
    kaggle_obesity      the same on obesity risk in 7 classes (1/11072, 80   accuracy
                        % of the paper's n = 13840)
    both with _public   their public boards, as "kaggle_cassava_public"      accuracy
    =================== ==================================================== ===================

    Parameters
    ----------
    name : str
        Which one, as in the table.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        Scores; tournaments are data sets or tasks, where there are several rounds on each. Of
        Kaggle's boards a Series of scores by team, named by the team's rank; its attrs have
        ``classes``, and of private boards ``n``, which the scores tell.

    Raises
    ------
    LeaderbayesError
        If there is no such board, or a file cannot be downloaded: names the URL and where to put
        it by hand. What has been downloaded is kept.
    MissingExtraError
        If it has to be downloaded and the extra ``data`` is not installed.

    Notes
    -----
    From https://github.com/agosiewska/EPP-meta-score (MIT licence), jwainer/bbtcomp (MIT),
    stagajda/PMRA (no licence given; of three cross-validations the second, which the paper's Table
    6 is of), openml/automlbenchmark (MIT; reports/old/tables, 2019), time-series-machine-learning/
    tsml-eval (BSD 3-clause; its README says which paper each classifier's results are from) and
    MLE-Dojo/MLE-Dojo (MIT; Kaggle's terms hold for its boards). They are as they stand there, but
    for one score of "amlb_4h": h2oautoml's log loss of 0.149 in fold 3 of jungle_chess stands there
    as an AUC, and its sign is turned here as all others of the task.

    References
    ----------
    Zhai et al. (2020), A Large-scale Study of Representation Learning with the Visual Task
    Adaptation Benchmark, arXiv:1910.04867;
    Gosiewska, Woźnica, Biecek (2022), Interpretable Meta-Score for Model Performance;
    Wainer (2023), A Bayesian Bradley-Terry model to compare multiple ML algorithms on
    multiple data sets, JMLR 24(341);
    Gajda, Chlebus (2022), A probability-based models ranking approach: an alternative method
    of machine-learning model performance assessment, Sensors 22(17), 6361,
    doi:10.3390/s22176361;
    Gijsbers et al. (2019), An Open Source AutoML Benchmark, ICML workshop on AutoML,
    arXiv:1907.00909;
    Middlehurst, Schäfer, Bagnall (2024), Bake off redux, Data Min. Knowl. Disc. 38,
    doi:10.1007/s10618-024-01022-1;
    Ruiz et al. (2021), The great multivariate time series classification bake off, Data Min.
    Knowl. Disc. 35, doi:10.1007/s10618-020-00727-3;
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance; the boards by way of Qiang et al. (2025), MLE-Dojo, arXiv:2505.07782.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.fetch("vtab")  # doctest: +SKIP
    >>> dict(scores.sizes)  # doctest: +SKIP
    {'player': 16, 'round': 19}
    >>> teams = lb.datasets.fetch("kaggle_obesity")  # doctest: +SKIP
    >>> board = lb.sota.read_board(teams)  # doctest: +SKIP
    >>> board.attrs["n"], board.attrs["classes"]  # doctest: +SKIP
    (11072, 7)
    """
    if str(name) not in _BOARDS:
        raise LeaderbayesError(f"No public board {name!r:.80}; there are {', '.join(_BOARDS)}.")
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
    second = runs[runs["iter_num"] == "1"].drop(columns="iter_num")
    scores = read_scores(second, player="Model", round="split_num", score="AUC_score")
    return scores.assign_attrs(source=str(path))


def _amlb(name: str) -> xr.DataArray:
    scores = from_amlb(download(f"amlb_2019_{name.removeprefix('amlb_')}.csv"))
    if name == "amlb_4h":
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


# What is known of the boards beside their scores; n is told by these.
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
    "kaggle_cassava": (None, _kaggle),
    "kaggle_cassava_public": (None, _kaggle),
    "kaggle_obesity": (None, _kaggle),
    "kaggle_obesity_public": (None, _kaggle),
}
