"""Boards of a competition: a score for each team on one test set."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import betaincinv

from leaderbayes._errors import BoardWarning, LeaderbayesError, ScoresError
from leaderbayes._scores import as_numbers, recognise
from leaderbayes._tables import listed, read_table, shown, suggest

_TEAM = "team team_name teamname player model name team_id teamid submission rank"
_SCORE = "score private_score public_score accuracy acc auc roc_auc value result"


def read_board(
    source: str | Path | pd.DataFrame | pd.Series | Sequence[float],
    *,
    n: int,
    metric: Literal["accuracy", "auc"] = "accuracy",
    team: str | None = None,
    score: str | None = None,
) -> xr.DataArray:
    """Read a board: one row a team.

    Parameters
    ----------
    source : path, DataFrame, Series or sequence of float
        CSV or Parquet file or a table with a column of scores (Kaggle's leaderboards are
        recognised); or the scores themselves, a Series' index naming the teams.
    n : int
        Instances of the test set.
    metric : {"accuracy", "auc"}
        Whether scores are shares of right answers or areas under the curve.
    team, score : str, optional
        Names of columns.

    Returns
    -------
    DataArray (team)
        Scores, in the order of the source; rows without one are left out. attrs: ``n``,
        ``metric``, ``source``.

    Raises
    ------
    ScoresError
        If the board cannot be read, or a score is not from 0 to 1: names the file, row or column.

    Warns
    -----
    BoardWarning
        LB020, if accuracies are not multiples of 1 / n up to rounding: n may be another one.
    """
    if n != int(n) or n < 1:
        raise LeaderbayesError(f"n={n}: give the number of instances of the test set, from 1 up.")
    if metric not in ("accuracy", "auc"):
        raise LeaderbayesError(f"metric={metric!r}: choose 'accuracy' or 'auc'.")
    if not isinstance(source, str | Path | pd.DataFrame):
        names = source.index if isinstance(source, pd.Series) else None
        source = pd.DataFrame({"score": np.asarray(source, dtype=float)})
        if names is not None:
            source.insert(0, "team", names.astype(str))
    table, _ = read_table(source, None)
    for name in (team, score):
        if name is not None and name not in table.frame.columns:
            table.refuse(f"no column {shown(name)}; {suggest(name, table.frame.columns)}")
    column = score or recognise(table, _SCORE, [team])
    if column is None:
        table.refuse(
            f"which column is the score? Name one (score=): {listed(table.frame.columns)}."
        )
    label = team or recognise(table, _TEAM, [column])
    values = as_numbers(table, column)
    wrong = values[(values < 0.0) | (values > 1.0)]
    if len(wrong):
        percent = "; divide percentages by 100" if 1.0 < float(values.max()) <= 100.0 else ""
        table.refuse(
            f"column {shown(column)} holds {wrong.iloc[0]:g}; shares are from 0 to 1{percent}.",
            wrong.index[0],
        )
    kept = values.dropna()
    if kept.empty:
        raise ScoresError(f"{table.where}: column {shown(column)} holds no score.")
    names = table.frame.loc[kept.index, label].astype(str) if label else kept.index.astype(str)
    if metric == "accuracy":
        _check_resolution(kept.to_numpy(), n)
    return xr.DataArray(
        kept.to_numpy(),
        dims="team",
        coords={"team": np.asarray(names, dtype=object)},
        name="score",
        attrs={"n": int(n), "metric": metric, "source": table.where},
    )


def _check_resolution(values: np.ndarray, n: int) -> None:
    """Warn unless scores are multiples of 1 / n, as far as their printed digits can tell."""
    digits = next(
        (d for d in range(1, 16) if np.allclose(values, np.round(values, d), rtol=0, atol=1e-15)),
        16,
    )
    half = 0.5 * 10.0**-digits
    if 2.0 * half >= 1.0 / n:
        return  # rounded more coarsely than the instances
    gap = np.abs(values * n - np.round(values * n)) / n
    off = int((gap > half * 1.01 + 1e-12).sum())
    if off:
        warnings.warn(
            f"LB020 {off} of {len(values)} scores are not multiples of 1/{n}, as shares of right "
            "answers are: n may be another number, or the score another metric.",
            BoardWarning,
            stacklevel=3,
        )


def naive_interval(score: float, n: int, *, prob: float = 0.95) -> tuple[float, float]:
    """Exact (Clopper-Pearson) interval of one classifier's theta: no multiplicity.

    Parameters
    ----------
    score : float
        Share of right answers.
    n : int
        Instances of the test set.
    prob : float
        Coverage.

    Returns
    -------
    tuple of float
        Lower and upper limit.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range.
    """
    if not 0.0 <= score <= 1.0 or n < 1 or not 0.0 < prob < 1.0:
        raise LeaderbayesError(
            f"score={score}, n={n}, prob={prob}: a share from 0 to 1, instances from 1 up, and a "
            "probability between 0 and 1."
        )
    right, tail = score * n, (1.0 - prob) / 2.0
    low = 0.0 if right == 0 else float(betaincinv(right, n - right + 1.0, tail))
    high = 1.0 if right == n else float(betaincinv(right + 1.0, n - right, 1.0 - tail))
    return low, high
