"""Whether whole numbers of a CSV are written as Python writes them: 7, and not 07 or +7."""

import numpy as np
import pandas as pd

from leaderbayes._types import Longs

_LARGE = 2**53  # from here on a table keeps what is written
_PIECE = 2**18  # bytes that are looked at together


def whole_as_written(content: bytes, delimiter: str, frame: pd.DataFrame) -> set[int]:
    """Find columns of whole numbers, none of them large, that are written as Python writes them.

    Whatever else is read as the same number is longer: 07, +7, "7", a blank beside it, -0. So the
    characters of a column are counted, and those of its numbers, where any cell looks otherwise.

    Parameters
    ----------
    content : bytes
        The CSV, in UTF-8.
    delimiter : str
        Between its cells.
    frame : DataFrame (row, column)
        What pandas has read below the header; columns are called 0, 1, ...

    Returns
    -------
    set of int
        The columns; none of a file whose cells cannot be told apart by their ends alone.
    """
    numbers = {k: frame[k].to_numpy() for k, kind in enumerate(frame.dtypes) if kind.kind == "i"}
    whole = {k for k, n in numbers.items() if -_LARGE < n.min() and n.max() < _LARGE}
    if not whole or _all_as_written(content, delimiter):
        return whole
    lengths = _lengths(content, delimiter, *frame.shape)
    if lengths is None:
        return set()
    return {k for k in whole if int(lengths[k]) == _characters(numbers[k])}


def _all_as_written(content: bytes, delimiter: str) -> bool:
    """Whether nothing looks otherwise in any column, which takes half the time of counting."""
    if b'"' in content or b"+" in content or not content.endswith(b"\n"):
        return False
    whole = np.frombuffer(content, np.uint8)
    for begin in range(0, len(whole), _PIECE):
        piece = whole[begin : begin + _PIECE + 2]
        before, at, after = piece[:-2], piece[1:-1], piece[2:]
        # Blanks, and line ends of another kind.
        if np.count_nonzero(at < 33) > np.count_nonzero(at == ord("\n")):
            return False
        zero = (at == ord("0")) & (after != ord("."))
        zero &= (before <= ord("-")) | (before == ord(delimiter))
        # Where a cell begins by 0, that is all of it; neither 07 nor -0.
        if (zero & ((after > ord("-")) | (before == ord("-")))).any():
            return False
    return True


def _characters(values: Longs) -> int:
    """Count the characters of whole numbers (row,), one at least."""
    low, high = int(values.min()), int(values.max())
    count, power = len(values) + int(np.count_nonzero(values < 0)), 10
    while power <= max(high, -low):
        count += int(np.count_nonzero(values >= power) + np.count_nonzero(values <= -power))
        power *= 10
    return count


def _lengths(content: bytes, delimiter: str, rows: int, columns: int) -> Longs | None:
    """Sum the lengths of the cells (column,) below the header; None where that is not clear."""
    whole = np.frombuffer(content, np.uint8)
    sums = np.zeros(columns, dtype=np.int64)  # of the places where cells end
    header = last = left = np.zeros(0, dtype=np.int64)
    seen = 0
    for begin in range(0, len(whole), _PIECE):
        piece = whole[begin : begin + _PIECE]
        ends = np.flatnonzero((piece == ord(delimiter)) | (piece == ord("\n"))) + begin
        if begin + _PIECE >= len(whole) and not content.endswith(b"\n"):
            ends = np.append(ends, len(whole))
        ends = np.concatenate([left, ends])
        full = len(ends) // columns
        left = ends[full * columns :]
        if full:
            of_rows = ends[: full * columns].reshape(full, columns)
            header, last = header if seen else of_rows[0], of_rows[-1]
            sums += np.einsum("ij->j", of_rows)
            seen += full
    # A quoted cell may hold more ends, and a row that is too short has fewer.
    if seen != rows + 1 or len(left):
        return None
    returns = content.count(b"\r") if b"\r" in content else 0
    if returns and (returns < rows or content.count(b"\r\n") != returns):
        return None
    sums -= header
    begins = np.append(sums[-1] + header[-1] - last[-1], sums[:-1]) + rows
    begins[-1] += max(returns - 1, 0)
    lengths: Longs = sums - begins
    return lengths
