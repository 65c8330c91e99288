"""How many votes a row stands for: columns that count them, and rows that are there twice."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from leaderbayes._errors import ScoresError
from leaderbayes._scores.cells import as_numbers
from leaderbayes._scores.tables import Table, counted, listed, text_of
from leaderbayes._scores.vote_forms import COUNTS, Form, key, perhaps_weights
from leaderbayes._types import Floats, Longs

_ROW_NUMBERS = {"", "unnamed0", "index"}  # as pandas writes them
_IDS = set(
    "id voteid battleid matchid gameid comparisonid annotationid recordid rowid uid uuid".split()
)
_FEW = 20  # votes that may be there from both sides by chance


def perhaps_counts(
    table: Table, form: Form, roles: dict[str, str], covariates: Sequence[str]
) -> tuple[dict[str, str], list[str]]:
    """Find the column that counts votes and that nobody named; say which others are not taken.

    Raises
    ------
    ScoresError
        If several may be.
    """
    perhaps = perhaps_weights(table, [form.first, form.second, *form.outcome, *roles.values()])
    why = {name: _no_counts(table, name, form, roles, covariates) for name in perhaps}
    counting = [name for name, reason in why.items() if not reason]
    if len(counting) > 1:
        table.refuse(
            f"which column is how many votes a row stands for: {listed(counting)}? Name it "
            "(weight=..., --count COLUMN)."
        )
    said = [not_counted(name, reason) for name, reason in why.items() if reason]
    return ({"weight": counting[0]} if counting else {}), said


def _no_counts(
    table: Table, column: str, form: Form, roles: dict[str, str], covariates: Sequence[str]
) -> str:
    """Say why a column does not count votes; nothing where it does.

    It does where rows are cells of a table, alike in nothing else, and not where each is a vote:
    with a number or a time of its own, or of a judge on a prompt.
    """
    try:
        numbers = as_numbers(table, column).to_numpy()
    except ScoresError:
        return "it holds other than numbers"
    if not (np.isfinite(numbers) & (numbers >= 0.0)).all():
        return "it holds other than counts"
    if (numbers % 1.0 != 0.0).any():
        return "its numbers are not whole: weights of importance are no counts"
    if len(numbers) > 1 and bool((np.diff(numbers) == 1.0).all()):
        return "it numbers rows"
    sure = key(column) in COUNTS
    if not sure and (numbers == numbers[0]).all():
        return "it is the same in every row"
    if "time" in roles:
        return f"rows have a time ({roles['time']}), as single votes have"
    if {"judge", "prompt"} <= set(roles):
        return "rows are of a judge and a prompt, as single votes are"
    rest = table.frame.drop(columns=column)
    rest = rest[[name for name in rest.columns if key(name) not in _ROW_NUMBERS]]
    try:
        rest.duplicated()
    except TypeError:  # a list, or another container
        rest = rest.map(text_of)
    told = [form.first, form.second, *form.outcome]
    told += [roles[role] for role in ("judge", "tournament") if role in roles]
    beside = [name for name in rest.columns if name not in {*told, *covariates}]
    of_row = [name for name in beside if rest[name].is_unique]
    if of_row and len(rest) > 1:
        return f"{of_row[0]} is another in each row, as of single votes"
    # What is called n or size more often is something else: nothing else may tell rows apart.
    if (rest if sure else rest[list(dict.fromkeys(told))]).duplicated().any():
        return "rows are alike beside it, as single votes are"
    return ""


def not_counted(column: str, why: str = "") -> str:
    """Say that a column is not taken for a number of votes, and why."""
    reason = f"{why}; " if why else ""
    return (
        f"{column} is not taken for how many votes a row stands for ({reason}weight={column!r}, on "
        f"the command line --count {column}, takes it)"
    )


def said_of_repeats(
    table: Table, places: Longs, outcomes: Floats, weights: Floats | None
) -> list[str]:
    """Say where rows repeat others with their id, or every vote is there from both sides.

    Parameters
    ----------
    table : Table
        Of votes.
    places : array (row, 2)
        Who was first and second.
    outcomes : array (row,)
        As of `vote_outcomes.read_outcomes`.
    weights : array (row,) or None
        How many votes rows stand for.
    """
    said = []
    for name in [name for name in table.frame.columns if key(name) in _IDS][:1]:
        cells = table.frame[name].map(text_of)
        rows = table.frame[cells.duplicated(keep=False)]
        many = int(rows.map(text_of).duplicated().sum()) if len(rows) else 0
        if many:
            said.append(
                f"{counted(many, 'row')} repeat others in every column, {name} too, and count as "
                "votes of their own: leave them out if they are the same votes"
            )
    if weights is None and _from_both_sides(places, outcomes):
        said.append(
            "every vote is there from the other side, too, and counts again: keep one row of each "
            "if two are the same vote"
        )
    return said


def _from_both_sides(places: Longs, outcomes: Floats) -> bool:
    """Whether there are as many votes of each kind with first and second swapped."""
    if len(places) < _FEW or (np.sort(places[:, 0]) != np.sort(places[:, 1])).any():
        return False
    of_both = (outcomes >= 0.0) & (outcomes <= 1.0)
    kinds = pd.DataFrame({"first": places[:, 0], "second": places[:, 1], "outcome": outcomes})
    swapped = pd.DataFrame(
        {
            "first": places[:, 1],
            "second": places[:, 0],
            "outcome": np.where(of_both, 1.0 - outcomes, outcomes),
        }
    )
    return bool(kinds.value_counts().sort_index().equals(swapped.value_counts().sort_index()))
