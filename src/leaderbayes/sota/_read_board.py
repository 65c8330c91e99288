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
from leaderbayes._numerics.auc import variance
from leaderbayes._scores.cells import as_numbers
from leaderbayes._scores.facts import class_sizes
from leaderbayes._scores.metrics import is_metric, more_is_better, plain
from leaderbayes._scores.roles import is_kaggle, recognise
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
from leaderbayes._types import Floats
from leaderbayes.sota._kaggle import one_row_a_team
from leaderbayes.sota._printed import check_resolution, size_of
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
    n: int | str | None = None,
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
        Table with a column of scores, shares or percentages; or the scores, a Series' index naming
        the teams. Of Kaggle's leaderboards each team's last submission counts.
    n : int or str, optional
        Instances of the test set; the column with those of each team, whose scores then become
        estimates; or "lattice": the smallest test set of which all accuracies are shares.
    se : float or str, optional
        Standard error of every score, or the column with that of each, in place of n; of any metric.
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
    exclude : str or sequence of str
        Teams to exclude, such as the organisers' baselines.
    ceiling : float, optional
        Exclude teams with this score, as the source has it, or a better one: leaks.
    clones : {"all", "one"}
        Of a score that more teams share than chance has, keep all, or as many as chance has.
    max_mb : float
        Largest size of a file, unpacked, in megabytes.

    Returns
    -------
    DataArray (team)
        Scores, in the order of the source. attrs: ``metric``, ``n``, ``classes`` or ``chance``,
        ``positive_rate``, ``higher_is_better``, ``source``; ``percent``, ``n_from``, ``left_out``
        where they apply. Of estimates ``se`` is a coordinate (team), and says where it is from.

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
        LB031, if more teams than chance has share a score; LB032, if perfect scores leaked.

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
    name = source.name if isinstance(source, pd.Series) else None
    table, team, score = _table(source, team, score, max_mb)
    by_lattice = n == "lattice" and metric == "accuracy" and "lattice" not in table.frame.columns
    size = None if by_lattice else n
    label, column = _columns(table, team, score, [c for c in (size, se) if isinstance(c, str)])
    _check_direction(table, column if name is None else name, higher_is_better)
    kept, names = _named(table, column, label)
    kept, percent = as_shares(table, column, kept) if se is None else (kept, False)
    of_source = 100.0 if percent else 1.0
    more = higher_is_better is not False
    stay = chosen(table, names, of_source * kept.to_numpy(), exclude, ceiling, more)
    left_out, kept, names = int((~stay).sum()), kept[stay], names[stay]
    n = size_of(kept.to_numpy()) if by_lattice else n
    if percent and chance is not None:
        chance = number("chance", chance) / of_source
    known = _known(n, se, metric, classes, chance, positive_rate, more=more)
    alike = int(n) if se is None and metric == "accuracy" and not isinstance(n, str) else None
    scores = kept.to_numpy()
    able = np.ones(len(scores), bool)
    if alike is not None:
        able = beyond_chance(scores if more else 1.0 - scores, alike, known)
    stay = np.ones(len(scores), bool)
    stay[able] = without_copies(scores[able], alike, clones)
    left_out, kept, names = left_out + int((~stay).sum()), kept[stay], names[stay]
    attrs = {"metric": metric, "source": table.where, "higher_is_better": int(more)}
    attrs |= {"percent": 1} if percent else {}
    attrs |= {"n_from": "lattice"} if by_lattice else {}
    attrs |= {"left_out": left_out} if left_out else {}
    scores = kept.to_numpy()
    turned = scores if more else -scores if se is not None else 1.0 - scores
    board = xr.DataArray(turned, {"team": names}, "team", "score", attrs | known)
    if alike is not None:
        warn_of_leaks(turned, names, alike)
        check_resolution(scores, alike)
    if se is None and not isinstance(n, str):
        return board.assign_attrs(n=whole("n", n))
    if se is not None:
        errors, origin = _given(table, se, kept), f"column {se!r}" if isinstance(se, str) else se
    else:
        errors = _of_sizes(table, str(n), kept, positive_rate)
        how = "sqrt(p (1 - p) / n)" if metric == "accuracy" else "binormal"
        origin = f"{how}, n from column {n!r}"
    return board.assign_coords(se=("team", errors)).assign_attrs(metric="estimate", se=origin)


def _table(
    source: Any, team: str | None, score: str | None, max_mb: float
) -> tuple[Table, str | None, str | None]:
    """Read a table, one row a team, and the columns that are known of it."""
    if not isinstance(source, str | Path | pd.DataFrame):
        index = source.index if isinstance(source, pd.Series) else None
        try:
            source = pd.DataFrame({"score": as_column(source)})
        except (TypeError, ValueError) as problem:
            raise ScoresError(f"The scores of the board are no sequence ({problem}).") from problem
        if index is not None:
            source.insert(0, "team", pd.Series([text_of(name) for name in index], dtype=object))
    table, _ = read_table(source, None, max_mb)
    if is_kaggle(table) and team is None and score is None:
        return one_row_a_team(table)
    return table, team, score


def _columns(
    table: Table, team: str | None, score: str | None, others: list[str]
) -> tuple[str | None, str]:
    """Find the columns of the teams' names, if there is one, and of the scores."""
    for name in (team, score, *others):
        if name is not None and name not in table.frame.columns:
            table.refuse(f"no column {shown(name)}; {suggest(name, table.frame.columns)}")
    taken = [team, *others]
    column = score or recognise(table, _SCORE, taken)
    if column is None:
        teams = _TEAM.split()
        rest = [c for c in table.frame.columns if c not in taken and plain(c) not in teams]
        metrics = [name for name in rest if is_metric(name)]
        if len(metrics) != 1:
            table.refuse(
                f"which column is the score? Name one (score=, --score NAME): {listed(rest)}."
            )
        column = str(metrics[0])
    label = team or recognise(table, _TEAM, [column, *others])
    # Teams that tie share a rank.
    if team is None and label and plain(label) == "rank" and table.frame[label].duplicated().any():
        label = None
    return label, column


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
            "team; of different teams with one name give a column that tells them apart (team=, "
            "--team).",
            kept.index[again.argmax()],
        )
    return kept, names


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
    if n is not None and not isinstance(n, str):
        whole("n", n)
    if se is not None and not isinstance(se, str):
        positive("se", se)


def _known(
    n: Any,
    se: float | str | None,
    metric: str,
    classes: int | None,
    chance: float | None,
    positive_rate: float | None,
    *,
    more: bool,
) -> dict[str, Any]:
    """Check what is given of a random classifier and of the classes; return it as attrs."""
    shares, by_team = se is None and metric == "accuracy", isinstance(n, str)
    if (metric == "auc") != (positive_rate is not None):
        raise LeaderbayesError(
            "positive_rate, the share of the positive class, is for boards of AUC, and these need "
            "it: metric='auc', positive_rate=0.2 (--metric auc --positive-rate 0.2)."
        )
    if positive_rate is not None:
        positive_rate = share("positive_rate", positive_rate)
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
        chance = chance if more else -chance if se is not None else 1.0 - chance
    elif shares and not by_team:
        return {"classes": 2 if classes is None else int(classes)}
    elif by_team:
        chance = 0.5 if metric == "auc" else None if classes is None else 1.0 / classes
    known = {"chance": chance, "positive_rate": None if by_team else positive_rate}
    return {name: value for name, value in known.items() if value is not None}


def _check_direction(table: Table, metric: object, higher_is_better: bool | None) -> None:
    """Refuse to guess that more of a loss is better."""
    if higher_is_better is None and more_is_better(str(metric)) is False:
        table.refuse(
            f"{shown(metric)} is the name of a loss, of which less is better; say so "
            "(higher_is_better=False, --lower-is-better), or that more of it is "
            "(higher_is_better=True, --higher-is-better)."
        )


def _given(table: Table, se: float | str, scores: pd.Series) -> Floats:
    """Standard errors of the scores, as they are given (team,)."""
    if not isinstance(se, str):
        return np.full(len(scores), float(se))
    return _checked(
        table, se, scores, lambda values: values > 0.0,
        "a score needs a standard error above 0: leave the score empty, too, where there is none.",
    )  # fmt: skip


def _of_sizes(table: Table, n: str, scores: pd.Series, positive_rate: float | None) -> Floats:
    """Standard errors of scores on test sets of their own (team,)."""
    sizes = _checked(
        table, n, scores, lambda values: (values >= 1.0) & (values == np.floor(values)),
        "give each score the number of its instances, from 1 up.",
    )  # fmt: skip
    certain = scores[(scores == 0.0) | (scores == 1.0)]
    if len(certain):
        kind = "binomial" if positive_rate is None else "binormal"
        table.refuse(
            f"the score {certain.iloc[0]:g} has the {kind} standard error 0, which says nothing "
            "of its error; give standard errors of your own (se=, --se), or leave it empty.",
            certain.index[0],
        )
    values = scores.to_numpy()
    if positive_rate is None:
        return np.asarray(np.sqrt(values * (1.0 - values) / sizes))
    pairs = zip(values, sizes, strict=True)
    return np.sqrt([variance(float(a), *class_sizes(int(k), positive_rate)) for a, k in pairs])


def _checked(table: Table, column: str, scores: pd.Series, holds: Any, remedy: str) -> Floats:
    """Return a column's numbers beside the scores, all of which must be of this kind."""
    values = as_numbers(table, column)[scores.index]
    wrong = values[~holds(values)]
    if len(wrong):
        held = "is empty" if np.isnan(wrong.iloc[0]) else f"holds {wrong.iloc[0]:g}"
        table.refuse(f"column {shown(column)} {held}; {remedy}", wrong.index[0])
    return values.to_numpy()
