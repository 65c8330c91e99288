"""Public boards, downloaded once from one commit and checked against their hash.

A folder that the environment variable ``LEADERBAYES_DATA`` names is looked into first.
"""

from collections.abc import Callable

import pandas as pd
import xarray as xr

from leaderbayes._adapters.amlb import from_amlb
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.download import download, local, names
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.cells import numbers_of
from leaderbayes._scores.read import read_scores


def fetch(name: str) -> xr.DataArray | pd.Series:
    """Return a well-known public board, downloaded once.

    =================== ========================================================== ================
    name                what                                                       scores
    =================== ========================================================== ================
    vtab                16 image representations on 19 tasks                       accuracy in %
    bbtcomp             16 classifiers on 132 data sets in 4 folds                 accuracy
    pmra                49 models of mortgage default in 10 folds                  ROC AUC
    amlb_1h, amlb_4h,   7 AutoML frameworks on 35, 39, 4 tasks in 10 folds, by     ROC AUC; minus
    amlb_8h             hours of each run                                          log loss
    tsml_univariate     40 classifiers of time series on 142 data sets             accuracy
    tsml_multivariate   20 such on 26 data sets                                    accuracy
    kaggle_cassava      teams of a Kaggle competition, private board, for          accuracy
                        `sota.read_board`; also "kaggle_cassava_public"
    kaggle_obesity      another; also "kaggle_obesity_public"                      accuracy
    =================== ========================================================== ================

    Parameters
    ----------
    name : str
        Which one. A folder that the environment variable ``LEADERBAYES_DATA`` names is looked into
        first; what is downloaded is kept.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        Scores, as they were published; tournaments are data sets or tasks with several rounds. Of
        Kaggle's boards a Series of scores by the team's rank, whose attrs have ``classes``, and of
        private boards ``n``, which the scores tell.

    References
    ----------
    vtab: Zhai et al. (2020), arXiv:1910.04867; Gosiewska, Woźnica, Biecek (2022).
    bbtcomp: Wainer (2023), JMLR 24(341). pmra: Gajda, Chlebus (2022), doi:10.3390/s22176361.
    amlb: Gijsbers et al. (2019), arXiv:1907.00909. tsml: Middlehurst, Schäfer, Bagnall (2024),
    doi:10.1007/s10618-024-01022-1; Ruiz et al. (2021), doi:10.1007/s10618-020-00727-3.
    kaggle: Møllersen, Holsbø (2025); Qiang et al. (2025), arXiv:2505.07782.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.fetch("vtab")  # doctest: +SKIP
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
    # The paper's Table 6 is of the second of three cross-validations.
    second = runs[runs["iter_num"] == "1"].drop(columns="iter_num")
    scores = read_scores(second, player="Model", round="split_num", score="AUC_score")
    return scores.assign_attrs(source=str(path))


def _amlb(name: str) -> xr.DataArray:
    scores = from_amlb(download(f"amlb_2019_{name.removeprefix('amlb_')}.csv"), max_mb=MAX_MB)
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
