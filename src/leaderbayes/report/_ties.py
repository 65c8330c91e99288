"""Groups drawn beside the rows of the page's table: a bar goes over players not told apart."""

import pandas as pd

from leaderbayes.plots._groups import bars_of

_MOST = 16  # bars beside each other; of more the numbers of the groups alone are shown
_APART = 7  # pixels, from bar to bar
_GAP = 15  # percent of a row, left free at either end of a bar


def ties(group: pd.DataFrame, table: pd.DataFrame) -> tuple[list[str], int]:
    """Give for each row the path of its bars, and how wide all are together.

    Parameters
    ----------
    group : DataFrame
        From `leaderbayes.groups`.
    table : DataFrame
        From `leaderbayes.leaderboard`, of the same fit.

    Returns
    -------
    list of str, int
        SVG path data, in pixels across and percent of a row's height down; "" of a player in no
        group with another. Width in pixels; 0 where there are too many bars, or none.
    """
    bars = bars_of(group, table, len(table))
    lanes = 1 + max((lane for lane, _ in bars), default=-1)
    paths = [""] * len(table)
    if lanes > _MOST:
        return paths, 0
    for lane, (first, last) in bars:
        x = _APART * lane + _APART // 2
        for row in range(first, last + 1):
            top = _GAP if row == first else 0
            end = 100 - _GAP if row == last else 100
            paths[row] += f"M{x} {top}V{end}"
    return paths, _APART * lanes
