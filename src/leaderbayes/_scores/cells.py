"""Cells of a column as names or as numbers; what is neither is refused with its row."""

import unicodedata
from typing import Any

import numpy as np
import pandas as pd

from leaderbayes._scores.digits import numbers_of
from leaderbayes._scores.spelling import clean
from leaderbayes._scores.tables import (
    ANSWERS,
    EXACT,
    MISSING,
    Table,
    bare_number,
    is_number,
    is_unicode,
    shown,
    text_of,
)
from leaderbayes._types import Longs

_MEAN_AND_ERROR = (
    ", but a mean and its error: models are compared on scores of single rounds (folds, seeds, "
    "tasks), one number a cell. Give the scores that the mean is of; if each task is a round, give "
    "the means alone. Where there is no more than a mean and an error a model, write them into two "
    "columns, and ask how good the best is: leaderbayes.sota.read_board(table, se='error'), "
    "leaderbayes sota FILE --se error."
)
# A run that timed out is no missing one: left empty it would play the easy rounds only.
_OF_SCORES = (
    "leave a missing score empty, and where failing is losing write a score worse than all others"
)


def as_names(table: Table, label: str, *, missing: str | None = None) -> pd.Series:
    """Read names as text without blanks around them; a missing one is an error, or this text."""
    return as_categories(table, label, missing=missing).astype(object)


def distinct(names: pd.Series) -> list[str]:
    """List the names of a whole column, of `as_names` or `as_categories`, each once."""
    known = names.cat.categories if isinstance(names.dtype, pd.CategoricalDtype) else names.unique()
    return list(known)


def as_categories(table: Table, label: str, *, missing: str | None = None) -> pd.Series:
    """Read names as `as_names` does, each text once, in order of appearance (categorical)."""
    column = table.cells(label)
    try:
        values, names = pd.factorize(column)
    except TypeError:  # a list, or another container
        values, names = pd.factorize(column.map(type))
    text = _cleaned(table, label, values, np.asarray(names, dtype=object).tolist())
    gaps = len(values) > 0 and values.min() < 0
    if gaps:
        text.append("")  # what is missing has the value -1, which is the last
    taken = np.array(text, dtype=object)
    empty = taken == ""
    if missing is not None:
        taken[empty] = missing
    elif empty.any():
        table.refuse(
            f"column {shown(label)} is empty; every row needs a name there.",
            column.index[int(np.argmax(empty[values]))],
        )
    places, categories = pd.factorize(taken)
    if gaps or len(categories) < len(text):
        values = places[values]
    named = pd.Categorical.from_codes(values, categories=pd.Index(categories, dtype=object))
    return pd.Series(named, index=column.index)


def _cleaned(table: Table, label: str, values: Longs, names: list[Any]) -> list[str]:
    """Write distinct cells as names; refuse what is no text, with the first row of it."""
    texts = [text_of(name) for name in names]
    odd = [isinstance(name, bytes | type) for name in names]
    if not any(odd) and "".join(texts).isascii():
        return [text.strip() for text in texts]  # millions of prompts, perhaps
    for k, text in enumerate(texts):
        if odd[k] or not is_unicode(text):
            row = int(np.argmax(values == k))
            column = table.frame[label]
            held = shown(column.iloc[row])
            table.refuse(
                f"column {shown(label)} holds {held}, which is not text.", column.index[row]
            )
    return [clean(text) for text in texts]


def as_numbers(
    table: Table, label: str, *, words: bool = True, remedy: str = _OF_SCORES
) -> pd.Series:
    """Read scores as floats; missing ones are NaN; text, dates and infinity are errors.

    ``remedy`` ends messages on cells that are no finite numbers. With ``words`` those of right and
    wrong answers (`ANSWERS`) are 1 and 0, in a column that has no others.
    """
    column = table.frame[label]
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else "O"
    if kind in "iu" and len(column) and max(abs(int(column.min())), int(column.max())) > EXACT:
        table.refuse(f"column {shown(label)} holds whole numbers above 2**53; scale them down.")
    single = _single(column)
    if single is not None:
        # Its own digits: 0.1 is the 0.1 of a column of doubles.
        numbers = pd.Series(single.astype(str).astype(float), index=column.index)
    elif kind in "iufb":
        numbers = column.astype(float)
    else:
        cells = column
        if not isinstance(column.dtype, pd.StringDtype):
            texts = [
                None if missing else _cell(value)
                for value, missing in zip(column, column.isna(), strict=True)
            ]
            cells = pd.Series(texts, index=column.index, dtype=object)
        numbers = numbers_of(cells)
        unread = numbers.isna() & cells.notna()
        if words and unread.any():
            answers = cells.str.strip().str.lower()
            if answers.isin(ANSWERS).any() and answers.isin({*ANSWERS, *MISSING}).all():
                cells = answers.map({**dict.fromkeys(MISSING, ""), **ANSWERS})
                numbers = numbers_of(cells)
                unread = numbers.isna() & cells.notna()
        if unread.any():
            text = cells[unread]
            wrong = text[[cell.strip().lower() not in MISSING for cell in text]]
            if len(wrong):
                table.refuse(
                    f"column {shown(label)} holds {shown(wrong.iloc[0])}, which is not a "
                    f"number{_remedy(wrong.iloc[0], remedy)}",
                    wrong.index[0],
                )
        _check_exact(table, label, cells[numbers.abs() >= EXACT])
    infinite = np.isinf(numbers.to_numpy())
    if infinite.any():
        table.refuse(
            f"column {shown(label)} is infinite; {remedy}.",
            numbers.index[int(np.argmax(infinite))],
        )
    return numbers


def _single(column: pd.Series) -> np.ndarray | None:
    """Give the values of a column of single or half precision; None of any other column."""
    dtype = getattr(column.dtype, "numpy_dtype", column.dtype)
    if not isinstance(dtype, np.dtype) or dtype.kind != "f" or dtype.itemsize >= 8:
        return None
    return column.to_numpy(dtype=dtype, na_value=np.nan)


def _check_exact(table: Table, label: str, cells: pd.Series) -> None:
    """Refuse large whole numbers that a float rounds, so that two of them would tie."""
    digits = cells.str.extract(r"^\s*[+-]?0*(\d{16,})(?:\.0*)?\s*$", expand=False).dropna()
    rounded = digits[[int(number[:400]) > EXACT for number in digits]]
    if len(rounded):
        table.refuse(
            f"column {shown(label)} holds the whole number {shown(rounded.iloc[0])}, above 2**53, "
            "where floats are not told apart; scale the scores down, or write it as 9.007e15.",
            rounded.index[0],
        )


def _cell(value: Any) -> str:
    """Write a cell as text; True and False are 1 and 0, dates stay dates."""
    return str(int(value)) if isinstance(value, bool | np.bool_) else text_of(value)


def _remedy(cell: str, remedy: str) -> str:
    """End the message on a cell that is not a number."""
    bare = bare_number(cell)
    if bare != cell.strip() and is_number(bare):
        if cell.strip().endswith("%") and bare + "%" == cell.replace(" ", ""):
            return "; remove the % sign, of every score."
        return _MEAN_AND_ERROR
    if is_number("".join(unicodedata.normalize("NFKC", cell).replace("−", "-").split())):
        return "; write it in plain digits, without blanks."
    hint = " (a decimal comma? use a point; of thousands? leave it out)" if "," in cell else ""
    return f"{hint}; {remedy}."
