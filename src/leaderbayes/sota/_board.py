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
from leaderbayes._errors import BoardWarning, LeaderbayesError, ScoresError
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.cells import as_numbers
from leaderbayes._scores.metrics import more_is_better, plain
from leaderbayes._scores.roles import recognise
from leaderbayes._scores.tables import (
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
    higher_is_better: bool | None = None,
    max_mb: float = MAX_MB,
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
    higher_is_better : bool, optional
        False of a loss: shares of wrong answers (with n) become those of right ones, 1 - score, and
        other scores (with se) their negatives, so that more is better, and what is made of the
        board is on that scale. By default more is better, and a score that goes by the name of a
        loss is refused.
    max_mb : float
        The most that a file may hold, unpacked, in megabytes.

    Returns
    -------
    DataArray (team)
        Scores, in the order of the source; rows without one are left out. attrs: ``metric``,
        ``source``, ``higher_is_better`` (0 or 1, of the source's scores), and ``n``; of estimates
        ``metric`` is "estimate", ``se`` is a coordinate (team), and an attribute that says where it
        comes from.

    Raises
    ------
    ScoresError
        If the board cannot be read, a team has two rows, a share is not from 0 to 1, a standard
        error not above 0, or the score a loss's without ``higher_is_better``: names the file, row
        or column.

    Warns
    -----
    BoardWarning
        LB020, if accuracies are not multiples of 1 / n, rounded or truncated: n may be another
        one, which the message names where the scores tell it.

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
    if higher_is_better not in (None, True, False):
        raise LeaderbayesError(f"higher_is_better={higher_is_better!r}: give True or False.")
    metric_name = source.name if isinstance(source, pd.Series) else None
    if not isinstance(source, str | Path | pd.DataFrame):
        index = source.index if isinstance(source, pd.Series) else None
        try:
            source = pd.DataFrame({"score": as_column(source)})
        except (TypeError, ValueError) as problem:
            raise ScoresError(f"The scores of the board are no sequence ({problem}).") from problem
        if index is not None:
            source.insert(0, "team", pd.Series([text_of(name) for name in index], dtype=object))
    table, _ = read_table(source, None, max_mb)
    for name in (team, score, n, se):
        if isinstance(name, str) and name not in table.frame.columns:
            table.refuse(f"no column {shown(name)}; {suggest(name, table.frame.columns)}")
    given = [name for name in (n, se) if isinstance(name, str)]
    column = score or recognise(table, _SCORE, [team, *given])
    if column is None:
        table.refuse(
            f"which column is the score? Name one (score=): {listed(table.frame.columns)}."
        )
    _check_direction(table, metric_name or column, higher_is_better)
    label = team or recognise(table, _TEAM, [column, *given])
    if team is None and label is not None and plain(label) == "rank":
        # Teams that tie share it.
        label = None if table.frame[label].duplicated().any() else label
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
    _check_once(table, names, kept.index)
    board = xr.DataArray(
        kept.to_numpy(),
        dims="team",
        coords={"team": names},
        name="score",
        attrs={
            "metric": metric,
            "source": table.where,
            "higher_is_better": int(higher_is_better is not False),
        },
    )
    if higher_is_better is False:
        board = board.copy(data=-board if se is not None else 1.0 - board)
    if se is not None:
        errors, origin = _errors(table, se, kept), f"column {se!r}" if isinstance(se, str) else se
    elif isinstance(n, str):
        errors = _binomial_errors(table, n, kept)
        origin = f"sqrt(p (1 - p) / n), n from column {n!r}"
    elif n is not None:
        if metric == "accuracy":
            _check_resolution(kept.to_numpy(), int(n))
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


def _check_direction(table: Table, metric: object, higher_is_better: bool | None) -> None:
    """Refuse to guess that more of a loss is better."""
    if higher_is_better is None and more_is_better(str(metric)) is False:
        table.refuse(
            f"{shown(metric)} is the name of a loss, of which less is better; say so "
            "(higher_is_better=False, --lower-is-better), or that more of it is "
            "(higher_is_better=True, --higher-is-better)."
        )


def _check_once(table: Table, names: np.ndarray, rows: pd.Index) -> None:
    """Refuse a team that would count twice."""
    again = pd.Series(names, index=rows).duplicated()
    if again.any():
        row = again.idxmax()
        several = len(set(names[again.to_numpy()]))
        others = f", as {several} teams have" if several > 1 else ""
        table.refuse(
            f"the team {shown(names[rows.get_loc(row)])} has a second row{others}. Keep one row a "
            "team; of different teams with one name give a column that tells them apart (team=, "
            "--team), or read Kaggle's file by adapters.from_kaggle.",
            row,
        )


def _check_resolution(values: np.ndarray, n: int) -> None:
    """Warn unless scores are multiples of 1 / n, as far as their printed digits can tell."""
    digits = next(
        (d for d in range(1, 16) if np.allclose(values, np.round(values, d), rtol=0, atol=1e-15)),
        16,
    )
    unit = 10.0**-digits
    if unit >= 1.0 / n:
        return  # printed more coarsely than the instances
    different = np.unique(values)
    fits = {how: _fits(different, n, unit, how) for how in _PRINTED}
    if max(fit.mean() for fit in fits.values()) == 1.0:
        return
    how = max(fits, key=lambda how: fits[how].mean())
    off = int(np.isin(values, different[~fits[how]]).sum())
    found = _lattice(different, n, unit)
    hint = "n may be another number, or the score another metric."
    if found is not None:
        hint = (
            f"all {len(values)} are multiples of 1/{found[0]}, {found[1]} to {digits} digits: is "
            f"{found[0]} the number of instances that they were scored on?"
        )
    warnings.warn(
        f"LB020 {off} of {len(values)} scores are not multiples of 1/{n}, as shares of right "
        f"answers are: {hint}",
        BoardWarning,
        stacklevel=3,
    )


_PRINTED = {"truncated": 0.0, "rounded": 0.5}  # where a printed score lies in what it stands for
_CHANCE = 1e-3  # expected number of test sets that fit by chance, up to which one is named


def _fits(score: np.ndarray, n: np.ndarray | int, unit: float, how: str) -> np.ndarray:
    """Whether some k / n is printed so, of each score."""
    slack = 1e-12 + 0.01 * unit * (how == "rounded")
    low = score - _PRINTED[how] * unit - slack
    high = low + unit + slack + (slack if how == "rounded" else -slack)
    return np.asarray(np.floor(high * n) >= np.ceil(low * n))


def _lattice(different: np.ndarray, n: int, unit: float) -> tuple[int, str] | None:
    """Give the smallest test set of which all scores are shares, up to twice the given one.

    None where so few scores, of so few digits, are shares of any.
    """
    different = different[(different > 0.0) & (different < 1.0)]
    sizes = np.arange(2, 2 * n + 1)
    # Of all scores that could be printed a share of n times the unit fits: at least, as n that go
    # well with the digits leave none between.
    sizes = sizes[_by_chance(sizes, sizes * unit, len(different)) < _CHANCE]
    possible = np.unique(np.round(np.linspace(0.0, 1.0, 1009) / unit) * unit)
    made = []
    for how in _PRINTED:
        left = sizes
        for score in different:
            left = left[_fits(score, left, unit, how)]
        for size in left.tolist():
            share = float(_fits(possible, size, unit, how).mean())
            if _by_chance(size, share, len(different)) < _CHANCE:
                made.append((size, how))
                break
    return min(made, default=None)


def _by_chance(sizes: np.ndarray | int, share: np.ndarray | float, scores: int) -> np.ndarray:
    """Give how many test sets up to these sizes fit where a score does with this share."""
    return np.asarray(np.exp(np.log(sizes) + scores * np.log(np.clip(share, 1e-9, 1.0))))


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
