"""What a wide table holds beside scores: no players and no rounds, by a few words or by numbers.

The columns of a wide table are scores of one metric. A column whose numbers do not belong with the
others' gets points for each way in which it differs from them.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import pandas as pd

from leaderbayes._scores import names
from leaderbayes._scores.metrics import GAIN, LOSS, among, plain, words
from leaderbayes._scores.tables import Table, is_number, shown, text_of
from leaderbayes._types import Bools, Floats

REFUSED, _NAMED = 4, 3  # points from which a column is refused, or named in a warning
_FEWEST = 5  # cells of a column, of fewer the spread is unknown
_FEW_COLUMNS, _MANY_COLUMNS = 5, 60
_LEVEL, _SPREAD = 0.1, 0.03  # least differences of level and spread between columns, of logarithms
_BROKEN, _UNIT = 3.0, 0.4  # least distance of a broken cell, and nearness to log(100)
_CHANCE = 4.5  # digits in which a summary must agree with the others, over all rows
_SUMMARY = set(
    "mean average avg median std sd stdev stderr se sem rank ranking pvalue total sum overall min "
    "max count n time seconds runtime".split()
)
_BESIDE = set(
    "p value macro micro weighted geometric of over across the per fit train test".split()
)
_ROLES = "round=..., tournament=...; --round, --tournament"
REMEDY = "Leave them out, or give a long table (player, round, score) if they do belong."


class Odd(NamedTuple):
    """A column whose numbers do not belong with the others'."""

    column: int
    points: int
    why: str


def is_summary(name: str, others: Iterable[str] = ()) -> bool:
    """Whether a name is that of a summary: mean, avg rank, p-value, svm_std beside svm."""
    found = words(name)
    if found == ["p", "value"] or "±" in name:
        return True
    if any(char.isdecimal() for char in "".join(found)[1:]) or _SUMMARY.isdisjoint(found):
        return False
    known = _SUMMARY | _BESIDE | GAIN | LOSS
    bases = {tuple(words(other)) for other in others}
    return all(among(word, known) for word in found) or any(
        word in _SUMMARY and tuple(base) in bases
        for word, base in ((found[-1], found[:-1]), (found[0], found[1:]))
    )


def refuse_names(
    table: Table, columns: Sequence[str], role: str, rows: Mapping[str, pd.Series]
) -> None:
    """Refuse columns that would be players (or rounds), and rows, by their names, all at once."""
    if not columns:
        table.refuse(f"no column is left for the {role}s.")
    if "" in columns:
        table.refuse(f"a column of scores has no name; name its {role}.")
    counting = [name for name in columns if counts(table.frame[name])]
    problems = []
    for name in columns:
        why = ""
        if names.is_index(name) or names.is_round(name) or names.is_data(name):
            why = f"a round or a tournament? Say which columns are ({_ROLES})."
        elif is_summary(name, columns):
            why = "a summary of the others?"
        elif role == "player" and plain(name) in names.SCORE.split():
            why = "the scores of a long table? Name the players' column too (player=..., --player)."
        elif name in counting and len(counting) < len(columns):
            why = f"numbers of the rows? Say which columns are rounds ({_ROLES})."
        problems += [f"column {shown(name)}: {why}"] if why else []
    refuse_rows(table, rows, problems)


def refuse_rows(table: Table, rows: Mapping[str, pd.Series], problems: Sequence[str] = ()) -> None:
    """Refuse rounds, tournaments and players that summarise the others, by their names."""
    found = [
        f"{table.row(int(labels.index[int((labels == name).argmax())]))}: the {role} {shown(name)} "
        "looks like a summary of the others."
        for role, labels in rows.items()
        for name in labels.unique()
        if is_summary(name)
    ]
    if found or problems:
        table.refuse(f"not only scores: {' '.join([*problems, *found][:20])} {REMEDY}")


def counts(column: pd.Series) -> bool:
    """Whether a column counts its rows from 0 or 1 on, perhaps anew for each data set."""
    texts = [text_of(cell).strip() for cell in column]
    if len(texts) < 3 or not all(map(is_number, texts)):
        return False
    values = np.array(texts, dtype=float)
    if not np.isfinite(values).all():
        return False
    steps = (np.diff(values) == 1) | (values[1:] == values[0])
    return bool(values[0] in (0.0, 1.0) and values.max() >= values[0] + 2 and steps.all())


@contextmanager
def _quiet() -> Iterator[None]:
    """Ignore warnings of rows and columns without numbers, and of huge ones."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@_quiet()
def odd_columns(x: Floats, *, gains: bool) -> list[Odd]:
    """Find columns of (row, column), NaN where missing, that do not belong, worst first.

    ``gains``, whether more is better: then scores may have a largest value, 1 or 100.
    """
    left = [j for j in range(x.shape[1]) if np.isfinite(x[:, j]).any()]
    summed = summaries(x[:, left])
    found = [Odd(left[j], REFUSED, "a summary of the others") for j in summed]
    left = [j for k, j in enumerate(left) if k not in summed]
    while len(left) > 2:
        points, why = _points(x[:, left], gains=gains)
        worst = int(np.argmax(points))
        if points[worst] < _NAMED:
            break
        found.append(Odd(left.pop(worst), int(points[worst]), why[worst]))
    return found


@_quiet()
def broken_cells(x: Floats) -> Bools:
    """Find percentages (row, column) far from their row and column, such as shares among them."""
    y = np.where(x > 0.0, np.log(x), np.nan)
    if min(x.shape) < 2 or _top(x, np.nanmedian(x, axis=0)) != 100.0:
        return np.zeros(x.shape, dtype=bool)
    units = np.zeros(x.shape, dtype=bool)  # of whole rows and columns
    for axis in (0, 1):
        shift = np.nanmedian(y - np.nanmedian(y, axis, keepdims=True), 1 - axis, keepdims=True)
        units |= np.abs(shift + np.log(100.0)) < _UNIT
    for _ in range(2):
        y = y - np.nanmedian(y, axis=1, keepdims=True)
        y = y - np.nanmedian(y, axis=0, keepdims=True)
    far = np.nan_to_num(-y)
    rest = far[far < _BROKEN]
    least = max(_BROKEN, 5.0 * float(np.quantile(rest, 0.95))) if rest.size else np.inf
    few = (far > least).sum() <= max(3, 0.05 * far.size)
    return (units | ((far > least) & few)) & (x > 0.0) & (x < 1.0)


def _points(x: Floats, *, gains: bool) -> tuple[np.ndarray, list[str]]:
    """Count the ways in which each column (column,) differs from the others, and name them."""
    m = x.shape[1]
    there = np.isfinite(x)
    negative = (x < 0.0).any(axis=0)
    if negative.mean() > 0.5:
        y = np.arcsinh(x / (np.nanmedian(np.abs(x)) or 1.0))
    else:
        y = np.where(x == 0.0, np.nan, np.log(np.abs(x)))
    level, spread = _from_others(y)
    r = level / _of_others(level, _LEVEL)
    q = spread / _of_others(spread, _SPREAD)
    medians = np.nanmedian(x, axis=0)
    top = _top(x, medians) if gains else None
    if top is not None:
        raw = _from_others(x)[1]
        q = np.where(medians < top, np.minimum(q, raw / _of_others(raw, 0.005 * top)), q)
    decimals, digits, whole, bits, same = _writing(x)
    points, why = np.zeros(m, dtype=int), []
    for j in range(m):
        others = np.arange(m) != j
        cells, fractions = there[:, others], (decimals[others] > 0).mean() > 0.5
        said = {}
        if r[j] > 2.0 and level[j] > 0.5:
            said["on another scale"] = 1 + (r[j] > 4.0 and level[j] > 1.0) + (level[j] > 2.5)
        if there[:, j].sum() >= _FEWEST and q[j] > 1.5 and not same[j]:
            said["varies otherwise"] = 1 + (q[j] > 3.0)
        as_many = abs(medians[j]) >= 100.0 and digits[j] >= digits[others].min()
        if bits[j] and fractions:
            said["only 0 and 1"] = 3
        elif same[j] and medians[j] % 1.0 == 0.0 and medians[j] not in (0.0, top, (top or 0) / 2):
            said["always the same whole number"] = 2
        elif whole[j] and fractions and not as_many:
            said["whole numbers among fractions"] = 2
        elif decimals[j] < decimals[others].min() and digits[j] < digits[others].min():
            said["fewer digits"] = 1
        below = (x[:, j] < 0.0).sum() / there[:, j].sum()
        if below > 0.0 and (x[:, others] < 0.0).sum() <= 0.1 * cells.sum():
            said["negative"] = 1 + (below > 0.2) + (top is not None and below < 1.0)
        if top is not None:
            above = (x[:, j] > top).sum() / there[:, j].sum()
            inside = (x[:, others] <= top)[cells].mean()
            if above > 0.0 and inside >= 0.9:
                said[f"above {top:g}"] = 3 if above > 1 / 3 and r[j] > 1.0 else 1
        points[j] = sum(said.values())
        why.append(", ".join(said))
    return points, why


def _from_others(y: Floats) -> tuple[Floats, Floats]:
    """Return each column's distance from the row medians of the others, and its spread."""
    if y.shape[1] > _MANY_COLUMNS:
        d = y - np.nanmedian(y, axis=1, keepdims=True)
    else:
        d = np.column_stack([
            y[:, j] - np.nanmedian(np.delete(y, j, axis=1), axis=1) for j in range(y.shape[1])
        ])  # fmt: skip
    middle = np.nanmedian(d, axis=0)
    return np.nan_to_num(np.abs(middle)), np.nan_to_num(np.nanmedian(np.abs(d - middle), axis=0))


def _of_others(values: Floats, floor: float) -> Floats:
    """Return the second-largest value of the others (column,); the largest of a few columns."""
    ordered = np.sort(values)[::-1]
    k = 0 if len(values) < _FEW_COLUMNS else 1
    least: Floats = np.where(values >= ordered[k], ordered[k + 1], ordered[k])
    return np.maximum(least, floor)


def _top(x: Floats, medians: Floats) -> float | None:
    """Find the largest possible score, 1 or 100; None where there is none."""
    for top in (1.0, 100.0):
        share = ((x >= 0.0) & (x <= top)).sum(axis=0) / np.isfinite(x).sum(axis=0)
        inside = share >= 0.95
        if inside.mean() >= 0.5 and np.median(medians[inside]) > 0.2 * top:
            return top
    return None


def _writing(x: Floats) -> tuple[np.ndarray, ...]:
    """Return decimals and digits of columns, and whether they are whole, 0 and 1, or constant."""
    found = []
    for column in x.T:
        values = np.unique(column[np.isfinite(column)])
        texts = [np.format_float_positional(it, trim="-").lstrip("-") for it in values[:200]]
        rest = values[~np.isin(values, (0.0, 1.0, 100.0))]
        found.append((
            max(len(text.partition(".")[2]) for text in texts),
            max(len(text.replace(".", "").strip("0")) for text in texts),
            len(rest) > 0 and len(values) > 1 and bool((rest % 1.0 == 0.0).all()),
            values.tolist() == [0.0, 1.0],
            len(values) == 1 and len(column) > 1,
        ))  # fmt: skip
    return tuple(map(np.array, zip(*found, strict=True)))


@_quiet()
def summaries(x: Floats) -> list[int]:
    """Find columns at either end that are the mean, median, sum or spread of all others."""
    m = x.shape[1]
    if m < 3 or not len(x):
        return []
    found: list[int] = []
    for j in dict.fromkeys((m - 1, m - 2, m - 3, 0, 1)):
        column, others = x[:, j], np.delete(x, [j, *found], axis=1)
        there = np.isfinite(column) & (np.isfinite(others).sum(axis=1) > 1)
        column, others = column[there], others[there]
        if not len(column) or others.shape[1] < 2:
            continue
        half = _half_digit(column) + _half_digit(others[np.isfinite(others)])
        spread = np.nanmax(others, axis=1) - np.nanmin(others, axis=1)
        digits = np.log10(np.clip(spread / (2.0 * half), 1.0, 1000.0)).sum()
        totals = [np.nanmean(others, axis=1), np.nansum(others, axis=1)]
        totals += [np.nanmedian(others, axis=1), np.nanstd(others, axis=1, ddof=1)]
        if digits >= _CHANCE and any((np.abs(column - t) <= half).all() for t in totals):
            found.append(j)
    return found


def _half_digit(values: Floats) -> float:
    """Return half of the last digit of rounded numbers, plus the rounding of floats."""
    noise = 1e-12 * float(np.abs(values).max())
    near = (np.abs(np.round(values, d) - values).max() <= noise for d in range(12))
    digits = next((d for d, rounded in enumerate(near) if rounded), 12)
    return 0.5 * 10.0**-digits * (1.0 + 1e-6) + noise
