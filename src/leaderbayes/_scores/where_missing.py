"""Whether scores are missing just where rounds are hard, or easy."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import stdtr

from leaderbayes._types import Bools, Floats

_FEWEST = 10  # rounds, or clusters
_RARE = 0.001  # of boards whose scores are missing at random have any player named
_LEAST = 0.01  # of a player who is named, to be said to lead by more or less where rounds are hard
_SWEEPS = 30  # of averages by player and by round, in turn
_ROUNDING = 1e-9  # of the largest score


class Lacking(NamedTuple):
    """A player who lacks rounds in which others have other scores than elsewhere."""

    player: str
    share: float  # of the rounds, that are missing
    missing: float  # mean score of the others in the rounds that it lacks
    there: float  # and in those that it has
    bends: bool  # whether its lead over them goes with their scores


def lacking(scores: xr.DataArray) -> list[Lacking]:
    """Find players whose missing scores are not those of any rounds.

    How hard a round is for a player, the others tell: the mean of their scores, less the mean that
    each has (two ways, by least squares). Were scores missing at random, that and a player's being
    there were not correlated over rounds; or, where these have clusters, over their means.

    Parameters
    ----------
    scores : DataArray
        Dims ``player``, ``round``; NaN where missing, and perhaps the coordinate ``cluster``.
    """
    y = scores.transpose("player", "round").to_numpy().astype(float)
    there = np.isfinite(y)
    if there.all() or len(y) < 2:
        return []
    unit = pd.factorize(scores["cluster"].to_numpy())[0] if "cluster" in scores.coords else None
    largest = float(np.nanmax(np.abs(y))) or 1.0
    y = y / largest
    player = _means(y, there)
    left = np.where(there, y - player[:, None], 0.0)
    others = there.sum(axis=0) - there
    of_others = (left.sum(axis=0) - left) / others.clip(min=1)
    found = []
    for i, name in enumerate(scores["player"].to_numpy()):
        seen = others[i] > 0
        here, level = there[i, seen], of_others[i, seen]
        if _chance(here.astype(float), level, _some(unit, seen)) > _RARE / len(y):
            continue
        mean = np.delete(player, i).mean()
        missing, has = (largest * float(mean + level[of].mean()) for of in (~here, here))
        bends = _bend(y[i], left, there, i, unit) < _LEAST
        found.append(Lacking(str(name), float(1.0 - here.mean()), missing, has, bends))
    return found


def _means(y: Floats, there: Bools) -> Floats:
    """Give each player's mean (player,), as if it had played all rounds."""
    filled = np.where(there, y, 0.0)
    of_player, of_round = there.sum(axis=1).clip(min=1), there.sum(axis=0).clip(min=1)
    player: Floats = filled.sum(axis=1) / of_player
    for _ in range(_SWEEPS):
        level = (filled.sum(axis=0) - player @ there) / of_round
        player = (filled.sum(axis=1) - there @ (level - level.mean())) / of_player
    return player


def _bend(y: Floats, left: Floats, there: Bools, i: int, unit: np.ndarray | None) -> float:
    """Give how surely a player's lead over others goes with a round's level, as a p-value.

    The lead is that over one half of the others, the level that of the other half, as each has
    noise of its own.
    """
    others = np.flatnonzero(np.arange(len(left)) != i)
    halves = others[::2], others[1::2]
    both = there[i] & np.logical_and.reduce([there[of].any(axis=0) for of in halves])
    near, level = (
        left[of][:, both].sum(axis=0) / there[of][:, both].sum(axis=0).clip(min=1) for of in halves
    )
    return _chance(y[both] - near, level, _some(unit, both))


def _some(unit: np.ndarray | None, of: Bools) -> np.ndarray | None:
    return None if unit is None else unit[of]


def _chance(first: Floats, second: Floats, unit: np.ndarray | None) -> float:
    """Give the p-value of a correlation over rounds, or over their clusters; 1 of too few."""
    if unit is not None:
        _, unit, size = np.unique(unit, return_inverse=True, return_counts=True)
        first, second = np.bincount(unit, first) / size, np.bincount(unit, second) / size
    n = len(first)
    if n < _FEWEST or min(np.ptp(first), np.ptp(second)) < _ROUNDING:
        return 1.0
    r = float(np.corrcoef(first, second)[0, 1])
    return float(2.0 * stdtr(n - 2, -abs(r) * np.sqrt((n - 2) / max(1.0 - r * r, 1e-12))))
