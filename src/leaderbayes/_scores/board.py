"""Scores or votes, whichever a source holds, read once."""

from typing import Any

import xarray as xr

from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.read import scores_of
from leaderbayes._scores.sources import read_table
from leaderbayes._scores.tables import Source
from leaderbayes._scores.vote_outcomes import is_votes
from leaderbayes._scores.votes import Options, votes_of

_ROLES = ("player", "round", "score", "tournament", "cluster", "repeat")
_OF_SCORES = ("player", "round", "score", "repeat")


def read_board(
    source: Source, *, max_mb: float = MAX_MB, votes: Options | None = None, **scores: Any
) -> xr.DataArray | xr.Dataset:
    """Read votes, where a table is clearly one of votes, and else scores.

    ``votes`` are arguments of `leaderbayes.read_votes`, ``scores`` those of
    `leaderbayes.read_scores`: a table in which a column of scores is named is one of them.
    """
    options = Options() if votes is None else votes
    roles = {role: scores.pop(role, None) for role in _ROLES}
    table = read_table(source, roles["score"], max_mb)
    if all(roles[role] is None for role in _OF_SCORES) and is_votes(table):
        return votes_of(table, options)
    return scores_of(table, roles, **scores)
