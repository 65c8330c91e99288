"""What a wide table holds beside scores: no players and no rounds, by a few words or by numbers.

The columns of a wide table are scores of one metric. A column whose numbers do not belong with the
others' gets points for each way in which it differs from them.
"""

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import pandas as pd

from leaderbayes._scores import names
from leaderbayes._scores.cells import numbers_of
from leaderbayes._scores.metrics import GAIN, LOSS, among, plain, words
from leaderbayes._scores.tables import Table, is_number, text_of
from leaderbayes._types import Bools, Floats

REFUSED, _NAMED = 4, 3  # points from which a column is refused, or named in a warning
_FEWEST = 5  # cells of a column, of fewer the spread is unknown
_FEW_COLUMNS, _MANY_COLUMNS = 5, 60
_LEVEL, _SPREAD = 0.1, 0.03  # least differences of level and spread between columns, of logarithms
_BROKEN, _NEAR = 3.0, 0.4  # least distance of a broken cell, and nearness to log(100)
_AGREE = 0.6  # correlation of a usual column with the others
_CHANCE = 4.5  # digits in which a summary must agree with the others, over all rows
_SUMMARY = set(
    "mean average avg median std sd stdev stderr se sem rank ranking pvalue total sum overall min "
    "max best worst range spread delta gain difference wins ci lower upper bound count n time "
    "seconds minutes runtime latency cost fps usd kwh training".split()
)
_UNIT = re.compile(r".*[(\[] ?(s|ms|sec|min|h|[kmg]i?b|w|kwh|usd|eur|\$|b|m|k|±) ?[)\]]", re.I)
_BESIDE = set(
    "p value macro micro weighted geometric of over across all the per fit train test".split()
)


class Odd(NamedTuple):
    """A column whose numbers do not belong with the others'."""

    column: int
    points: int
    why: str


def is_summary(name: str, others: Iterable[str] = ()) -> bool:
    """Whether a name is that of a summary: mean, avg rank, p-value, svm_std beside svm."""
    found = words(re.sub(r"(?<=\w) +[(\[].*", "", name))  # Average (56 data sets)
    if found == ["p", "value"] or "±" in name or _UNIT.fullmatch(name):
        return True
    found = [word for word in found if not (word.isdecimal() and "of" in found)]  # mean of 5
    if any(char.isdecimal() for char in "".join(found)[1:]) or _SUMMARY.isdisjoint(found):
        return False
    known = _SUMMARY | _BESIDE | GAIN | LOSS
    bases = {tuple(words(other)) for other in others}
    return all(among(word, known) for word in found) or any(
        word in _SUMMARY and tuple(base) in bases
        for word, base in ((found[-1], found[:-1]), (found[0], found[1:]))
    )


def by_name(table: Table, columns: Sequence[str], role: str) -> dict[str, str]:
    """Return why columns that would be players (or rounds) are none, by their names."""
    counting = [name for name in columns if counts(table.frame[name])]
    if counting:
        texts = ([text_of(cell) for cell in table.frame[name]] for name in columns)
        x = np.column_stack([numbers_of(pd.Series(of, dtype=object)) for of in texts])
        counting = [] if any(all(map(is_ranking, of)) for of in (x, x.T)) else counting
    found = dict.fromkeys(_untested(columns), "scores on other parts of the data")
    for name in columns:
        if names.is_index(name) or names.is_round(name) or names.is_data(name):
            found[name] = "rounds or tournaments? (round=..., tournament=...)"
        elif is_summary(name, columns):
            found[name] = "a summary, or not a score"
        elif role == "player" and plain(name) in names.SCORE.split():
            found[name] = "the scores of a long table? (player=..., score=...)"
        elif name in counting and len(counting) < len(columns):
            found[name] = "numbers of the rows? (round=...)"
    return found


def _untested(columns: Sequence[str]) -> list[str]:
    """Find scores of training and validation beside those of the test: iris_train, iris_test."""
    parts: dict[tuple[str, ...], dict[str, str]] = {}
    for name in columns:
        found = words(name)
        for part, rest in ((found[-1:], found[:-1]), (found[:1], found[1:])):
            if part and part[0] in names.PARTS:
                parts.setdefault(tuple(rest), {})[name] = part[0]
                break
    untested = []
    for of in parts.values():
        kinds = [names.TRAINED, names.PARTS - names.TESTED - names.TRAINED, names.TESTED]
        last = max(k for part in of.values() for k, kind in enumerate(kinds) if part in kind)
        untested += [name for name, part in of.items() if part not in kinds[last]]
    return untested


def by_number(
    x: Floats, *, gains: bool, mixed: bool = False
) -> tuple[dict[int, str], dict[int, str]]:
    """Find columns (row, column) to refuse, or else columns to name, with the reasons."""
    refused: dict[int, str] = {}
    while True:
        left = [j for j in range(x.shape[1]) if j not in refused]
        odd = odd_columns(x[:, left], gains=gains, mixed=mixed or bool(refused))
        worst = {left[of.column]: of.why for of in odd if of.points >= REFUSED}
        if not worst:
            return refused, {left[of.column]: of.why for of in odd}
        refused |= worst


def counts(column: pd.Series) -> bool:
    """Whether a column counts its rows from 0 or 1 on, perhaps anew for each data set."""
    first = [text_of(cell).strip() for cell in column.iloc[:1]]
    if len(column) < 3 or not is_number(first[0]) or float(first[0]) not in (0.0, 1.0):
        return False
    texts = [text_of(cell).strip() for cell in column]
    if not all(map(is_number, texts)):
        return False
    values = np.array(texts, dtype=float)
    if not np.isfinite(values).all():
        return False
    steps = (np.diff(values) == 1) | (values[1:] == values[0])
    return bool(values.max() >= values[0] + 2 and steps.all())


@contextmanager
def _quiet() -> Iterator[None]:
    """Ignore warnings of rows and columns without numbers, and of huge ones."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@_quiet()
def odd_columns(x: Floats, *, gains: bool, mixed: bool = False) -> list[Odd]:
    """Find columns that do not belong, worst first; of ``mixed`` tables more are expected."""
    left = [j for j in range(x.shape[1]) if np.isfinite(x[:, j]).any()]
    summed = summaries(x[:, left])
    found = [Odd(left[j], REFUSED, "a summary of the others") for j in summed]
    found += [Odd(left[j], REFUSED, "no ranking") for j in _no_rankings(x[:, left])]
    left = [j for j in left if j not in {odd.column for odd in found}]
    while len(left) > 1 + (len(x) < _FEWEST):
        points, why = _points(x[:, left], gains=gains, mixed=mixed or bool(found))
        worst = len(left) - 1 - int(np.argmax(points[::-1]))
        if points[worst] < _NAMED:
            break
        # Of two it is unknown which one is odd.
        number = int(points[worst]) if len(left) > 2 else _NAMED
        found.append(Odd(left.pop(worst), number, why[worst]))
    return found


@_quiet()
def broken_cells(x: Floats) -> Bools:
    """Find shares (row, column) among percentages, far from the others, or the reverse."""
    y = np.where(x > 0.0, np.log(x), np.nan)
    top = _top(x, _median(x, axis=0)) if min(x.shape) > 1 else None
    if top != 100.0:
        beyond = x > 2.0
        return beyond & (top == 1.0 and beyond.sum() <= max(1, 0.05 * x.size))
    units = np.zeros(x.shape, dtype=bool)  # of whole rows and columns
    usual = np.nanquantile(x[x > 1.0], [0.1, 0.9]) / 100.0
    for axis in (0, 1):
        shift = _median(y - _median(y, axis, keepdims=True), 1 - axis, keepdims=True)
        level = _median(x, 1 - axis, keepdims=True)
        shares = (level > usual[0]) & (level < usual[1])
        units |= (np.abs(shift + np.log(100.0)) < _NEAR) & shares
    for _ in range(2):
        y = y - _median(y, axis=1, keepdims=True)
        y = y - _median(y, axis=0, keepdims=True)
    far = np.nan_to_num(-y)
    rest = far[far < _BROKEN]
    least = max(_BROKEN, 5.0 * float(np.quantile(rest, 0.95))) if rest.size else np.inf
    few = (far > least).sum() <= max(3, 0.05 * far.size)
    return (units | ((far > least) & few)) & (x > 0.0) & (x < 1.0)


def stand_ins(x: Floats) -> Bools:
    """Find scores such as -1 or 999 that are alone beyond all others, and may stand for none."""
    found = np.zeros(x.shape, dtype=bool)
    for value in (-1.0, -9.0, -99.0, -999.0, -9999.0, 999.0, 9999.0):
        hit = x == value
        rest = x[np.isfinite(x) & ~hit] if hit.any() else x[:0]
        beyond = rest.size and (rest.min() >= 0.0 if value < 0.0 else rest.max() <= 101.0)
        # In a column of -1, 0 and 1, -1 is a score.
        if beyond and hit.mean() < 0.5 and ((rest % 1.0 != 0.0).any() or np.median(rest) > 1.0):
            found |= hit
    return found


def _points(x: Floats, *, gains: bool, mixed: bool) -> tuple[np.ndarray, list[str]]:
    """Count the ways in which each column (column,) differs from the others, and name them."""
    m = x.shape[1]
    there = np.isfinite(x)
    negative = (x < 0.0).any(axis=0)
    top = _top(x, _median(x, axis=0)) if gains else None
    to_top = top is not None and negative.sum() > max(1, 0.1 * m)
    if top is not None and to_top:  # R2, kappa: what is missing to 1
        y = np.where(x < top, np.log(top - x), np.nan)
    elif negative.mean() > 0.5:
        y = np.arcsinh(x / (_median(np.abs(x)) or 1.0))
    else:
        y = np.where(x == 0.0, np.nan, np.log(np.abs(x)))
    level, spread = _from_others(y)
    k = m // 3 if mixed and m > 2 else int(m >= _FEW_COLUMNS)  # so many others may be odd, too
    r = level if m == 2 else level / _of_others(level, _LEVEL, k)
    q = spread / _of_others(spread, _SPREAD, k)
    medians = _median(x, axis=0)
    if top is not None:
        raw = _from_others(x)[1]
        q = np.where(medians < top, np.minimum(q, raw / _of_others(raw, 0.005 * top, k)), q)
    agreed = _agreement(x)
    often = _median(agreed)
    decimals, digits, whole, bits, same = _writing(x)
    points, why = np.zeros(m, dtype=int), []
    cells, below_zero, fractional = there.sum(axis=0), (x < 0.0).sum(axis=0), decimals > 0
    beneath = np.zeros(m, dtype=int) if top is None else (x <= top).sum(axis=0)

    def of_others(counted: np.ndarray, j: int) -> float:
        return float((counted.sum() - counted[j]) / (cells.sum() - cells[j]))

    for j in range(m):
        others = np.arange(m) != j
        fractions, said = fractional[others].mean() > (0.35 if mixed else 0.5), {}
        if r[j] > 2.0 and level[j] > 0.5:
            far = (r[j] > 4.0 and level[j] > 1.0, level[j] > 2.5, level[j] > 5.0)
            said["on another scale"] = 1 + sum(far)
        if cells[j] >= _FEWEST and q[j] > 1.5 and not same[j]:
            said["varies otherwise"] = 1 + (q[j] > 3.0) + (q[j] > 6.0)
        if often > _AGREE and agreed[j] < _AGREE / 3.0:
            said["orders the rows otherwise"] = 1
        as_many = abs(medians[j]) >= 100.0 and digits[j] >= digits[others].min()
        if bits[j] and fractions:
            said["only 0 and 1"] = 3
        elif same[j] and medians[j] % 1.0 == 0.0 and medians[j] not in (0.0, top, (top or 0) / 2):
            said["always the same whole number"] = 2 + fractions
        elif whole[j] and fractions and not as_many:
            said["whole numbers among fractions"] = 2
        elif decimals[j] < decimals[others].min() and digits[j] < digits[others].min():
            said["fewer digits"] = 1
        below, beside = below_zero[j] / cells[j], of_others(below_zero, j)
        if below > 0.0 and beside <= 0.1:
            never = beside == 0.0
            said["negative"] = 1 + (never and below > 0.2) + (never and top is not None)
        if top is not None:
            above, inside = 1.0 - beneath[j] / cells[j], of_others(beneath, j)
            if above > 0.0 and inside >= (0.5 if mixed else 0.9):
                said[f"above {top:g}"] = 3 if above > 1 / 3 and (r[j] > 1.0 or to_top) else 1
        points[j] = sum(said.values())
        points[j] += mixed and points[j] == _NAMED - 1
        why.append(", ".join(said))
    return points, why


def _agreement(x: Floats) -> Floats:
    """Return the rank correlation of each column (column,) with the others' mean rank."""
    if len(x) < 2 * _FEWEST - 2:
        return np.full(x.shape[1], np.nan)
    rank = pd.DataFrame(x).rank(pct=True).to_numpy()
    there = np.isfinite(rank)
    filled = np.where(there, rank, 0.0)
    others = filled.sum(axis=1, keepdims=True) - filled
    others = others / (there.sum(axis=1, keepdims=True) - there).clip(min=1)
    return np.asarray(pd.DataFrame(rank).corrwith(pd.DataFrame(others)), dtype=float)


def _from_others(y: Floats) -> tuple[Floats, Floats]:
    """Return each column's distance from the row medians of the others, and its spread."""
    if y.shape[1] > _MANY_COLUMNS:
        d = y - _median(y, axis=1, keepdims=True)
    else:
        d = np.column_stack([
            y[:, j] - _median(np.delete(y, j, axis=1), axis=1) for j in range(y.shape[1])
        ])  # fmt: skip
    middle = _median(d, axis=0)
    return np.nan_to_num(np.abs(middle)), np.nan_to_num(_median(np.abs(d - middle), axis=0))


def _of_others(values: Floats, floor: float, k: int) -> Floats:
    """Return the largest value of the others (column,) but for k of them."""
    ordered = np.sort(values)[::-1]
    least: Floats = np.where(values >= ordered[k], ordered[k + 1], ordered[k])
    return np.maximum(least, floor)


def _top(x: Floats, medians: Floats) -> float | None:
    """Find the largest possible score, 1 or 100; None where there is none."""
    for top in (1.0, 100.0):
        share = (x <= top).sum(axis=0) / np.isfinite(x).sum(axis=0)
        inside = share >= 0.95
        if inside.mean() >= 0.5 and np.median(medians[inside]) > 0.2 * top:
            return top
    return None


def _writing(x: Floats) -> tuple[np.ndarray, ...]:
    """Return decimals and digits of columns, and whether they are whole, 0 and 1, or constant."""
    found = []
    for column in x.T:
        values = np.unique(column[np.isfinite(column)])
        some = values[: max(20, 20_000 // x.shape[1])]
        texts = [np.format_float_positional(it, trim="-").lstrip("-") for it in some]
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
    found: list[int] = []
    for j in dict.fromkeys((m - 1, m - 2, m - 3, 0, 1)) if m > 2 else ():
        column, others = x[:, j], np.delete(x, [j, *found], axis=1)
        there = np.isfinite(column) & (np.isfinite(others).sum(axis=1) > 1)
        column, others = column[there], others[there]
        if not len(column) or others.shape[1] < 2 or 2 * len(np.unique(column)) <= len(column):
            continue
        half = _half_digit(column) + _half_digit(others[np.isfinite(others)])
        spread = np.nanmax(others, axis=1) - np.nanmin(others, axis=1)
        digits = np.log10(np.clip(spread / (2.0 * half), 1.0, 1000.0)).sum()
        some = slice(20)  # most columns are none of these, as a few rows show
        if (
            digits >= _CHANCE
            and np.isfinite(spread).all()
            and _is_total(column[some], others[some], half)
            and _is_total(column, others, half)
        ):
            found.append(j)
    return found


def _is_total(column: Floats, others: Floats, half: float) -> bool:
    """Whether a column is a mean, sum, median, extreme, range or spread of the others."""
    high, low = np.nanmax(others, axis=1), np.nanmin(others, axis=1)
    totals = [np.nanmean(others, axis=1), np.nansum(others, axis=1), high, low, high - low]
    totals += [_median(others, axis=1), *(np.nanstd(others, axis=1, ddof=k) for k in (0, 1))]
    slack = half * (1.0 + 1e-6) + 1e-11 * np.maximum(np.abs(high), np.abs(low))
    return any((np.abs(column - total) <= slack).all() for total in totals)


def _no_rankings(x: Floats) -> list[int]:
    """Find columns that rank nothing, where the others are ranks, of rows or of columns."""
    if all(map(is_ranking, x)) or not x.max(initial=0.0, where=np.isfinite(x)) > 1.0:
        return []  # items that all got right look like places of equals
    ranked = [is_ranking(column) for column in x.T]
    if 0.75 <= np.mean(ranked) < 1.0:
        return [j for j, yes in enumerate(ranked) if not yes]
    broken = np.nan_to_num(2.0 * x % 1.0).any(axis=0)  # neither places nor their means
    without = (np.delete(x, j, axis=1) for j in range(x.shape[1] if broken.sum() < 2 else 0))
    alone = [j for j, others in enumerate(without) if all(map(is_ranking, others))]
    return alone if len(alone) == 1 and x.shape[1] > 3 else []


def is_ranking(values: Floats) -> bool:
    """Whether these are places from 1 on, ties sharing the lowest or the mean."""
    there = values[np.isfinite(values)]
    ways = (pd.Series(there).rank(method=how) for how in ("min", "average"))
    ranked = len(there) > 2 and there.min() < 2.0 and any((there == way).all() for way in ways)
    return bool(ranked)


def _median(x: Floats, axis: int | None = None, *, keepdims: bool = False) -> Floats:
    """Return medians of what is there; NumPy's own is slow where something may be missing."""
    median = np.nanmedian if np.isnan(x).any() else np.median
    return np.asarray(median(x, axis=axis, keepdims=keepdims))


def _half_digit(values: Floats) -> float:
    """Return half of the last digit of rounded numbers."""
    noise = 1e-12 * np.abs(values)
    near = ((np.abs(np.round(values, d) - values) <= noise).all() for d in range(12))
    return 0.5 * 10.0 ** -next((d for d, rounded in enumerate(near) if rounded), 12)
