"""Read a table of votes: who beat whom, judged by whom, on what."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import one_of
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.cells import as_names, as_numbers
from leaderbayes._scores.digits import numbers_of
from leaderbayes._scores.not_a_board import refuse_what_is_neither
from leaderbayes._scores.read import warn, warn_alike
from leaderbayes._scores.tables import MISSING, Source, Table, counted, listed, shown
from leaderbayes._scores.vote_counts import perhaps_counts, told_twice
from leaderbayes._scores.vote_files import read_vote_table
from leaderbayes._scores.vote_forms import (
    WON,
    Form,
    Outcome,
    beside,
    check_column,
    difference_of,
    has_players,
    numbers_of_wins,
    other_judges,
    recognise_form,
)
from leaderbayes._scores.vote_matches import ALONE
from leaderbayes._scores.vote_outcomes import complete_numbers, read_outcomes
from leaderbayes._scores.vote_words import BOTH_BAD, OPEN
from leaderbayes._types import Bools, Floats

_LONGEST = 300  # characters of a player's name; longer ones are answers
_EMPTY = "\0"  # no name
_RECOGNISED = ("prompt", "judge", "time", "weight")
NONE = "none"  # for which no column is taken
_BOTH_BAD = {"tie": "count as ties", "drop": "are left out", "own": "are an outcome of their own"}


class Options(NamedTuple):
    """What the user says of a table of votes; arguments of `read_votes`."""

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
    format: str | None = None,
    max_mb: float = MAX_MB,
) -> xr.Dataset:
    """Read votes: who beat whom, by which judge, on which prompt.

    A row is a vote: a match of two players and who won it. Columns are recognised by their usual
    names (in any case, with blanks, underscores or hyphens) where they are not given:

    - players: ``model_a`` and ``model_b``, ``player_1`` and ``player_2``, ``left`` and ``right``,
      ``white`` and ``black``, ``home_team`` and ``away_team`` and the like;
    - who won: a column called winner, outcome, result, preference, label, choice, verdict, vote
      and the like, in words (model_a, A, left, first, white, win, loss, tie, neither, ...), as
      ``A>B``, ``1-0``, ``1/2-1/2``, 1, 0.5 and 0, 1, 0 and -1, 1 and 2, or as the winner's name;
      or scores of both (``score_a`` and ``score_b``, of which the larger wins; or ranks, of which
      the smaller does); or columns ``winner_model_a``, ``winner_model_b``, ``winner_tie``, of which
      one is 1;
    - or ``winner`` and ``loser`` (``chosen_model`` and ``rejected_model``), perhaps with ``tie``.
      Then nobody knows who was shown first;
    - prompt (question_id, prompt, ...), judge (judge, annotator, user, ...), time (tstamp, date,
      ...) and weight (n_votes, n_games, ...; also weight, count, votes, n, freq, frequency and
      size, if they hold whole numbers that count nothing else: rows have no time and no number of
      their own, are not of a judge on a prompt, and no two are alike).

    Two players in one cell, as arenas' logs have them (``models``, with events leftvote, tievote,
    ...) and comparisons of summaries (``summaries`` with a ``policy`` each, and a ``choice``), are
    taken apart; so are rows of several votes: both games of a pair (``g1_winner``, ``g2_winner``,
    as MT-bench's judgements have them: the second is shown the other way round), games against a
    baseline (``games``, as Arena-Hard's judgements of a ``model`` have them: the baseline is A in
    the first, and B in the second; without a name it is called so), and numbers of wins of both
    (``wins_a``, ``wins_b``, ``ties``). A>>B is one win, as A>B. Of a game of chess in PGN, the tags
    White, Black, Result and Date are read, and others where they are named. What may be read in
    several ways is an error that names each, but 1 and -1, which are the first and the second. The
    attribute ``read_as`` says what was taken for what.

    Parameters
    ----------
    source : path or DataFrame
        CSV, TSV, JSON (a list of objects), JSON lines (UTF-8), Parquet or PGN, also ``.gz``; or a
        pandas table.
    first, second : str, optional
        Columns of the two players; first is who was shown first, on the left, or had white.
    outcome : str or sequence of str, optional
        Column that says who won; or two, of scores of which the larger wins (``["-loss_a",
        "-loss_b"]``: of which the smaller does), or of ranks; or three or four that mark with 1 who
        won: the first, the second, nobody, nobody because both are bad. ``"x,y"`` is ``["x", "y"]``
        where no column is called so.
    prompt, judge, time : str, optional
        Columns of what was judged, by whom, and when; "none" takes none, whatever columns are
        called. (``cluster`` of `fit` says which of these make votes alike, and leaves votes whole.)
    weight : str, optional
        Column of how many votes a row stands for, or "none"; rows of 0 are left out.
    covariates : sequence of str, optional
        What may sway a vote beside the players, such as the length of an answer: each a column,
        of differences first less second, or the name that two columns begin with (``NAME_a`` and
        ``NAME_b``, ``NAME_left`` and ``NAME_right`` and the like) whose difference is taken.
    tournament : str, optional
        Column of what votes may be told apart by, such as a language.
    both_bad : {"tie", "drop", "own"}
        Whether votes that both are bad ("both bad", "neither", "both wrong", ...) count as ties,
        are left out, or are an outcome of their own.
    format : {"csv", "tsv", "json", "jsonl", "parquet", "pgn"}, optional
        Of the file; by its name and first bytes by default.
    max_mb : float
        The most that a file may hold, unpacked, in megabytes.

    Returns
    -------
    Dataset (vote)
        ``first`` and ``second`` (vote,), places in the coordinate ``player`` (player,), whose names
        are in order of appearance; ``outcome`` (vote,), 1 where the first won, 0 where the second,
        0.5 for a tie, NaN for both bad, if that is an outcome of its own; ``weight`` (vote,), where
        there is such a column; ``covariates`` (vote, covariate), first less second, in the columns'
        units. Coordinates of vote, where there are such columns: ``prompt``, ``judge``, ``time``
        (datetime64 or numbers), ``tournament``.
        attrs: ``kind`` ("votes"), ``read_as``, ``both_bad``, ``ordered`` (0 if nobody knows who was
        shown first, else 1), ``source``; ``unused``, the other columns, if any.

    Raises
    ------
    ScoresError
        If the table cannot be read: names the file, and the row, player or column.

    Warns
    -----
    LeaderbayesWarning
        LB041, if names of players differ only in case, width or blanks; LB047, if 1 and -1 were
        taken for the first and the second, and the column's name leaves open which is which; LB048,
        if votes are there twice.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "model_a": ["fox", "owl", "elk"],
    ...     "model_b": ["owl", "elk", "fox"],
    ...     "winner": ["model_a", "tie", "model_b"],
    ...     "judge": ["ann", "ann", "bob"],
    ... })
    >>> votes = lb.read_votes(table)
    >>> votes["player"].values.tolist(), votes["outcome"].values.tolist()
    (['fox', 'owl', 'elk'], [1.0, 0.5, 0.0])
    >>> votes.attrs["read_as"].partition(" (")[0]
    'first=model_a, second=model_b, outcome=winner'
    """
    table, _ = read_vote_table(source, format, max_mb, tallies=outcome is None)
    if first is None and not has_players(table.frame):
        refuse_what_is_neither(table)
    return votes_of(
        table,
        Options(
            first, second, outcome, prompt, judge, time, weight, covariates, tournament, both_bad
        ),
    )


def votes_of(
    table: Table, options: Options, times: Floats | None = None, alone: Bools | None = None
) -> xr.Dataset:
    """Make votes of a table that was read; result and errors as of `read_votes`.

    Parameters
    ----------
    table : Table
        Of votes.
    options : Options
        Columns that the user names.
    times : array (row,), optional
        How often each row stands there.
    alone : array (row,), optional
        Whether its votes each have a prompt of their own.
    """
    one_of("both_bad", options.both_bad, *_BOTH_BAD)
    asked = options.covariates
    if asked is not None and (isinstance(asked, str) or not isinstance(asked, Sequence)):
        table.refuse(f"covariates={shown(asked)}: give a list of names.")
    if table.frame.empty:
        table.refuse("the table has a header and no vote.")
    form = recognise_form(table, options.first, options.second, options.outcome)
    names = np.column_stack([as_names(table, form.first), as_names(table, form.second)])
    places, players = pd.factorize(names.ravel())
    _check_players(table, form, names, places.reshape(-1, 2), list(players))
    outcomes = read_outcomes(table, form, places[::2], places[1::2], list(players))
    columns: dict[str, Any] = {}
    others: list[str] = []
    said = [f"first={form.first}", f"second={form.second}", f"outcome={outcomes.said}"]
    roles = roles_of(table, form, options)
    left_out = roles_left_out(table, options)
    said += [f"{role}=none" for role in left_out]
    if "weight" not in {*roles, *left_out}:
        counting, not_taken = perhaps_counts(table, form, roles, options.covariates or ())
        roles |= counting
        others += not_taken
    if form.kind == "scores":
        others += [
            f"{' and '.join(wins)} are not taken for numbers of votes: scores say who won"
            for wins in numbers_of_wins(table.frame.columns)
            if wins != form.outcome
        ]
    if "judge" in roles and options.judge is None:
        others += [
            f"{name} is not taken for the judge (judge={name!r}, --judge {name}, takes it)"
            for name in other_judges(
                table, [form.first, form.second, *form.outcome, *roles.values()]
            )
        ]
    for role, name in roles.items():
        if role == "weight":
            columns[role] = weights = _weights(table, name, given=options.weight is not None)
            if (weights % 1.0 != 0.0).any():
                total = (weights if times is None else weights * times).sum()
                others.append(f"{name} is not whole, and is {total:g} votes in all")
        elif role == "time":
            taken = _times(table, name, given=options.time is not None)
            if taken is None:
                others.append(f"{name} holds no times in ISO 8601 and is not taken")
                continue
            columns[role] = taken
        else:
            columns[role] = _labels(table, role, name)
        said.append(f"{role}={name}")
    if times is not None:
        columns["weight"] = columns.get("weight", 1.0) * times
    differences, of = _covariates(table, form, options.covariates)
    if of:
        said.append(f"covariates={'; '.join(map(' - '.join, of.values()))}")

    values = outcomes.values
    bad, unfinished = values == BOTH_BAD, values == OPEN
    of_none = columns["weight"] == 0.0 if "weight" in columns else np.zeros(len(values), bool)
    keep: Bools = ~unfinished & (~bad | (options.both_bad != "drop")) & ~of_none
    if not keep.any():
        table.refuse(
            "no vote is left: every one is unfinished, that both are bad, or of a weight of 0."
        )
    if of_none.any():
        others.append(f"{counted(of_none.sum(), 'row')} of no vote (weight 0), left out")
    if unfinished.any():
        many = unfinished.sum() if times is None else times[unfinished].sum()
        others.append(f"{counted(many, 'game')} without a result, left out")
    if bad.any():
        many = bad.sum() if times is None else times[bad].sum()
        others.append(f"{counted(many, 'vote')} that both are bad {_BOTH_BAD[options.both_bad]}")
    wrong: list[str] = []
    if times is None and "weight" not in columns:
        wrong, perhaps = told_twice(table, form, places.reshape(-1, 2), values, columns)
        others += perhaps
    values = np.where(bad, 0.5 if options.both_bad == "tie" else np.nan, values)
    left, order = pd.factorize(places.reshape(-1, 2)[keep].ravel())
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
    if alone is not None:
        variables[ALONE] = ("vote", alone[keep].astype(np.int8))
    if of:
        variables["covariates"] = (("vote", "covariate"), differences[keep])
        coords["covariate"] = np.array(list(of), dtype=object)
    warn_alike(table, "player", coords["player"])
    for problem in wrong:
        warn(f"LB048 {table.where}: {problem}")
    if outcomes.doubt is not None:
        warn(f"LB047 {table.where}: {outcomes.doubt}")
    attrs = {
        "kind": "votes",
        "read_as": "; ".join([", ".join(said), *others]),
        "both_bad": options.both_bad,
        "ordered": int(ordered),
        "source": table.where,
    }
    used = {form.first, form.second, *form.outcome, *roles.values(), *chain(*of.values())}
    if unused := [name for name in table.frame.columns if name not in used]:
        attrs["unused"] = listed(unused)
    return xr.Dataset(variables, coords, attrs)


def _check_players(
    table: Table, form: Form, names: np.ndarray, places: np.ndarray, players: list[str]
) -> None:
    """Refuse votes of one player with itself, and what is no name of a player."""
    if len(players) < 2:
        table.refuse(f"the only player is {shown(players[0])}; a comparison needs two.")
    empty = [k for k, name in enumerate(players) if name.lower() in MISSING]
    if empty:
        table.refuse(
            f"the player's name is {shown(players[empty[0]])}, which stands for a missing one: "
            "leave the row out, or call the player otherwise if that is its name.",
            table.frame.index[int(np.argmax((places == empty[0]).any(axis=1)))],
        )
    itself = np.flatnonzero(places[:, 0] == places[:, 1])
    if len(itself):
        row = int(itself[0])
        table.refuse(
            f"{shown(names[row, 0])} is both players (columns {shown(form.first)} and "
            f"{shown(form.second)}), in {counted(len(itself), 'row')}; leave them out.",
            table.frame.index[row],
        )
    long = [k for k, name in enumerate(players) if len(name) > _LONGEST or "\n" in name]
    if long:
        at = int(np.argmax((places == long[0]).any(axis=1)))
        table.refuse(
            f"{shown(players[long[0]])} looks like an answer, not like a player; name the columns "
            "of the players (first=..., second=...).",
            table.frame.index[at],
        )


def roles_left_out(table: Table, options: Options) -> list[str]:
    """List what the user wants no column taken for, by "none"; unless a column is called so."""
    there = NONE in table.frame.columns
    return [role for role in _RECOGNISED if getattr(options, role) == NONE and not there]


def roles_of(table: Table, form: Form, options: Options) -> dict[str, str]:
    """Name the columns of what is known beside players and outcome, as given or recognised."""
    left_out = roles_left_out(table, options)
    given = {
        role: check_column(table, role, name)
        for role in (*_RECOGNISED, "tournament")
        if (name := getattr(options, role)) is not None and role not in left_out
    }
    taken = {form.first, form.second, *form.outcome}
    for role, name in given.items():
        if name in taken:
            table.refuse(f"column {shown(name)} is given as {role}, and taken for something else.")
        taken.add(name)
    return beside(table, form, given, left_out) | given


def _labels(table: Table, role: str, column: str) -> np.ndarray:
    """Read labels (row,): whole numbers as they are, others as text."""
    cells = table.frame[column]
    if isinstance(cells.dtype, np.dtype) and cells.dtype.kind in "iu":
        return cells.to_numpy()
    names = as_names(table, column, missing=_EMPTY)
    empty = np.flatnonzero(names == _EMPTY)
    if len(empty):
        none = f"take none ({role}={NONE!r}, --{role} {NONE})" if role in _RECOGNISED else "none"
        table.refuse(
            f"column {shown(column)} is empty, in {counted(len(empty), 'row')} of {len(names)}, "
            f"and was taken for the {role}: name the {role} there, leave these rows out, name "
            f"another column ({role}=..., --{role} COLUMN), or {none}.",
            table.frame.index[int(empty[0])],
        )
    return names.to_numpy()


def _weights(table: Table, column: str, *, given: bool) -> Floats:
    """Read how many votes rows stand for; what nobody named must be whole numbers."""
    weights = complete_numbers(table, column)
    parts = np.flatnonzero(weights % 1.0 != 0.0)
    if len(parts) and not given:
        table.refuse(
            f"column {shown(column)} was taken for how many votes a row stands for, and is "
            f"{weights[parts[0]]:g}: weights of importance are no counts, and models do not take "
            "them. Rename or drop the column.",
            table.frame.index[int(parts[0])],
        )
    wrong = np.flatnonzero(weights < 0.0)
    if len(wrong):
        table.refuse(
            f"column {shown(column)} was taken for how many votes a row stands for, and is "
            f"{weights[wrong[0]]:g}; write 0 or more, or rename the column if it is something "
            "else.",
            table.frame.index[int(wrong[0])],
        )
    return weights


def _covariates(
    table: Table, form: Form, covariates: Sequence[str] | None
) -> tuple[Floats, dict[str, Sequence[str]]]:
    """Read differences (row, covariate), and name for each the columns that were taken."""
    if covariates is None:
        return np.empty((len(table.frame), 0)), {}
    said: dict[str, Sequence[str]] = {}
    differences = []
    for name in covariates:
        columns = difference_of(table, name, form)
        if name in said:
            table.refuse(f"covariate {shown(name)} is given twice.")
        said[name] = columns
        values = [complete_numbers(table, column, words=True) for column in columns]
        differences.append(values[0] - values[1] if len(values) > 1 else values[0])
    return np.column_stack(differences) if said else np.empty((len(table.frame), 0)), said


def _times(table: Table, column: str, *, given: bool) -> np.ndarray | None:
    """Read times (row,) as dates or numbers, missing ones as such; None of what is neither.

    Raises
    ------
    ScoresError
        If the user gave the column, and it holds something else.
    """
    cells = table.frame[column]
    if pd.api.types.is_datetime64_any_dtype(cells):
        plain = cells if getattr(cells.dt, "tz", None) is None else cells.dt.tz_convert(None)
        return plain.to_numpy()
    if pd.api.types.is_numeric_dtype(cells) and not pd.api.types.is_bool_dtype(cells):
        return as_numbers(table, column).to_numpy()
    text = as_names(table, column, missing="?")
    numbers = numbers_of(text)
    unread = numbers.isna()
    there = ~(text[unread].str.lower().isin(MISSING) | text[unread].str.contains("?", regex=False))
    there = there.reindex(text.index, fill_value=True)
    if not there.any():
        return None
    if not there[unread].any() and np.isfinite(numbers[there]).all():
        return numbers.to_numpy(dtype=float)
    # A PGN's date.
    text = text.str.replace(r"^(\d{4})\.(\d\d)\.(\d\d)$", r"\1-\2-\3", regex=True)
    dates = pd.to_datetime(text.where(there), format="ISO8601", utc=True, errors="coerce")
    wrong = there & dates.isna()
    if wrong.any() and given:
        table.refuse(
            f"column {shown(column)} holds {shown(text[wrong].iloc[0])}, which is no time; write "
            "2026-01-31 12:00:00, or seconds.",
            int(text.index[wrong][0]),
        )
    return None if wrong.any() else dates.dt.tz_convert(None).to_numpy()
