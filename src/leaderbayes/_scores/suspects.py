"""What a table holds beside scores: no players and no rounds, by their names or numbers."""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
import pandas as pd

from leaderbayes._scores import names
from leaderbayes._scores.cells import as_names, distinct
from leaderbayes._scores.digits import numbers_of
from leaderbayes._scores.metrics import plain
from leaderbayes._scores.tables import Table, listed, shown, text_of
from leaderbayes._types import Bools, Floats

METRIC = "metric measure metric_name eval_metric scorer scoring criterion function"
# Columns that say of which kind a round's scores are, such as binary or multiclass.
_KIND = ("type", "task_type", "problem_type", "kind")
NAME_THEM = "round=..., tournament=...; --round, --tournament"
_APART = 20.0  # times as large are the percentages beside shares of 1
_CHANCE = 3.0  # that a row is by chance the mean of the others: less than once in 10**3


def check_wide(
    table: Table, columns: Sequence[str], role: str, rows: Mapping[str, pd.Series]
) -> None:
    """Refuse columns and rows of a wide table that are no players and no rounds, all at once.

    Parameters
    ----------
    table : Table
        The wide table.
    columns : sequence of str
        Those that would be players, or rounds.
    role : {"player", "round"}
        Which of both.
    rows : mapping of str to Series
        Names of the rows by their role; the last is what each row is.

    Raises
    ------
    ScoresError
        Naming all of them, and what to do.
    """
    if not columns:
        table.refuse(f"no column is left for the {role}s.")
    if "" in columns:
        table.refuse(f"a column of scores has no name; name its {role}.")
    values = pd.DataFrame({c: _numbers(table.frame[c]) for c in columns})
    kinds = _by_name(columns, role, values)
    if role == "round" and kinds[_SUMMARY] == list(columns):
        table.refuse(f"column{'' if len(columns) == 1 else 's'} {listed(columns)} {_MEANS_ALONE}")
    values = values.drop(columns=[*chain(*kinds.values())])
    by_number = _by_number(values)
    values = values.drop(columns=[*chain(*by_number.values())])
    sentences = [
        f"column{'' if len(odd) == 1 else 's'} {listed(odd)} "
        + text.format(s="s" if len(odd) == 1 else "", role=role)
        for text, odd in (kinds | by_number).items()
        if odd
    ]
    summaries = _rows_by_name(table, rows)
    if not summaries and rows:
        summaries = _rows_by_number(table, values, rows)
    if sentences or summaries:
        table.refuse(" ".join(sentences + summaries))


def check_names(table: Table, rows: Mapping[str, pd.Series]) -> None:
    """Refuse rounds and tournaments of a long table that sum up the others.

    Parameters
    ----------
    table : Table
        The long table.
    rows : mapping of str to Series
        Names of the rows by their role.

    Raises
    ------
    ScoresError
        Naming all of them, and what to do.
    """
    if sentences := _rows_by_name(table, rows):
        table.refuse(" ".join(sentences))


# -- columns ---------------------------------------------------------------------------------------

_OTHER_ROLE = (
    "look{s} like a round or a tournament, and hold{s} no {role}'s scores; say which columns are "
    f"({NAME_THEM}), or leave it out."
)
_SUMMARY = (
    "look{s} like a summary of the others, not like a {role}; leave it out, or rename it if a "
    "{role} is called so."
)
_MEANS_ALONE = (
    "sum up rounds, and none is here: models are compared on the scores of single rounds (folds, "
    "seeds, tasks). How good the best is may be asked of means with their standard errors, which "
    "are standard deviations over r runs divided by the square root of r: "
    "leaderbayes.sota.read_board(table, score='mean', se='error'), leaderbayes sota FILE --score "
    "mean --se error."
)
_ABOUT = (
    "look{s} like something known of the rows, such as a size or a time, not like a {role}; leave "
    "it out, or rename it if a {role} is called so."
)
_LONG = (
    "look{s} like the score of a long table, not like a player; name the players' column too "
    "(player=..., --player), or rename it if a player is called so."
)
_COUNTS = (
    "count{s} the rows (0, 1, 2, ...), as a round does and a {role}'s scores do not; say which "
    f"columns are what ({NAME_THEM}), leave it out, or give a long table."
)
_WHOLE = (
    "hold{s} whole numbers of another size than the scores in the other columns; leave it out, or "
    "give a long table (player, round, score) if these are a {role}'s scores."
)
_MEAN = (
    "hold{s} the mean or the sum of the other columns; leave it out, or give a long table (player, "
    "round, score) if these are a {role}'s scores."
)


def _by_name(columns: Sequence[str], role: str, values: pd.DataFrame) -> dict[str, list[str]]:
    """Sort columns that are no players (or rounds) by what is wrong with them."""
    kinds: dict[str, list[str]] = {k: [] for k in (_OTHER_ROLE, _SUMMARY, _ABOUT, _LONG, _COUNTS)}
    counting = [name for name in columns if counts(values[name])]
    whole = {name for name in columns if _is_whole(values[name].to_numpy())}
    for name in columns:
        if names.is_index(name) or names.is_round(name) or names.is_data(name):
            kinds[_OTHER_ROLE].append(name)
        elif names.is_summary(name) or names.is_statistic(name, columns):
            kinds[_SUMMARY].append(name)
        elif names.is_about(name, sure=not (name in whole and len(whole) < len(columns))):
            kinds[_ABOUT].append(name)
        elif role == "player" and plain(name) in names.SCORE.split():
            kinds[_LONG].append(name)
        elif name in counting and len(counting) < len(columns):
            kinds[_COUNTS].append(name)
    return kinds


def _by_number(values: pd.DataFrame) -> dict[str, list[str]]:
    """Sort columns whose numbers are no scores by what is wrong with them."""
    if values.shape[1] < 2:
        return {}
    whole = _of_another_size(values.to_numpy())
    rest = values.loc[:, ~whole]
    means = _sums_up(rest.to_numpy().T)
    return {_WHOLE: list(values.columns[whole]), _MEAN: list(rest.columns[means])}


def counts(column: pd.Series) -> bool:
    """Whether a column counts its rows from 0 or 1 on, perhaps anew for each data set."""
    if len(column) < 3 or text_of(column.iloc[0]).strip() not in ("0", "1", "0.0", "1.0"):
        return False
    values = _numbers(column).to_numpy()
    if not np.isfinite(values).all() or values.max() < values[0] + 2:
        return False
    steps = np.diff(values)
    return bool(((steps == 1) | (values[1:] == values[0])).all())


def _numbers(column: pd.Series) -> pd.Series:
    """Read a column's numbers; NaN where a cell holds none (`as_numbers` refuses it later)."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        return column.astype(float)
    if isinstance(column.dtype, pd.StringDtype):
        # Millions of plain numbers, as in most files.
        plain_numbers = numbers_of(column)
        if plain_numbers.notna().all():
            return plain_numbers
    text = pd.Series([text_of(cell) for cell in column], index=column.index, dtype=object)
    return numbers_of(text)


def _is_whole(values: np.ndarray) -> bool:
    """Whether numbers (row,), two at least, are whole."""
    there = values[np.isfinite(values)]
    # Every float above 2**53 is whole.
    return len(there) > 1 and bool(((there == np.round(there)) & (np.abs(there) < 2**53)).all())


def _of_another_size(values: np.ndarray) -> np.ndarray:
    """Find columns of (row, column) of whole numbers far above the others, which are shares."""
    whole = np.array([_is_whole(column) for column in values.T])
    rest = values[:, ~whole]
    rest = rest[np.isfinite(rest)]
    # Scores of whole numbers only, of another scale, or of one player tell nothing.
    if not whole.any() or (~whole).sum() < 2 or not _are_shares(rest):
        return np.zeros(len(whole), dtype=bool)
    least = 2.0 if rest.max() <= 1.0 else 1000.0
    above = (np.isnan(values) | (np.abs(values) >= least)).all(axis=0)
    return np.asarray(whole & above)


def _are_shares(values: np.ndarray) -> bool:
    """Whether numbers may be accuracies, correlations or percentages."""
    if not len(values):
        return False
    least, most = values.min(), values.max()
    return bool((least >= -1.0 and most <= 1.0) or (least >= 0.0 and most <= 100.0))


# -- rows ------------------------------------------------------------------------------------------


def _rows_by_name(table: Table, rows: Mapping[str, pd.Series]) -> list[str]:
    """Say which rows sum up the others, by their names."""
    found = [
        (role, name)
        for role, labels in rows.items()
        for name in distinct(labels)
        if names.is_summary(name) or names.is_about(name)
    ]
    return [
        f"{table.row(int(rows[role].index[int((rows[role] == name).argmax())]))}: the {role} "
        f"{shown(name)} looks like a summary of the others; leave it out, or rename it if a {role} "
        "is called so."
        for role, name in found[:12]
    ]


def _rows_by_number(table: Table, values: pd.DataFrame, rows: Mapping[str, pd.Series]) -> list[str]:
    """Say which rows sum up the others, by their numbers."""
    role, labels = list(rows.items())[-1]
    return [
        f"{table.row(int(labels.index[k]))}: the {role} {shown(labels.iloc[k])} holds the mean or "
        "the sum of the other rows; leave it out, or give a long table (player, round, score) if "
        f"these are a {role}'s scores."
        for k in _sums_up(values.to_numpy())
    ]


def _sums_up(values: np.ndarray) -> list[int]:
    """Find whether the first or the last row of (row, column) is the mean or sum of all others.

    The row must be so as far as its digits tell, and not by chance: a column whose others spread
    over 100 times the last digit agrees by chance once in 100.
    """
    if len(values) < 3 or not values.shape[1]:
        return []
    found = []
    for k in (0, len(values) - 1):
        row, others = values[k], np.delete(values, k, axis=0)
        there = np.isfinite(row) & (np.isfinite(others).sum(axis=0) > 1)
        row, others = row[there], others[:, there]
        if not len(row):
            continue
        half = _half_digit(row) + _half_digit(others[np.isfinite(others)])
        with np.errstate(over="ignore", invalid="ignore"):
            spread = np.nanmax(others, axis=0) - np.nanmin(others, axis=0)
            told = np.log10(np.maximum(spread / (2.0 * half), 1.0)).sum()
            totals = np.nanmean(others, axis=0), np.nansum(others, axis=0)
            same = any((np.abs(row - total) <= half).all() for total in totals)
        if told >= _CHANCE and same:
            found.append(k)
    return found


def _half_digit(values: np.ndarray) -> float:
    """Give half of the last digit of rounded numbers, plus the rounding of floats."""
    noise = 1e-12 * float(np.abs(values).max())
    near = (np.abs(np.round(values, d) - values).max() <= noise for d in range(12))
    digits = next((d for d, rounded in enumerate(near) if rounded), 12)
    return 0.5 * 10.0**-digits * (1.0 + 1e-6) + noise


def several_kinds(
    table: Table, long: pd.DataFrame, columns: Mapping[str, str]
) -> tuple[str, list[str]] | None:
    """Find a column by which scores are of several metrics, or of several kinds of tasks."""
    for column in map(str, table.frame.columns):
        called = plain(column)
        if column in columns.values() or called not in (*METRIC.split(), *_KIND):
            continue
        own = as_names(table, column, missing="").reindex(long.index)
        values = [str(value) for value in own.unique() if value]
        if len(values) < 2:
            continue
        if called in _KIND:
            # A kind of players, or one that says nothing of rounds, is none of scores.
            by = [long[dim] for dim in ("tournament", "round") if dim in long][:1]
            of_player = own.groupby(long["player"], observed=True).nunique().max() > 1
            if not of_player or (by and own.groupby(by[0], observed=True).nunique().max() > 1):
                continue
        return column, values
    return None


# -- scores ----------------------------------------------------------------------------------------


def shares_among_percentages(scores: Floats) -> Bools:
    """Find scores that were written as shares of 1, where their round's others are percentages.

    Such as 0.886 among 88.1 and 87.4: it ranks last. It is in percent like the others, and has
    more decimals than any of them: what really is below 1 % has as many.

    Parameters
    ----------
    scores : ndarray (round, player)
        Finite, NaN where there is none.

    Returns
    -------
    ndarray (round, player) of bool
    """
    found = np.zeros(scores.shape, dtype=bool)
    lowest, highest = np.fmin.reduce(scores, axis=1), np.fmax.reduce(scores, axis=1)
    mixed = np.flatnonzero((lowest > 0.0) & (lowest < 1.0) & (highest > 1.0) & (highest <= 100.0))
    some = scores[mixed]
    largest = np.max(some, axis=1, initial=0.0, where=some < 1.0)
    every_least = np.min(some, axis=1, initial=np.inf, where=some >= 1.0)
    apart = every_least >= _APART * largest
    for k, least, most in zip(mixed[apart], every_least[apart], highest[mixed[apart]], strict=True):
        low = scores[k] < 1.0
        others, shares = scores[k][scores[k] >= 1.0], scores[k][low]
        width = max(most - least, 0.1 * most)
        near = np.abs(100.0 * shares - (least + most) / 2.0) <= (most - least) / 2.0 + width
        if not near.all():
            continue
        digits = max(map(_decimals, others))
        found[k, low] = [_decimals(share) > digits for share in shares]
    return found


def _decimals(score: float) -> int:
    """Count the decimals with which a score was written."""
    _, _, after = np.format_float_positional(score, trim="-").partition(".")
    return len(after)
