"""Read a table of votes: who beat whom, judged by whom, on what."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import one_of
from leaderbayes._errors import ScoresError
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.cells import as_names, as_numbers, numbers_of
from leaderbayes._scores.matches import SCHEMES
from leaderbayes._scores.read import arranged, options_of, scores_of, warn_alike
from leaderbayes._scores.sources import read_table
from leaderbayes._scores.tables import BY_ROUND, MISSING, Source, Table, counted, listed, shown
from leaderbayes._scores.vote_forms import (
    COUNTS,
    WON,
    Form,
    Outcome,
    beside,
    check_column,
    difference_of,
    from_wins,
    key,
    recognise_form,
)
from leaderbayes._scores.vote_outcomes import (
    BOTH_BAD,
    OPEN,
    complete_numbers,
    is_votes,
    read_outcomes,
)
from leaderbayes._types import Bools, Floats

_LONGEST = 300  # characters of a player's name; longer ones are answers
_EMPTY = "\0"  # no name
_RECOGNISED = ("prompt", "judge", "time", "weight")
_ROLES = ("player", "round", "score", "tournament", "repeat", *BY_ROUND)
_OF_SCORES = ("player", "round", "score", "repeat")
_BOTH_BAD = {"tie": "count as ties", "drop": "are excluded", "own": "are a separate outcome"}


class Options(NamedTuple):
    """What the user specifies about a table of votes; arguments of `read_votes`."""

    first: str | None = None
    second: str | None = None
    outcome: Outcome = None
    prompt: str | None = None
    judge: str | None = None
    time: str | None = None
    weight: str | None = None
    covariates: Sequence[str] | None = None
    tournament: str | None = None
    both_bad: str = "tie"


def read_votes(
    source: Source,
    *,
    first: str | None = None,
    second: str | None = None,
    outcome: str | Sequence[str] | None = None,
    prompt: str | None = None,
    judge: str | None = None,
    time: str | None = None,
    weight: str | None = None,
    covariates: Sequence[str] | None = None,
    tournament: str | None = None,
    both_bad: str = "tie",
    max_mb: float = MAX_MB,
) -> xr.Dataset:
    """Read votes: who beat whom, by which judge, on which prompt.

    Each row is a vote on two players. Columns that are not named are recognised by common names:
    players (``model_a``, ``model_b``; ``left``, ``right``; ``white``, ``black``; ...), outcome
    (``winner``, ``preference``, ..., in words, signs or numbers, or the winner's name; scores of
    both players; or the columns ``winner`` and ``loser``), prompt, judge, time and weight.
    Ambiguous columns are an error.

    Parameters
    ----------
    source : path or DataFrame
        CSV, TSV, JSON (a list of objects), JSON lines or Parquet, also ``.gz``; or a folder of
        Parquet files.
    first, second : str, optional
        Columns of the two players; the first was shown first, on the left, or had white.
    outcome : str or sequence of str, optional
        Column of the outcome; or two columns of scores, where the larger wins (the smaller for
        ``["-loss_a", "-loss_b"]``); or three or four columns with 1 for a win of the first, of the
        second, a tie, and both bad. ``"x,y"`` is ``["x", "y"]``.
    prompt, judge, time : str, optional
        Columns of prompt, judge and time; "none" uses no column.
    weight : str, optional
        Column of the number of votes per row, or "none"; rows with 0 are excluded.
    covariates : sequence of str, optional
        Other effects on a vote, such as the length of an answer: columns of differences, first
        minus second, or names of pairs (``NAME_a``, ``NAME_b``) to subtract.
    tournament : str, optional
        Column that splits votes into tournaments, such as a language.
    both_bad : {"tie", "drop", "own"}
        Count votes that both are bad as ties, exclude them, or make them a separate outcome.
    max_mb : float
        Largest size of a file in megabytes, unpacked.

    Returns
    -------
    Dataset (vote)
        - ``first`` and ``second``: places in the coordinate ``player``
        - ``outcome``: 1 if the first won, 0 if the second, 0.5 for a tie, NaN for both bad as an
          outcome of its own
        - ``weight``, ``covariates`` (vote, covariate) and the coordinates ``prompt``, ``judge``,
          ``time``, ``tournament``: where there are such columns

        attrs: ``kind`` ("votes"), ``read_as`` (column of each role), ``both_bad``,
        ``ordered`` (0 if it is unknown who was shown first), ``source``; ``unused``, other columns.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "model_a": ["fox", "owl", "elk"],
    ...     "model_b": ["owl", "elk", "fox"],
    ...     "winner": ["model_a", "tie", "model_b"],
    ... })
    >>> votes = lb.read_votes(table)
    >>> votes["player"].values.tolist(), votes["outcome"].values.tolist()
    (['fox', 'owl', 'elk'], [1.0, 0.5, 0.0])
    """
    if isinstance(source, dict):
        raise ScoresError("Votes cannot be read from a dict: pass a path or a DataFrame.")
    table = from_wins(read_table(source, None, max_mb))
    options = Options(
        first, second, outcome, prompt, judge, time, weight, covariates, tournament, both_bad
    )
    return votes_of(table, options)


def votes_of(table: Table, options: Options) -> xr.Dataset:
    """Make votes of a table that was read; result and errors as of `read_votes`."""
    one_of("both_bad", options.both_bad, *_BOTH_BAD)
    asked = options.covariates
    if asked is not None and (isinstance(asked, str) or not isinstance(asked, Sequence)):
        table.refuse(f"covariates={shown(asked)} must be a list of names.")
    if table.frame.empty:
        table.refuse("the table has a header but no votes.")
    form = recognise_form(table, options.first, options.second, options.outcome)
    names = np.column_stack([as_names(table, form.first), as_names(table, form.second)])
    codes, players = pd.factorize(names.ravel())
    places = codes.reshape(-1, 2)
    _check_players(table, form, places, list(players))
    outcomes = read_outcomes(table, form, places[:, 0], places[:, 1], list(players))
    roles, left_out = _roles_of(table, form, options)
    said = [f"first={form.first}", f"second={form.second}", f"outcome={outcomes.said}"]
    said += [f"{role}=none" for role in left_out]
    others: list[str] = []
    used = {form.first, form.second, *form.outcome, *roles.values()}
    rest = [name for name in table.frame.columns if name not in used]
    if "weight" not in {*roles, *left_out}:
        _ask_for_counts(table, rest)
    columns: dict[str, Any] = {}
    for role, name in roles.items():
        if role == "weight":
            columns[role] = _weights(table, name, given=options.weight is not None)
        elif role != "time":
            columns[role] = _labels(table, role, name)
        elif (taken := _times(table, name, given=options.time is not None)) is None:
            others.append(f"{name} has no times in ISO 8601 and is ignored")
            continue
        else:
            columns[role] = taken
        said.append(f"{role}={name}")
    differences, of = _covariates(table, form, options.covariates)
    if of:
        said.append(f"covariates={'; '.join(map(' - '.join, of.values()))}")

    values = outcomes.values
    bad, unfinished = values == BOTH_BAD, values == OPEN
    of_none = columns["weight"] == 0.0 if "weight" in columns else np.zeros(len(values), bool)
    keep: Bools = ~unfinished & (~bad | (options.both_bad != "drop")) & ~of_none
    if not keep.any():
        table.refuse("no votes are left: all are unfinished, both bad, or of weight 0.")
    if of_none.any():
        others.append(f"{counted(of_none.sum(), 'row')} of weight 0, excluded")
    if unfinished.any():
        others.append(f"{counted(unfinished.sum(), 'game')} without a result, excluded")
    if bad.any():
        others.append(
            f"{counted(bad.sum(), 'vote')} that both are bad {_BOTH_BAD[options.both_bad]}"
        )
    values = np.where(bad, 0.5 if options.both_bad == "tie" else np.nan, values)
    left, order = pd.factorize(places[keep].ravel())
    ordered = form.sides not in WON
    if not ordered:
        others.append("who was shown first is not known")
    variables: dict[str, Any] = {
        "first": ("vote", left[::2].astype(np.int32)),
        "second": ("vote", left[1::2].astype(np.int32)),
        "outcome": ("vote", values[keep]),
    }
    coords: dict[str, Any] = {"player": np.asarray(players[order], dtype=object)}
    for role, column in columns.items():
        (variables if role == "weight" else coords)[role] = ("vote", column[keep])
    if of:
        variables["covariates"] = (("vote", "covariate"), differences[keep])
        coords["covariate"] = np.array(list(of), dtype=object)
    warn_alike(table, "player", coords["player"])
    attrs = {
        "kind": "votes",
        "read_as": "; ".join([", ".join(said), *others]),
        "both_bad": options.both_bad,
        "ordered": int(ordered),
        "source": table.where,
    }
    if unused := [name for name in rest if name not in {*chain(*of.values())}]:
        attrs["unused"] = listed(unused)
    return xr.Dataset(variables, coords, attrs)


def read_board(
    source: Source, *, max_mb: float = MAX_MB, votes: Options | None = None,
    scheme: str | None = None, **scores: Any,
) -> xr.DataArray | xr.Dataset:  # fmt: skip
    """Read votes, where a table is clearly one of votes and names no scores, and else scores."""
    options = Options() if votes is None else votes
    if scheme is not None:
        one_of("scheme", scheme, *SCHEMES)
    roles = {role: scores.pop(role, None) for role in _ROLES}
    table = read_table(source, roles["score"], max_mb)
    if all(roles[role] is None for role in _OF_SCORES):
        counted_as_votes = from_wins(table)
        if is_votes(counted_as_votes):
            return votes_of(counted_as_votes, options)
    return arranged(scores_of(table, options_of(roles, **scores)), scheme)


def _check_players(table: Table, form: Form, places: np.ndarray, players: list[str]) -> None:
    """Refuse votes of one player with itself, and what is no name of a player."""
    if len(players) < 2:
        table.refuse(f"the only player is {shown(players[0])}; a comparison needs two.")
    for k, name in enumerate(players):
        if name.lower() in MISSING:
            problem = "means a missing name: remove the row, or rename the player"
        elif len(name) > _LONGEST or "\n" in name:
            problem = "looks like an answer: name the players' columns (first=..., second=...)"
        else:
            continue
        row = table.frame.index[int(np.argmax((places == k).any(axis=1)))]
        table.refuse(f"the player's name is {shown(name)}, which {problem}.", row)
    itself = np.flatnonzero(places[:, 0] == places[:, 1])
    if len(itself):
        table.refuse(
            f"{shown(players[places[itself[0], 0]])} is both players (columns {shown(form.first)} "
            f"and {shown(form.second)}), in {counted(len(itself), 'row')}; remove them.",
            table.frame.index[int(itself[0])],
        )


def _roles_of(table: Table, form: Form, options: Options) -> tuple[dict[str, str], list[str]]:
    """Name the columns of what is known beside players and outcome, and what has none."""
    # By "none" the user wants no column; unless one is called so.
    named_none = "none" in table.frame.columns
    left_out = [r for r in _RECOGNISED if getattr(options, r) == "none" and not named_none]
    given = {
        role: check_column(table, role, name)
        for role in (*_RECOGNISED, "tournament")
        if (name := getattr(options, role)) is not None and role not in left_out
    }
    taken = {form.first, form.second, *form.outcome}
    for role, name in given.items():
        if name in taken:
            table.refuse(f"column {shown(name)} is given as {role}, but is already used.")
        taken.add(name)
    return beside(table, form, given, left_out) | given, left_out


def _labels(table: Table, role: str, column: str) -> np.ndarray:
    """Read labels (row,): whole numbers as they are, others as text."""
    cells = table.frame[column]
    if isinstance(cells.dtype, np.dtype) and cells.dtype.kind in "iu":
        return cells.to_numpy()
    names = as_names(table, column, missing=_EMPTY)
    empty = np.flatnonzero(names == _EMPTY)
    if len(empty):
        none = f" ({role}='none', --{role} none)" if role in _RECOGNISED else ""
        table.refuse(
            f"column {shown(column)} is empty, in {counted(len(empty), 'row')} of {len(names)}: "
            f"fill it, remove these rows, or use another {role} or none{none}.",
            table.frame.index[int(empty[0])],
        )
    return names.to_numpy()


def _weights(table: Table, column: str, *, given: bool) -> Floats:
    """Read how many votes rows stand for; what nobody named must be whole numbers."""
    weights = complete_numbers(table, column)
    wrong = (weights < 0.0) | ((weights % 1.0 != 0.0) & (not given))
    if wrong.any():
        row = int(np.argmax(wrong))
        what = (
            f"column {shown(column)} is {weights[row]:g}, not a number of votes: rename or drop it."
        )
        table.refuse(what, table.frame.index[row])
    return weights


def _ask_for_counts(table: Table, columns: Sequence[str]) -> None:
    """Refuse a column that may say how many votes a row stands for, and may say something else."""
    for name in columns:
        if key(name) in COUNTS:
            table.refuse(
                f"is column {shown(name)} the number of votes per row? If so, use "
                f"weight={name!r} (--count {name}); otherwise weight='none' (--count none)."
            )


def _covariates(
    table: Table, form: Form, covariates: Sequence[str] | None
) -> tuple[Floats, dict[str, Sequence[str]]]:
    """Read differences (row, covariate), and name for each the columns that were taken."""
    said: dict[str, Sequence[str]] = {}
    differences = []
    for name in covariates or ():
        columns = difference_of(table, name, form)
        if name in said:
            table.refuse(f"covariate {shown(name)} is given twice.")
        said[name] = columns
        values = [complete_numbers(table, column, words=True) for column in columns]
        differences.append(values[0] - values[1] if len(values) > 1 else values[0])
    return np.column_stack(differences) if said else np.empty((len(table.frame), 0)), said


def _times(table: Table, column: str, *, given: bool) -> np.ndarray | None:
    """Read times (row,) as dates or numbers, missing ones as such; None of what is neither."""
    cells = table.frame[column]
    if pd.api.types.is_numeric_dtype(cells) and not pd.api.types.is_bool_dtype(cells):
        return as_numbers(table, column).to_numpy()
    text = as_names(table, column, missing="?")
    there = ~(text.str.lower().isin(MISSING) | text.str.contains("?", regex=False))
    numbers = numbers_of(text)
    if there.any() and np.isfinite(numbers[there]).all():
        return numbers.to_numpy(dtype=float)
    text = text.str.replace(r"^(\d{4})\.(\d\d)\.(\d\d)$", r"\1-\2-\3", regex=True)  # of chess
    dates = pd.to_datetime(text.where(there), format="ISO8601", utc=True, errors="coerce")
    wrong = there & dates.isna()
    if wrong.any() and given:
        table.refuse(
            f"column {shown(column)} holds {shown(text[wrong].iloc[0])}, which is not a time; "
            "write 2026-01-31 12:00:00, or seconds.",
            int(text.index[wrong][0]),
        )
    return None if wrong.any() or not there.any() else dates.dt.tz_convert(None).to_numpy()
