"""How many votes a row stands for: columns that count them, and rows that are there twice."""

from collections.abc import Mapping, Sequence

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
_OTHERWISE = 0.05  # share of repeated votes that judges must change to be repeats, not copies


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


def told_twice(
    table: Table, form: Form, places: Longs, outcomes: Floats, known: Mapping[str, np.ndarray]
) -> tuple[list[str], list[str]]:
    """Say which votes are there twice: as copies of a row, or from the sides of both players.

    Two votes may be alike. Copies are rows that agree in every column where that cannot be: with an
    id, of a judge on a prompt, or of either at a time of the day. It can all the same where an id
    is of several games, or judges vote again, which shows where some of these turn out otherwise.

    Parameters
    ----------
    table : Table
        Of votes, each in a row.
    form : Form
        Its columns.
    places : array (row, 2)
        Who was first and second.
    outcomes : array (row,)
        As of `vote_outcomes.read_outcomes`.
    known : mapping of arrays (row,)
        What else is known of votes: ``judge``, ``prompt``, ``time``, ``tournament``.

    Returns
    -------
    list of str, list of str
        What is wrong, and what may be.
    """
    ids = next((name for name in table.frame.columns if key(name) in _IDS), None)
    alike = {role: pd.factorize(values)[0] for role, values in known.items()}
    if ids is not None:
        alike["id"] = pd.factorize(table.frame[ids].map(text_of))[0]
    clock = "time" in known and _has_clock(known["time"])
    votes = pd.DataFrame(
        {"first": places[:, 0], "second": places[:, 1], "outcome": outcomes, **alike}
    )
    wrong, perhaps = [], []
    sure = ids is not None or (clock and bool({"judge", "prompt"} & {*known}))
    if sure or {"judge", "prompt"} <= {*known}:
        copies = _copies(table.frame, votes)
        if copies is not None:
            original, copy, many = copies
            wrong.append(
                f"{counted(many, 'row')} {'repeats' if many == 1 else 'repeat'} others in every "
                f"column ({table.row(copy)} is {table.row(original)} again), each as a vote of "
                f"its own: leave them out (of a DataFrame, {_without_copies(table.frame)})"
                f"{'' if sure else ', unless judges voted again'}."
            )
    if "tournament" in known and sure:
        # An id, or a time, is of one vote: in whichever tournaments it stands.
        again = _again(votes.drop(columns="tournament")) - _again(votes)
        if again > 0:
            wrong.append(
                f"{counted(again, 'vote')} {'is' if again == 1 else 'are'} there again in another "
                "tournament: model='tournaments' would count each as a vote of its own; take one "
                "of tournaments that overlap, or fit each by itself (leaderbayes.study.fit)."
            )
    if _from_both_sides(votes.drop(columns="id", errors="ignore")):
        if "time" in known or (ids is not None and _from_both_sides(votes)):
            one, other = form.first, form.second
            wrong.append(
                f"each of the {len(votes)} votes is there from the other side, too, and counts "
                f"twice: keep one row of each (of a DataFrame, table[table[{one!r}] < "
                f"table[{other!r}]])."
            )
        else:
            perhaps.append(
                "every vote is there from the other side, too, and counts again: keep one row of "
                "each if two are the same vote"
            )
    return wrong, perhaps


def _again(votes: pd.DataFrame) -> int:
    """Count votes that are alike to an earlier one; none where such turn out otherwise."""
    return 0 if _turn_out_otherwise(votes) else int(votes.duplicated().sum())


def _has_clock(times: np.ndarray) -> bool:
    """Whether times are of the day, and no dates."""
    if not np.issubdtype(times.dtype, np.datetime64):
        return bool((np.unique(times) > 1e8).all())  # seconds, and no years or rounds
    return bool((times[~np.isnat(times)].astype("datetime64[D]") != times[~np.isnat(times)]).any())


def _copies(frame: pd.DataFrame, votes: pd.DataFrame) -> tuple[int, int, int] | None:
    """Find rows that are there again: the first, its copy, and how many; None if there are none."""
    near = np.flatnonzero(votes.duplicated(keep=False))
    names = [name for name in frame.columns if key(name) not in _ROW_NUMBERS]
    rows = frame.iloc[near][names].map(text_of)
    again = rows.duplicated().to_numpy()
    if not again.any() or _turn_out_otherwise(votes):
        return None
    at = int(np.argmax(again))
    same = (rows == rows.iloc[at]).all(axis=1).to_numpy()
    return (
        int(frame.index[near[int(np.argmax(same))]]),
        int(frame.index[near[at]]),
        int(again.sum()),
    )


def _without_copies(frame: pd.DataFrame) -> str:
    """Write the line of Python that leaves copies out; numbers of rows make none of them alike."""
    # pandas gives a column without a name this one.
    numbers = [name or "Unnamed: 0" for name in frame.columns if key(name) in _ROW_NUMBERS]
    if not numbers:
        return "table.drop_duplicates()"
    return f"table.drop_duplicates(table.columns.drop({numbers!r}))"


def _turn_out_otherwise(votes: pd.DataFrame) -> bool:
    """Whether votes alike in all but who won differ in that now and then: then none are copies."""
    outcomes = votes.groupby([name for name in votes if name != "outcome"])["outcome"]
    several = outcomes.size() > 1
    return bool((outcomes.nunique()[several] > 1).mean() > _OTHERWISE)


def _from_both_sides(votes: pd.DataFrame) -> bool:
    """Whether all votes are there with first and second swapped, too, alike in all else."""
    first, second = votes["first"].to_numpy(), votes["second"].to_numpy()
    if len(votes) < _FEW or (np.sort(first) != np.sort(second)).any():
        return False
    outcome = votes["outcome"].to_numpy()
    of_both = (outcome >= 0.0) & (outcome <= 1.0)
    swapped = votes.assign(
        first=second, second=first, outcome=np.where(of_both, 1.0 - outcome, outcome)
    )
    return bool(votes.value_counts().sort_index().equals(swapped.value_counts().sort_index()))
