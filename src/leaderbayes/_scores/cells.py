"""Cells of a column as names or as numbers; what is neither is refused with its row."""

import numpy as np
import pandas as pd

from leaderbayes._scores.tables import (
    ANSWERS,
    MISSING,
    Table,
    bare_number,
    clean,
    counted,
    is_number,
    is_unicode,
    shown,
    text_of,
)

_MEAN_AND_ERROR = (
    ", but a mean with its error. Use scores of single rounds (folds, seeds, tasks), or the "
    "means alone if tasks are rounds. For one mean and one error per model, use "
    "sota.read_board(table, se=...) (leaderbayes sota FILE --se COLUMN)."
)
# A run that timed out is not missing: left empty it would play the easy rounds only.
OF_SCORES = (
    "leave a missing score empty, or write a score below all others if failing counts as losing"
)


def as_names(table: Table, label: str, *, missing: str | None = None) -> pd.Series:
    """Read names as cleaned text; a missing one is an error, or the text ``missing``."""
    column = table.frame[label]
    try:
        codes, values = pd.factorize(column, use_na_sentinel=True)
    except TypeError:  # a list, or another container
        codes, values = pd.factorize(column.map(type))
    names = []
    for k, value in enumerate(np.asarray(values, dtype=object).tolist()):
        text = text_of(value)
        if isinstance(value, bytes | type) or not is_unicode(text):
            row = int(np.argmax(codes == k))
            table.refuse(
                f"column {shown(label)} holds {shown(column.iloc[row])}, which is not text.",
                column.index[row],
            )
        names.append(clean(text))
    texts = np.array([*names, ""], dtype=object)  # a missing cell has the code -1
    if missing is not None:
        texts[texts == ""] = missing
    elif (empty := (texts == "")[codes]).any():
        table.refuse(
            f"column {shown(label)} is empty; every row needs a name there.",
            column.index[int(np.argmax(empty))],
        )
    return pd.Series(texts[codes], index=column.index, dtype=object)


def as_numbers(
    table: Table, label: str, *, words: bool = True, remedy: str = OF_SCORES
) -> pd.Series:
    """Read scores as floats, NaN where missing; with ``words`` those of `ANSWERS` as 1 and 0."""
    column = table.frame[label]
    if column.dtype.kind in "fb" and isinstance(column.dtype, np.dtype):
        numbers = column.astype(float)
    else:
        numbers = _read(table, label, _texts(column), words, remedy)
    infinite = np.isinf(numbers.to_numpy())
    if infinite.any():
        row = numbers.index[int(np.argmax(infinite))]
        table.refuse(f"column {shown(label)} is infinite; {remedy}.", row)
    return numbers


def numbers_of(cells: pd.Series) -> pd.Series:
    """Read cells as floats, NaN where a cell holds no number, as exactly as Python does."""
    found = cells.to_numpy(dtype=object)
    try:
        text = "".join(found)
        if text.isascii() and "_" not in text:  # Python reads 1_000, and digits of all scripts
            return pd.Series(found.astype(float), index=cells.index)
    except (TypeError, ValueError):
        pass  # something is missing, or is no number
    numbers = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    there = ~np.isnan(numbers)
    values = np.full(len(cells), np.nan)
    found = found[there]
    try:
        values[there] = found.astype(float)
    except ValueError:  # pandas 3 reads a broken line after the e
        values[there] = [float(it) if is_number(it) else np.nan for it in found]
    return pd.Series(values, index=cells.index)


def _texts(column: pd.Series) -> pd.Series:
    """Write cells as text, True and False as 1 and 0."""
    if isinstance(column.dtype, pd.StringDtype) or pd.api.types.infer_dtype(column) == "string":
        return column
    texts = [
        None if missing else str(int(it)) if isinstance(it, bool | np.bool_) else text_of(it)
        for it, missing in zip(column, column.isna(), strict=True)
    ]
    return pd.Series(texts, index=column.index, dtype=object)


def _read(table: Table, label: str, cells: pd.Series, words: bool, remedy: str) -> pd.Series:
    """Read numbers written as text."""
    numbers = numbers_of(cells)
    if not np.isnan(numbers.to_numpy()).any():
        return numbers
    cells = cells.str.replace("−", "-")  # as papers write minus
    numbers = numbers_of(cells)
    unread = numbers.isna() & cells.notna()
    if words and unread.any():
        answers = cells.str.strip().str.lower()
        if answers.isin(ANSWERS).any() and answers.isin({*ANSWERS, *MISSING}).all():
            cells = answers.map({**dict.fromkeys(MISSING, ""), **ANSWERS})
            numbers = numbers_of(cells)
            unread = numbers.isna() & cells.notna()
    if unread.any() and (bare := _other_writing(cells)) is not None:
        return bare
    wrong = cells[unread]
    wrong = wrong[~wrong.str.strip().str.lower().isin(MISSING)]
    if len(wrong):
        # A time-out among answers is what is wrong, not the answers.
        other = wrong[~wrong.str.strip().str.lower().isin(ANSWERS)]
        wrong = other if words and len(other) else wrong
        cell = wrong.iloc[0]
        table.refuse(
            f"column {shown(label)} holds {shown(cell)}, which is not a number"
            f"{_remedy(cell, remedy)}{_others(table, wrong)}",
            wrong.index[0],
        )
    return numbers


def _others(table: Table, wrong: pd.Series) -> str:
    """Name the next cell of a column that is not a number, and count them."""
    if len(wrong) < 2:
        return ""
    more, at = counted(len(wrong) - 1, "other cell"), table.row(wrong.index[1])
    return f" The column has {more} like it, first {shown(wrong.iloc[1])} in {at}."


def _other_writing(cells: pd.Series) -> pd.Series | None:
    """Read numbers that all have a percent sign, or a decimal comma; None of others."""
    texts = cells.fillna("").str.strip()
    missing = texts.str.lower().isin(MISSING)
    there = texts[~missing].str.replace(r"\s*%$", "", regex=True)
    percent = texts[~missing].str.endswith("%")
    comma = there.str.fullmatch(r"[-+]?\d+,\d+")
    # 1,234 may be a thousand.
    fractions = comma.all() and not there.str.fullmatch(r"[-+]?[1-9]\d{0,2},\d{3}").all()
    if not (percent.all() or (fractions and not percent.any())):
        return None
    numbers = numbers_of(there.str.replace(",", ".") if fractions else there)
    return None if numbers.isna().any() else numbers.reindex(cells.index)


def _remedy(cell: str, remedy: str) -> str:
    """End the message on a cell that is not a number."""
    bare = bare_number(cell)
    if bare != cell.strip() and is_number(bare):
        if bare + "%" == cell.replace(" ", ""):
            return "; remove the % sign, or add it to every score of the column."
        return _MEAN_AND_ERROR
    hint = " (a decimal comma? use a point; of thousands? leave it out)" if "," in cell else ""
    return f"{hint}; {remedy}."


def has_answers(column: pd.Series, *, bare: bool = False) -> bool:
    """Whether a column holds right and wrong answers alone: in words, some perhaps as 1 and 0."""
    try:
        distinct = column.dropna().unique()
    except TypeError:  # lists, or other containers
        return False
    cells = {text_of(cell).strip().lower() for cell in distinct}
    numbers = {"0", "1", "0.0", "1.0"}
    words_of = {*ANSWERS, *numbers} if bare else {*ANSWERS}
    return not (cells - {*ANSWERS, *MISSING, *numbers}) and bool(cells & words_of)


def is_text(column: pd.Series) -> bool:
    """Whether most of a column is text."""
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        return False
    there = column.dropna()
    if pd.api.types.infer_dtype(there) == "string" and numbers_of(there).notna().all():
        return False
    text = [text_of(cell)[:100].strip() for cell in there]  # no number is longer
    bare = [bare_number(cell).replace(",", ".") for cell in text if cell.lower() not in MISSING]
    numbers = pd.to_numeric(pd.Series(bare, dtype=object), errors="coerce").notna()
    return len(bare) > 0 and float(numbers.mean()) <= 0.5
