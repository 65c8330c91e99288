"""Competition boards: a score for each team on one test set."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import number, one_of, positive, share, whole
from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.cells import as_names, as_numbers
from leaderbayes._scores.facts import MOST
from leaderbayes._scores.metrics import is_metric, is_share, more_is_better, plain
from leaderbayes._scores.roles import KAGGLE, is_kaggle, recognise
from leaderbayes._scores.sources import read_table
from leaderbayes._scores.tables import Table, as_column, is_unicode, listed, shown, suggest, text_of
from leaderbayes._types import Floats
from leaderbayes.sota._printed import check_resolution

_PRECISION = (
    "give n (--n), the instances of the test set, or se (--se), the standard errors of the scores: "
    "a number, or a column"
)
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
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    """Read a competition board with one row per team.

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
        False of a loss: the board then has 1 - score, or of other metrics -score, and answers are
        in the unit of the loss.
    max_mb : float
        Largest size of a file, unpacked, in megabytes.

    Returns
    -------
    DataArray (team)
        Scores, in the order of the source. attrs: ``metric``, ``n``, ``classes`` or ``chance``,
        ``positive_rate``, ``higher_is_better``, ``source``; ``percent`` where it
        applies. ``se`` is a coordinate (team). Any DataArray (team) with these is a board.

    Raises
    ------
    ScoresError
        If the board cannot be read: names the file, row or column.
    LeaderbayesError
        If the arguments are out of range, or do not fit together.

    Warns
    -----
    LeaderbayesWarning
        LB020, if accuracies are not multiples of 1 / n.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import pandas as pd
    >>> table = pd.DataFrame({"team": ["Ada", "Bo", "Cy"], "score": [0.91, 0.9, 0.88]})
    >>> board = lb.sota.read_board(table, n=100, classes=7)
    >>> board.dims, board.attrs["n"], board.attrs["classes"]
    (('team',), 100, 7)
    """
    if classes is not None and chance is not None:
        raise LeaderbayesError("Use classes or chance, not both: chance is 1 / classes.")
    shares = se is None and metric == "accuracy"
    if isinstance(source, pd.Series) and shares:
        n = source.attrs.get("n") if n is None else n
        if classes is None and chance is None:
            classes = source.attrs.get("classes")
    if higher_is_better not in (None, True, False):
        raise LeaderbayesError(f"higher_is_better={higher_is_better!r} must be True or False.")
    more = higher_is_better is not False
    precise = n is not None or se is not None
    attrs = _known(n, se, metric, classes, positive_rate) if precise else {}
    table, team, column = _table(source, team, score, se if isinstance(se, str) else None, max_mb)
    name = source.name if isinstance(source, pd.Series) and source.name is not None else column
    kept, names = _named(table, column, team)
    loss = more_is_better(str(name)) is False
    problems = [] if higher_is_better is not None else _of_direction(table, column, kept, name)
    if se is None and loss and not is_share(str(name)):
        problems.append(
            f"{shown(name)} is not a share of wrong answers, so n does not give its precision: "
            "use standard errors (se=, --se), or call the column error"
        )
    elif not precise:
        problems.append(_PRECISION)
    if problems:
        table.refuse("; ".join(problems) + ".")
    attrs |= {"source": table.where, "higher_is_better": int(more)}
    scores = kept.to_numpy().astype(float)
    if se is None and _are_percentages(table, column, kept):
        scores, attrs["percent"] = scores / 100.0, 1
        chance = None if chance is None else number("chance", chance) / 100.0
    if chance is not None:
        bounds = {} if se is not None else {"at_least": 0.0, "below": 1.0}
        chance = number("chance", chance, **bounds)
        attrs["chance"] = chance if more else -chance if se is not None else 1.0 - chance
    elif shares:
        attrs["classes"] = 2 if classes is None else int(classes)
    if shares:
        check_resolution(scores, attrs["n"])
    turned = scores if more else 1.0 - scores if se is None else -scores
    board = xr.DataArray(turned, {"team": names}, "team", "score", attrs)
    if se is None:
        return board
    origin = f"column {se!r}" if isinstance(se, str) else se
    errors = _errors(table, se, kept)
    return board.assign_coords(se=("team", errors)).assign_attrs(metric="estimate", se=origin)


def _table(
    source: Any, team: str | None, score: str | None, se: str | None, max_mb: float
) -> tuple[Table, str | None, str]:
    """Read a table, and find the columns of teams and scores."""
    if not isinstance(source, str | Path | pd.DataFrame):
        index = source.index if isinstance(source, pd.Series) else None
        try:
            source = pd.DataFrame({"score": as_column(source)})
        except (TypeError, ValueError) as problem:
            raise ScoresError(f"Scores are not a sequence ({problem}).") from problem
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


def _of_direction(table: Table, column: str, scores: pd.Series, name: Any) -> list[str]:
    """Return the question whether lower scores are better, if their name or ranks suggest it."""
    if more_is_better(str(name)) is False:
        return [
            f"{shown(name)} is the name of a loss, where lower is better: confirm with "
            "higher_is_better=False (--lower-is-better), or use higher_is_better=True "
            "(--higher-is-better)"
        ]
    ranked = recognise(table, "rank place position", [column])
    if ranked is None or len(scores) < 3:
        return []
    rank = as_numbers(table, ranked)[scores.index]
    if (scores.rank() - scores.rank().mean()).mul(rank.rank() - rank.rank().mean()).sum() <= 0.0:
        return []
    return [
        f"column {shown(ranked)} ranks low values of {shown(column)} first: for a loss use "
        "higher_is_better=False (--lower-is-better), otherwise higher_is_better=True "
        "(--higher-is-better)"
    ]


def _named(table: Table, column: str, label: str | None) -> tuple[pd.Series, np.ndarray]:
    """Return the scores, and the unique names of teams."""
    kept = as_numbers(table, column).dropna()
    if kept.empty:
        raise ScoresError(f"{table.where}: column {shown(column)} has no scores.")
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
            f"the team {shown(names[again.argmax()])} has a second row{others}. Keep one row per "
            "team, or name a column that distinguishes teams (team=, --team).",
            kept.index[int(again.argmax())],
        )
    return kept, names


def _are_percentages(table: Table, column: str, values: pd.Series) -> bool:
    """Check whether scores are percentages; raise if that is ambiguous."""
    wrong = values[(values < 0.0) | (values > 1.0)]
    if wrong.empty:
        return False
    small = values[(values > 0.0) & (values <= 1.0)]
    if values.min() >= 0.0 and values.max() <= 100.0 and small.empty:
        return True
    mixed = f" and {small.iloc[0]:g}" if len(small) and 0.0 <= wrong.iloc[0] <= 100.0 else ""
    table.refuse(
        f"column {shown(column)} holds {wrong.iloc[0]:g}{mixed}; shares must be from 0 to 1: "
        "divide percentages by 100. For another metric use standard errors (se=, --se).",
        wrong.index[0],
    )


def _known(
    n: Any, se: float | str | None, metric: str, classes: int | None, positive_rate: float | None
) -> dict[str, Any]:
    """Check that the arguments fit together; return them as attrs."""
    if n is not None and se is not None:
        raise LeaderbayesError("n (--n) and se (--se) say the same: give only one of them.")
    one_of("metric", metric, "accuracy", "auc")
    if metric == "auc" and n is None:
        raise LeaderbayesError(
            "metric='auc' is for AUCs on n instances: omit it with standard errors (se=, --se)."
        )
    if (metric == "auc") != (positive_rate is not None):
        raise LeaderbayesError(
            "positive_rate, the share of the positive class, is for boards of AUC, which need it: "
            "metric='auc', positive_rate=0.2 (--metric auc --positive-rate 0.2)."
        )
    if se is not None and not isinstance(se, str):
        positive("se", se)
    if classes is not None:
        whole("classes", classes, at_least=2)
        if se is not None or metric == "auc":
            raise LeaderbayesError("classes is for shares of right answers: use chance instead.")
    known: dict[str, Any] = {"metric": metric}
    known |= {} if n is None else {"n": whole("n", n, at_most=MOST)}
    return (
        known
        if positive_rate is None
        else known | {"positive_rate": share("positive_rate", positive_rate)}
    )


def _errors(table: Table, se: float | str, scores: pd.Series) -> Floats:
    """Return standard errors of the scores (team,)."""
    if not isinstance(se, str):
        return np.full(len(scores), float(se))
    values = as_numbers(table, se)[scores.index]
    wrong = values[~(values > 0.0)]
    if len(wrong):
        held = "is empty" if np.isnan(wrong.iloc[0]) else f"holds {wrong.iloc[0]:g}"
        table.refuse(
            f"column {shown(se)} {held}; a score needs a standard error above 0: remove scores "
            "without one.",
            wrong.index[0],
        )
    return values.to_numpy()


_DATES = ("LastSubmissionDate", "SubmissionDate", "submissionDate")


def one_row_a_team(table: Table) -> tuple[Table, str, str]:
    """Keep each team's last submission, with a unique name; return columns of teams and scores."""
    columns = {column.lower(): column for column in table.frame.columns}
    team, name, score = (columns[c] for c in KAGGLE)
    numbers = as_names(table, team)
    if numbers.duplicated().any():
        date = next((d for d in _DATES if d in table.frame.columns), None)
        if date is None:
            table.refuse(
                "a team has two rows, and no column LastSubmissionDate or SubmissionDate shows "
                "the last; keep one row per team.",
                numbers.duplicated().idxmax(),
            )
        dates = pd.to_datetime(as_names(table, date), errors="coerce", format="mixed", utc=True)
        if dates.isna().any():
            table.refuse(
                f"column {date!r} has no date such as 2024-02-29 12:00:00.", dates.isna().idxmax()
            )
        order = dates.sort_values(kind="stable").index
        rows = numbers[order].drop_duplicates(keep="last").index.sort_values()
        table, numbers = table._replace(frame=table.frame.loc[rows]), numbers[rows]
    names = as_names(table, name, missing="")
    unclear = names.duplicated(keep=False) | (names == "")
    label = names.where(~unclear, (names + " (" + numbers + ")").str.strip())
    return table._replace(frame=table.frame.assign(**{name: label})), name, score
