"""Boards of a competition: a score for each team on one test set."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import number, one_of, positive, share, whole
from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.cells import as_numbers
from leaderbayes._scores.metrics import is_metric, more_is_better, plain
from leaderbayes._scores.roles import is_kaggle, recognise
from leaderbayes._scores.sources import read_table
from leaderbayes._scores.tables import (
    Table,
    as_column,
    is_unicode,
    listed,
    shown,
    suggest,
    text_of,
)
from leaderbayes.sota._kaggle import one_row_a_team
from leaderbayes.sota._lattice import check_resolution, size_of
from leaderbayes.sota._sizes import ends_of, sizes_of
from leaderbayes.sota._standard_errors import errors_of_sizes, given_errors
from leaderbayes.sota._suspects import (
    Clones,
    as_shares,
    beyond_chance,
    chosen,
    warn_of_leaks,
    without_copies,
)

_TEAM = "team team_name teamname player model name team_id teamid submission rank"
_SCORE = "score private_score public_score accuracy acc auc roc_auc value result"


def read_board(
    source: str | Path | pd.DataFrame | pd.Series | Sequence[float],
    *,
    n: int | str | tuple[int, int] | None = None,
    se: float | str | None = None,
    metric: Literal["accuracy", "auc"] = "accuracy",
    classes: int | None = None,
    chance: float | None = None,
    positive_rate: float | None = None,
    team: str | None = None,
    score: str | None = None,
    higher_is_better: bool | None = None,
    exclude: str | Sequence[str] = (),
    ceiling: float | None = None,
    clones: Clones = "all",
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    """Read a board: one row a team.

    Parameters
    ----------
    source : path, DataFrame, Series or sequence of float
        CSV or Parquet file or a table with a column of scores; or the scores themselves, a Series'
        index naming the teams (its attrs ``n`` and ``classes``, which `datasets.fetch` gives, are
        taken where they are not said). Shares may be percentages, from 0 to 100, where none is
        above 0 and up to 1. Kaggle's leaderboards are recognised by their columns TeamId,
        TeamName and Score: of a history each team's last submission counts, and a name that
        several teams go by is followed by the team's number.
    n : int, (int, int) or str, optional
        Instances of the test set; or two numbers between which it is, over which `posterior`
        integrates (below). Or the column with those of each team, whose scores then become
        estimates: accuracies with the binomial standard errors sqrt(p (1 - p) / n), AUCs with
        those of binormal scores. "lattice", of accuracies: the smallest test set of which all
        scores, as they are printed, are shares.
    se : float or str, optional
        Standard error of every score, or the column with that of each: the board is then one of
        estimates, of any metric of which more is better. Give n or se, not both.
    metric : {"accuracy", "auc"}
        Whether scores are shares of right answers or areas under the curve; not with se.
    classes : int, optional
        Number of classes, of accuracies; 2 by default. A random classifier scores 1 / classes.
    chance : float, optional
        Score of a random classifier, as the source has it, instead of 1 / classes; of AUCs 0.5 by
        default, of estimates not known.
    positive_rate : float, optional
        Share of the positive class, which AUCs need.
    team, score : str, optional
        Names of columns.
    higher_is_better : bool, optional
        False of a loss: shares of wrong answers (with n) become those of right ones, 1 - score, and
        other scores (with se) their negatives, so that more is better, and what is made of the
        board is on that scale. By default more is better, and a score that goes by the name of a
        loss is refused.
    exclude : str or sequence of str
        Teams to leave out, such as the organisers' baselines.
    ceiling : float, optional
        Leave out teams with this score, as the source has it, or a better one: leaks.
    clones : {"all", "one"}
        Of a score that more teams have, to the last digit, than chance would have it (copies of one
        submission), keep all, or as many as chance would have, one at least, the first listed.
    max_mb : float
        The most that a file may hold, unpacked, in megabytes.

    Returns
    -------
    DataArray (team)
        Scores, in the order of the source; rows without one are left out. What is known of them
        stands in attrs, from where all functions on boards read it: ``metric``, ``n``; ``classes``
        or ``chance`` (on the board's scale); ``positive_rate``; ``higher_is_better`` (0 or 1, of
        the source's scores), ``source``; ``percent`` (1), ``n_from`` ("lattice") and ``left_out``
        (how many teams, by exclude, ceiling and clones), where they apply. Of an n between two
        numbers ``n_lower`` and ``n_upper``, and as ``n`` the median of what is possible; but where
        the scores' digits leave one it is known, by ``n_from``. Of estimates ``metric``
        is "estimate", and ``se`` a coordinate (team) and an attribute that says where it comes
        from. A DataArray (team) with such attrs, or a board with others assigned, is a board, too.

    Raises
    ------
    ScoresError
        If the board cannot be read, a team has two rows, a share is not from 0 to 1, a standard
        error not above 0, or the score a loss's without ``higher_is_better``: names the file, row
        or column.
    LeaderbayesError
        If what is said of the board is out of range, or does not fit together.

    Warns
    -----
    BoardWarning
        LB020, if accuracies are not multiples of 1 / n, rounded or truncated (of an n between two
        numbers: for none of them): n may be another one, which the message names where the scores
        tell it.
    HintWarning
        LB031, if more teams than chance has share a score; LB032, if scores are perfect and all
        others far below.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import pandas as pd
    >>> table = pd.DataFrame({"team": ["Ada", "Bo", "Cy"], "score": [0.91, 0.9, 0.88]})
    >>> board = lb.sota.read_board(table, n=100, classes=7)
    >>> board.dims, board.attrs["n"], board.attrs["classes"]
    (('team',), 100, 7)
    """
    one_of("clones", clones, "all", "one")
    if isinstance(source, pd.Series) and metric == "accuracy" and se is None:
        n = source.attrs.get("n") if n is None else n
        if classes is None and chance is None:
            classes = source.attrs.get("classes")
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
    table = read_table(source, None, max_mb)
    if is_kaggle(table) and team is None and score is None:
        table, team, score = one_row_a_team(table)
    by_lattice = n == "lattice" and metric == "accuracy" and "lattice" not in table.frame.columns
    size = None if by_lattice else n
    for name in (team, score, size, se):
        if isinstance(name, str) and name not in table.frame.columns:
            table.refuse(f"no column {shown(name)}; {suggest(name, table.frame.columns)}")
    given = [name for name in (size, se) if isinstance(name, str)]
    column = score or recognise(table, _SCORE, [team, *given]) or _metric(table, [team, *given])
    _check_direction(table, column if metric_name is None else metric_name, higher_is_better)
    label = team or recognise(table, _TEAM, [column, *given])
    if team is None and label is not None and plain(label) == "rank":
        # Teams that tie share it.
        label = None if table.frame[label].duplicated().any() else label
    kept = as_numbers(table, column).dropna()
    if kept.empty:
        raise ScoresError(f"{table.where}: column {shown(column)} holds no score.")
    kept, percent = as_shares(table, column, kept) if se is None else (kept, False)
    of_source = 100.0 if percent else 1.0
    teams = table.frame.loc[kept.index, label] if label else kept.index
    names = np.array([text_of(name) for name in teams], dtype=object)
    for row, name in zip(kept.index, names, strict=True):
        if not is_unicode(name):
            table.refuse(f"the team {shown(name)} is not text.", row)
    _check_once(table, names, kept.index)
    stay = chosen(
        table, names, of_source * kept.to_numpy(), exclude, ceiling, higher_is_better is not False
    )
    left_out = int((~stay).sum())
    kept, names = kept[stay], names[stay]
    if by_lattice:
        n = size_of(kept.to_numpy())[0]
    if percent and chance is not None:
        chance = number("chance", chance) / of_source
    of_size = dict[str, Any]()
    if isinstance(n, tuple):
        n, of_size = _between(n, kept.to_numpy(), metric)
    known = _said(n, se, metric, classes, chance, positive_rate, higher_is_better) | of_size
    shares = se is None and metric == "accuracy"
    alike = int(n) if shares and isinstance(n, int | np.integer) else None
    stay = np.ones(len(kept), dtype=bool)
    able = stay if alike is None else beyond_chance(kept.to_numpy(), alike, known, higher_is_better)
    stay[able] = without_copies(kept.to_numpy()[able], alike, clones)
    left_out += int((~stay).sum())
    kept, names = kept[stay], names[stay]
    board = xr.DataArray(
        kept.to_numpy(),
        dims="team",
        coords={"team": names},
        name="score",
        attrs={
            "metric": metric,
            "source": table.where,
            "higher_is_better": int(higher_is_better is not False),
        }
        | ({"percent": 1} if percent else {})
        | ({"n_from": "lattice"} if by_lattice else {})
        | ({"left_out": left_out} if left_out else {}),
    )
    if higher_is_better is False:
        board = board.copy(data=-board if se is not None else 1.0 - board)
    if alike is not None:
        warn_of_leaks(board.to_numpy(), names, alike)
    if se is not None:
        errors = given_errors(table, se, kept)
        origin = f"column {se!r}" if isinstance(se, str) else se
    elif isinstance(n, str):
        errors = errors_of_sizes(table, n, kept, positive_rate)
        how = "sqrt(p (1 - p) / n)" if metric == "accuracy" else "binormal"
        origin = f"{how}, n from column {n!r}"
    elif n is not None:
        if metric == "accuracy" and not of_size:
            check_resolution(kept.to_numpy(), whole("n", n))
        return board.assign_attrs(n=whole("n", n), **known)
    estimates = {"metric": "estimate", "se": origin}
    return board.assign_coords(se=("team", errors)).assign_attrs(**estimates, **known)


def _between(n: Any, scores: np.ndarray, metric: str) -> tuple[int, dict[str, Any]]:
    """Give n of two numbers between which it is, or their middle and what is known of it."""
    possible = sizes_of(scores, n, metric)
    if possible.sure is not None:
        return possible.sure, {"n_from": "lattice"}
    low, high = ends_of(n)
    return possible.middle, {"n_lower": low, "n_upper": high}


def _metric(table: Table, taken: Sequence[str | None]) -> str:
    """Find the one column that goes by the name of a metric, such as RMSE."""
    teams = _TEAM.split()
    rest = [c for c in table.frame.columns if c not in taken and plain(c) not in teams]
    metrics = [name for name in rest if is_metric(name)]
    if len(metrics) != 1:
        table.refuse(f"which column is the score? Name one (score=, --score NAME): {listed(rest)}.")
    return str(metrics[0])


def _check_errors(n: Any, se: float | str | None, metric: str) -> None:
    """Raise unless what is given of n, se and metric fits together."""
    if (n is None) == (se is None):
        raise LeaderbayesError(
            "Give n (--n), the instances of the test set, or se (--se), the standard errors of the "
            "scores" + (": a number, or a column." if n is None else ", not both.")
        )
    one_of("metric", metric, "accuracy", "auc")
    if metric == "auc" and n is None:
        raise LeaderbayesError(
            "metric='auc' is for AUCs on test sets of n instances: with standard errors of your "
            "own (se=, --se) leave it out."
        )
    if isinstance(n, tuple):
        ends_of(n)
    elif n is not None and not isinstance(n, str):
        whole("n", n)
    if se is not None and not isinstance(se, str):
        positive("se", se)


def _said(
    n: Any,
    se: float | str | None,
    metric: str,
    classes: int | None,
    chance: float | None,
    positive_rate: float | None,
    higher_is_better: bool | None,
) -> dict[str, Any]:
    """Check what is said of a random classifier and of the classes; give it as attrs."""
    shares = se is None and metric == "accuracy"
    if (metric == "auc") != (positive_rate is not None):
        raise LeaderbayesError(
            "positive_rate, the share of the positive class, is for boards of AUC, and these need "
            "it: metric='auc', positive_rate=0.2 (--metric auc --positive-rate 0.2)."
        )
    if positive_rate is not None:
        share("positive_rate", positive_rate)
        if isinstance(n, str):  # kept in the standard errors
            positive_rate = None
    if classes is not None:
        whole("classes", classes, at_least=2)
        if not shares:
            instead = "leave it out" if metric == "auc" else "give chance instead"
            raise LeaderbayesError(f"classes is for shares of right answers: {instead}.")
        if chance is not None:
            raise LeaderbayesError("Give classes or chance, not both: chance is 1 / classes.")
    if chance is not None:
        bounds = {} if se is not None else {"at_least": 0.0, "below": 1.0}
        chance = number("chance", chance, **bounds)
        if higher_is_better is False:
            chance = -chance if se is not None else 1.0 - chance
    elif isinstance(n, str) and metric == "auc":
        chance = 0.5
    elif isinstance(n, str):
        chance = None if classes is None else 1.0 / classes
    elif shares:
        classes = 2 if classes is None else int(classes)
        return {"classes": classes}
    said = {"chance": chance, "positive_rate": positive_rate}
    return {name: float(value) for name, value in said.items() if value is not None}


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
            "--team).",
            row,
        )
