"""Text as numbers, to the last digit, whichever pandas reads it."""

import numpy as np
import pandas as pd


def numbers_of(cells: pd.Series) -> pd.Series:
    """Read cells as floats; NaN where a cell holds no number.

    `pandas.to_numeric` says which cells do. Before pandas 3 it also rounds: every other number of
    17 digits is off in its last, and 0000000000000000001 is 0; so the values are Python's.

    Parameters
    ----------
    cells : Series (row,)
        Text, numbers, or missing.

    Returns
    -------
    Series (row,) of float
    """
    numbers = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    there = ~np.isnan(numbers)
    values = np.full(len(cells), np.nan)
    found = cells.to_numpy(dtype=object)[there]
    try:
        values[there] = found.astype(float)
    except ValueError:
        values[there] = [_float(cell) for cell in found]
    return pd.Series(values, index=cells.index)


def _float(cell: object) -> float:
    """Read one number; pandas 3 takes a broken line after the e for one, and Python does not."""
    try:
        return float(cell)  # type: ignore[arg-type]
    except ValueError:
        return np.nan
