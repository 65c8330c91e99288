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
from leaderbayes._types import Floats
from leaderbayes.sota._kaggle import one_row_a_team
from leaderbayes.sota._printed import check_resolution
from leaderbayes.sota._suspects import Clones, without_copies

_TEAM = "team team_name teamname player model name team_id teamid submission rank"
_SCORE = "score private_score public_score accuracy acc auc roc_auc value result"


def read_board(
    source: str | Path | pd.DataFrame | pd.Series | Sequence[float],
    *,
    n: int | None = None,
    se: float | str | None = None,
    metric: Literal["accuracy", "auc"] = "accuracy",
    classes: int | None = None,
    chance: float | None = None,
    positive_rate: float | None = None,
    team: str | None = None,
    score: str | None = None,
    higher_is_better: bool | None = None,
    clones: Clones = "all",
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    """Read a board: one row a team.

    Parameters
    ----------
    source : path, DataFrame, Series or sequence of float
        Table with a column of scores, shares or percentages; or the scores, a Series' index naming
        the teams. Of Kaggle's leaderboards each team's last submission counts.
    n : int, optional
        Instances of the test set.
    se : float or str, optional
        Standard error of every score, of any metric, or the column with that of each; not with n.
    metric : {"accuracy", "auc"}
        Shares of right answers or areas under the curve; not with se.
    classes, chance : int, float, optional
        Classes, of accuracies (2 by default), or the score of a random classifier.
    positive_rate : float, optional
        Share of the positive class, which AUCs need.
    team, score : str, optional
        Names of columns.
    higher_is_better : bool, optional
        False of a loss: the board then has 1 - score, or of other metrics -score.
    clones : {"all", "one"}
        Of a score that more teams share than chance has, keep all, or as many as chance has.
    max_mb : float
        Largest size of a file, unpacked, in megabytes.

    Returns
    -------
    DataArray (team)
        Scores, in the order of the source. attrs: ``metric``, ``n``, ``classes`` or ``chance``,
        ``positive_rate``, ``higher_is_better``, ``source``; ``percent``, ``left_out`` where they
        apply. ``se`` is a coordinate (team). Any DataArray (team) with these is a board.

    Raises
    ------
    ScoresError
        If the board cannot be read: names the file, row or column.
    LeaderbayesError
        If the arguments are out of range, or do not fit together.

    Warns
    -----
    BoardWarning
        LB020, if accuracies are not multiples of 1 / n.
    HintWarning
        LB031, if more teams than chance has share a score.

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
    shares = se is None and metric == "accuracy"
    if isinstance(source, pd.Series) and shares:
        n = source.attrs.get("n") if n is None else n
        if classes is None and chance is None:
            classes = source.attrs.get("classes")
    n = _check_errors(n, se, metric)
    if higher_is_better not in (None, True, False):
        raise LeaderbayesError(f"higher_is_better={higher_is_better!r}: give True or False.")
    table, team, column = _table(source, team, score, se if isinstance(se, str) else None, max_mb)
    name = source.name if isinstance(source, pd.Series) and source.name is not None else column
    _check_direction(table, name, higher_is_better)
    kept, names = _named(table, column, team)
    more = higher_is_better is not False
    attrs = {"metric": metric, "source": table.where, "higher_is_better": int(more)}
    scores = kept.to_numpy().astype(float)
    if se is None and _are_percentages(table, column, kept):
        scores, attrs["percent"] = scores / 100.0, 1
        chance = None if chance is None else number("chance", chance) / 100.0
    attrs |= _known(se, metric, classes, chance, positive_rate, more=more)
    if n is not None:
        attrs["n"] = n
    if shares and n is not None:
        check_resolution(scores, n)
    turned = scores if more else 1.0 - scores if se is None else -scores
    guessed = attrs.get("chance", 1.0 / attrs.get("classes", 2))
    stay = without_copies(turned, attrs["n"] if shares else None, guessed, clones)
    attrs |= {} if stay.all() else {"left_out": int((~stay).sum())}
    board = xr.DataArray(turned[stay], {"team": names[stay]}, "team", "score", attrs)
    if se is None:
        return board
    origin = f"column {se!r}" if isinstance(se, str) else se
    errors = _errors(table, se, kept[stay])
    return board.assign_coords(se=("team", errors)).assign_attrs(metric="estimate", se=origin)


def _table(
    source: Any, team: str | None, score: str | None, se: str | None, max_mb: float
) -> tuple[Table, str | None, str]:
    """Read a table, and find the columns of the teams' names, if there is one, and the scores."""
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
        return one_row_a_team(table)
    for name in (team, score, se):
        if name is not None and name not in table.frame.columns:
            table.refuse(f"no column {shown(name)}; {suggest(name, table.frame.columns)}")
    column = score or recognise(table, _SCORE, [team, se])
    if column is None:
        rest = [c for c in table.frame.columns if c not in (team, se)]
        rest = [c for c in rest if plain(c) not in _TEAM.split()]
        metrics = [name for name in rest if is_metric(name)]
        if len(metrics) != 1:
            table.refuse(
                f"which column is the score? Name one (score=, --score NAME): {listed(rest)}."
            )
        column = str(metrics[0])
    label = team or recognise(table, _TEAM, [column, se])
    # Teams that tie share a rank.
    if team is None and label and plain(label) == "rank" and table.frame[label].duplicated().any():
        label = None
    return table, label, column


def _named(table: Table, column: str, label: str | None) -> tuple[pd.Series, np.ndarray]:
    """Return the scores that there are, and the names of the teams, each once."""
    kept = as_numbers(table, column).dropna()
    if kept.empty:
        raise ScoresError(f"{table.where}: column {shown(column)} holds no score.")
    teams = table.frame.loc[kept.index, label] if label else kept.index
    names = np.array([text_of(name) for name in teams], dtype=object)
    for row, name in zip(kept.index, names, strict=True):
        if not is_unicode(name):
            table.refuse(f"the team {shown(name)} is not text.", row)
    again = pd.Series(names).duplicated().to_numpy()
    if again.any():
        several = len(set(names[again]))
        others = f", as {several} teams have" if several > 1 else ""
        table.refuse(
            f"the team {shown(names[again.argmax()])} has a second row{others}. Keep one row a "
            "team; of different teams with one name give a column that distinguishes them (team=, "
            "--team).",
            kept.index[again.argmax()],
        )
    return kept, names


def _are_percentages(table: Table, column: str, values: pd.Series) -> bool:
    """Return whether these are percentages, none above 0 and up to 1; refuse what may be either."""
    wrong = values[(values < 0.0) | (values > 1.0)]
    if wrong.empty:
        return False
    small = values[(values > 0.0) & (values <= 1.0)]
    if values.min() >= 0.0 and values.max() <= 100.0 and small.empty:
        return True
    problem = (
        f"{wrong.iloc[0]:g}; shares are from 0 to 1, percentages to 100. Of another metric give "
        "standard errors (se=, --se)."
    )
    if values.min() >= 0.0 and values.max() <= 100.0:
        problem = (
            f"{wrong.iloc[0]:g} and {small.iloc[0]:g}: are they percentages or shares? Give all as "
            "shares, from 0 to 1: divide percentages by 100."
        )
    table.refuse(f"column {shown(column)} holds {problem}", wrong.index[0])


def _check_errors(n: Any, se: float | str | None, metric: str) -> int | None:
    """Raise unless what is given of n, se and metric fits together; return n."""
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
    if se is not None and not isinstance(se, str):
        positive("se", se)
    return None if n is None else whole("n", n)


def _known(
    se: float | str | None,
    metric: str,
    classes: int | None,
    chance: float | None,
    positive_rate: float | None,
    *,
    more: bool,
) -> dict[str, Any]:
    """Check what is given of a random classifier and of the classes; return it as attrs."""
    if (metric == "auc") != (positive_rate is not None):
        raise LeaderbayesError(
            "positive_rate, the share of the positive class, is for boards of AUC, and these need "
            "it: metric='auc', positive_rate=0.2 (--metric auc --positive-rate 0.2)."
        )
    known = {}
    if positive_rate is not None:
        known["positive_rate"] = share("positive_rate", positive_rate)
    shares = se is None and metric == "accuracy"
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
        known["chance"] = chance if more else -chance if se is not None else 1.0 - chance
    elif shares:
        known["classes"] = 2 if classes is None else int(classes)
    return known


def _check_direction(table: Table, metric: object, higher_is_better: bool | None) -> None:
    """Refuse to guess that more of a loss is better."""
    if higher_is_better is None and more_is_better(str(metric)) is False:
        table.refuse(
            f"{shown(metric)} is the name of a loss, of which less is better; say so "
            "(higher_is_better=False, --lower-is-better), or that more of it is "
            "(higher_is_better=True, --higher-is-better)."
        )


def _errors(table: Table, se: float | str, scores: pd.Series) -> Floats:
    """Return standard errors of the scores, as they are given (team,)."""
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
