"""Boards of a competition: a score for each team on one test set."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import betaincinv

from leaderbayes._arguments import number, positive, share, whole
from leaderbayes._cells import as_numbers
from leaderbayes._errors import BoardWarning, LeaderbayesError, ScoresError
from leaderbayes._roles import recognise
from leaderbayes._tables import (
    Table,
    as_column,
    is_unicode,
    listed,
    read_table,
    shown,
    suggest,
    text_of,
)

_TEAM = "team team_name teamname player model name team_id teamid submission rank"
_SCORE = "score private_score public_score accuracy acc auc roc_auc value result"


def read_board(
    source: str | Path | pd.DataFrame | pd.Series | Sequence[float],
    *,
    n: int | str | None = None,
    se: float | str | None = None,
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
    n : int or str, optional
        Instances of the test set; or the column with those of each team, whose accuracies then
        become estimates with the binomial standard errors sqrt(p (1 - p) / n).
    se : float or str, optional
        Standard error of every score, or the column with that of each: the board is then one of
        estimates, of any metric of which more is better. Give n or se, not both.
    metric : {"accuracy", "auc"}
        Whether scores are shares of right answers or areas under the curve; not with se.
    team, score : str, optional
        Names of columns.

    Returns
    -------
    DataArray (team)
        Scores, in the order of the source; rows without one are left out. attrs: ``metric``,
        ``source``, and ``n``; of estimates ``metric`` is "estimate", ``se`` is a coordinate (team),
        and an attribute that says where it comes from.

    Raises
    ------
    ScoresError
        If the board cannot be read, a share is not from 0 to 1, or a standard error not above 0:
        names the file, row or column.

    Warns
    -----
    BoardWarning
        LB020, if accuracies are not multiples of 1 / n up to rounding: n may be another one.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import pandas as pd
    >>> table = pd.DataFrame({"team": ["Ada", "Bo", "Cy"], "score": [0.91, 0.9, 0.88]})
    >>> board = lb.sota.read_board(table, n=100)
    >>> board.dims, board.attrs["n"]
    (('team',), 100)
    """
    _check_errors(n, se, metric)
    if not isinstance(source, str | Path | pd.DataFrame):
        index = source.index if isinstance(source, pd.Series) else None
        try:
            source = pd.DataFrame({"score": as_column(source)})
        except (TypeError, ValueError) as problem:
            raise ScoresError(f"The scores of the board are no sequence ({problem}).") from problem
        if index is not None:
            source.insert(0, "team", pd.Series([text_of(name) for name in index], dtype=object))
    table, _ = read_table(source, None)
    for name in (team, score, n, se):
        if isinstance(name, str) and name not in table.frame.columns:
            table.refuse(f"no column {shown(name)}; {suggest(name, table.frame.columns)}")
    given = [name for name in (n, se) if isinstance(name, str)]
    column = score or recognise(table, _SCORE, [team, *given])
    if column is None:
        table.refuse(
            f"which column is the score? Name one (score=): {listed(table.frame.columns)}."
        )
    label = team or recognise(table, _TEAM, [column, *given])
    kept = as_numbers(table, column).dropna()
    if se is None:
        _check_shares(table, column, kept)
    if kept.empty:
        raise ScoresError(f"{table.where}: column {shown(column)} holds no score.")
    teams = table.frame.loc[kept.index, label] if label else kept.index
    names = np.array([text_of(name) for name in teams], dtype=object)
    for row, name in zip(kept.index, names, strict=True):
        if not is_unicode(name):
            table.refuse(f"the team {shown(name)} is not text.", row)
    board = xr.DataArray(
        kept.to_numpy(),
        dims="team",
        coords={"team": names},
        name="score",
        attrs={"metric": metric, "source": table.where},
    )
    if se is not None:
        errors, origin = _errors(table, se, kept), f"column {se!r}" if isinstance(se, str) else se
    elif isinstance(n, str):
        errors = _binomial_errors(table, n, kept)
        origin = f"sqrt(p (1 - p) / n), n from column {n!r}"
    elif n is not None:
        if metric == "accuracy":
            _check_resolution(board.to_numpy(), n)
        return board.assign_attrs(n=int(n))
    return board.assign_coords(se=("team", errors)).assign_attrs(metric="estimate", se=origin)


def _check_errors(n: int | str | None, se: float | str | None, metric: str) -> None:
    """Raise unless what is given of n, se and metric fits together."""
    if (n is None) == (se is None):
        raise LeaderbayesError(
            "Give n, the instances of the test set, or se, the standard errors of the scores"
            + ("." if n is None else ", not both.")
        )
    if metric not in ("accuracy", "auc"):
        raise LeaderbayesError(f"metric={metric!r}: choose 'accuracy' or 'auc'.")
    if metric == "auc" and (n is None or isinstance(n, str)):
        raise LeaderbayesError(
            "metric='auc' is for AUCs on one test set of n instances: leave it out, and give se, "
            "such as the root of sota.auc_variance."
        )
    if n is not None and not isinstance(n, str):
        whole("n", n)
    if se is not None and not isinstance(se, str):
        positive("se", se)


def _check_shares(table: Table, column: str, values: pd.Series) -> None:
    """Refuse what is not from 0 to 1."""
    wrong = values[(values < 0.0) | (values > 1.0)]
    if len(wrong):
        percent = "; divide percentages by 100" if 1.0 < float(values.max()) <= 100.0 else ""
        table.refuse(
            f"column {shown(column)} holds {wrong.iloc[0]:g}; shares are from 0 to 1{percent}. Of "
            "another metric give standard errors (se=, --se).",
            wrong.index[0],
        )


def _errors(table: Table, se: float | str, scores: pd.Series) -> np.ndarray:
    """Give the standard errors of the scores (team,)."""
    if not isinstance(se, str):
        return np.full(len(scores), float(se))
    values = as_numbers(table, se)[scores.index]
    wrong = values[~(values > 0.0)]
    if len(wrong):
        held = "is empty" if np.isnan(wrong.iloc[0]) else f"holds {wrong.iloc[0]:g}"
        table.refuse(
            f"column {shown(se)} {held}; a score needs a standard error above 0: leave the score "
            "empty, too, where there is none.",
            wrong.index[0],
        )
    return values.to_numpy()


def _binomial_errors(table: Table, n: str, scores: pd.Series) -> np.ndarray:
    """Give the binomial standard errors of accuracies on test sets of their own (team,)."""
    sizes = as_numbers(table, n)[scores.index]
    wrong = sizes[~((sizes >= 1.0) & (sizes == np.floor(sizes)))]
    if len(wrong):
        held = "is empty" if np.isnan(wrong.iloc[0]) else f"holds {wrong.iloc[0]:g}"
        table.refuse(
            f"column {shown(n)} {held}; give each score the number of its instances, from 1 up.",
            wrong.index[0],
        )
    certain = scores[(scores == 0.0) | (scores == 1.0)]
    if len(certain):
        table.refuse(
            f"the score {certain.iloc[0]:g} has the binomial standard error 0, which says nothing "
            "of its error; give standard errors of your own (se=, --se), or leave it empty.",
            certain.index[0],
        )
    return np.sqrt((scores * (1.0 - scores) / sizes).to_numpy())


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

    References
    ----------
    Clopper, Pearson (1934), The use of confidence or fiducial limits illustrated in the case of the
    binomial, Biometrika 26.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> lower, upper = lb.sota.naive_interval(0.9, 1000)
    >>> round(lower, 2), round(upper, 2)
    (0.88, 0.92)
    """
    score = number("score", score, at_least=0.0, at_most=1.0)
    n, prob = whole("n", n), share("prob", prob)
    right, tail = score * n, (1.0 - prob) / 2.0
    low = 0.0 if right == 0 else float(betaincinv(right, n - right + 1.0, tail))
    high = 1.0 if right == n else float(betaincinv(right + 1.0, n - right, 1.0 - tail))
    return low, high
