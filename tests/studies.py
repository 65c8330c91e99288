"""Small boards of several tournaments, and what a study of them leaves on disk."""

import numpy as np
import xarray as xr

from conftest import simulate

OPTIONS = {"draws": 20, "replicates": 10, "seed": 1, "progressbar": False}


def many(names, rng=None):
    """Scores (tournament, player, round) of small boards; the second lacks a player."""
    rng = np.random.default_rng(1) if rng is None else rng
    boards = [simulate(np.zeros(4), 12, rng) for _ in names]
    boards[1][3] = np.nan
    return xr.concat(boards, dim=xr.DataArray(list(names), dims="tournament", name="tournament"))


def files_of(folder):
    """Contents of all files, by their paths."""
    return {
        path.relative_to(folder): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
