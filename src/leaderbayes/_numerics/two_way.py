"""Two-way effects of a table by least squares."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from leaderbayes._types import Floats


def effects(table: Floats) -> tuple[Floats, Floats]:
    """Return effects of rows and columns by least squares, of a table with missing values."""
    known = ~np.isnan(table)
    values = np.where(known, table, 0.0)
    count = np.maximum(known.sum(axis=0), 1)
    shared = (known / count) @ known.T
    misfit = (known * (values - values.sum(axis=0) / count)).sum(axis=1)
    rows = np.linalg.lstsq(np.diag(known.sum(axis=1)) - shared, misfit)[0]
    return rows, np.where(known, values - rows[:, None], 0.0).sum(axis=0) / count


def column_means(table: Floats, weight: Floats | None = None) -> Floats:
    """Return each column's mean over all rows (column,), with missing values imputed.

    ``table`` (row, column) is NaN where there is no value, and means are of effects then; no row
    and no column is empty. Rows count by their ``weight`` (row,). All are NaN where rows and
    columns fall apart, and no mean compares.
    """
    known = ~np.isnan(table)
    if known.all():
        return np.asarray(np.average(table, axis=0, weights=weight))
    # A square of the shorter side is solved.
    wide = table.shape[0] <= table.shape[1]
    side = (known if wide else known.T).astype(float)
    if connected_components(side @ side.T, directed=False)[0] > 1:
        return np.full(table.shape[1], np.nan)
    rows, columns = effects(table) if wide else effects(table.T)[::-1]
    return np.asarray(columns + np.average(rows, weights=weight))
