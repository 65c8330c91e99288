"""Low-rank tables: principal components, values that are missing, rotations."""

import numpy as np

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.two_way import effects
from leaderbayes._types import Bools, Floats

_TOLERANCE = 1e-6
_MOST_STEPS = 5000
_TINY = np.finfo(float).tiny


def complete(table: Floats, rank: int) -> Floats:
    """Fill the gaps (NaN) of a table (row, column) whose rows are known up to a level.

    Gaps are filled from the column means and ``rank`` regularised principal components, and each
    row is moved to the level at which its known values fit best, in turns until both stand (Josse,
    Husson 2016, doi:10.18637/jss.v070.i01). Rows of the result sum to zero.
    """
    known = ~np.isnan(table)
    if known.all():
        return table
    rows, centre = effects(table)
    filled = np.asarray(np.where(known, table - rows[:, None], centre) - centre.mean())
    # One component after the other: from a poor start a gap becomes a component of its own.
    for components in range(1, rank + 1):
        filled = _settled(filled, known, components)
    return filled


def _settled(filled: Floats, known: Bools, rank: int) -> Floats:
    """Alternate between the low-rank fit of a table, and its gaps and levels."""
    size = known.sum(axis=1, keepdims=True)
    for _ in range(_MOST_STEPS):
        fitted = _low_rank(filled, rank)
        level = (known * (fitted - filled)).sum(axis=1, keepdims=True) / size
        new = np.where(known, filled + level, fitted)
        if np.abs(new - filled).max() <= _TOLERANCE * max(1.0, np.abs(new).max()):
            return new
        filled = new
    raise NotConvergedError(
        f"Values imputed for absent players did not settle in {_MOST_STEPS} steps: exclude the "
        "tournaments with the most absent players, or use fewer dimensions."
    )


def _low_rank(table: Floats, rank: int) -> Floats:
    """Column means and regularised components; rows that sum to zero keep doing so."""
    centre = table.mean(axis=0)
    centred = table - centre
    s, v = _right_singular(centred)
    free = np.subtract(table.shape, 1 + rank).prod()
    noise = (s[rank:] ** 2).sum() / free if free > 0 else 0.0
    # Noise of this variance adds so much to the square of a singular value.
    added = max(table.shape) * noise
    kept = np.maximum(1.0 - added / np.maximum(s[:rank] ** 2, _TINY), 0.0)
    return np.asarray(centre + centred @ (v[:, :rank] * kept) @ v[:, :rank].T)


def _right_singular(table: Floats) -> tuple[Floats, Floats]:
    """Singular values and right vectors, by the smaller Gram matrix: much faster than an SVD."""
    wide = table.shape[0] < table.shape[1]
    square, vectors = np.linalg.eigh(table @ table.T if wide else table.T @ table)
    s, vectors = np.sqrt(np.maximum(square[::-1], 0.0)), vectors[:, ::-1]
    return s, table.T @ vectors / np.maximum(s, _TINY) if wide else vectors


def principal(table: Floats, dimensions: int) -> tuple[Floats, Floats, Floats]:
    """Return scores (row, component), loadings (column, component) and shares of the variation."""
    centred = table - table.mean(axis=0)
    s, v = _right_singular(centred)
    loadings = v[:, :dimensions]
    largest = np.abs(loadings).argmax(axis=0)
    sign = np.sign(loadings[largest, np.arange(dimensions)])
    shares = s[:dimensions] ** 2 / max((s**2).sum(), _TINY)
    return centred @ loadings * sign, loadings * sign, shares
