"""Example boards: shipped ones, and well-known public ones that are fetched.

The shipped ones are made by this project from scikit-learn's models and data sets: remake them
with ``uv run --group test python benchmarks/make_datasets.py --out src/leaderbayes/data``. The
others are downloaded once, from one commit, and checked against their hash (`_download.py`), unless
the environment variable ``LEADERBAYES_DATA`` names a folder that has them.
"""

from importlib.resources import files
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError

__all__ = [
    "example_path",
    "fetch_amlb",
    "fetch_bbtcomp",
    "fetch_kaggle",
    "fetch_pmra",
    "fetch_tsml",
    "fetch_vtab",
    "load_answers",
    "load_classifiers",
    "load_regressors",
]

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

    Examples
    --------
    >>> import leaderbayes as lb
    >>> lb.datasets.example_path("classifiers").name
    'classifiers.csv'
    >>> scores = lb.read_scores(lb.datasets.example_path("classifiers"))
    >>> dict(scores.sizes)
    {'tournament': 5, 'player': 15, 'round': 25}
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

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load_classifiers("wine")
    >>> dict(scores.sizes)
    {'player': 15, 'round': 25}
    >>> lb.datasets.load_classifiers().dims
    ('tournament', 'player', 'round')
    """
    from leaderbayes._scores.read import read_scores

    scores = read_scores(example_path("classifiers"), scheme="Model/CV")
    if tournament is None:
        return scores
    known = [str(name) for name in scores["tournament"].to_numpy()]
    if tournament not in known:
        raise LeaderbayesError(f"No tournament {tournament!r}; there are {', '.join(known)}.")
    one = scores.sel(tournament=tournament, drop=True).assign_attrs(tournament=tournament)
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

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load_regressors()
    >>> dict(scores.sizes), scores.attrs["higher_is_better"]
    ({'player': 15, 'round': 25}, 0)
    """
    from leaderbayes._scores.read import read_scores

    scores = read_scores(example_path("regressors"), higher_is_better=False, scheme="Model/CV")
    return scores.sel(tournament="diabetes", drop=True).assign_attrs(tournament="diabetes")


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

    Examples
    --------
    >>> import leaderbayes as lb
    >>> right = lb.datasets.load_answers()
    >>> dict(right.sizes)
    {'classifier': 115, 'instance': 600}
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


# -- fetched ---------------------------------------------------------------------------------------


def _table(name: str) -> xr.DataArray | None:
    """Scores of a board's files put into one table, where the user's folder has that."""
    from leaderbayes._files.download import local
    from leaderbayes._scores.read import read_scores

    path = local(f"tables/{name}")
    return None if path is None else read_scores(path)


def fetch_vtab() -> xr.DataArray:
    """Sixteen image representations on the nineteen tasks of VTAB, downloaded once (2 kB).

    Top-1 accuracy in per cent, with one decimal, hence many ties.

    Returns
    -------
    DataArray (player, round)
        Scores; players are representations, rounds tasks.

    Raises
    ------
    LeaderbayesError
        If the file cannot be downloaded: names the URL and where to put it by hand.

    Notes
    -----
    From https://github.com/agosiewska/EPP-meta-score (MIT licence).

    References
    ----------
    Zhai et al. (2020), A Large-scale Study of Representation Learning with the Visual Task
    Adaptation Benchmark, arXiv:1910.04867; by way of Gosiewska, Woźnica, Biecek (2022),
    Interpretable Meta-Score for Model Performance.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.fetch_vtab()  # doctest: +SKIP
    >>> dict(scores.sizes)  # doctest: +SKIP
    {'player': 16, 'round': 19}
    """
    from leaderbayes._files.download import download
    from leaderbayes._scores.read import read_scores

    table = _table("vtab.csv")
    if table is not None:
        return table
    path = download("vtab.csv")
    wide = pd.read_csv(path, sep=";", encoding="utf-8-sig").drop(columns="Mean")
    long = wide.melt(id_vars="Model", var_name="task", value_name="accuracy")
    scores = read_scores(long, player="Model", round="task", score="accuracy")
    return scores.assign_attrs(source=str(path))


def fetch_bbtcomp() -> xr.DataArray:
    """Sixteen classifiers on 132 data sets in four folds, downloaded once (130 kB).

    Accuracy; some are missing.

    Returns
    -------
    DataArray (tournament, player, round)
        Scores; tournaments are data sets, players classifiers, rounds folds.

    Raises
    ------
    LeaderbayesError
        If the file cannot be downloaded: names the URL and where to put it by hand.

    Notes
    -----
    From https://github.com/jwainer/bbtcomp (MIT licence).

    References
    ----------
    Wainer (2023), A Bayesian Bradley-Terry model to compare multiple ML algorithms on multiple
    data sets, JMLR 24(341).

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.fetch_bbtcomp()  # doctest: +SKIP
    >>> dict(scores.sizes)  # doctest: +SKIP
    {'tournament': 132, 'player': 16, 'round': 4}
    """
    from leaderbayes._files.download import download
    from leaderbayes._scores.read import read_scores

    table = _table("bbtcomp.csv")
    return read_scores(download("bbtcomp.csv")) if table is None else table


def fetch_pmra() -> xr.DataArray:
    """Forty-nine models of mortgage default in ten folds, of the PMRA paper, downloaded once.

    Settings of AdaBoost, decision tree, k nearest neighbours, random forest and XGBoost; the score
    is ROC AUC. 40 kB.

    Returns
    -------
    DataArray (player, round)
        Scores; players are models, rounds folds.

    Raises
    ------
    LeaderbayesError
        If the file cannot be downloaded: names the URL and where to put it by hand.

    Notes
    -----
    From https://github.com/stagajda/PMRA (no licence given), of three cross-validations in there
    the second (``iter_num`` 1), which the paper's Table 6 is of.

    References
    ----------
    Gajda, Chlebus (2022), A probability-based models ranking approach: an alternative method of
    machine-learning model performance assessment, Sensors 22(17), 6361, doi:10.3390/s22176361.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.fetch_pmra()  # doctest: +SKIP
    >>> dict(scores.sizes)  # doctest: +SKIP
    {'player': 49, 'round': 10}
    """
    from leaderbayes._files.download import download
    from leaderbayes._scores.read import read_scores

    table = _table("pmra.csv")
    if table is not None:
        return table
    path = download("pmra.csv")
    runs = pd.read_csv(path)
    second = runs[runs["iter_num"] == 1].drop(columns="iter_num")
    scores = read_scores(second, player="Model", round="split_num", score="AUC_score")
    return scores.assign_attrs(source=str(path))


def fetch_amlb(budget: Literal["1h", "4h", "8h"] = "4h") -> xr.DataArray:
    """Seven AutoML frameworks in ten folds: the AutoML Benchmark of 2019, downloaded once.

    AUC on tasks of two classes and minus the log loss on tasks of more; failed runs are missing.

    Parameters
    ----------
    budget : {"1h", "4h", "8h"}
        Time of each run: 35 tasks in one hour, 39 in four, 4 in eight.

    Returns
    -------
    DataArray (tournament, player, round)
        Scores; tournaments are tasks, players frameworks, rounds folds.

    Raises
    ------
    LeaderbayesError
        If there is no such budget, or the file cannot be downloaded: names the URL and where to
        put it by hand.

    Notes
    -----
    From https://github.com/openml/automlbenchmark (MIT licence), reports/old/tables (0.5 MB), as
    it stands there, but for one score of "4h": h2oautoml's log loss of 0.149 in fold 3 of
    jungle_chess stands there as an AUC, and its sign is turned here as all others of the task.

    References
    ----------
    Gijsbers et al. (2019), An Open Source AutoML Benchmark, ICML workshop on AutoML,
    arXiv:1907.00909.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.fetch_amlb("4h")  # doctest: +SKIP
    >>> dict(scores.sizes)  # doctest: +SKIP
    {'tournament': 39, 'player': 7, 'round': 10}
    """
    from leaderbayes._files.download import download, local
    from leaderbayes._scores.read import read_scores
    from leaderbayes.adapters import from_amlb

    if budget not in ("1h", "4h", "8h"):
        raise LeaderbayesError(f"No budget {budget!r}; there are 1h, 4h, 8h.")
    path = local("tables/amlb_2019_4h.csv") if budget == "4h" else None
    if path is not None:
        table = pd.read_csv(path)
        table.loc[table["type"] == "multiclass", "score"] *= -1.0
        return read_scores(table).assign_attrs(source=str(path))
    scores = from_amlb(download(f"amlb_2019_{budget}.csv"))
    if budget == "4h":
        scores.loc["jungle_chess_2pcs_raw_endgame_complete", "h2oautoml", "3"] *= -1.0
    return scores


def fetch_tsml(archive: Literal["univariate", "multivariate"] = "univariate") -> xr.DataArray:
    """Time-series classifiers on the UCR or UEA archive, 30 resamples each, downloaded once.

    Accuracy, of which many are tied. Not every classifier is on every data set.

    Parameters
    ----------
    archive : {"univariate", "multivariate"}
        40 classifiers on 142 data sets (2.4 MB), or 20 on 26 (0.2 MB); a file a classifier.

    Returns
    -------
    DataArray (tournament, player, round)
        Scores; tournaments are data sets, players classifiers, rounds resamples.

    Raises
    ------
    LeaderbayesError
        If there is no such archive, or a file cannot be downloaded: names the URL and where to
        put it by hand. What has been downloaded is kept.

    Notes
    -----
    From https://github.com/time-series-machine-learning/tsml-eval (BSD 3-clause licence), whose
    README says which paper each classifier's results are from.

    References
    ----------
    Middlehurst, Schäfer, Bagnall (2024), Bake off redux, Data Min. Knowl. Disc. 38,
    doi:10.1007/s10618-024-01022-1; Ruiz et al. (2021), The great multivariate time series
    classification bake off, Data Min. Knowl. Disc. 35, doi:10.1007/s10618-020-00727-3.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.fetch_tsml("univariate")  # doctest: +SKIP
    >>> dict(scores.sizes)  # doctest: +SKIP
    {'tournament': 142, 'player': 40, 'round': 30}
    """
    from leaderbayes._files.download import download, names
    from leaderbayes._scores.read import read_scores

    if archive not in ("univariate", "multivariate"):
        raise LeaderbayesError(f"No archive {archive!r}; there are univariate, multivariate.")
    table = _table("tsml_univariate.csv.gz") if archive == "univariate" else None
    if table is not None:
        return table
    files_of = [name for name in names() if name.startswith(f"tsml/{archive}/")]
    tables = []
    for name in files_of:
        path = download(name)
        wide = pd.read_csv(path)  # a row a data set, a column a resample
        wide = wide.rename(columns={wide.columns[0]: "dataset"}).assign(classifier=path.stem)
        tables.append(wide.melt(["dataset", "classifier"], var_name="resample", value_name="acc"))
    scores = read_scores(
        pd.concat(tables, ignore_index=True),
        tournament="dataset",
        player="classifier",
        round="resample",
        score="acc",
    )
    return scores.assign_attrs(source=str(path.parent))


def fetch_kaggle(
    competition: Literal["cassava-leaf-disease-classification", "playground-series-s4e2"],
    *,
    board: Literal["private", "public"] = "private",
) -> pd.Series:
    """Leaderboard of a Kaggle competition, downloaded once: a score a team, for `sota.read_board`.

    Accuracy: of cassava leaves in 5 classes, and of obesity risk (playground-series-s4e2) in 7.
    The paper takes n = 15000 and n = 13840 instances, and the private boards.

    Parameters
    ----------
    competition : str
        Kaggle's name for it.
    board : {"private", "public"}
        Scores on the private part of the test set, or on the public one.

    Returns
    -------
    Series (team)
        Scores, named by the team's rank.

    Raises
    ------
    LeaderbayesError
        If there is no such board, or the file cannot be downloaded: names the URL and where to
        put it by hand.

    Notes
    -----
    From https://github.com/MLE-Dojo/MLE-Dojo (MIT licence), which collected ranks and scores of
    Kaggle's boards; Kaggle's terms hold for them.

    References
    ----------
    Qiang et al. (2025), MLE-Dojo, arXiv:2505.07782; both boards are examples in Møllersen,
    Holsbø (2025), Accounting for multiplicity in machine learning benchmark performance.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.fetch_kaggle("playground-series-s4e2")  # doctest: +SKIP
    >>> board = lb.sota.read_board(scores, n=13840)  # doctest: +SKIP
    """
    from leaderbayes._files.download import download, names

    name = f"kaggle/{competition}_{board}.csv"
    if name not in names():
        known = sorted(n[7:-4] for n in names() if n.startswith("kaggle/"))
        raise LeaderbayesError(
            f"No board {f'{competition}_{board}'!r:.80}; there are {', '.join(known)}."
        )
    path = download(name)
    table = pd.read_csv(path)
    team = pd.Index(table["rank"].astype(str), dtype=object, name="team")
    scores = pd.Series(table["score"].to_numpy(dtype=float), index=team, name="score")
    scores.attrs["source"] = str(path)
    return scores
