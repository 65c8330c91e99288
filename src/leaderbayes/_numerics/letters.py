"""Compact letter display: players share a letter if and only if they are indistinguishable.

References
----------
Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons, Journal
of Computational and Graphical Statistics 13: insert and absorb, then sweep.
"""

from string import ascii_letters

import numpy as np

from leaderbayes._types import Bools

_MOST = 1000  # columns, beyond which a smaller set of them is looked for


def letters(apart: Bools) -> list[str]:
    """Return each player's letters, best first; pairs ``apart`` share none."""
    m = len(apart)
    columns = _columns(apart)
    if columns is None:
        columns = _cover(apart)
    table = np.array([[column >> i & 1 for i in range(m)] for column in columns], dtype=bool)
    table = _swept(table)
    table = table[np.lexsort(~table.T[::-1])]
    return [
        "".join(_letter(int(k)) for k in np.flatnonzero(table[:, i])) for i in range(table.shape[1])
    ]


def _letter(k: int) -> str:
    turn, place = divmod(k, len(ascii_letters))
    return ascii_letters[place] + (str(turn) if turn else "")


def _columns(apart: Bools) -> list[int] | None:
    """Insert and absorb: the largest sets (bits) of indistinguishable players; or None."""
    columns = [(1 << len(apart)) - 1]
    for i, j in np.argwhere(np.triu(apart, 1)).tolist():
        both = 1 << i | 1 << j
        split = [column for column in columns if column & both == both]
        if not split:
            continue
        columns = [column for column in columns if column & both != both]
        halves = sorted(
            {column & ~(1 << k) for column in split for k in (i, j)},
            key=int.bit_count, reverse=True,
        )  # fmt: skip
        for half in halves:
            if not any(half & column == half for column in columns):
                columns.append(half)
        if len(columns) > _MOST:
            return None
    return columns


def _cover(apart: Bools) -> list[int]:
    """Cover all indistinguishable pairs by sets, each grown from a pair, best first."""
    m = len(apart)
    together = ~apart
    np.fill_diagonal(together, True)
    covered = np.zeros_like(together)
    columns = []
    for i in range(m):
        for j in range(i, m):
            if covered[i, j] or not together[i, j] or (i == j and covered[i].any()):
                continue
            own, may = [i, j], together[i] & together[j]
            for k in np.flatnonzero(may):
                if may[k]:
                    own.append(int(k))
                    may &= together[k]
            members = np.unique(own)
            covered[np.ix_(members, members)] = True
            columns.append(sum(1 << int(k) for k in members))
    return columns


def _swept(table: Bools) -> Bools:
    """Remove redundant letters (letter, player)."""
    table = table.copy()
    shared = table.T.astype(np.int64) @ table.astype(np.int64)
    for column in table[::-1]:
        for i in np.flatnonzero(column):
            if (shared[i, column] > 1).all():
                shared[i, column] -= 1
                shared[column, i] -= 1
                shared[i, i] += 1  # which was counted twice
                column[i] = False
    return np.asarray(table[table.any(axis=1)])
