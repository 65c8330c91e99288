"""Scores or votes, whichever a source holds, read once."""

import os
from typing import Any

import pandas as pd
import xarray as xr

from leaderbayes._errors import ScoresError
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.not_a_board import refuse_what_is_neither
from leaderbayes._scores.read import read_scores, scores_of
from leaderbayes._scores.tables import (
    MISSING,
    Source,
    Table,
    is_number,
    text_of,
    unsearched,
)
from leaderbayes._scores.vote_files import read_vote_table
from leaderbayes._scores.vote_forms import answers_of, players_of
from leaderbayes._scores.vote_outcomes import has_columns_of_votes, is_votes
from leaderbayes._scores.votes import Options, votes_of

_ROLES = ("player", "round", "score", "tournament", "cluster", "repeat")
_OF_SCORES = ("player", "round", "score", "repeat")


def read_board(
    source: Source, *, max_mb: float = MAX_MB, votes: Options | None = None, **scores: Any
) -> xr.DataArray | xr.Dataset:
    """Read votes, where a table is clearly one of votes, and else scores.

    Parameters
    ----------
    source : path, DataFrame or dict
        As for `leaderbayes.read_scores` and `leaderbayes.read_votes`.
    max_mb : float
        The most that a file may hold, unpacked, in megabytes.
    votes : Options, optional
        Arguments of `leaderbayes.read_votes`.
    **scores
        Arguments of `leaderbayes.read_scores`; with the name of a column that only scores have it
        is a table of them.

    Returns
    -------
    Dataset (vote) or DataArray (player, round) or (tournament, player, round)
        As these functions return it.

    Raises
    ------
    ScoresError
        As they do.
    """
    named = any(scores.get(role) is not None for role in _OF_SCORES)
    if named or not isinstance(source, str | os.PathLike | pd.DataFrame):
        return read_scores(source, max_mb=max_mb, **scores)
    try:
        named_outcome = votes is not None and votes.outcome is not None
        table, kind = read_vote_table(source, None, max_mb, tallies=not named_outcome)
    except ScoresError:
        kind = ""
    else:
        if is_votes(table.frame):
            return votes_of(table, Options() if votes is None else votes)
        refuse_what_is_neither(table)
    try:
        if kind not in ("csv", "parquet", "DataFrame"):
            # Which says why it holds no scores.
            return read_scores(source, max_mb=max_mb, **scores)
        table, searched = unsearched(table, None)
        roles = {role: scores.pop(role, None) for role in _ROLES}
        return scores_of(table, roles, **scores, searched=searched)
    except ScoresError:
        if kind and (has_columns_of_votes(table) or _names_two(table)):
            votes_of(table, Options() if votes is None else votes)  # which says what is wrong
        raise


def _names_two(table: Table) -> bool:
    """Whether two columns are called as players of a vote are and hold names, some of them both."""
    try:
        first, second = players_of(table)
        one, other = ({text_of(it) for it in table.frame[name]} for name in (first, second))
    except ScoresError:
        return bool(answers_of(table.frame))
    return any(not is_number(name) and name.lower() not in MISSING for name in one & other)
